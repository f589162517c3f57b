// SPDX-License-Identifier: Apache-2.0
// Search over ranges, with prefix sums that make a candidate cost a handful of operations.
#include "compiler/quantize/step_size.h"

#include <algorithm>
#include <cmath>

namespace cosim::graph {

QuantizationCost::QuantizationCost(const Histogram& histogram)
    : first_middle_(histogram.Middle(0)),
      width_(histogram.Middle(1) - histogram.Middle(0)),
      count_(Histogram::kBins + 1, 0),
      sum_(Histogram::kBins + 1, 0),
      squares_(Histogram::kBins + 1, 0) {
  for (int bin = 0; bin < Histogram::kBins; ++bin) {
    const double n = static_cast<double>(histogram.InBin(bin)), x = histogram.Middle(bin);
    count_[bin + 1] = count_[bin] + n;
    sum_[bin + 1] = sum_[bin] + n * x;
    squares_[bin + 1] = squares_[bin] + n * x * x;
  }
}

int QuantizationCost::BinAbove(double x) const {
  if (width_ == 0) return 0;
  return static_cast<int>(
      std::clamp(std::floor((x - first_middle_) / width_) + 1, 0.0, double{Histogram::kBins}));
}

double QuantizationCost::Before(int first, double border) const {
  return squares_[first] - 2 * border * sum_[first] + border * border * count_[first];
}

double QuantizationCost::From(int first, double border) const {
  return Before(Histogram::kBins, border) - Before(first, border);
}

double QuantizationCost::Of(double lo, double hi, double step) const {
  const int below = BinAbove(lo), above = BinAbove(hi);
  const double inside = count_[above] - count_[below];
  return Before(below, lo) + From(above, hi) + inside * step * step / 12;
}

Range ChooseRange(const Histogram& histogram, int steps) {
  const QuantizationCost cost(histogram);
  const Range widest{std::min(0.0, double{histogram.min()}), std::max(0.0, double{histogram.max()})};
  constexpr int kSteps = 64;
  int lo = kSteps, hi = kSteps;  // In parts of the widest range.
  auto cost_at = [&](int l, int h) {
    const double from = widest.lo * l / kSteps, to = widest.hi * h / kSteps;
    return cost.Of(from, to, (to - from) / steps);
  };
  auto improve = [&](int& end) {
    const int start = end;
    double best = cost_at(lo, hi);
    int best_end = start;
    for (end = kSteps; end >= 4; --end) {
      if (const double c = cost_at(lo, hi); c < best) {
        best = c;
        best_end = end;
      }
    }
    end = best_end;
  };
  for (int round = 0; round < 2; ++round) {
    improve(hi);
    improve(lo);
  }
  return {widest.lo * lo / kSteps, widest.hi * hi / kSteps};
}

int ChooseExponent(const Histogram& histogram, double unit, int n_min, int levels) {
  const double largest = std::max(std::abs(double{histogram.min()}), std::abs(double{histogram.max()}));
  if (largest == 0) return std::max(n_min, 0);
  const QuantizationCost cost(histogram);
  const int n_max = std::max(n_min, static_cast<int>(std::ceil(std::log2(largest / (unit * levels)))));
  int best = n_max;
  auto cost_at = [&](int n) {
    const double step = std::ldexp(unit, n);
    return cost.Of(-step * levels, step * levels, step);
  };
  for (int n = std::max(n_min, n_max - 6); n < n_max; ++n) {
    if (cost_at(n) < cost_at(best)) best = n;
  }
  return best;
}

double Coarse(double x) {
  int exponent;
  const double mantissa = std::frexp(x, &exponent);
  return std::ldexp(std::floor(mantissa * 4096 + 0.5), exponent - 12);
}

}  // namespace cosim::graph
