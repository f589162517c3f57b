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

struct Compiled {
  std::vector<std::string> host_steps;
  std::vector<runtime::Place> inputs;
};

/// Compiles the graph of one result, runs it on arrays that hold `inputs` as they are handed over, twice on
/// one device that gets the programs once, and compares with the graph on `values`.
Compiled RunTwice(const graph::Graph& graph, const std::vector<std::vector<uint8_t>>& inputs,
                  const std::vector<graph::Tensor>& values, bool channels_last) {
  const isa::Spec spec = Load("cosim", {}, "pynq.yaml");
  cpu::JitCompiler cpu;
  const auto network = Compile(graph, spec, {.channels_last = channels_last, .after_pass = {}}, cpu);
  sim::FunctionalDevice device(spec);
  const auto expected = RawBytes(*golden::Run(graph, values)[graph.outputs()[0]]);
  for (const auto programs : {runtime::Programs::kToLoad, runtime::Programs::kLoaded}) {
    const auto run = runtime::Execute(network, spec, device, inputs, false, nullptr, programs);
    EXPECT_TRUE(run.completed) << run.error;
    EXPECT_EQ(run.outputs.at(0), expected);
  }
  Compiled compiled{{}, network.inputs};
  for (const auto& layer : network.layers)
    if (!layer.on_accelerator) compiled.host_steps.push_back(layer.op);
  return compiled;
}

/// A convolution of the transposed `x`.
Compiled OfTransposed(GraphBuilder& b, ValueId x, const std::vector<graph::Tensor>& values) {
  const ValueId image = AddTransposed(b, x, {0, 3, 1, 2});
  b.graph.SetOutputs({b.Conv(image, 8, {.stride = {2, 2}, .pad = {1, 1, 1, 1}}, 3, 3, false)});
  std::vector<std::vector<uint8_t>> inputs;
  for (const graph::Tensor& value : values) inputs.push_back(RawBytes(value));
  return RunTwice(b.graph, inputs, values, false);
}

TEST(ChannelsLast, RowsOfPixelsGoWhereTheyAreReadAsTheyAre) {
  GraphBuilder b;
  const ValueId x = b.Input({1, 12, 12, 3});
  const Compiled compiled = OfTransposed(b, x, {b.Draw({1, 12, 12, 3})});
  EXPECT_THAT(compiled.host_steps, testing::ElementsAre("unpack"));
  const auto& image = compiled.inputs[0].image;
  ASSERT_TRUE(image);
  EXPECT_EQ(image->rows, 12u);
  EXPECT_EQ(image->row_bytes, 36u);
  EXPECT_EQ(image->row_pitch, 39u);  // of the border the windows reach the left column
  EXPECT_EQ(image->first, 42u);
  EXPECT_FALSE(compiled.inputs[0].channels_last);
}

TEST(ChannelsLast, AnImageThatIsReadOtherwiseTooIsCopiedByTheHost) {
  GraphBuilder b;
  const ValueId x = b.Input({1, 12, 12, 3});
  const ValueId image = AddTransposed(b, x, {0, 3, 1, 2}), other = AddTransposed(b, x, {0, 2, 1, 3});
  b.graph.SetOutputs({b.Conv(image, 8, {.stride = {2, 2}, .pad = {1, 1, 1, 1}}, 3, 3, false), other});
  const graph::Tensor value = b.Draw({1, 12, 12, 3});
  const Compiled compiled = RunTwice(b.graph, {RawBytes(value)}, {value}, false);
  EXPECT_THAT(compiled.host_steps, testing::Contains("pack_image"));
  EXPECT_FALSE(compiled.inputs[0].image);
}

/// As they come of planes in order.
std::vector<uint8_t> PixelsOf(const graph::Tensor& value) {
  const auto& shape = value.shape();
  const int64_t plane = shape[2] * shape[3];
  std::vector<uint8_t> bytes;
  for (int64_t n = 0; n < shape[0]; ++n)
    for (int64_t i = 0; i < plane; ++i)
      for (int64_t c = 0; c < shape[1]; ++c) bytes.push_back(value.bytes()[(n * shape[1] + c) * plane + i]);
  return bytes;
}

// Two images, a border, and windows that do not reach the last column.
TEST(ChannelsLast, PlanesComeAsPixelsWhereAskedFor) {
  for (const int64_t width : {11, 12}) {
    GraphBuilder b;
    const ValueId x = b.Input({2, 3, 9, width});
    b.graph.SetOutputs({b.Conv(x, 8, {.stride = {2, 2}, .pad = {0, 1, 0, 0}}, 3, 3, false)});
    const graph::Tensor value = b.Draw({2, 3, 9, width});
    const Compiled pixels = RunTwice(b.graph, {PixelsOf(value)}, {value}, true);
    EXPECT_THAT(pixels.host_steps, testing::ElementsAre("unpack"));
    EXPECT_TRUE(pixels.inputs[0].channels_last);
    EXPECT_EQ(pixels.inputs[0].image->images, 2u);
    const Compiled planes = RunTwice(b.graph, {RawBytes(value)}, {value}, false);
    EXPECT_THAT(planes.host_steps, testing::ElementsAre("pack_image", "unpack"));
    EXPECT_FALSE(planes.inputs[0].channels_last);
  }
}

// A constant has no place in memory to make rows of: what is transposed has.
TEST(ChannelsLast, ConstantImagesAreTransposed) {
  GraphBuilder b;
  EXPECT_THAT(OfTransposed(b, b.Constant<int8_t>({1, 12, 12, 3}, -128, 127), {}).host_steps,
              testing::Contains("transpose"));
}

}  // namespace
}  // namespace cosim::network
