// SPDX-License-Identifier: Apache-2.0
// An estimate of what a run's work costs: counts (sim/energy/work.h) times published figures
// (sim/energy/costs.h). Wires, clocks and what else a design has are in none of them.
#pragma once

#include "isa/spec/spec.h"
#include "sim/energy/costs.h"
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

/// The work, with the bytes that it moves and the words of its program; neither host nor leakage.
Energy EnergyOf(const isa::Spec& spec, const Work& work, const Costs& costs);

}  // namespace cosim::sim
