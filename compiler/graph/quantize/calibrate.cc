// SPDX-License-Identifier: Apache-2.0
// Calibration runs, one input at a time so that only one set of activations is alive.
#include "compiler/graph/quantize/calibrate.h"

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
  for (int i = 0; i < samples; ++i) {
    const auto values = RunFloat(graph, zoo::SyntheticInput(graph, seed + i));
    for (ValueId id = 0; id < graph.size(); ++id) {
      if (wanted[id]) histograms[id].Add(values[id]->data<float>());
    }
  }
  for (Histogram& histogram : histograms) AddExpectedExtremes(histogram);
  return histograms;
}

}  // namespace cosim::graph
