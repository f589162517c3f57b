// SPDX-License-Identifier: Apache-2.0
// What DRAM does to a burst: the two questions of docs/rationale/microarchitecture.md (M5), and the built-in
// answers (M3, M4, M6). Who is accepted, and when, is the ports' business (sim/cycle/read_port.h,
// sim/cycle/write_port.h).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "isa/spec/spec.h"
#include "runtime/profile.h"

namespace cosim::sim {

using runtime::Cycle;

/// `address` is the first byte of the burst's first beat; `beats` is at least 1.
struct Burst {
  uint64_t address = 0;
  int beats = 0;
};

/// Asked in one order, whoever asks: by `accepted` and `last_beat` + 1, reads before writes, lower ports
/// first. Any model may stand here that keeps data and responses in order: each answer lies after the answers
/// before it, as far as that port and direction go.
class MemoryTiming {
 public:
  virtual ~MemoryTiming() = default;
  /// Forgets all that was asked: a new run begins at cycle 0.
  virtual void Reset() = 0;
  /// The cycle in which the first beat arrives of a read burst that `port` accepted in cycle `accepted`;
  /// never before `accepted`. The other beats follow one a cycle, so it lies after the last beat of the
  /// port's read burst before.
  virtual Cycle ReadFirstBeat(int port, Cycle accepted, const Burst& burst) = 0;
  /// The cycle of the response to a write burst whose last beat left `port` in cycle `last_beat`; never
  /// before `last_beat`.
  virtual Cycle WriteResponse(int port, Cycle last_beat, const Burst& burst) = 0;
};

/// SplitMix64's finalizer over `seed` and the number of a read burst.
uint64_t BurstHash(uint64_t seed, uint64_t number);

/// Fixed latencies with, for reads, 0..jitter more cycles by a hash of seed, port and burst number; and a
/// DRAM that moves a limited number of bytes a cycle, if the memory system says so.
class BuiltInMemory final : public MemoryTiming {
 public:
  explicit BuiltInMemory(const isa::MemorySystem& system)
      : system_(system),
        steps_(std::llround(system.dram_bytes * isa::MemorySystem::kDramSteps)),
        beat_steps_(int64_t{system.beat_bytes()} * isa::MemorySystem::kDramSteps) {}
  void Reset() override;
  Cycle ReadFirstBeat(int port, Cycle accepted, const Burst& burst) override {
    Port& p = ports_[static_cast<size_t>(port)];
    Cycle latency = system_.latency;
    if (system_.jitter > 0) {
      latency += static_cast<Cycle>(BurstHash(system_.seed + static_cast<uint64_t>(port), p.reads) %
                                    (static_cast<uint64_t>(system_.jitter) + 1));
    }
    ++p.reads;
    Cycle first = std::max(accepted + latency, p.read_free);
    if (steps_ > 0) {
      const Cycle moved = MovedBy(accepted * steps_, burst);
      first = std::max(first, moved + latency - burst.beats);
    }
    p.read_free = first + burst.beats;
    return first;
  }
  Cycle WriteResponse(int port, Cycle last_beat, const Burst& burst) override;

 private:
  struct Port {
    uint64_t reads = 0;    ///< read bursts so far
    Cycle read_free = 0;   ///< the cycle after the last beat of the read burst before
    Cycle responded = -1;  ///< the last response
  };
  /// The DRAM moves the burst once it has moved what it was asked for before, and not before `from`, which
  /// counts what it can move from cycle 0 on, in steps of a byte: the first cycle in which that is done.
  Cycle MovedBy(int64_t from, const Burst& burst);

  isa::MemorySystem system_;
  int64_t steps_, beat_steps_;  ///< what the DRAM moves in a cycle, 0 without limit, and a beat
  std::array<Port, isa::kMaxPorts> ports_;
  int64_t moved_ = 0;  ///< counted as `from` is: until then the DRAM is taken
};

}  // namespace cosim::sim
