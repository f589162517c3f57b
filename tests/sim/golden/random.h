// SPDX-License-Identifier: Apache-2.0
// A small seeded generator, the same on every platform, for tests.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/expr/expr.h"

namespace cosim::testing {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Bits() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  /// A value of [low, high].
  int64_t Between(int64_t low, int64_t high) {
    const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
    return static_cast<int64_t>(static_cast<uint64_t>(low) + (range == 0 ? Bits() : Bits() % range));
  }
  bool OneIn(int64_t n) { return Between(1, n) == 1; }
  template <class T>
  T Of(const std::vector<T>& choices) {
    return choices[Between(0, static_cast<int64_t>(choices.size()) - 1)];
  }
  /// A value of `type`: often one of its ends, or small.
  int64_t Value(isa::ScalarType type) {
    const int64_t low = type.Min(), high = type.Max();
    switch (Between(0, 5)) {
      case 0:
        return OneIn(2) ? low : high;
      case 1:
        return Between(low < -4 ? -4 : low, high > 4 ? 4 : high);
      default:
        return Between(low, high);
    }
  }

 private:
  uint64_t state_;
};

}  // namespace cosim::testing
