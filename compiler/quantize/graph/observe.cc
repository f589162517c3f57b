// SPDX-License-Identifier: Apache-2.0
// Calibration: all inputs at a time, value by value.
#include "compiler/quantize/graph/observe.h"

#include "compiler/graph/float_executor.h"
#include "compiler/graph/zoo/zoo.h"
#include "isa/check.h"

namespace cosim::graph {
namespace {

constexpr int64_t kFewValues = 2000;
constexpr double kDeviations = 3.5;

void AddExpectedExtremes(Histogram& histogram) {
  if (histogram.count() == 0 || histogram.count() >= kFewValues) return;
  const double lo = histogram.mean() - kDeviations * histogram.deviation();
  const double hi = histogram.mean() + kDeviations * histogram.deviation();
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
  });
  for (Histogram& histogram : histograms) AddExpectedExtremes(histogram);
  return histograms;
}

}  // namespace cosim::graph
