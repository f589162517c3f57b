// SPDX-License-Identifier: Apache-2.0
// The built-in memory model: rules M3, M4 and M6.
#include "sim/dram/memory_timing.h"

namespace cosim::sim {

uint64_t BurstHash(uint64_t seed, uint64_t number) {
  uint64_t z = seed + (number + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

void BuiltInMemory::Reset() {
  ports_ = {};
  moved_ = 0;
}

Cycle BuiltInMemory::MovedBy(int64_t from, const Burst& burst) {
  moved_ = std::max(from, moved_) + burst.beats * beat_steps_;
  return (moved_ + steps_ - 1) / steps_;
}

Cycle BuiltInMemory::WriteResponse(int port, Cycle last_beat, const Burst& burst) {
  Port& p = ports_[static_cast<size_t>(port)];
  Cycle written = last_beat;
  if (steps_ > 0) {
    // Its bytes come as fast as the DRAM can take them, the last one with the last beat.
    written = std::max(written, MovedBy((last_beat + 1) * steps_ - burst.beats * beat_steps_, burst) - 1);
  }
  p.responded = std::max(written + system_.write_latency, p.responded + 1);
  return p.responded;
}

}  // namespace cosim::sim
