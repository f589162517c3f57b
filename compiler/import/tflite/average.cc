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
  const int64_t multiplier = mean.requantize.multiplier[0], shift = mean.requantize.shift[0];
  for (int64_t sum = -128 * count; sum <= 127 * count; ++sum) {
    const int64_t scaled = ((sum + mean.bias) * multiplier + (int64_t{1} << (shift - 1))) >> shift;
    if (std::clamp<int64_t>(scaled + mean.requantize.zero_point, -128, 127) != MeanOf(sum, count, half_up))
      return false;
  }
  return true;
}

}  // namespace

std::optional<Mean> ExactMean(int64_t count, bool half_up, int bits) {
  constexpr int64_t kMostCount = 1 << 14;
  if (count < 1 || count >= kMostCount + (bits == 8 ? 1 : 0)) return std::nullopt;
  int shift = 30;
  while ((int64_t{1} << shift) / count < (int64_t{1} << 30)) ++shift;
  // The multiplier is more than 1 / count, by less than 2^-30 of it: a mean is off by at most 2^-15 away from
  // zero, which ties follow, and others are 1 / (2 * count) from one at least.
  if (bits == 16)
    return Mean{0, {{static_cast<int32_t>((int64_t{1} << shift) / count + 1)}, {shift}, 0, false, 16}};
  const int64_t nearest = ((int64_t{1} << shift) + count / 2) / count;
  // A little more than 1 / count pushes ties away from zero; sums that cannot be negative make that half up.
  for (int64_t multiplier : {nearest, nearest + 1, nearest - 1})
    for (bool positive : {false, true}) {
      if (multiplier < int64_t{1} << 30 || multiplier >= int64_t{1} << 31) continue;
      const Mean mean{positive ? static_cast<int32_t>(128 * count) : 0,
                      {{static_cast<int32_t>(multiplier)}, {shift}, positive ? -128 : 0}};
      if (IsExact(mean, count, half_up)) return mean;
    }
  return std::nullopt;
}

}  // namespace cosim::import::tflite
