// SPDX-License-Identifier: Apache-2.0
// From a Spec to a Verilated model of its accelerator: generates the SystemVerilog, has Verilator and the C++
// compiler build a shared object, and keeps that in the cache (runtime/file_cache.h, kind "rtl"). A
// configuration is built once; what it takes is half a minute for 256 MACs a cycle.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isa/diagnostics.h"
#include "isa/spec/spec.h"
#include "sim/rtl/rtl_model.h"
#include "sim/rtl/rtl_sources.h"

namespace cosim::sim {

struct RtlBuildOptions {
  bool assertions = false;  ///< the RTL checks its own contracts; slower
  bool quick = false;       ///< for a model that runs little: half the time to compile, slower to run
  /// SystemVerilog that gives the RTL's `MUTANT a meaning, read before all else; empty: there are no faults.
  std::filesystem::path mutants;
  /// Modules around the accelerator, the last of them the top, `wrapped_accelerator`, which has the pins of
  /// cosim_accelerator; empty: there are none.
  std::vector<RtlSource> around;
  bool trace = false;  ///< the model can write waves; slower, even when it does not
  std::function<void(const std::string&)> progress;  ///< what is being done now, when it takes long
};

/// The shared object, from the cache or newly built. Nothing after reporting: a spec that has no RTL (E0701),
/// a program that is not installed (E0702), RTL that does not compile, which is a bug (E0703), a cache that
/// cannot be written (E0704), a model that another machine built (E0707).
std::optional<std::filesystem::path> BuildRtl(const isa::Spec& spec, const RtlBuildOptions& options,
                                              Diagnostics& diags);

/// A new accelerator, of which there may be several. `library` is BuildRtl's; it stays loaded.
std::unique_ptr<RtlModel> MakeRtlModel(const std::filesystem::path& library, int seed = 1);

}  // namespace cosim::sim
