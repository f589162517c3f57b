// SPDX-License-Identifier: Apache-2.0
// Blocked convolutions and dense layers: their schedules' loops by the interpreter for every processor that
// schedules know, and as machine code, against the golden model; the vector instructions alone; the choice of
// tiles.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/cpu/jit.h"
#include "compiler/cpu/object.h"
#include "compiler/golden/tolerance.h"
#include "compiler/graph/infer.h"
#include "compiler/graph/print.h"
#include "compiler/host/spatial.h"
#include "compiler/schedules/cpu/tile.h"
#include "compiler/tir/interpreter.h"
#include "tests/cpu/graph_testing.h"
#include "tests/cpu/testing.h"

namespace cosim::cpu {
namespace {

using graph::DType;
using graph::Graph;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;
using schedules::CpuTarget;
using schedules::Dot;

constexpr CpuTarget kTargets[] = {
    {.vector_bits = 128, .vector_registers = 16, .dot = Dot::kPairs},
    {.vector_bits = 256, .vector_registers = 16, .dot = Dot::kPairs},
    {.vector_bits = 512, .vector_registers = 32, .dot = Dot::kPairs},
    {.vector_bits = 512, .vector_registers = 32, .dot = Dot::kQuads},
    {.vector_bits = 128, .vector_registers = 16, .dot = Dot::kSingles},
    {.vector_bits = 128, .vector_registers = 32, .dot = Dot::kSignedQuads},
};

Tensor RandomTensor(Randoms& random, DType dtype, const Shape& shape) {
  if (dtype == DType::kInt8) return random.Int8(shape);
  if (dtype == DType::kInt16) return random.Tensor<int16_t>(shape, -32768, 32767);
  std::vector<float> values(static_cast<size_t>(graph::NumElements(shape)));
  for (float& value : values) value = static_cast<float>(random.Between(-(1 << 20), 1 << 20)) / (1 << 19);
  return {shape, std::move(values)};
}

/// A convolution of random extents, now and then by 16 channels and more, as a graph of its own.
struct Case {
  Graph graph{"tiles"};
  std::vector<Tensor> inputs;

  void AddConvolution(Randoms& random, DType dtype) {
    while (true) {
      graph::Conv2d op;
      op.groups = random.Between(0, 2) == 0 ? random.Between(2, 3) : 1;
      for (auto* pair : {&op.stride, &op.dilation})
        for (int64_t& value : *pair) value = random.Between(0, 2) == 0 ? random.Between(2, 3) : 1;
      for (int64_t& pad : op.pad) pad = random.Between(0, 2);
      if (dtype == DType::kInt8) op.input_zero_point = static_cast<int32_t>(random.Between(-128, 127));
      const bool depthwise = random.Between(0, 3) == 0;
      const int64_t outputs = random.Between(0, 1) ? 4 * random.Between(1, 9) : random.Between(1, 40);
      if (depthwise) op.groups = random.Between(2, 9);
      const Shape x = {random.Between(1, 2), op.groups * (depthwise ? 1 : random.Between(1, 7)),
                       random.Between(1, 11), random.Between(1, 33)};
      const Shape w = {op.groups * (depthwise ? random.Between(1, 2) : outputs), x[1] / op.groups,
                       random.Between(1, 3), random.Between(1, 4)};
      const graph::TensorType types[] = {{dtype, x}, {WeightType(random, dtype), w}};
      if (!std::holds_alternative<graph::TensorType>(graph::InferType(op, types))) continue;
      const ValueId in = graph.AddInput("x", types[0]);
      graph.Add("y", op, {in, graph.AddConstant("w", RandomTensor(random, types[1].dtype, w))});
      return inputs.push_back(RandomTensor(random, dtype, x));
    }
  }

  void AddDense(Randoms& random, DType dtype) {
    const Shape x = {random.Between(1, 20), random.Between(1, 70)}, w = {random.Between(1, 70), x[1]};
    graph::Dense op;
    if (dtype == DType::kInt8) op.input_zero_point = static_cast<int32_t>(random.Between(-128, 127));
    const ValueId in = graph.AddInput("x", {dtype, x});
    graph.Add("y", op, {in, graph.AddConstant("w", RandomTensor(random, WeightType(random, dtype), w))});
    inputs.push_back(RandomTensor(random, dtype, x));
  }

  /// An ONNX operator of bytes with known zero points, by whole channels or depthwise.
  void AddConvInteger(Randoms& random, DType dtype, int64_t groups) {
    const Shape x = {1, 2 * groups, 7, 18}, w = {20 * groups, groups == 1 ? 2 : 1, 3, 3};
    const auto op = host::ConvInteger({.pads = {1, 0, 1, 2}}, groups == 1 ? 1 : 2 * groups);
    const auto byte = [&](const Shape& shape) {
      if (dtype == DType::kInt8) return random.Int8(shape);
      Tensor result({dtype, shape});
      for (uint8_t& value : result.mutable_data<uint8_t>())
        value = static_cast<uint8_t>(random.Between(0, 255));
      return result;
    };
    const Tensor zero = byte({}), weights = random.Int8(w);
    const graph::HostOperand known[] = {{{dtype, x}}, {weights.type(), &weights}, {zero.type(), &zero}};
    const auto types = op->Infer(known);
    ASSERT_EQ(types.index(), 0U) << std::get<std::string>(types);
    const ValueId in = graph.AddInput("x", {dtype, x});
    graph.Add("y", graph::HostOp{op, 0, std::get<0>(types).at(0), "a test"},
              {in, graph.AddConstant("w", weights), graph.AddConstant("zero", zero)});
    inputs.push_back(byte(x));
  }

  static DType WeightType(Randoms& random, DType dtype) {
    if (dtype == DType::kInt8 && random.Between(0, 4) == 0) return DType::kInt16;
    return dtype == DType::kFloat32 ? dtype : DType::kInt8;
  }

  Tensor Interpret(const CpuTarget& target, const schedules::ContractionSchedules& schedules = {}) const {
    const ValueId id = graph.size() - 1;
    const LoweredGroup lowered = LowerForCpu(graph, HostGroup{{id}}, target, schedules);
    std::vector<Tensor> arrays;
    for (ValueId input : lowered.inputs) {
      const auto* constant = graph.node(input).As<graph::Constant>();
      arrays.push_back(constant ? *constant->data : inputs[0]);
    }
    for (const graph::TensorPtr& table : lowered.tables) arrays.push_back(*table);
    arrays.emplace_back(graph.node(id).type);
    std::vector<void*> args;
    for (Tensor& array : arrays) args.push_back(Data(array));
    tir::Interpret(lowered.function, args);
    return arrays.back();
  }

  /// Machine code, and the loops for `others` interpreted.
  void ExpectGolden(std::span<const CpuTarget> others = {}) {
    const ValueId id = graph.size() - 1;
    graph.SetOutputs({id});
    const auto values = golden::Run(graph, inputs);
    const golden::Tolerance tolerance = golden::TolerancesOf(graph).back();
    const auto check = [&](const Tensor& result, const std::string& how) {
      ASSERT_EQ(golden::CountMismatches(result.dtype(), tolerance, result.bytes(), values[id]->bytes()), 0)
          << how << "\n"
          << graph::Print(graph);
    };
    for (const CpuTarget& target : others)
      check(Interpret(target), fmt::format("interpreted, {} bits", target.vector_bits));
    check(RunGroup(graph, {id}, values), "machine code");
  }
};

class TilesTest : public testing::TestWithParam<DType> {};

TEST_P(TilesTest, ConvolutionsEqualTheGoldenModel) {
  Randoms random(41);
  for (int trial = 0; trial < 18 && !HasFatalFailure(); ++trial) {
    Case some;
    some.AddConvolution(random, GetParam());
    some.ExpectGolden({&kTargets[trial % std::size(kTargets)], 1});
  }
}

TEST_P(TilesTest, DenseLayersEqualTheGoldenModel) {
  Randoms random(42);
  for (int trial = 0; trial < 6 && !HasFatalFailure(); ++trial) {
    Case some;
    some.AddDense(random, GetParam());
    some.ExpectGolden({&kTargets[trial % std::size(kTargets)], 1});
  }
}

INSTANTIATE_TEST_SUITE_P(All, TilesTest, testing::Values(DType::kFloat32, DType::kInt8));

/// By the model's choice, and by two schedules drawn from all legal ones.
struct Drawn {
  int schedules = 0, others = 0;  ///< whose loops are not those of the model's choice
  int written_out = 0;            ///< of whose innermost loop some steps are

  void ExpectGolden(Case& some, Randoms& random, const CpuTarget& target) {
    const ValueId id = some.graph.size() - 1;
    some.graph.SetOutputs({id});
    const auto values = golden::Run(some.graph, some.inputs);
    const golden::Tolerance tolerance = golden::TolerancesOf(some.graph).back();
    const auto loops = [&](const schedules::ContractionSchedules& schedules) {
      return tir::ToString(LowerForCpu(some.graph, HostGroup{{id}}, target, schedules).function);
    };
    for (const FoundContraction& found : ContractionsOf(some.graph, {&id, 1}, target)) {
      EXPECT_EQ(loops({{found.workload, found.chosen}}), loops({})) << found.workload;
      for (int i = 0; i < 3; ++i, ++schedules) {
        const auto last = static_cast<int64_t>(found.all.size()) - 1;
        const auto& schedule =
            i == 0 ? found.chosen : found.all[static_cast<size_t>(random.Between(0, last))];
        written_out += schedule.tile.unroll > 1;
        others += loops({{found.workload, schedule}}) != loops({});
        const Tensor result = some.Interpret(target, {{found.workload, schedule}});
        ASSERT_EQ(golden::CountMismatches(result.dtype(), tolerance, result.bytes(), values[id]->bytes()), 0)
            << ToString(schedule) << " on " << target.vector_bits << " bits\n"
            << graph::Print(some.graph);
      }
    }
  }
};

TEST_P(TilesTest, AnyLegalScheduleEqualsTheGoldenModel) {
  Randoms random(47);
  Drawn drawn;
  for (int trial = 0; trial < 18 && !HasFatalFailure(); ++trial) {
    Case some;
    if (trial % 3 == 0) some.AddDense(random, GetParam());
    if (trial % 3 != 0) some.AddConvolution(random, GetParam());
    drawn.ExpectGolden(some, random, kTargets[static_cast<size_t>(trial) % std::size(kTargets)]);
  }
  EXPECT_GE(drawn.schedules, 30);
  EXPECT_GE(drawn.others, 15);
  EXPECT_GE(drawn.written_out, 5);
}

TEST(Tiles, TransformsByAnyTileEqualTheGoldenModel) {
  Randoms random(48);
  Drawn drawn;
  for (int trial = 0; trial < 3 && !testing::Test::HasFatalFailure(); ++trial) {
    Case some;
    const Shape x = {1, 9, random.Between(3, 9), random.Between(3, 17)};
    const ValueId in = some.graph.AddInput("x", {DType::kFloat32, x});
    const ValueId w =
        some.graph.AddConstant("w", RandomTensor(random, DType::kFloat32, {random.Between(4, 30), 9, 3, 3}));
    some.graph.Add("y", graph::Conv2d{.pad = {1, 1, 1, 1}}, {in, w});
    some.inputs.push_back(RandomTensor(random, DType::kFloat32, x));
    drawn.ExpectGolden(some, random, kTargets[static_cast<size_t>(trial)]);
  }
  EXPECT_GE(drawn.others, 3);
}

TEST(Tiles, CompilersTakeSchedules) {
  Randoms random(49);
  Case some;
  some.AddDense(random, DType::kFloat32);
  const ValueId id = some.graph.size() - 1;
  const HostTarget target = *FindHostTarget(DefaultObjectTarget());
  const auto found = ContractionsOf(some.graph, {&id, 1}, TargetOf(target));
  ASSERT_EQ(found.size(), 1U);
  const auto other = std::ranges::find_if(found[0].all, [&](const schedules::ContractionSchedule& schedule) {
    return schedule.tile.block() != found[0].chosen.tile.block();
  });
  ASSERT_NE(other, found[0].all.end());
  const schedules::ContractionSchedules given = {{found[0].workload, *other}};
  const auto packed = [&](CpuCompiler&& compiler) {
    return CompileGroups(compiler, some.graph, std::vector{HostGroup{{id}}})[0].tables.at(0)->shape();
  };
  EXPECT_EQ(packed(ObjectCompiler(target, given)).back(), other->tile.block());
  EXPECT_EQ(packed(ObjectCompiler(target)).back(), found[0].chosen.tile.block());
  if (RunsHere(target)) EXPECT_EQ(packed(JitCompiler(target, given)).back(), other->tile.block());
}

TEST(Tiles, SchedulesAreTextAndBack) {
  for (const char* text : {"lanes=16 vectors=2 pixels=14 rows=1 chunk=64",
                           "winograd=4 lanes=8 vectors=1 pixels=3 rows=7 chunk=9",
                           "lanes=16 vectors=2 pixels=14 rows=1 chunk=64 unroll=4"}) {
    const auto schedule = schedules::ParseContractionSchedule(text);
    ASSERT_TRUE(schedule) << text;
    EXPECT_EQ(ToString(*schedule), text);
  }
  for (const char* text : {"", "lanes=16", "lanes=16 vectors=2 pixels=14 rows=1 chunk=64 more",
                           "lanes=x vectors=2 pixels=14 rows=1 chunk=64", "winograd=4"})
    EXPECT_FALSE(schedules::ParseContractionSchedule(text)) << text;
}

TEST(Tiles, SchedulesThatDoNotFitAreNotLegal) {
  const schedules::TileProblem problem{.rows = 7, .pixels = 7, .channels = 64, .depth = 32};
  const schedules::Tile good{.lanes = 8, .vectors = 2, .pixels = 5, .rows = 3, .chunk = 7};
  EXPECT_TRUE(IsTile(problem, good, kTargets[1]));
  for (const auto& [name, knob, value] :
       {std::tuple("lanes", &schedules::Tile::lanes, 16), std::tuple("lanes", &schedules::Tile::lanes, 6),
        std::tuple("vectors", &schedules::Tile::vectors, 3),
        std::tuple("pixels", &schedules::Tile::pixels, 8), std::tuple("rows", &schedules::Tile::rows, 8),
        std::tuple("chunk", &schedules::Tile::chunk, 33), std::tuple("chunk", &schedules::Tile::chunk, 0),
        std::tuple("unroll", &schedules::Tile::unroll, 2)}) {
    schedules::Tile bad = good;
    bad.*knob = value;
    EXPECT_FALSE(IsTile(problem, bad, kTargets[1])) << name << "=" << value;
  }
}

TEST(Tiles, ConvolutionsOfBytesWithKnownZeroPointsEqualTheirReference) {
  Randoms random(46);
  for (const DType dtype : {DType::kInt8, DType::kUint8}) {
    for (const int64_t groups : {1, 4}) {
      Case some;
      some.AddConvInteger(random, dtype, groups);
      for (const CpuTarget& target : kTargets) {
        const LoweredGroup tiled = LowerForCpu(some.graph, some.graph.size() - 1, target);
        EXPECT_NE(tir::ToString(tiled.function).find("tensorized"), std::string::npos);
      }
      some.ExpectGolden(kTargets);
    }
  }
}

TEST(Tiles, ChunksOfChannelsEqualTheGoldenModel) {
  Randoms random(43);
  for (const DType dtype : {DType::kFloat32, DType::kInt8}) {
    Case some;
    const ValueId in = some.graph.AddInput("x", {dtype, {1, 1100, 2, 3}});
    const ValueId w =
        some.graph.AddConstant("w", RandomTensor(random, Case::WeightType(random, dtype), {33, 1100, 3, 3}));
    const ValueId y = some.graph.Add("y", graph::Conv2d{.pad = {1, 1, 1, 1}}, {in, w});
    some.inputs.push_back(RandomTensor(random, dtype, {1, 1100, 2, 3}));
    EXPECT_THAT(tir::ToString(LowerForCpu(some.graph, y, kTargets[2]).function), testing::HasSubstr("c.o"));
    some.ExpectGolden();
  }
}

TEST(Tiles, UnknownProcessorsGetPortableLoops) {
  Randoms random(44);
  Case some;
  some.AddDense(random, DType::kInt8);
  EXPECT_TRUE(LowerForCpu(some.graph, 2).tables.empty());
  EXPECT_EQ(LowerForCpu(some.graph, 2, kTargets[0]).tables.size(), 1U);
}

TEST(Tiles, FitRegistersAndRoundLittle) {
  for (const CpuTarget& target : kTargets)
    for (const int64_t pixels : {1, 7, 13, 14, 28, 56, 112})
      for (const int64_t channels : {16, 24, 64, 1000}) {
        const schedules::TileProblem problem{.rows = 7, .pixels = pixels, .channels = channels, .depth = 64};
        const schedules::Tile tile = ChooseTile(problem, target);
        EXPECT_LE(tile.pixels * tile.vectors + tile.vectors + 1, target.vector_registers);
        const int64_t rounded = (pixels + tile.pixels - 1) / tile.pixels * tile.pixels;
        EXPECT_LE(rounded, pixels + pixels / 4) << ToString(tile);
      }
}

TEST(Tiles, KnobsOfAResNetLayer) {
  const schedules::TileProblem problem{.rows = 7, .pixels = 7, .channels = 512, .depth = 512, .taps = 9};
  EXPECT_EQ(ToString(ChooseTile(problem, kTargets[2])), "lanes=16 vectors=3 pixels=7 rows=7 chunk=18");
}

}  // namespace
}  // namespace cosim::cpu
