// SPDX-License-Identifier: Apache-2.0
// Images that a network has with channels last: rows of pixels are made of them as they stand.
#include "compiler/network/convert.h"

#include <gmock/gmock.h>

#include "compiler/cpu/jit.h"
#include "compiler/golden/golden.h"
#include "compiler/host/movement.h"
#include "compiler/network/compile.h"
#include "runtime/executor.h"
#include "sim/functional/functional_device.h"
#include "tests/network_unit/testing.h"

namespace cosim::network {
namespace {

using graph::ValueId;

ValueId AddTransposed(GraphBuilder& b, ValueId x, const std::vector<int64_t>& order) {
  const graph::HostOperatorPtr op = host::Transpose(order);
  const graph::HostOperand operand{b.graph.node(x).type};
  return b.Add(graph::HostOp{op, 0, std::get<0>(op->Infer(std::span(&operand, 1))).front(), "a test's"}, {x});
}

TEST(SourceOf, AnImageIsMadeOfWhatItsValueWasTransposedFrom) {
  GraphBuilder b;
  const ValueId x = b.Input({1, 6, 5, 3});
  const ValueId turned = AddTransposed(b, x, {0, 3, 1, 2}), other = AddTransposed(b, x, {0, 3, 2, 1});
  const Layout image{.kind = Layout::Kind::kImage}, blocked{.kind = Layout::Kind::kBlocked};
  EXPECT_EQ(SourceOf(b.graph, {turned, image}), (FormKey{x, {}}));
  EXPECT_EQ(SourceOf(b.graph, {other, image}), (FormKey{other, {}}));
  EXPECT_EQ(SourceOf(b.graph, {turned, blocked}), (FormKey{turned, {}}));
}

/// Compiles a convolution of the transposed `x`, runs it on `inputs`, and gives the host's steps.
std::vector<std::string> HostSteps(GraphBuilder& b, ValueId x, const std::vector<graph::Tensor>& inputs) {
  const ValueId image = AddTransposed(b, x, {0, 3, 1, 2});
  b.graph.SetOutputs({b.Conv(image, 8, {.stride = {2, 2}, .pad = {1, 1, 1, 1}}, 3, 3, false)});
  const auto bytes = [](const graph::Tensor& t) {
    return std::vector<uint8_t>(t.bytes().begin(), t.bytes().end());
  };
  std::vector<std::vector<uint8_t>> plain;
  for (const graph::Tensor& input : inputs) plain.push_back(bytes(input));
  const isa::Spec spec = Load("cosim", {}, "pynq.yaml");
  cpu::JitCompiler cpu;
  const auto network = Compile(b.graph, spec, {}, cpu);
  sim::FunctionalDevice device(spec);
  const auto run = runtime::Execute(network, spec, device, plain, false);
  EXPECT_TRUE(run.completed) << run.error;
  EXPECT_EQ(run.outputs.at(0), bytes(*golden::Run(b.graph, inputs)[b.graph.outputs()[0]]));
  std::vector<std::string> steps;
  for (const auto& layer : network.layers)
    if (!layer.on_accelerator) steps.push_back(layer.op);
  return steps;
}

TEST(ChannelsLast, ImagesBecomeRowsOfPixelsInOneStep) {
  GraphBuilder b;
  const ValueId x = b.Input({1, 12, 12, 3});
  graph::Tensor input({graph::DType::kInt8, {1, 12, 12, 3}});
  for (int8_t& v : input.mutable_data<int8_t>()) v = static_cast<int8_t>(b.Pick(-128, 127));
  EXPECT_THAT(HostSteps(b, x, {input}), testing::Contains("pack_image"));
  EXPECT_THAT(HostSteps(b, x, {input}), testing::Not(testing::Contains("transpose")));
}

// A constant has no place in memory to make rows of: what is transposed has.
TEST(ChannelsLast, ConstantImagesAreTransposed) {
  GraphBuilder b;
  EXPECT_THAT(HostSteps(b, b.Constant<int8_t>({1, 12, 12, 3}, -128, 127), {}),
              testing::Contains("transpose"));
}

}  // namespace
}  // namespace cosim::network
