// SPDX-License-Identifier: Apache-2.0
// Asks the processor what it can do. The kernels themselves never ask.
#include "sim/kernels/simd_level.h"

namespace cosim::sim {

std::string_view SimdLevelName(SimdLevel level) {
  switch (level) {
    case SimdLevel::kPortable:
      return "portable";
    case SimdLevel::kAvx2:
      return "avx2";
    case SimdLevel::kAvx512Vnni:
      return "avx512vnni";
  }
  return "?";
}

std::optional<SimdLevel> ParseSimdLevel(std::string_view name) {
  for (const SimdLevel level : kSimdLevels) {
    if (SimdLevelName(level) == name) return level;
  }
  return std::nullopt;
}

bool IsSupported(SimdLevel level) {
  switch (level) {
    case SimdLevel::kPortable:
      return true;
#if defined(__x86_64__)
    case SimdLevel::kAvx2:
      return __builtin_cpu_supports("avx2") != 0;
    case SimdLevel::kAvx512Vnni:
      return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("avx512f") != 0 &&
             __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
             __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512vnni") != 0;
#else
    default:
      return false;
#endif
  }
  return false;
}

SimdLevel BestSimdLevel() {
  SimdLevel best = SimdLevel::kPortable;
  for (const SimdLevel level : kSimdLevels) {
    if (IsSupported(level)) best = level;
  }
  return best;
}

}  // namespace cosim::sim
