// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/range.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "compiler/quantize/parameters.h"

namespace cosim::quantize {
namespace {

using graph::Histogram;
using graph::Range;

constexpr int kMagnitudes = Histogram::kBins / 2, kHalfSteps = 128;
constexpr int kStride = 8;  // from one threshold that is tried to the next

Range Widest(const Histogram& h) { return {std::min(0.0, double{h.min()}), std::max(0.0, double{h.max()})}; }

Range Percentile(const Histogram& h) {
  const double width = h.Middle(1) - h.Middle(0), outside = 1e-4 * static_cast<double>(h.count());
  Range range = Widest(h);
  int64_t below = 0, above = 0;
  for (int bin = 0; bin < kMagnitudes; ++bin) {
    below += h.InBin(bin);
    if (static_cast<double>(below) > outside) {
      range.lo = std::max(range.lo, h.Middle(bin) - width / 2);
      break;
    }
  }
  for (int bin = Histogram::kBins - 1; bin >= kMagnitudes; --bin) {
    above += h.InBin(bin);
    if (static_cast<double>(above) > outside) {
      range.hi = std::min(range.hi, h.Middle(bin) + width / 2);
      break;
    }
  }
  return range;
}

/// sum p * log(p / q) of two lists of counts that are scaled to 1 first. Where q has none it counts as having
/// next to none: a value that is clipped is told badly, not infinitely so.
double Divergence(const std::vector<double>& p, const std::vector<double>& q, double p_sum, double q_sum) {
  constexpr double kNextToNone = 1e-4;
  double sum = 0;
  for (size_t i = 0; i < p.size(); ++i)
    if (p[i] > 0) sum += p[i] / p_sum * std::log(p[i] / p_sum / (std::max(q[i], kNextToNone) / q_sum));
  return sum;
}

/// The first `length` of the magnitudes, what lies beyond counted at their end, against the same (without
/// what lies beyond) in kHalfSteps equal steps spread over the bins that are not empty.
double Loss(const std::vector<double>& magnitudes, int length, double beyond) {
  std::vector<double> p(magnitudes.begin(), magnitudes.begin() + length), q(length, 0);
  for (int step = 0; step < kHalfSteps; ++step) {
    const int first = static_cast<int>(int64_t{step} * length / kHalfSteps);
    const int last = static_cast<int>(int64_t{step + 1} * length / kHalfSteps);
    double sum = 0;
    int filled = 0;
    for (int i = first; i < last; ++i) sum += p[i], filled += p[i] > 0;
    for (int i = first; i < last; ++i)
      if (p[i] > 0) q[i] = sum / filled;
  }
  double q_sum = 0;
  for (double v : q) q_sum += v;
  p.back() += beyond;
  return q_sum > 0 ? Divergence(p, q, q_sum + beyond, q_sum) : std::numeric_limits<double>::infinity();
}

Range LeastDivergence(const Histogram& h) {
  std::vector<double> magnitudes(kMagnitudes);
  double total = 0;
  for (int i = 0; i < kMagnitudes; ++i) {
    magnitudes[i] = static_cast<double>(h.InBin(kMagnitudes + i) + h.InBin(kMagnitudes - 1 - i));
    total += magnitudes[i];
  }
  const double width = h.Middle(1) - h.Middle(0);
  int best = kMagnitudes;
  double least = std::numeric_limits<double>::infinity(), within = 0;
  for (int length = 1; length <= kMagnitudes; ++length) {
    within += magnitudes[length - 1];
    if (length < kHalfSteps || length % kStride != 0) continue;
    const double loss = Loss(magnitudes, length, total - within);
    if (loss < least) {
      least = loss;
      best = length;
    }
  }
  const Range widest = Widest(h);
  return {std::max(widest.lo, -best * width), std::min(widest.hi, best * width)};
}

}  // namespace

std::optional<Method> ParseMethod(std::string_view name) {
  if (name == "max") return Method::kMax;
  if (name == "percentile") return Method::kPercentile;
  if (name == "kl") return Method::kKl;
  if (name == "mse") return Method::kMse;
  if (name == "auto") return Method::kAuto;
  return std::nullopt;
}

Range ChooseRange(const Histogram& histogram, Method method) {
  switch (method) {
    case Method::kPercentile:
      return Percentile(histogram);
    case Method::kKl:
      return LeastDivergence(histogram);
    case Method::kMse:
      return graph::ChooseRange(histogram, kSteps);
    case Method::kMax:
    case Method::kAuto:
      break;
  }
  return Widest(histogram);
}

}  // namespace cosim::quantize
