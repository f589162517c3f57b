// SPDX-License-Identifier: Apache-2.0
// Multiply-accumulates of the host's operators: they count as those of the accelerator do.
#include <gtest/gtest.h>

#include "compiler/graph/counted_operator.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/ops.h"
#include "compiler/host/einsum.h"
#include "compiler/host/linear.h"
#include "compiler/host/movement.h"
#include "compiler/host/quantized.h"
#include "compiler/host/recurrent.h"
#include "compiler/host/spatial.h"
#include "compiler/host/tflite.h"

namespace cosim::host {
namespace {

HostOperand Real(Shape shape) { return {{DType::kFloat32, std::move(shape)}}; }
HostOperand Byte(Shape shape) { return {{DType::kInt8, std::move(shape)}}; }

int64_t MacsOf(const HostOperatorPtr& op, std::vector<HostOperand> operands) {
  return graph::MacsOf(*op, operands);
}

TEST(HostMacs, MatrixProductsSumOverRows) {
  EXPECT_EQ(MacsOf(MatMul(), {Real({5, 2, 3}), Real({3, 4})}), 5 * 2 * 3 * 4);
  EXPECT_EQ(MacsOf(Gemm(1, 1, false, true), {Real({2, 3}), Real({4, 3})}), 2 * 3 * 4);
  EXPECT_EQ(MacsOf(Gemm(1, 1, true, false), {Real({3, 2}), Real({3, 4})}), 2 * 3 * 4);
  EXPECT_EQ(MacsOf(MatMulInteger(), {Byte({2, 3}), Byte({3, 4})}), 2 * 3 * 4);
  EXPECT_EQ(MacsOf(Einsum("bij,bjk->bik"), {Real({7, 2, 3}), Real({7, 3, 4})}), 7 * 2 * 3 * 4);
  EXPECT_EQ(MacsOf(Einsum("ij->ji"), {Real({2, 3})}), 0);
}

TEST(HostMacs, ConvolutionsSumOverTheirWindowAndChannels) {
  EXPECT_EQ(MacsOf(Conv({}, 1), {Real({1, 3, 8, 8}), Real({4, 3, 3, 3})}), 4 * 6 * 6 * 3 * 9);
  EXPECT_EQ(MacsOf(Conv({}, 3), {Real({1, 3, 8, 8}), Real({3, 1, 3, 3})}), 3 * 6 * 6 * 9);
  EXPECT_EQ(MacsOf(ConvInteger({}, 1), {Byte({1, 3, 8, 8}), Byte({4, 3, 3, 3})}), 4 * 6 * 6 * 3 * 9);
  EXPECT_EQ(MacsOf(ConvTranspose({}, {}, 1), {Real({1, 3, 8, 8}), Real({3, 4, 2, 2})}), 3 * 64 * 4 * 4);
}

TEST(HostMacs, RecurrentLayersSumOverInputAndState) {
  RecurrentAttributes lstm;
  lstm.hidden = 5;
  EXPECT_EQ(MacsOf(Recurrent(lstm), {Real({7, 2, 3}), Real({1, 20, 3}), Real({1, 20, 5})}),
            7 * 2 * 4 * 5 * (3 + 5));
}

TEST(HostMacs, OthersHaveNone) { EXPECT_EQ(MacsOf(Transpose({1, 0}), {Real({2, 3})}), 0); }

TEST(HostMacs, AbsentOperandsAreLeftOut) {
  const auto op = WithoutAbsent(Gemm(1, 1, false, false), {true, true, false});
  EXPECT_EQ(MacsOf(op, {Real({2, 3}), Real({3, 4})}), 2 * 3 * 4);
}

// All results of a node come from one evaluation.
TEST(HostMacs, ANodeOfSeveralResultsCountsOnce) {
  RecurrentAttributes lstm;
  lstm.hidden = 5;
  const auto op = Recurrent(lstm);
  graph::Graph graph("g");
  const auto x = graph.AddInput("x", {DType::kFloat32, {7, 2, 3}});
  const auto w = graph.AddInput("w", {DType::kFloat32, {1, 20, 3}});
  const auto r = graph.AddInput("r", {DType::kFloat32, {1, 20, 5}});
  const auto types =
      std::get<0>(op->Infer(std::vector<HostOperand>{Real({7, 2, 3}), Real({1, 20, 3}), Real({1, 20, 5})}));
  const auto y = graph.Add("y", graph::HostOp{op, 0, types[0], ""}, {x, w, r});
  const auto h = graph.Add("h", graph::HostOp{op, 1, types[1], ""}, {x, w, r});
  EXPECT_EQ(graph::Macs(graph, y), 7 * 2 * 4 * 5 * (3 + 5));
  EXPECT_EQ(graph::Macs(graph, h), 0);
}

}  // namespace
}  // namespace cosim::host
