// SPDX-License-Identifier: Apache-2.0
// Histograms that grow by merging pairs of bins.
#include "compiler/graph/quantize/histogram.h"

#include <algorithm>
#include <cmath>

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

double Histogram::mean() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }

double Histogram::deviation() const {
  if (count_ == 0) return 0;
  return std::sqrt(std::max(0.0, squares_ / static_cast<double>(count_) - mean() * mean()));
}

void Histogram::Add(std::span<const float> values) {
  if (values.empty()) return;
  float lo = values[0], hi = values[0];
  for (float v : values) {
    lo = v < lo ? v : lo;
    hi = v > hi ? v : hi;
  }
  COSIM_CHECK(std::isfinite(lo) && std::isfinite(hi), "activations from {} to {}", lo, hi);
  min_ = count_ == 0 ? lo : std::min(min_, lo);
  max_ = count_ == 0 ? hi : std::max(max_, hi);
  count_ += static_cast<int64_t>(values.size());
  Grow(std::max(std::abs(lo), std::abs(hi)));
  const float per_width = width_ == 0 ? 0 : static_cast<float>(1 / width_);
  for (float v : values) {
    sum_ += v;
    squares_ += double{v} * v;
    if (v == 0) continue;
    // Adding half the bins first makes the truncation a floor.
    const int bin = static_cast<int>(v * per_width + kBins / 2);
    ++bins_[std::min(bin, kBins - 1)];
  }
}

}  // namespace cosim::graph
