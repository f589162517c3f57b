// SPDX-License-Identifier: Apache-2.0
// An estimate of what a run's work costs, by a table (sim/energy/energy_table.h): counts times published
// figures. Wires, clocks and what else a design has are in none of them.
#pragma once

#include "isa/spec/spec.h"
#include "sim/energy/energy_table.h"
#include "sim/energy/work.h"

namespace cosim::sim {

/// mJ.
struct Energy {
  double macs = 0;  ///< a multiplication and a sum each, as wide as the operands
  double alu = 0;   ///< operators of the ops' bodies
  double sram = 0;  ///< accesses of on-chip memories
  double dram = 0;  ///< bytes through the memory ports
  double instructions = 0;
  double host = 0;     ///< the processor beside it, while it computes and copies
  double leakage = 0;  ///< `static` power over the frame
  double Total() const { return macs + alu + sram + dram + instructions + host + leakage; }
};

/// The work and the bytes it moves; neither host nor leakage.
Energy EnergyOf(const isa::Spec& spec, const Work& work, uint64_t dram_bytes, const EnergyTable& table);

/// pJ of one multiply-accumulate of a gemm instruction's format, of an ALU op on one lane, and of one access
/// of an element.
double MacEnergy(const isa::Spec& spec, const isa::Intrinsic& intrinsic, const EnergyTable& table);
double LaneEnergy(const isa::ScalarProgram& program, const EnergyTable& table);
double AccessEnergy(const isa::Memory& memory, const EnergyTable& table);

}  // namespace cosim::sim
