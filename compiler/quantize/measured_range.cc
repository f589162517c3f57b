// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/measured_range.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "compiler/quantize/parameters.h"
#include "compiler/quantize/range.h"

namespace cosim::quantize {
namespace {

using graph::Range;

constexpr Eigen::Index kAtATime = 1024;  // errors that are summed as floats

/// Sum of the squared errors of `values` in 256 steps over `range`.
double CostOf(const Range& range, std::span<const float> values) {
  const graph::Quantization q = Asymmetric(range.lo, (range.hi - range.lo) / kSteps);
  const float scale = q.scales[0], least = static_cast<float>(-128 - q.zero_point),
              most = static_cast<float>(127 - q.zero_point);
  constexpr float kRounder = 0x1.8p23f;  // a sum with it has no place for a fraction: ties go to even
  const Eigen::Map<const Eigen::ArrayXf> all(values.data(), static_cast<Eigen::Index>(values.size()));
  double cost = 0;
  for (Eigen::Index from = 0; from < all.size(); from += kAtATime) {
    const auto x = all.segment(from, std::min(kAtATime, all.size() - from));
    const auto steps = (x / scale).max(least).min(most) + kRounder - kRounder;
    cost += static_cast<double>((x - steps * scale).square().sum());
  }
  return cost;
}

}  // namespace

MeasuredRange::MeasuredRange(const graph::Histogram& histogram) {
  for (const Method method : {Method::kMax, Method::kMse, Method::kPercentile, Method::kKl})
    ranges_.push_back(ChooseRange(histogram, method));
  const Range widest = ranges_[0];
  for (const double step : {1.0, 1 / 255.0, 2 / 255.0}) {
    const double least = std::floor(widest.lo / step + 0.5);
    if (widest.hi <= (least + kSteps + 0.5) * step)
      ranges_.push_back({least * step, (least + kSteps) * step});
  }
  cost_.resize(ranges_.size(), 0);
}

void MeasuredRange::Add(std::span<const float> values) {
  for (size_t r = 0; r < ranges_.size(); ++r) cost_[r] += CostOf(ranges_[r], values);
}

Range MeasuredRange::Best() const { return ranges_[std::ranges::min_element(cost_) - cost_.begin()]; }

}  // namespace cosim::quantize
