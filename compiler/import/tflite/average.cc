// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/average.h"

#include <algorithm>

namespace cosim::import::tflite {
namespace {

int64_t MeanOf(int64_t sum, int64_t count, bool half_up) {
  const int64_t shift = half_up ? 128 : 0, total = sum + shift * count;
  return (total > 0 ? (total + count / 2) / count : (total - count / 2) / count) - shift;
}

bool IsExact(const Mean& mean, int64_t count, bool half_up) {
  const int64_t multiplier = mean.requantize.multiplier[0], shift = mean.requantize.shift[0],
                half = int64_t{1} << (mean.requantize.bits - 1);
  for (int64_t sum = -half * count; sum <= (half - 1) * count; ++sum) {
    const int64_t scaled = ((sum + mean.bias) * multiplier + (int64_t{1} << (shift - 1))) >> shift;
    if (std::clamp(scaled + mean.requantize.zero_point, -half, half - 1) != MeanOf(sum, count, half_up))
      return false;
  }
  return true;
}

}  // namespace

std::optional<Mean> ExactMean(int64_t count, bool half_up, int bits) {
  const int64_t most = int64_t{1} << (bits == 8 ? 14 : 10);
  if (count < 1 || count > most) return std::nullopt;
  int shift = 30;
  while ((int64_t{1} << shift) / count < (int64_t{1} << 30)) ++shift;
  const int64_t nearest = ((int64_t{1} << shift) + count / 2) / count;
  // A little more than 1 / count pushes ties away from zero; sums that cannot be negative make that half up.
  for (int64_t multiplier : {nearest, nearest + 1, nearest - 1})
    for (bool positive : {false, true}) {
      if (positive && bits != 8) continue;  // int16 has no zero point
      if (multiplier < int64_t{1} << 30 || multiplier >= int64_t{1} << 31) continue;
      const Mean mean{positive ? static_cast<int32_t>(128 * count) : 0,
                      {{static_cast<int32_t>(multiplier)}, {shift}, positive ? -128 : 0, false, bits}};
      if (IsExact(mean, count, half_up)) return mean;
    }
  return std::nullopt;
}

}  // namespace cosim::import::tflite
