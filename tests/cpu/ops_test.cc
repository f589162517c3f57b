// SPDX-License-Identifier: Apache-2.0
// The graph's operations as CPU kernels, alone and fused, against the golden model on random shapes and
// values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/graph/infer.h"
#include "tests/cpu/graph_testing.h"

namespace cosim::cpu {
namespace {

using graph::Graph;
using graph::Tensor;
using graph::ValueId;

graph::Requantize RandomRequantize(Randoms& random, int64_t channels) {
  graph::Requantize op;
  const int64_t count = random.Between(0, 2) == 0 ? 1 : channels;
  op.multiplier.clear();
  op.shift.clear();
  for (int64_t c = 0; c < count; ++c) {
    op.multiplier.push_back(random.Between(0, 5) == 0 ? 1 : random.Between(1 << 30, (int64_t{1} << 31) - 1));
    op.shift.push_back(random.Between(0, 5) == 0 ? random.Between(0, 62) : random.Between(36, 44));
  }
  op.zero_point = random.Between(-128, 127);
  return op;
}

/// A convolution that fits: x is [N, groups * c, H, W].
struct ConvolutionCase {
  graph::Conv2d op;
  graph::Shape x, w;
};

ConvolutionCase RandomConvolution(Randoms& random) {
  while (true) {
    ConvolutionCase result;
    graph::Conv2d& op = result.op;
    op.groups = random.Between(0, 2) == 0 ? random.Between(2, 4) : 1;
    for (auto* pair : {&op.stride, &op.dilation}) {
      for (int64_t& value : *pair) value = random.Between(0, 2) == 0 ? random.Between(2, 3) : 1;
    }
    for (int64_t& pad : op.pad) pad = random.Between(0, 2);
    op.input_zero_point = random.Between(0, 1) * random.Between(-128, 127);
    result.x = {random.Between(1, 2), op.groups * random.Between(1, 5), random.Between(1, 20),
                random.Between(1, 40)};
    result.w = {op.groups * random.Between(1, 9), result.x[1] / op.groups, random.Between(1, 4),
                random.Between(1, 9)};
    const graph::TensorType operands[] = {{graph::DType::kInt8, result.x}, {graph::DType::kInt8, result.w}};
    if (std::holds_alternative<graph::TensorType>(graph::InferType(op, operands))) return result;
  }
}

TEST(CpuOps, ConvolutionsEqualTheGoldenModel) {
  Randoms random(1);
  for (int trial = 0; trial < 24; ++trial) {
    const ConvolutionCase shape = RandomConvolution(random);
    Graph g("convolution");
    const ValueId x = g.AddInput("x", {graph::DType::kInt8, shape.x});
    const ValueId w = g.AddConstant("w", random.Int8(shape.w));
    g.Add("conv", shape.op, {x, w});
    ExpectGolden(g, {random.Int8(shape.x)});
    if (HasFatalFailure()) return;
  }
}

TEST(CpuOps, FusedConvolutionsEqualTheGoldenModel) {
  Randoms random(2);
  for (int trial = 0; trial < 10; ++trial) {
    const ConvolutionCase shape = RandomConvolution(random);
    const int64_t outputs = shape.w[0];
    Graph g("block");
    const ValueId x = g.AddInput("x", {graph::DType::kInt8, shape.x});
    const ValueId w = g.AddConstant("w", random.Int8(shape.w));
    const ValueId bias = g.AddConstant("bias", random.Tensor<int32_t>({outputs}, -100000, 100000));
    const ValueId conv = g.Add("conv", shape.op, {x, w});
    const ValueId sum = g.Add("bias_add", graph::BiasAdd{}, {conv, bias});
    const ValueId small = g.Add("requantize", RandomRequantize(random, outputs), {sum});
    g.Add("clip", graph::Clip{.lo = static_cast<int32_t>(random.Between(-128, 0)), .hi = 100}, {small});
    ExpectGolden(g, {random.Int8(shape.x)});
    if (HasFatalFailure()) return;
  }
}

TEST(CpuOps, ResidualBlocksEqualTheGoldenModel) {
  Randoms random(3);
  const graph::Shape shape = {1, 8, 7, 9};
  Graph g("residual");
  const ValueId x = g.AddInput("x", {graph::DType::kInt8, shape});
  const ValueId w = g.AddConstant("w", random.Int8({8, 8, 3, 3}));
  ValueId value = x;
  for (const std::string name : {"a", "b"}) {
    value = g.Add(name + ".conv", graph::Conv2d{.pad = {1, 1, 1, 1}, .input_zero_point = 3}, {value, w});
    value = g.Add(name + ".requantize", RandomRequantize(random, 8), {value});
  }
  g.Add("add", graph::QAdd{.a = {3, 1 << 28, 29}, .b = {-7, 12345, 13}, .output_zero_point = 5}, {x, value});
  ExpectGolden(g, {random.Int8(shape)});
}

TEST(CpuOps, DenseLayersEqualTheGoldenModel) {
  Randoms random(4);
  for (int trial = 0; trial < 10; ++trial) {
    const int64_t n = random.Between(1, 3), k = random.Between(1, 200), o = random.Between(1, 70);
    Graph g("dense");
    const ValueId x = g.AddInput("x", {graph::DType::kInt8, {n, k}});
    const ValueId w = g.AddConstant("w", random.Int8({o, k}));
    const ValueId bias = g.AddConstant("bias", random.Int32({o}));
    const ValueId product = g.Add(
        "dense", graph::Dense{.input_zero_point = static_cast<int32_t>(random.Between(-128, 127))}, {x, w});
    const ValueId sum = g.Add("bias_add", graph::BiasAdd{}, {product, bias});
    g.Add("requantize", RandomRequantize(random, o), {sum});
    ExpectGolden(g, {random.Int8({n, k})});
    if (HasFatalFailure()) return;
  }
}

TEST(CpuOps, MaxPoolingEqualsTheGoldenModel) {
  Randoms random(5);
  for (int trial = 0; trial < 10; ++trial) {
    graph::MaxPool op;
    for (int d = 0; d < 2; ++d) {
      op.kernel[d] = random.Between(1, d == 0 ? 4 : 10);
      op.stride[d] = random.Between(1, 3);
      op.pad[d] = random.Between(0, op.kernel[d] - 1);
      op.pad[d + 2] = random.Between(0, op.kernel[d] - 1);
    }
    const graph::Shape shape = {random.Between(1, 2), random.Between(1, 5), random.Between(4, 20),
                                random.Between(10, 40)};
    Graph g("pool");
    const ValueId x = g.AddInput("x", {graph::DType::kInt8, shape});
    const ValueId pool = g.Add("pool", op, {x});
    g.Add("clip", graph::Clip{.lo = -100, .hi = 50}, {pool});
    ExpectGolden(g, {random.Int8(shape)});
    if (HasFatalFailure()) return;
  }
}

TEST(CpuOps, GlobalAveragesEqualTheGoldenModel) {
  Randoms random(6);
  for (const graph::Shape& shape :
       std::vector<graph::Shape>{{1, 512, 7, 7}, {2, 3, 1, 1}, {2, 5, 8, 3}, {1, 1, 17, 33}}) {
    Graph g("average");
    const ValueId x = g.AddInput("x", {graph::DType::kInt8, shape});
    const ValueId bias = g.AddConstant("bias", random.Int32({shape[1]}));
    const ValueId sum = g.Add("sum", graph::GlobalSumPool{}, {x});
    const ValueId biased = g.Add("bias_add", graph::BiasAdd{}, {sum, bias});
    const ValueId small = g.Add("requantize", RandomRequantize(random, shape[1]), {biased});
    g.Add("flatten", graph::Flatten{}, {small});
    ExpectGolden(g, {random.Int8(shape)});
    if (HasFatalFailure()) return;
  }
}

TEST(CpuOps, RequantizationEqualsTheGoldenModelAtTheExtremes) {
  Randoms random(7);
  for (int trial = 0; trial < 10; ++trial) {
    const graph::Shape shape = {1, random.Between(1, 8), random.Between(1, 9), random.Between(1, 30)};
    Graph g("requantize");
    const ValueId x = g.AddInput("x", {graph::DType::kInt32, shape});
    g.Add("requantize", RandomRequantize(random, shape[1]), {x});
    Tensor values = random.Int32(shape);
    values.mutable_data<int32_t>().front() = std::numeric_limits<int32_t>::min();
    values.mutable_data<int32_t>().back() = std::numeric_limits<int32_t>::max();
    ExpectGolden(g, {values});
    if (HasFatalFailure()) return;
  }
}

TEST(CpuOps, ResidualAddsWrapLikeTheGoldenModel) {
  Randoms random(8);
  const auto operand = [&] {
    return graph::QAdd::Operand{static_cast<int32_t>(random.Between(-128, 127)),
                                static_cast<int32_t>(random.Between(1, (int64_t{1} << 31) - 1)),
                                static_cast<int32_t>(random.Between(0, 62))};
  };
  for (int trial = 0; trial < 10; ++trial) {
    const graph::Shape shape = {1, 3, 5, random.Between(1, 30)};
    Graph g("add");
    const ValueId a = g.AddInput("a", {graph::DType::kInt8, shape}),
                  b = g.AddInput("b", {graph::DType::kInt8, shape});
    g.Add("add", graph::QAdd{operand(), operand(), static_cast<int32_t>(random.Between(-128, 127))}, {a, b});
    ExpectGolden(g, {random.Int8(shape), random.Int8(shape)});
    if (HasFatalFailure()) return;
  }
}

TEST(CpuOps, QuantizationEqualsTheGoldenModel) {
  Randoms random(9);
  const graph::Shape shape = {1, 3, 11, 13};
  std::vector<float> values(graph::NumElements(shape));
  // Ties, and values far out of range.
  for (float& value : values) value = static_cast<float>(random.Between(-600, 600)) * 0.125f;
  values[0] = 1e30f;
  values[1] = -1e30f;
  Graph g("quantize");
  const ValueId x = g.AddInput("x", {graph::DType::kFloat32, shape});
  const ValueId q = g.Add("quantize", graph::Quantize{.scale = 0.25f, .zero_point = -3}, {x});
  g.Add("dequantize", graph::Dequantize{.scale = 0.1f, .zero_point = 17}, {q});
  ExpectGolden(g, {Tensor(shape, values)});
}

TEST(CpuOps, FlatteningKeepsTheOrder) {
  Randoms random(10);
  for (const graph::Shape& shape :
       std::vector<graph::Shape>{{2, 3, 4, 5}, {1, 7, 1, 1}, {3, 1, 2, 9}, {2, 6}}) {
    Graph g("flatten");
    const ValueId x = g.AddInput("x", {graph::DType::kInt8, shape});
    const ValueId clip = g.Add("clip", graph::Clip{.lo = -50, .hi = 50}, {x});
    const ValueId flat = g.Add("flatten", graph::Flatten{}, {clip});
    const ValueId w = g.AddConstant("w", random.Int8({4, graph::NumElements(shape) / shape[0]}));
    g.Add("dense", graph::Dense{.input_zero_point = 1}, {flat, w});
    ExpectGolden(g, {random.Int8(shape)});
    if (HasFatalFailure()) return;
  }
}

/// A graph of one operation on random int8 inputs.
void ExpectGoldenOf(Randoms& random, graph::Op op, const std::vector<graph::Shape>& shapes) {
  Graph g("one");
  std::vector<ValueId> operands;
  std::vector<Tensor> inputs;
  for (const graph::Shape& shape : shapes) {
    operands.push_back(g.AddInput("x" + std::to_string(operands.size()), {graph::DType::kInt8, shape}));
    inputs.push_back(random.Int8(shape));
  }
  if (std::holds_alternative<graph::QLayerNorm>(op))
    for (const char* name : {"gain", "offset"})
      operands.push_back(g.AddConstant(name, random.Tensor<float>({shapes[0][1]}, -50, 50)));
  g.Add("y", std::move(op), operands);
  ExpectGolden(g, inputs);
}

TEST(CpuOps, RearrangementsEqualTheGoldenModel) {
  Randoms random(21);
  ExpectGoldenOf(random, graph::Concat{}, {{2, 3, 4, 5}, {2, 1, 4, 5}, {2, 7, 4, 5}});
  ExpectGoldenOf(random, graph::Concat{}, {{2, 3}, {2, 4}});
  ExpectGoldenOf(random, graph::Pad{{1, 2, 0, 3}, 7}, {{2, 3, 4, 5}});
  ExpectGoldenOf(random, graph::Pad{}, {{1, 1, 1, 1}});
  ExpectGoldenOf(random, graph::Pad{.pad = {1, 2, 0, 3}, .edge = true}, {{2, 3, 4, 5}});
  ExpectGoldenOf(random, graph::DepthToSpace{{2, 3}}, {{2, 12, 3, 4}});
  ExpectGoldenOf(random, graph::ResizeNearest{{3, 2}}, {{2, 3, 4, 5}});
}

TEST(CpuOps, PoolsAndElementwiseOperationsEqualTheGoldenModel) {
  Randoms random(22);
  ExpectGoldenOf(random, graph::SumPool{{2, 3}, {2, 1}, {1, 0, 1, 2}, -7}, {{2, 3, 8, 9}});
  ExpectGoldenOf(random, graph::SumPool{{4, 4}, {4, 4}}, {{1, 5, 8, 8}});
  ExpectGoldenOf(random, graph::QMul{3, -100, 1 << 30, 37, 5}, {{2, 3, 4, 5}, {2, 3, 4, 5}});
  ExpectGoldenOf(random, graph::QMul{-128, -128, (1 << 30) + 12345, 0, 0}, {{1, 70}, {1, 70}});
  ExpectGoldenOf(random, graph::Rescale{-5, 1 << 30, 29, 100}, {{2, 3, 4, 5}});
  ExpectGoldenOf(random, graph::QAdd{{3, 1 << 20, 20}, {-4, -(1 << 30), 31}, 5},
                 {{2, 3, 4, 5}, {2, 3, 4, 5}});
  graph::Table table;
  for (int i = 0; i < 256; ++i) table.table.push_back(static_cast<int32_t>(random.Between(-128, 127)));
  ExpectGoldenOf(random, table, {{2, 3, 4, 5}});
}

TEST(CpuOps, ColumnsEqualTheGoldenModel) {
  Randoms random(23);
  ExpectGoldenOf(random, graph::MatMul{.groups = 3}, {{2, 12, 2, 3}, {2, 12, 5, 1}});
  ExpectGoldenOf(random, graph::MatMul{.groups = 2, .transpose_b = true}, {{2, 12, 2, 3}, {2, 8, 3, 2}});
  const graph::QSoftmax softmax = SoftmaxOf(2);
  ExpectGoldenOf(random, softmax, {{2, 10, 3, 4}});
  ExpectGoldenOf(random, softmax, {{3, 6}});
  ExpectGoldenOf(random, graph::QLayerNorm{0.5f}, {{2, 17, 3, 4}});
  ExpectGoldenOf(random, graph::QLayerNorm{100}, {{1, 1, 2, 2}});
}

TEST(CpuOps, KernelsOfTheImportantOperationsAreVectorized) {
  Randoms random(11);
  Graph g("block");
  const ValueId x = g.AddInput("x", {graph::DType::kInt8, {1, 16, 28, 28}});
  const ValueId w = g.AddConstant("w", random.Int8({16, 16, 3, 3}));
  const ValueId conv = g.Add("conv", graph::Conv2d{.pad = {1, 1, 1, 1}}, {x, w});
  const ValueId small = g.Add("requantize", RandomRequantize(random, 16), {conv});
  const ValueId sum = g.Add("add", graph::QAdd{}, {small, x});
  EXPECT_THAT(OptimizedIr(LowerForCpu(g, conv).function),
              testing::ContainsRegex("add (nsw )?<[0-9]+ x i32>"));
  EXPECT_THAT(OptimizedIr(LowerForCpu(g, small).function),
              testing::ContainsRegex("mul (nsw )?<[0-9]+ x i64>"));
  EXPECT_THAT(OptimizedIr(LowerForCpu(g, sum).function), testing::ContainsRegex("store <[0-9]+ x i8>"));
}

}  // namespace
}  // namespace cosim::cpu
