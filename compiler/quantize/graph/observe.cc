// SPDX-License-Identifier: Apache-2.0
// Calibration: all inputs at a time, value by value.
#include "compiler/quantize/graph/observe.h"

#include <algorithm>
#include <cmath>

#include "compiler/graph/float_executor.h"
#include "compiler/graph/zoo/zoo.h"
#include "isa/check.h"

namespace cosim::graph {
namespace {

constexpr int64_t kFewValues = 2000;
constexpr double kDeviations = 3.5;

/// What more samples would show, where `values` of all samples are few.
void AddExpectedExtremes(const std::vector<TensorPtr>& values, Histogram& histogram) {
  if (histogram.count() == 0 || histogram.count() >= kFewValues) return;
  double sum = 0, squares = 0;
  for (const TensorPtr& value : values)
    for (const double v : value->data<float>()) sum += v, squares += v * v;
  const auto count = static_cast<double>(histogram.count());
  const double mean = sum / count, deviation = std::sqrt(std::max(0.0, squares / count - mean * mean));
  const double lo = mean - kDeviations * deviation, hi = mean + kDeviations * deviation;
  const bool below = histogram.min() < 0, above = histogram.max() > 0;
  histogram.Add(std::vector<float>{below ? static_cast<float>(lo) : 0, above ? static_cast<float>(hi) : 0});
}

}  // namespace

std::vector<Histogram> Calibrate(const Graph& graph, const std::vector<bool>& wanted, int samples,
                                 uint64_t seed) {
  COSIM_CHECK(samples > 0, "{} calibration inputs", samples);
  std::vector<Histogram> histograms(graph.nodes().size());
  std::vector<std::vector<Tensor>> inputs;
  for (int i = 0; i < samples; ++i) inputs.push_back(zoo::SyntheticInput(graph, seed + i));
  ForEachFloatValue(graph, inputs, [&](ValueId id, const std::vector<TensorPtr>& values) {
    if (!wanted[id]) return;
    for (const TensorPtr& value : values) histograms[id].Add(value->data<float>());
    AddExpectedExtremes(values, histograms[id]);
  });
  return histograms;
}

}  // namespace cosim::graph
