// SPDX-License-Identifier: Apache-2.0
// What each part of one accelerator costs, whichever table it was taken from: one of ours, which knows widths
// and sizes, or one of Accelergy's, which knows components (sim/energy/accelergy_costs.h).
#pragma once

#include <string>
#include <vector>

#include "isa/spec/spec.h"
#include "sim/energy/energy_table.h"

namespace cosim::sim {

/// pJ, but for `static_mw`. The lists are as the spec's.
struct Costs {
  struct Access {
    double read = 0, write = 0;
  };
  std::string table, technology;
  std::vector<double> macs;      ///< by instruction format: a multiply-accumulate; 0 where there is none
  std::vector<double> lane_ops;  ///< by ALU op, on one lane
  std::vector<Access> memories;  ///< of an element
  Access dram_byte;
  double instruction = 0, host_cycle = 0, static_mw = 0;
};

Costs CostsOf(const isa::Spec& spec, const EnergyTable& table);

/// pJ of one multiply-accumulate of a gemm instruction's format, of an ALU op on one lane, and of one access
/// of an element.
double MacEnergy(const isa::Spec& spec, const isa::Intrinsic& intrinsic, const EnergyTable& table);
double LaneEnergy(const isa::ScalarProgram& program, const EnergyTable& table);
double AccessEnergy(const isa::Memory& memory, const EnergyTable& table);

}  // namespace cosim::sim
