// SPDX-License-Identifier: Apache-2.0
// Calibration runs, one input at a time so that only one set of activations is alive.
#include "compiler/graph/quantize/calibrate.h"

#include "compiler/graph/float_executor.h"
#include "compiler/graph/zoo/zoo.h"
#include "isa/check.h"

namespace cosim::graph {

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
  return histograms;
}

}  // namespace cosim::graph
