// SPDX-License-Identifier: Apache-2.0
// When each instruction of a program issues and retires, from the accelerator's pins.
#pragma once

#include <cstddef>
#include <vector>

#include "isa/check.h"
#include "isa/program/program.h"
#include "isa/spec/spec.h"
#include "runtime/profile.h"
#include "sim/rtl/rtl_model.h"

namespace cosim::sim {

/// Gives the k-th issue and retirement of a unit to its k-th instruction.
class Recorder {
 public:
  Recorder(const isa::Spec& spec, const isa::Program& program)
      : of_unit_(spec.units.size()),
        issued_(spec.units.size(), 0),
        retired_(spec.units.size(), 0),
        times_(program.instructions.size(), {-1, -1}) {
    for (size_t i = 0; i < program.instructions.size(); ++i)
      of_unit_[spec.formats[program.instructions[i].format].unit].push_back(i);
  }

  void Record(runtime::Cycle now, const RtlOutputs& outputs) {
    if ((outputs.issue | outputs.retire) == 0) return;
    for (size_t unit = 0; unit < of_unit_.size(); ++unit) {
      if (outputs.issue >> unit & 1) times_[Next(unit, issued_)].issue = now;
      if (outputs.retire >> unit & 1) times_[Next(unit, retired_)].retire = now;
    }
  }

  /// By the program's order; -1 for what did not happen.
  std::vector<runtime::InstructionTimes>& times() { return times_; }

 private:
  size_t Next(size_t unit, std::vector<size_t>& count) {
    COSIM_CHECK(count[unit] < of_unit_[unit].size(), "unit {} does more than its instructions", unit);
    return of_unit_[unit][count[unit]++];
  }

  std::vector<std::vector<size_t>> of_unit_;  ///< by unit: positions in the program
  std::vector<size_t> issued_, retired_;      ///< by unit
  std::vector<runtime::InstructionTimes> times_;
};

}  // namespace cosim::sim
