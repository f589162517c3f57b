// SPDX-License-Identifier: Apache-2.0
// One edited ISA with a small network: loading it, compiling and running the network against the golden
// model, judging what is said where it does not run on the accelerator, and the line that reproduces it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "isa/spec/loader.h"
#include "tests/network_fuzz/isa_edit.h"

namespace cosim::testing {

struct IsaCase {
  std::string isa = "cosim";             ///< of isa/
  std::vector<isa::Override> overrides;  ///< of configs/tiny.yaml
  std::vector<IsaEdit> edits;            ///< one after the other
  bool rtl = false;                      ///< under Verilator too, where work runs on the accelerator
  uint64_t seed = 0;                     ///< of the network
  std::vector<uint64_t> steps;
};

struct IsaOutcome {
  enum class Kind {
    kExact,    ///< what the ISA before its edits runs on the accelerator still does; all results are golden
    kPartly,   ///< some of it does; the rest says why, truly
    kHost,     ///< none of it does, and each layer says why, truly
    kRefused,  ///< by the loader, every diagnostic with file, line and column
    kUntrue,   ///< a reason that no edit explains, or a diagnostic without a place
    kWrong,    ///< a value that is not golden's, a program that does not verify, a device that stops
    kCrashed,
    kLate
  } kind = Kind::kExact;
  std::string text;    ///< the diagnostics, reasons, or what is wrong
  bool works = false;  ///< some layer ran on the accelerator
  bool Good() const { return kind <= Kind::kRefused; }
};
inline constexpr int kIsaOutcomes = 8;
/// "exact", …, as a summary prints it.
const char* Name(IsaOutcome::Kind kind);

IsaCase DrawIsaCase(uint64_t seed);
std::string ToString(const IsaCase& c);
std::optional<IsaCase> ParseIsaCase(const std::string& text);

IsaOutcome RunIsaCase(const IsaCase& c);
IsaOutcome RunIsaCaseIsolated(const IsaCase& c, int seconds);

/// The smallest case found that `fails`: edits, steps and settings left out one by one.
IsaCase Shrink(IsaCase c, const std::function<bool(const IsaCase&)>& fails);

/// Why `reason` cannot be what `edits` of the ISA `before` lead to; empty: it can. It has to be one that the
/// compiler is known to give, about a part of the ISA that the edits touch, and to name something that they
/// touch or that names it. (A reason that a layer already had before the edits is not judged.)
std::string Untrue(const std::string& reason, const isa::YamlNode& before, const std::vector<IsaEdit>& edits);

}  // namespace cosim::testing
