// SPDX-License-Identifier: Apache-2.0
// Channels that the host would pick or put side by side become products by ones and zeros; the values stay.
#include "compiler/graph/passes/channels_by_products.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/cpu/no_code.h"
#include "compiler/golden/golden.h"
#include "compiler/host/index.h"
#include "compiler/host/movement.h"
#include "compiler/network/compile.h"
#include "tests/network_unit/testing.h"

namespace cosim::network {
namespace {

using graph::Shape;
using graph::ValueId;

/// A graph of convolutions and movements.
struct Moves : GraphBuilder {
  ValueId Host(const graph::HostOperatorPtr& op, std::vector<ValueId> operands, int32_t result = 0) {
    std::vector<graph::HostOperand> known;
    for (const ValueId id : operands) {
      const auto* constant = graph.node(id).As<graph::Constant>();
      known.push_back({graph.node(id).type, constant ? constant->data.get() : nullptr});
    }
    const auto types = std::get<0>(op->Infer(known));
    return Add(graph::HostOp{op, result, types.at(static_cast<size_t>(result)), "as the file has it"},
               std::move(operands));
  }
  ValueId List(const std::string& name, std::vector<int64_t> values) {
    const Shape shape = {std::ssize(values)};
    return graph.AddConstant(name, graph::Tensor(shape, std::move(values)));
  }
  ValueId Shuffled(ValueId x, int64_t groups) {
    const Shape s = graph.node(x).type.shape;
    x = Host(host::ReshapeTo({s[0], groups, s[1] / groups, s[2], s[3]}), {x});
    return Host(host::ReshapeTo(s), {Host(host::Transpose({0, 2, 1, 3, 4}), {x})});
  }
  /// With channels last, as TensorFlow Lite has them.
  ValueId Half(ValueId x, int32_t which) {
    x = Host(host::Transpose({0, 2, 3, 1}), {x});
    return Host(host::Transpose({0, 3, 1, 2}), {Host(host::Split(3, {}, 2), {x}, which)});
  }
  ValueId Pointwise(ValueId x, int64_t channels) { return Conv(x, channels, {}, 1, 1, false); }
  ValueId Depthwise(ValueId x) {
    const int64_t channels = graph.node(x).type.shape[1];
    return Conv(x, channels, {.pad = {1, 1, 1, 1}, .groups = channels}, 3, 3, false);
  }
};

void ExpectSameValues(Moves& b, const graph::Graph& changed) {
  std::vector<graph::Tensor> inputs;
  for (const ValueId id : b.graph.inputs()) inputs.push_back(b.Draw(b.graph.node(id).type.shape));
  const auto before = golden::Run(b.graph, inputs), after = golden::Run(changed, inputs);
  ASSERT_EQ(b.graph.outputs().size(), changed.outputs().size());
  for (size_t i = 0; i < b.graph.outputs().size(); ++i) {
    EXPECT_EQ(*before[b.graph.outputs()[i]], *after[changed.outputs()[i]]) << "output " << i;
    EXPECT_EQ(b.graph.node(b.graph.outputs()[i]).name, changed.node(changed.outputs()[i]).name);
  }
  EXPECT_EQ(Ops(graph::PickByProducts(changed)), Ops(changed));
}

TEST(PickByProducts, AShuffleIsOneProduct) {
  Moves b;
  const ValueId x = b.Pointwise(b.Input({2, 5, 4, 3}), 12);
  b.graph.SetOutputs({b.Depthwise(b.Shuffled(x, 3))});
  const graph::Graph changed = graph::PickByProducts(b.graph);
  EXPECT_EQ(Ops(changed), "input conv2d bias_add requantize conv2d requantize conv2d bias_add requantize ");
  ExpectSameValues(b, changed);
}

// The one half of a unit of ShuffleNet goes on, the other is read by a convolution, which picks for itself.
TEST(PickByProducts, APointwiseConvolutionOfFewChannelsPicksForItself) {
  Moves b;
  const ValueId x = b.Shuffled(b.Pointwise(b.Input({1, 3, 5, 4}), 8), 2);
  const ValueId stays = b.Half(x, 0), goes = b.Pointwise(b.Half(x, 1), 4);
  b.graph.SetOutputs({b.Add(graph::Concat{}, {stays, goes})});
  const graph::Graph changed = graph::PickByProducts(b.graph);
  EXPECT_EQ(Ops(changed),
            "input conv2d bias_add requantize conv2d requantize conv2d bias_add requantize concat ");
  ExpectSameValues(b, changed);
}

TEST(PickByProducts, AWideConvolutionReadsWhatIsPicked) {
  Moves b;
  const ValueId x = b.Pointwise(b.Input({1, 3, 5, 4}), 8);
  b.graph.SetOutputs({b.Conv(b.Half(x, 1), 6, {}, 3, 3, false)});
  const graph::Graph changed = graph::PickByProducts(b.graph);
  EXPECT_EQ(Ops(changed), "input conv2d bias_add requantize conv2d requantize conv2d bias_add requantize ");
  ExpectSameValues(b, changed);
}

TEST(PickByProducts, ChannelsMayBeTakenTwiceAndThoseInOrderAreTheValueItself) {
  Moves b;
  const ValueId x = b.Pointwise(b.Input({1, 3, 5, 4}), 8);
  const ValueId some = b.Host(host::Gather(1), {x, b.List("some", {7, 0, 7, -1, 3})});
  const ValueId turned = b.Host(host::Transpose({0, 2, 3, 1}), {x});
  const ValueId back = b.Host(host::Transpose({0, 3, 1, 2}), {turned});
  b.graph.SetOutputs({b.Pointwise(some, 3), b.Depthwise(back)});
  const graph::Graph changed = graph::PickByProducts(b.graph);
  EXPECT_EQ(Ops(changed),
            "input conv2d bias_add requantize conv2d requantize conv2d bias_add requantize "
            "conv2d bias_add requantize ");
  ExpectSameValues(b, changed);
}

// Pixels that move, inputs, and what the host alone reads.
TEST(PickByProducts, AllElseStaysTheHosts) {
  Moves b;
  const ValueId input = b.Input({1, 8, 4, 4}), x = b.Pointwise(input, 8);
  const ValueId turned = b.Host(host::Transpose({0, 1, 3, 2}), {x});
  const ValueId mixed = b.Host(host::ReshapeTo({1, 16, 2, 4}), {x});
  const ValueId shown = b.Shuffled(x, 2);
  b.graph.SetOutputs({b.Depthwise(turned), b.Depthwise(mixed), shown, b.Depthwise(b.Shuffled(input, 2))});
  EXPECT_EQ(Ops(graph::PickByProducts(b.graph)), Ops(b.graph));
}

TEST(JoinByProducts, PartsThatFillNoBlocksStandBesideEachOther) {
  Moves b;
  const ValueId x = b.Input({2, 5, 4, 3});
  const std::vector<ValueId> parts = {b.Pointwise(x, 3), b.Pointwise(x, 4), b.Pointwise(x, 8)};
  const ValueId joined = b.Add(graph::Concat{}, parts);
  b.graph.SetOutputs({b.Pointwise(joined, 3), joined});
  const graph::Graph changed = graph::JoinByProducts(b.graph, 4);
  std::string ops = Ops(changed);
  EXPECT_EQ(ops.find("concat"), std::string::npos) << ops;
  EXPECT_NE(ops.find("conv2d requantize conv2d requantize qadd conv2d requantize qadd conv2d "),
            std::string::npos)
      << ops;
  ExpectSameValues(b, changed);
  EXPECT_EQ(Ops(graph::JoinByProducts(changed, 4)), ops);
}

TEST(JoinByProducts, PartsThatFillBlocksAndInputsStayAsTheyAre) {
  Moves b;
  const ValueId x = b.Input({1, 6, 4, 3});
  const ValueId whole = b.Add(graph::Concat{}, {b.Pointwise(x, 4), b.Pointwise(x, 8)}),
                with_input = b.Add(graph::Concat{}, {x, b.Pointwise(x, 4)}),
                shown = b.Add(graph::Concat{}, {b.Pointwise(x, 3), b.Pointwise(x, 5)});
  b.graph.SetOutputs({b.Pointwise(whole, 3), b.Pointwise(with_input, 3), shown});
  EXPECT_EQ(Ops(graph::JoinByProducts(b.graph, 4)), Ops(b.graph));
}

// 58 channels a half, as the first stage of ShuffleNetV2 has them, and 32.
TEST(ChannelsByProducts, LeaveNothingOfAShuffleNetToTheHost) {
  const auto spec = Load("", {}, "pynq.yaml");
  for (const int64_t half : {58, 32}) {
    Moves b;
    ValueId x = b.Conv(b.Input({1, 32, 14, 14}), 2 * half, {.pad = {1, 1, 1, 1}}, 3, 3, false);
    for (int unit = 0; unit < 2; ++unit) {
      const ValueId goes = b.Pointwise(b.Depthwise(b.Pointwise(b.Half(x, 1), half)), half);
      x = b.Shuffled(b.Add(graph::Concat{}, {b.Half(x, 0), goes}), 2);
    }
    b.graph.SetOutputs({b.Pointwise(x, 16)});
    cpu::NoCodeCompiler no_code;
    const auto network = Compile(b.graph, spec, {.timing_only = true, .after_pass = {}}, no_code);
    for (const runtime::Layer& layer : network.layers)
      EXPECT_TRUE(layer.on_accelerator || layer.op == "pack" || layer.op == "unpack")
          << layer.name << " " << layer.op << ": " << layer.reason;
  }
}

}  // namespace
}  // namespace cosim::network
