// SPDX-License-Identifier: Apache-2.0
#include "sim/energy/energy.h"

namespace cosim::sim {
namespace {

constexpr double kMillijoule = 1e-9;  ///< of a pJ

double Times(uint64_t count, double cost) { return static_cast<double>(count) * cost; }

}  // namespace

Energy EnergyOf(const isa::Spec& spec, const Work& work, const Costs& costs) {
  Energy energy;
  for (size_t f = 0; f < work.macs.size(); ++f) energy.macs += Times(work.macs[f], costs.macs[f]);
  for (size_t op = 0; op < work.lane_ops.size(); ++op)
    energy.alu += Times(work.lane_ops[op], costs.lane_ops[op]);
  for (size_t m = 0; m < work.memories.size(); ++m)
    energy.sram += Times(work.memories[m].reads, costs.memories[m].read) +
                   Times(work.memories[m].writes, costs.memories[m].write);
  const uint64_t words = work.instructions * static_cast<uint64_t>(spec.word_bytes());
  energy.dram =
      Times(work.dram_read + words, costs.dram_byte.read) + Times(work.dram_written, costs.dram_byte.write);
  energy.instructions = Times(work.instructions, costs.instruction);
  for (double* part : {&energy.macs, &energy.alu, &energy.sram, &energy.dram, &energy.instructions})
    *part *= kMillijoule;
  return energy;
}

}  // namespace cosim::sim
