// SPDX-License-Identifier: Apache-2.0
// The built-in memory model: rules M3 and M4.
#include "sim/dram/memory_timing.h"

namespace cosim::sim {

uint64_t BurstHash(uint64_t seed, uint64_t number) {
  uint64_t z = seed + (number + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

void BuiltInMemory::Reset() {
  reads_ = 0;
  read_free_ = 0;
}

Cycle BuiltInMemory::WriteResponse(Cycle last_beat, const Burst&) {
  return last_beat + system_.write_latency;
}

}  // namespace cosim::sim
