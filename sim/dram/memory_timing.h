// SPDX-License-Identifier: Apache-2.0
// What DRAM does to a burst: the two questions of docs/rationale/microarchitecture.md (M5), and the built-in
// answers (M3, M4). Who is accepted, and when, is the ports' business (sim/cycle/read_port.h,
// sim/cycle/write_port.h).
#pragma once

#include <algorithm>
#include <cstdint>

#include "isa/spec.h"
#include "runtime/profile.h"

namespace cosim::sim {

using runtime::Cycle;

/// `address` is the first byte of the burst's first beat; `beats` is at least 1.
struct Burst {
  uint64_t address = 0;
  int beats = 0;
};

/// Asked in order of time, reads and writes together. Any model may stand here that keeps data and responses
/// in order: each answer lies after the answers before it, as far as that direction goes.
class MemoryTiming {
 public:
  virtual ~MemoryTiming() = default;
  /// Forgets all that was asked: a new run begins at cycle 0.
  virtual void Reset() = 0;
  /// The cycle in which the first beat arrives of a read burst accepted in cycle `accepted`; never before
  /// `accepted`. The other beats follow one a cycle, so it lies after the last beat of the read burst before.
  virtual Cycle ReadFirstBeat(Cycle accepted, const Burst& burst) = 0;
  /// The cycle of the response to a write burst whose last beat left in cycle `last_beat`; never before
  /// `last_beat`.
  virtual Cycle WriteResponse(Cycle last_beat, const Burst& burst) = 0;
};

/// SplitMix64's finalizer over `seed` and the number of a read burst.
uint64_t BurstHash(uint64_t seed, uint64_t number);

/// Fixed latencies with, for reads, 0..jitter more cycles by a hash of seed and burst number.
class BuiltInMemory final : public MemoryTiming {
 public:
  explicit BuiltInMemory(const isa::MemorySystem& system) : system_(system) {}
  void Reset() override;
  Cycle ReadFirstBeat(Cycle accepted, const Burst& burst) override {
    Cycle latency = system_.latency;
    if (system_.jitter > 0) {
      latency +=
          static_cast<Cycle>(BurstHash(system_.seed, reads_) % (static_cast<uint64_t>(system_.jitter) + 1));
    }
    ++reads_;
    const Cycle first = std::max(accepted + latency, read_free_);
    read_free_ = first + burst.beats;
    return first;
  }
  Cycle WriteResponse(Cycle last_beat, const Burst& burst) override;

 private:
  isa::MemorySystem system_;
  uint64_t reads_ = 0;   ///< read bursts so far
  Cycle read_free_ = 0;  ///< the cycle after the last beat of the read burst before
};

}  // namespace cosim::sim
