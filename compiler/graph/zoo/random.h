// SPDX-License-Identifier: Apache-2.0
// Pseudo-random numbers from integer arithmetic only, so that a seed means the same bits with every compiler
// and C library.
#pragma once

#include <cstdint>
#include <span>

namespace cosim::graph::zoo {

/// A counter passed through a 64-bit mixing function: cheap to seed, and streams of different seeds are
/// unrelated.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Bits() { return Mix(state_ += kStep); }

  /// In [0, bound); bound is at most 2^32.
  int64_t Below(int64_t bound) {
    return static_cast<int64_t>(((Bits() >> 32) * static_cast<uint64_t>(bound)) >> 32);
  }

  /// In [lo, hi], in steps of 2^-20 of the range.
  float Uniform(float lo, float hi) {
    return lo + (hi - lo) * (static_cast<float>(Bits() >> 44) * (1.0f / (1 << 20)));
  }

  /// Bell-shaped integer: the sum of four 16-bit uniforms, centred. Mean 0, standard deviation
  /// kBellDeviation, at most 3.46 deviations from the mean.
  int32_t Bell() { return Bell(Bits()); }
  static constexpr float kBellDeviation = 37837.2f;  // 65536 * sqrt(4 / 12)

  /// As many of Bell() as fit, in vectors where the processor has them.
  void Bells(std::span<int32_t> to);

 private:
  static constexpr uint64_t kStep = 0x9e3779b97f4a7c15u;

  static uint64_t Mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  static int32_t Bell(uint64_t bits) {
    const uint64_t sum = (bits & 0xffff) + ((bits >> 16) & 0xffff) + ((bits >> 32) & 0xffff) + (bits >> 48);
    return static_cast<int32_t>(sum) - 2 * 0xffff;
  }
  static void BellsAfter(uint64_t state, std::span<int32_t> to);
  static void BellsAfterAvx512(uint64_t state, std::span<int32_t> to);

  uint64_t state_;
};

}  // namespace cosim::graph::zoo
