// SPDX-License-Identifier: Apache-2.0
// Products of two activations: which of them become weights without a step of the host.
#include <gmock/gmock.h>

#include "compiler/cpu/jit.h"
#include "compiler/golden/golden.h"
#include "compiler/network/compile.h"
#include "runtime/executor.h"
#include "sim/functional/functional_device.h"
#include "tests/network_unit/testing.h"

namespace cosim::network {
namespace {

using graph::ValueId;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The operations of the steps that make weights of values, "transpose" being the accelerator's, and a "host"
/// for each product that is the host's, once the output, or every value too, has shown to be the golden
/// model's, whatever memory held before.
std::vector<std::string> StepsToWeights(GraphBuilder& b, const isa::Spec& spec, bool every_value = false) {
  std::vector<std::string> steps;
  const std::vector<graph::Tensor> inputs = {b.Draw(b.graph.node(b.graph.inputs()[0]).type.shape)};
  const auto values = golden::Run(b.graph, inputs);
  for (const bool keep_every_value : every_value ? std::vector{true, false} : std::vector{false}) {
    cpu::JitCompiler cpu;
    const auto network =
        Compile(b.graph, spec, {.keep_every_value = keep_every_value, .after_pass = {}}, cpu);
    sim::FunctionalDevice device(spec);
    device.Reserve(network.dram_bytes);
    device.Write(0, std::vector<uint8_t>(network.value_bytes, 0x5a));
    const auto run = runtime::Execute(network, spec, device, {RawBytes(inputs[0])}, false);
    EXPECT_TRUE(run.completed) << run.error;
    EXPECT_EQ(run.outputs.at(0), RawBytes(*values[b.graph.outputs()[0]]));
    for (const runtime::Place& place : network.values)
      EXPECT_EQ(runtime::ReadPlain(device, place), RawBytes(*values[place.value])) << place.name;
    steps.clear();
    for (const auto& layer : network.layers) {
      if (layer.op == "pack_matrices" || layer.op == "transpose") steps.push_back(layer.op);
      if (layer.op.starts_with("matmul") && !layer.on_accelerator) steps.push_back("host");
    }
  }
  return steps;
}

struct Attention {
  int64_t channels = 24, heads = 3, height = 3, width = 7;
  bool softmax = true;
};

/// Shares of values by scores of queries and keys, each from a convolution.
GraphBuilder Attend(const Attention& a, const graph::Conv2d& projection = {}, int64_t kernel = 1) {
  GraphBuilder b;
  const ValueId x = b.Conv(b.Input({1, 8, a.height, a.width}), 16, {}, 1, 1, false);
  const auto project = [&] { return b.Conv(x, a.channels, projection, kernel, kernel, false); };
  const auto product = [&](bool transposed, ValueId left, ValueId right, int32_t shift) {
    const ValueId sums = b.Add(graph::MatMul{.groups = a.heads, .transpose_b = transposed}, {left, right});
    return b.Add(graph::Requantize{{1 << 30}, {shift}}, {sums});
  };
  const ValueId queries = project(), keys = project(), values = project();
  ValueId shares = product(false, queries, keys, 38);
  if (a.softmax) {
    graph::QSoftmax softmax{.groups = a.heads, .levels = 127, .zero_point = 3};
    for (int64_t e = 1 << 24; softmax.exponentials.size() < 256; e = e * 9 / 10)
      softmax.exponentials.push_back(static_cast<int32_t>(e));
    shares = b.Add(softmax, {shares});
  }
  b.graph.SetOutputs({b.Conv(product(true, shares, values, 38), 5, {}, 1, 1, false)});
  return b;
}

isa::Spec Square(const std::string& block, const std::vector<isa::Override>& more = {}) {
  std::vector<isa::Override> overrides = {{"parameters.block_in", block}, {"parameters.block_out", block}};
  overrides.insert(overrides.end(), more.begin(), more.end());
  return Load("cosim", overrides);
}

TEST(PixelsAsWeights, KeysAreTilesAndValuesAreTurned) {
  for (const char* block : {"4", "8"}) {
    GraphBuilder b = Attend({});
    EXPECT_THAT(StepsToWeights(b, Square(block), true), ElementsAre("transpose")) << block;
  }
}

TEST(PixelsAsWeights, InLanesThatAreWiderThanTheValues) {
  GraphBuilder b = Attend({.channels = 12});
  EXPECT_THAT(StepsToWeights(b, Square("4", {{"parameters.inp_bits", "16"}, {"parameters.wgt_bits", "16"}})),
              ElementsAre("transpose"));
}

TEST(PixelsAsWeights, HeadsThatShareABlockAreTheHosts) {
  GraphBuilder b = Attend({.channels = 12});
  EXPECT_THAT(StepsToWeights(b, Square("8")), ElementsAre("pack_matrices", "pack_matrices"));
}

TEST(PixelsAsWeights, OtherTilesAreTheHosts) {
  GraphBuilder b = Attend({});
  EXPECT_THAT(StepsToWeights(b, Load("cosim", {{"parameters.block_in", "4"}, {"parameters.block_out", "8"}})),
              ElementsAre("pack_matrices", "pack_matrices"));
  GraphBuilder rows = Attend({});
  EXPECT_THAT(StepsToWeights(rows, Square("8", {{"parameters.batch", "2"}})), ElementsAre("host", "host"));
}

// What stands behind the last pixel is multiplied by what the accelerator left behind the last channel.
TEST(PixelsAsWeights, SharesThatTheAcceleratorMadeNeedWholeTiles) {
  GraphBuilder odd = Attend({.softmax = false});
  EXPECT_THAT(StepsToWeights(odd, Square("4")), ElementsAre("pack_matrices"));
  GraphBuilder whole = Attend({.height = 4, .softmax = false});
  EXPECT_THAT(StepsToWeights(whole, Square("4")), ElementsAre("transpose"));
}

// Of a single row a stride between rows leaves all pixels.
TEST(PixelsAsWeights, AStrideBetweenRowsOfOneIsNone) {
  GraphBuilder b = Attend({.height = 1}, {.stride = {2, 1}});
  EXPECT_THAT(StepsToWeights(b, Square("4"), true), ElementsAre("transpose"));
}

// The array has no scale for each channel of such a product, so that the host computes it, of plain values.
TEST(PixelsAsWeights, AProductOfTheHostReadsThemUnpacked) {
  GraphBuilder b;
  const ValueId x = b.Conv(b.Input({1, 8, 5, 3}), 8, {}, 1, 1, false);
  const ValueId scores = b.Add(graph::MatMul{}, {x, b.Conv(x, 8, {}, 1, 1, false)});
  const ValueId scaled =
      b.Add(graph::Requantize{std::vector<int32_t>(15, 1 << 30), std::vector<int32_t>(15, 38)}, {scores});
  b.graph.SetOutputs({b.Conv(scaled, 4, {}, 1, 1, false)});
  EXPECT_THAT(StepsToWeights(b, Square("4")), ElementsAre("host"));
}

TEST(PixelsAsWeights, WindowsOfSeveralPixelsAreTheHosts) {
  GraphBuilder b = Attend({}, {.pad = {1, 1, 1, 1}}, 3);
  EXPECT_THAT(StepsToWeights(b, Square("4")), ElementsAre("pack_matrices", "pack_matrices"));
}

TEST(PixelsAsWeights, ValuesReadTwiceAreTheHosts) {
  GraphBuilder b;
  const ValueId x = b.Conv(b.Input({1, 8, 5, 3}), 8, {}, 1, 1, false);
  const ValueId keys = b.Conv(x, 8, {}, 1, 1, false);
  const ValueId scores = b.Add(graph::MatMul{}, {x, keys});
  b.graph.SetOutputs({b.Add(graph::Requantize{{1 << 30}, {38}}, {scores})});
  GraphBuilder both = b;
  EXPECT_THAT(StepsToWeights(b, Square("4")), IsEmpty());
  both.graph.SetOutputs({both.graph.outputs()[0], both.Conv(keys, 4, {}, 1, 1, false)});
  EXPECT_THAT(StepsToWeights(both, Square("4")), Contains("pack_matrices"));
}

}  // namespace
}  // namespace cosim::network
