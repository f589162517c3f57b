// SPDX-License-Identifier: Apache-2.0
// Convolutions by transformed tiles: their loops by the interpreter for processors that schedules know, and
// as machine code for every level that runs here, against the golden model and against sums in float64; the
// transforms alone; what the model chooses.
#include "compiler/schedules/cpu/winograd.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "compiler/golden/tolerance.h"
#include "compiler/ops/definition.h"
#include "compiler/schedules/cpu/schedule.h"
#include "compiler/schedules/cpu/winograd_transforms.h"
#include "compiler/te/lower.h"
#include "compiler/tir/interpreter.h"
#include "tests/cpu/graph_testing.h"

namespace cosim::cpu {
namespace {

using graph::DType;
using graph::Graph;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;
using schedules::CpuTarget;
using schedules::TransformsFor;
using schedules::WinogradTransforms;

constexpr CpuTarget k256 = {.vector_bits = 256, .vector_registers = 16},
                    k512 = {.vector_bits = 512, .vector_registers = 32};

struct WindowLayer {
  int64_t images, inputs, outputs, height, width;
  std::array<int64_t, 4> pad;
};

Tensor RandomFloats(Randoms& random, const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(graph::NumElements(shape)));
  for (float& value : values) value = static_cast<float>(random.Between(-(1 << 20), 1 << 20)) / (1 << 19);
  return {shape, std::move(values)};
}

/// A layer as a graph, with an activation behind it if wanted.
struct Filtered {
  Graph graph{"winograd"};
  Tensor input;
  ValueId convolution = 0;
  std::vector<graph::TensorPtr> values;  ///< the golden model's

  explicit Filtered(const WindowLayer& layer, bool with_relu = false) {
    Randoms random(5);
    const Shape x = {layer.images, layer.inputs, layer.height, layer.width},
                w = {layer.outputs, layer.inputs, 3, 3};
    const ValueId in = graph.AddInput("x", {DType::kFloat32, x});
    input = RandomFloats(random, x);
    convolution = graph.Add("y", graph::Conv2d{.pad = layer.pad},
                            {in, graph.AddConstant("w", RandomFloats(random, w))});
    if (with_relu) graph.Add("relu", graph::Relu{}, {convolution});
    graph.SetOutputs({graph.size() - 1});
  }

  void RunGolden() { values = golden::Run(graph, {input}); }

  /// The convolution by tiles of so many results a side, whatever the model would choose.
  LoweredGroup Lower(const CpuTarget& target, int64_t outputs) const {
    const graph::Node& node = graph.node(convolution);
    std::vector<te::Tensor> operands;
    for (const ValueId id : node.inputs) {
      const graph::Node& operand = graph.node(id);
      operands.push_back(
          te::Placeholder(operand.name, ops::TensorShape(operand.type), tir::DataType::Float(32)));
    }
    ops::Definition plain = *ops::Define(node, operands, ops::KnownOf(graph, node));
    plain.computations.erase(plain.computations.begin(), plain.computations.end() - 1);
    const Tensor& weights = *graph.node(node.inputs[1]).As<graph::Constant>()->data;
    const ops::Computation& sums = plain.computations.front();
    const schedules::Tile tile = ChooseTile(*TransformedProblem(sums, target, outputs), target);
    const schedules::Blocked blocked = TransformConvolution(sums, weights, target, outputs, tile);
    std::vector<schedules::TensorTile> tiles;
    for (size_t i = 0; i < blocked.tiles.size(); ++i)
      tiles.push_back({blocked.definition.computations[i].tensor, blocked.tiles[i]});
    const te::Tensor result = blocked.definition.computations.back().tensor;
    te::Schedule schedule({result});
    schedules::ScheduleForCpu(schedule, blocked.definition.computations, tiles);
    const ops::Table& table = blocked.definition.tables.at(0);
    return {te::Lower(schedule, {operands[0], table.placeholder, result}, "winograd"), {}, {table.values}};
  }

  /// What `run` makes of the arrays of `lowered`.
  Tensor Result(const LoweredGroup& lowered, const std::function<void(std::span<void* const>)>& run) const {
    Tensor x = input, table = *lowered.tables.at(0), result(graph.node(convolution).type);
    void* const args[] = {Data(x), Data(table), Data(result)};
    run(args);
    return result;
  }

  void ExpectGolden(const Tensor& result, const std::string& how, double share = 1) const {
    golden::Tolerance tolerance = golden::TolerancesOf(graph)[static_cast<size_t>(convolution)];
    tolerance.relative *= share;
    EXPECT_EQ(golden::CountMismatches(DType::kFloat32, tolerance, result.bytes(),
                                      values[static_cast<size_t>(convolution)]->bytes()),
              0)
        << how;
  }
};

/// How many results a side a tile has in the loops for `target`; 0 where no tiles are transformed.
int64_t OutputsOf(const WindowLayer& layer, const CpuTarget& target) {
  const Filtered some(layer);
  const LoweredGroup lowered = LowerForCpu(some.graph, some.convolution, target);
  const Shape& packed = lowered.tables.at(0)->shape();
  if (packed.size() != 4) return 0;
  return static_cast<int64_t>(std::sqrt(static_cast<double>(packed[0]))) - 2;
}

TEST(Winograd, TransformsConvolveExactly) {
  Randoms random(3);
  for (const int64_t outputs : {2, 4}) {
    const WinogradTransforms t = TransformsFor(outputs);
    std::vector<double> d, g, products;
    for (int64_t i = 0; i < t.points(); ++i) d.push_back(static_cast<double>(random.Between(-100, 100)));
    for (int64_t i = 0; i < 3; ++i) g.push_back(static_cast<double>(random.Between(-100, 100)));
    const auto times = [](const std::vector<double>& row, const std::vector<double>& column) {
      return std::inner_product(row.begin(), row.end(), column.begin(), 0.0);
    };
    for (size_t i = 0; i < t.input.size(); ++i)
      products.push_back(times(t.input[i], d) * times(t.weights[i], g));
    for (size_t k = 0; k < t.output.size(); ++k)
      EXPECT_NEAR(times(t.output[k], products), d[k] * g[0] + d[k + 1] * g[1] + d[k + 2] * g[2], 1e-9);
  }
}

TEST(Winograd, TransformsOfActivationsAreFloat32) {
  for (const int64_t outputs : {2, 4})
    for (const schedules::Matrix& matrix : {TransformsFor(outputs).input, TransformsFor(outputs).output})
      for (const std::vector<double>& row : matrix)
        for (const double value : row) EXPECT_EQ(static_cast<double>(static_cast<float>(value)), value);
}

// compiler/golden/tolerance.h counts on these.
TEST(Winograd, AmplificationIsWhatTheToleranceSays) {
  EXPECT_NEAR(schedules::Amplification(TransformsFor(2)), 2.8, 0.05);
  EXPECT_NEAR(schedules::Amplification(TransformsFor(4)), 52, 0.5);
}

TEST(Winograd, ModelChoosesByLayer) {
  EXPECT_EQ(OutputsOf({1, 64, 64, 56, 56, {1, 1, 1, 1}}, k512), 4);
  EXPECT_EQ(OutputsOf({1, 256, 256, 14, 14, {1, 1, 1, 1}}, k512), 2);
  EXPECT_EQ(OutputsOf({1, 3, 32, 32, 32, {1, 1, 1, 1}}, k512), 0);
  EXPECT_EQ(OutputsOf({1, 512, 512, 7, 7, {1, 1, 1, 1}}, k512), 0);
}

class WinogradTest : public testing::TestWithParam<WindowLayer> {};

TEST_P(WinogradTest, InterpretedLoopsEqualTheGoldenModel) {
  Filtered some(GetParam());
  some.RunGolden();
  int64_t outputs = 2;
  for (const CpuTarget& target : {k256, k512}) {
    const LoweredGroup lowered = some.Lower(target, outputs);
    some.ExpectGolden(some.Result(lowered, [&](auto args) { tir::Interpret(lowered.function, args); }),
                      fmt::format("F({}, 3), {} bits", outputs, target.vector_bits));
    outputs += 2;
  }
}

TEST_P(WinogradTest, MachineCodeEqualsTheGoldenModel) {
  Filtered some(GetParam());
  some.RunGolden();
  for (const std::string& name : HostTargets()) {
    const HostTarget target = *FindHostTarget(name);
    if (!RunsHere(target)) continue;
    JitCompiler compiler(target);
    if (!compiler.target().is_known()) continue;
    for (const int64_t outputs : {2, 4}) {
      const LoweredGroup lowered = some.Lower(compiler.target(), outputs);
      const auto kernel = compiler.CompileAll({&lowered.function, 1}).at(0);
      some.ExpectGolden(some.Result(lowered, [&](auto args) { kernel->Run(args); }),
                        fmt::format("F({}, 3), {}", outputs, name));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layers, WinogradTest,
                         testing::Values(WindowLayer{1, 8, 20, 7, 7, {1, 1, 1, 1}},
                                         WindowLayer{2, 9, 16, 14, 14, {1, 1, 1, 1}},
                                         WindowLayer{1, 8, 5, 13, 10, {0, 0, 0, 0}},
                                         WindowLayer{3, 11, 24, 5, 6, {1, 0, 0, 2}},
                                         WindowLayer{1, 8, 8, 3, 56, {1, 1, 1, 1}}));

TEST(Winograd, WhatFollowsIsComputedOnTheSums) {
  Filtered some({1, 64, 64, 56, 56, {1, 1, 1, 1}}, /*with_relu=*/true);
  some.RunGolden();
  const auto relu = some.convolution + 1;
  const Tensor result = RunGroup(some.graph, {some.convolution, relu}, some.values);
  const golden::Tolerance tolerance = golden::TolerancesOf(some.graph).back();
  EXPECT_EQ(golden::CountMismatches(DType::kFloat32, tolerance, result.bytes(),
                                    some.values[static_cast<size_t>(relu)]->bytes()),
            0);
}

/// What tolerance.h says of transforms: where sums are long, a third of what is allowed is enough.
TEST(Winograd, ErrorsStayFarWithinTheTolerance) {
  const WindowLayer layer{1, 128, 64, 56, 56, {1, 1, 1, 1}};
  Filtered some(layer);
  some.RunGolden();
  JitCompiler compiler;
  if (!compiler.target().is_known()) GTEST_SKIP() << "no tiles for this processor";
  const LoweredGroup lowered = some.Lower(compiler.target(), 4);
  const auto kernel = compiler.CompileAll({&lowered.function, 1}).at(0);
  some.ExpectGolden(some.Result(lowered, [&](auto args) { kernel->Run(args); }), "F(4, 3)", 1.0 / 3);
}

}  // namespace
}  // namespace cosim::cpu
