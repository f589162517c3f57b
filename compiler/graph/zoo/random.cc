// SPDX-License-Identifier: Apache-2.0
// Compiled with -O3 (CMakeLists.txt), which makes vectors of the loop.
#include "compiler/graph/zoo/random.h"

namespace cosim::graph::zoo {

[[gnu::always_inline]] inline void Random::BellsAfter(uint64_t state, std::span<int32_t> to) {
  int32_t* const from = to.data();
  const uint64_t count = to.size();
  for (uint64_t i = 0; i < count; ++i) from[i] = Bell(Mix(state + (i + 1) * kStep));
}

#if defined(__x86_64__)
[[gnu::target("avx512f,avx512dq")]] void Random::BellsAfterAvx512(uint64_t state, std::span<int32_t> to) {
  BellsAfter(state, to);
}
#endif

void Random::Bells(std::span<int32_t> to) {
  const uint64_t state = state_;
  state_ += to.size() * kStep;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512dq")) return BellsAfterAvx512(state, to);
#endif
  BellsAfter(state, to);
}

}  // namespace cosim::graph::zoo
