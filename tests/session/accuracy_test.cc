// SPDX-License-Identifier: Apache-2.0
#include "compiler/session/accuracy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "compiler/golden/golden.h"
#include "compiler/graph/float_executor.h"
#include "compiler/graph/zoo/zoo.h"
#include "compiler/quantize/graph/compare.h"
#include "compiler/quantize/graph/tensors.h"

namespace cosim::session {
namespace {

graph::QuantizedGraph Quantized(int weight_bits) {
  return graph::QuantizeGraph(graph::zoo::Build("small_cnn", 1), {.weight_bits = weight_bits, .seed = 1});
}

/// By the report of layers, of which the last value is the output.
TEST(Accuracy, OfOneInputIsWhatTheReportOfLayersSaysOfTheOutput) {
  const auto quantized = Quantized(8);
  const auto input = graph::zoo::SyntheticInput(quantized.reference, 1'000'007);
  const auto rows =
      graph::ReportQuantization(quantized, graph::RunFloat(quantized.reference, input),
                                golden::Run(quantized.graph, graph::QuantizeInputs(quantized.graph, input)));
  const Accuracy accuracy = AccuracyOf(quantized, 1, 7);
  EXPECT_EQ(accuracy.inputs, 1);
  EXPECT_NEAR(accuracy.sqnr_db, rows.back().sqnr_db, 1e-6);
}

TEST(Accuracy, SumsOverInputsAndFallsWithTheBitsOfWeights) {
  const auto bytes = Quantized(8), nibbles = Quantized(4);
  EXPECT_NE(AccuracyOf(bytes, 1, 1).sqnr_db, AccuracyOf(bytes, 4, 1).sqnr_db);
  EXPECT_EQ(AccuracyOf(bytes, 4, 1).sqnr_db, AccuracyOf(bytes, 4, 1).sqnr_db);
  EXPECT_GT(AccuracyOf(bytes, 4, 1).sqnr_db, AccuracyOf(nibbles, 4, 1).sqnr_db + 6);
}

}  // namespace
}  // namespace cosim::session
