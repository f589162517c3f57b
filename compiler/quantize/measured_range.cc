// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/measured_range.h"

#include <algorithm>
#include <cmath>

#include "compiler/quantize/parameters.h"
#include "compiler/quantize/range.h"

namespace cosim::quantize {
namespace {

using graph::Range;

/// `values` in 256 steps over `range` and back.
void RoundTo(const Range& range, std::span<const float> values, std::vector<float>& rounded) {
  const graph::Quantization q = Asymmetric(range.lo, (range.hi - range.lo) / kSteps);
  const float scale = q.scales[0], least = static_cast<float>(-128 - q.zero_point),
              most = static_cast<float>(127 - q.zero_point);
  rounded.resize(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    rounded[i] = scale * std::clamp(std::nearbyint(values[i] / scale), least, most);
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
  std::vector<float> rounded;
  for (size_t r = 0; r < ranges_.size(); ++r) {
    RoundTo(ranges_[r], values, rounded);
    for (size_t i = 0; i < values.size(); ++i) {
      const double error = static_cast<double>(values[i]) - static_cast<double>(rounded[i]);
      cost_[r] += error * error;
    }
  }
}

Range MeasuredRange::Best() const { return ranges_[std::ranges::min_element(cost_) - cost_.begin()]; }

}  // namespace cosim::quantize
