// SPDX-License-Identifier: Apache-2.0
// From a Spec to the size of its accelerator: generates the SystemVerilog, has Yosys map it to the cells of
// the board's device, keeps the netlist in the cache (runtime/file_cache.h, kind "synth"), and counts.
// Nothing is placed or routed.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "isa/diagnostics.h"
#include "isa/spec/spec.h"
#include "sim/synth/analysis.h"
#include "sim/synth/board.h"

namespace cosim::synth {

struct Synthesis {
  Board board;
  Analysis analysis;
  std::string yosys;             ///< its version
  std::filesystem::path folder;  ///< sv/, rtl/, the script synth.ys, netlist.blif, yosys.log

  /// True if every resource is within the board's budget, or it has none.
  bool Fits() const;
};

struct SynthesisOptions {
  std::function<void(const std::string&)> progress;  ///< what is being done now, when it takes long
};

/// Nothing after reporting: a spec that has no RTL (E0701), no Yosys (E0702), a cache that cannot be written
/// (E0704), RTL that Yosys rejects, which is a bug (E0705), a board that is not known (E0706).
std::optional<Synthesis> Synthesize(const isa::Spec& spec, const SynthesisOptions& options,
                                    Diagnostics& diags);

}  // namespace cosim::synth
