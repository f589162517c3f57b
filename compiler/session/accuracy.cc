// SPDX-License-Identifier: Apache-2.0
#include "compiler/session/accuracy.h"

#include "compiler/golden/golden.h"
#include "compiler/graph/float_executor.h"
#include "compiler/graph/zoo/zoo.h"
#include "compiler/quantize/graph/tensors.h"
#include "compiler/quantize/report.h"
#include "isa/check.h"

namespace cosim::session {

Accuracy AccuracyOf(const graph::QuantizedGraph& quantized, int inputs, uint64_t seed) {
  COSIM_CHECK(inputs > 0);
  constexpr uint64_t kBehindCalibration = 1'000'000;  // inputs of other seeds
  const auto &reals = quantized.reference.outputs(), &integers = quantized.graph.outputs();
  quantize::Agreement agreement;
  for (int i = 0; i < inputs; ++i) {
    const auto input = graph::zoo::SyntheticInput(quantized.reference, seed + kBehindCalibration + i);
    const auto exact = graph::RunFloat(quantized.reference, input);
    const auto got = golden::Run(quantized.graph, graph::QuantizeInputs(quantized.graph, input));
    for (size_t o = 0; o < reals.size(); ++o)
      agreement.Add(*exact[reals[o]],
                    graph::ToReal(*got[integers[o]], *quantized.graph.node(integers[o]).quantization));
  }
  return {agreement.SqnrDb(), inputs};
}

}  // namespace cosim::session
