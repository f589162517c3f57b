// SPDX-License-Identifier: Apache-2.0
// The graph's own operations on floats as kernels, against their references on random shapes and values.
#include <limits>

#include "tests/ops/testing.h"

namespace cosim::ops {
namespace {

using graph::Graph;
using graph::ValueId;

/// A graph of one operation on random floats of these shapes.
void Expect(Randoms& random, const graph::Op& op, const std::vector<Shape>& shapes, double low = -2) {
  Graph graph("operation");
  std::vector<ValueId> ids;
  std::vector<Tensor> inputs;
  for (const Shape& shape : shapes) {
    ids.push_back(graph.AddInput("x" + std::to_string(ids.size()), {DType::kFloat32, shape}));
    inputs.push_back(Reals(random, shape, low));
  }
  graph.Add("y", op, ids);
  ExpectReference(graph, inputs);
}

TEST(RealOps, Convolve) {
  Randoms random(1);
  for (int trial = 0; trial < 12; ++trial) {
    const int64_t groups = random.Between(1, 3), c = random.Between(1, 9), o = random.Between(1, 6);
    const int64_t kh = random.Between(1, 3), kw = random.Between(1, 9);
    graph::Conv2d op{.groups = groups};
    for (int64_t& s : op.stride) s = random.Between(1, 2);
    for (int64_t& d : op.dilation) d = random.Between(1, 2);
    for (int64_t& p : op.pad) p = random.Between(0, 2);
    Expect(random, op,
           {{2, groups * c, random.Between(6, 12), random.Between(18, 30)}, {groups * o, c, kh, kw}});
  }
}

TEST(RealOps, ConvolveTransposed) {
  Randoms random(2);
  for (int trial = 0; trial < 10; ++trial) {
    graph::ConvTranspose2d op;
    for (int64_t& s : op.stride) s = random.Between(1, 3);
    for (int64_t& p : op.pad) p = random.Between(0, 1);
    if (trial > 6) op.pad[2] = -1;
    Expect(random, op, {{2, 3, 4, 5}, {4, 3, random.Between(2, 4), random.Between(2, 4)}});
  }
}

TEST(RealOps, MultiplyMatrices) {
  Randoms random(3);
  for (const int64_t depth : {1, 31, 64, 200, 1027}) Expect(random, graph::Dense{}, {{3, depth}, {7, depth}});
  Expect(random, graph::MatMul{.groups = 2}, {{2, 10, 3, 4}, {2, 10, 2, 3}});
  Expect(random, graph::MatMul{.groups = 2, .transpose_b = true}, {{2, 10, 3, 4}, {2, 14, 1, 5}});
}

TEST(RealOps, ComputeElements) {
  Randoms random(4);
  const Shape shape = {2, 5, 3, 7};
  Expect(random, graph::Add{}, {shape, shape});
  Expect(random, graph::Sub{}, {shape, shape});
  Expect(random, graph::Mul{}, {shape, shape});
  Expect(random, graph::Relu{}, {shape});
  Expect(random, graph::Relu{.cap = 1}, {shape});
  Expect(random, graph::Gelu{}, {shape});
  Expect(random, graph::BiasAdd{}, {shape, {5}});
  Expect(random, graph::BatchNorm{}, {shape, {5}, {5}, {5}, {5}}, 0.5);
}

TEST(RealOps, PoolAndMove) {
  Randoms random(5);
  const Shape image = {2, 4, 9, 11};
  Expect(random, graph::MaxPool{.kernel = {3, 2}, .stride = {2, 1}, .pad = {1, 1, 1, 0}}, {image});
  Expect(random, graph::AvgPool{.kernel = {3, 3}, .stride = {2, 2}, .pad = {1, 1, 1, 1}}, {image});
  Expect(random, graph::GlobalAvgPool{}, {image});
  Expect(random, graph::DepthToSpace{.block = {2, 1}}, {image});
  Expect(random, graph::ResizeNearest{.scale = {2, 3}}, {image});
  Expect(random, graph::Concat{}, {image, {2, 1, 9, 11}, {2, 3, 9, 11}});
  Expect(random, graph::Pad{.pad = {1, 2, 0, 3}}, {image});
  Expect(random, graph::Pad{.pad = {1, 2, 0, 3}, .edge = true}, {image});
  Expect(random, graph::Flatten{}, {image});
}

TEST(RealOps, Normalize) {
  Randoms random(6);
  Expect(random, graph::Softmax{}, {{2, 30, 3, 2}});
  Expect(random, graph::Softmax{.scale = 3}, {{2, 1000}});
  Expect(random, graph::Softmax{.groups = 3, .scale = 0.5f}, {{2, 30, 3, 2}});
  Expect(random, graph::LayerNorm{}, {{2, 40, 5, 1}, {40}, {40}});
}

TEST(RealOps, KeepWhatIsNoNumber) {
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinity = std::numeric_limits<float>::infinity();
  const Tensor x(Shape{1, 4, 1, 2}, std::vector<float>{nan, 1, infinity, -infinity, -0.0f, 0, -3, 4});
  for (const graph::Op& op : {graph::Op(graph::Relu{}), graph::Op(graph::Relu{.cap = 2}),
                              graph::Op(graph::MaxPool{.kernel = {1, 2}, .stride = {1, 1}}),
                              graph::Op(graph::Gelu{}), graph::Op(graph::GlobalAvgPool{})}) {
    Graph graph("special");
    graph.Add("y", op, {graph.AddInput("x", x.type())});
    ExpectReference(graph, {x});
  }
}

TEST(RealOps, AreComparedStrictlyEnough) {
  const std::vector<float> golden(100, 1.0f);
  std::vector<float> close = golden, far = golden;
  close[3] += 2e-6f;
  far[3] += 1e-5f;
  Graph graph("sum");
  graph.Add("y", graph::GlobalAvgPool{}, {graph.AddInput("x", {DType::kFloat32, {1, 100, 2, 2}})});
  const golden::Tolerance tolerance = golden::TolerancesOf(graph).back();
  const auto mismatches = [&](const std::vector<float>& values) {
    const Tensor a(Shape{100}, values), b(Shape{100}, golden);
    return golden::CountMismatches(DType::kFloat32, tolerance, a.bytes(), b.bytes());
  };
  EXPECT_EQ(mismatches(close), 0);
  EXPECT_EQ(mismatches(far), 1);
  EXPECT_FALSE(tolerance.rounded);
  // Nothing is close to an infinity or a NaN.
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor a(Shape{4}, std::vector<float>{1, -infinity, 1, infinity}),
      b(Shape{4}, std::vector<float>{infinity, infinity, std::numeric_limits<float>::quiet_NaN(), infinity});
  EXPECT_EQ(golden::CountMismatches(DType::kFloat32, tolerance, a.bytes(), b.bytes()), 3);
}

}  // namespace
}  // namespace cosim::ops
