// SPDX-License-Identifier: Apache-2.0
// Histograms that grow by merging pairs of bins.
#include "compiler/quantize/histogram.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "isa/check.h"

namespace cosim::graph {

void Histogram::Grow(float magnitude) {
  if (magnitude == 0) return;
  int exponent;
  std::frexp(magnitude, &exponent);  // magnitude < 2^exponent
  const double wanted = std::ldexp(2.0 / kBins, exponent);
  if (width_ == 0) width_ = wanted;
  for (; width_ < wanted; width_ *= 2) {
    std::vector<int64_t> merged(kBins, 0);
    for (int bin = 0; bin < kBins; ++bin) merged[kBins / 4 + bin / 2] += bins_[bin];
    bins_ = std::move(merged);
  }
}

void Histogram::Add(std::span<const float> values) {
  if (values.empty()) return;
  const Eigen::Map<const Eigen::ArrayXf> all(values.data(), static_cast<Eigen::Index>(values.size()));
  const float lo = all.minCoeff(), hi = all.maxCoeff();
  COSIM_CHECK(values.size() <= std::numeric_limits<uint32_t>::max(), "{} values at a time", values.size());
  COSIM_CHECK(std::isfinite(lo) && std::isfinite(hi), "activations from {} to {}", lo, hi);
  min_ = count_ == 0 ? lo : std::min(min_, lo);
  max_ = count_ == 0 ? hi : std::max(max_, hi);
  count_ += static_cast<int64_t>(values.size());
  Grow(std::max(std::abs(lo), std::abs(hi)));
  // Bins, and behind them places of exact zeros, of which each counts apart from the one before it: behind a
  // relu there are many, and an addition waits for the last one to its place.
  constexpr size_t kZeros = 8, kAtATime = 2048;
  constexpr int kHalf = kBins / 2;
  const float per_width = width_ == 0 ? 0 : static_cast<float>(1 / width_);
  std::array<int32_t, kAtATime> places;
  std::vector<uint32_t> counts(kBins + kZeros, 0);
  for (; !values.empty(); values = values.subspan(std::min(kAtATime, values.size()))) {
    const size_t some = std::min(kAtATime, values.size());
    for (size_t i = 0; i < some; ++i) {
      // Adding half the bins first makes the truncation a floor. By masks, because compilers make branches of
      // choices between floats.
      const int32_t bin = std::min(static_cast<int32_t>(values[i] * per_width + kHalf), kBins - 1);
      const int32_t is_zero = -static_cast<int32_t>(std::bit_cast<uint32_t>(values[i]) << 1 == 0);
      places[i] = (bin & ~is_zero) | (static_cast<int32_t>(kBins + i % kZeros) & is_zero);
    }
    for (size_t i = 0; i < some; ++i) ++counts[places[i]];
  }
  for (int bin = 0; bin < kBins; ++bin) bins_[bin] += counts[bin];
}

}  // namespace cosim::graph
