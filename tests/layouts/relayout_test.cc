// SPDX-License-Identifier: Apache-2.0
// Computations on blocked arrays against the same ones on plain arrays, element by element.
#include "compiler/layouts/relayout.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "compiler/ops/definition.h"
#include "compiler/te/lower.h"
#include "compiler/te/schedule.h"
#include "compiler/tir/interpreter.h"

namespace cosim::layouts {
namespace {

using te::Tensor;
using tir::DataType;
using Values = std::vector<int32_t>;

const DataType kInt32 = DataType::Int(32);

int64_t Count(const std::vector<int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

/// The place in an array with `layout` of each element of the plain one, by digits and not by any of the code
/// that is tested.
std::vector<int64_t> PlacesOf(const Layout& layout) {
  const std::vector<int64_t> plain = PlainShapeOf(layout), shape = ShapeOf(layout);
  std::vector<int64_t> places;
  for (int64_t element = 0; element < Count(plain); ++element) {
    std::vector<int64_t> rest(plain.size());
    int64_t left = element;
    for (size_t d = plain.size(); d-- > 0; left /= plain[d]) rest[d] = left % plain[d];
    std::vector<int64_t> digits(layout.size());
    for (size_t p = layout.size(); p-- > 0; rest[layout[p].dim] /= layout[p].extent)
      digits[p] = rest[layout[p].dim] % layout[p].extent;
    int64_t place = 0;
    for (size_t p = 0; p < layout.size(); ++p) place = place * shape[p] + digits[p];
    places.push_back(place);
  }
  return places;
}

Values InLayout(const Values& plain, const Layout& layout) {
  Values values(plain.size());
  const auto places = PlacesOf(layout);
  for (size_t i = 0; i < plain.size(); ++i) values[places[i]] = plain[i];
  return values;
}

Values Computed(const Tensor& output, const std::vector<Tensor>& inputs, std::vector<Values> values) {
  te::Schedule schedule({output});
  std::vector<Tensor> args = inputs;
  args.push_back(output);
  values.emplace_back(Count(output.shape()));
  std::vector<void*> pointers;
  for (Values& v : values) pointers.push_back(v.data());
  tir::Interpret(te::Lower(schedule, args, "computed"), pointers);
  return values.back();
}

Values Random(int64_t count, uint32_t seed) {
  std::mt19937 engine(seed);
  Values values(count);
  for (int32_t& value : values) value = static_cast<int32_t>(engine() % 2001) - 1000;
  return values;
}

/// [N,C,H,W] in blocks of n rows and c channels, the channels in groups.
Layout Blocked(int64_t n, int64_t groups, int64_t c, int64_t h, int64_t w, int64_t rows, int64_t lanes) {
  return {{0, n, "n"}, {1, groups, "g"}, {1, c, "c"},    {2, h, "y"},
          {3, w, "x"}, {0, rows, "b"},   {1, lanes, "k"}};
}

graph::Node NodeOf(graph::Op op, std::vector<int64_t> shape) {
  graph::Node node;
  node.name = "plain";
  node.op = std::move(op);
  node.type = {graph::DType::kInt32, std::move(shape)};
  return node;
}

TEST(Relayout, AGroupedConvolutionInBlocksIsTheConvolution) {
  const Layout in = Blocked(2, 2, 2, 5, 6, 2, 3), out = Blocked(2, 2, 1, 3, 1, 2, 4);
  const Layout weights = {{0, 2, "g"},  {0, 1, "o"},  {1, 2, "ci"}, {2, 3, "ky"},
                          {3, 3, "kx"}, {1, 3, "ki"}, {0, 4, "k"}};
  const Tensor x = te::Placeholder("x", PlainShapeOf(in), kInt32),
               w = te::Placeholder("w", PlainShapeOf(weights), kInt32),
               bx = te::Placeholder("bx", ShapeOf(in), kInt32),
               bw = te::Placeholder("bw", ShapeOf(weights), kInt32);
  const graph::Conv2d op{.stride = {1, 2}, .dilation = {1, 2}, .groups = 2};
  const auto node = NodeOf(op, {4, 8, 3, 1});
  const Tensor plain = ops::Define(node, {x, w})->computations.back().tensor;
  const Relayouted blocked = Relayout("blocked", plain, out, {{x, bx, in}, {w, bw, weights}},
                                      {{{"ci", 2}, {"ki", 3}}, {{"ky", 3}}, {{"kx", 3}}});
  EXPECT_EQ(blocked.reduce_axes.size(), 4u);
  const Values vx = Random(Count(x.shape()), 1), vw = Random(Count(w.shape()), 2);
  EXPECT_EQ(Computed(blocked.tensor, {bx, bw}, {InLayout(vx, in), InLayout(vw, weights)}),
            InLayout(Computed(plain, {x, w}, {vx, vw}), out));
}

TEST(Relayout, APaddedPoolInBlocksIsThePool) {
  const Layout in = Blocked(1, 1, 3, 4, 5, 2, 4), window = Blocked(1, 1, 3, 6, 7, 2, 4),
               out = Blocked(1, 1, 3, 3, 3, 2, 4);
  const Tensor x = te::Placeholder("x", PlainShapeOf(in), kInt32),
               bx = te::Placeholder("bx", ShapeOf(in), kInt32);
  const auto pad = NodeOf(graph::Pad{{1, 1, 1, 1}, -7}, PlainShapeOf(window));
  const Tensor padded = ops::Define(pad, {x})->computations.back().tensor;
  const auto node = NodeOf(graph::MaxPool{{2, 3}, {2, 2}}, PlainShapeOf(out));
  const Tensor plain = ops::Define(node, {padded})->computations.back().tensor;
  const Relayouted frame = Relayout("frame", padded, window, {{x, bx, in}});
  const Relayouted blocked =
      Relayout("blocked", plain, out, {{padded, frame.tensor, window}}, {{{"ky", 2}}, {{"kx", 3}}});
  const Values vx = Random(Count(x.shape()), 3);
  EXPECT_EQ(Computed(blocked.tensor, {bx}, {InLayout(vx, in)}), InLayout(Computed(plain, {x}, {vx}), out));
}

TEST(Relayout, PlacesAlongEachDimensionAddUpToThatOfAnElement) {
  const Layout layout = {{0, 2, "oo"}, {1, 3, "io"}, {2, 2, "y"}, {0, 4, "o"}, {1, 2, "i"}};
  std::vector<int64_t> sums;
  for (const int64_t o : PlacesAlong(layout, 0))
    for (const int64_t i : PlacesAlong(layout, 1))
      for (const int64_t y : PlacesAlong(layout, 2)) sums.push_back(o + i + y);
  EXPECT_EQ(sums, PlacesOf(layout));
  EXPECT_EQ(PlacesAlong(layout, 3), std::vector<int64_t>{0});
}

TEST(RelayoutDeathTest, RefusesALayoutOfAnotherArray) {
  const Tensor x = te::Placeholder("x", {4, 6}, kInt32);
  const Tensor y = te::Compute("y", {4, 6}, [&](const te::Indices& i) -> te::Body { return x(i); });
  const Layout other = {{0, 4, "n"}, {1, 2, "co"}, {1, 4, "ci"}};
  EXPECT_DEATH(Relayout("z", y, other, {{x, x, {{0, 4, "n"}, {1, 6, "c"}}}}),
               "the layout of 'z' is another array's");
}

TEST(Relayout, PartsThatShareADimensionStandBesideEachOther) {
  // sum[y] = sum over x, c of a[y, c, x], from an array [y][x * 2 + c of 7].
  const Layout layout = {{0, 3, "y"}, {.dim = 2, .extent = 3, .name = "x", .within = 7}, {1, 2, "c"}};
  EXPECT_EQ(ShapeOf(layout), (std::vector<int64_t>{3, 7}));
  EXPECT_EQ(PlainShapeOf(layout), (std::vector<int64_t>{3, 2, 3}));
  EXPECT_EQ(PlacesAlong(layout, 0), (std::vector<int64_t>{0, 7, 14}));
  EXPECT_EQ(PlacesAlong(layout, 1), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(PlacesAlong(layout, 2), (std::vector<int64_t>{0, 2, 4}));
  const Tensor plain = te::Placeholder("a", {3, 2, 3}, kInt32),
               instead = te::Placeholder("b", {3, 7}, kInt32);
  const te::Axis c = te::ReduceAxis(2, "c"), x = te::ReduceAxis(3, "x");
  const Tensor sum = te::Compute(
      "sum", {3}, [&](const te::Indices& i) -> te::Body { return te::Sum(plain({i[0], c, x}), {c, x}); },
      {"y"});
  const auto [tensor, axes] =
      Relayout("sums", sum, {{0, 3, "y"}}, {{plain, instead, layout}}, {{{"c", 2}}, {{"x", 3}}});
  const Values values = Random(21, 5);
  Values want(3, 0);
  for (int64_t y = 0; y < 3; ++y)
    for (int64_t k = 0; k < 6; ++k) want[y] += values[y * 7 + k];
  EXPECT_EQ(Computed(tensor, {instead}, {values}), want);
}

TEST(Relayout, ThreePartsMayShareADimension) {
  // a[y, x, c] from an array [(y * 3 + x) * 2 + c of 16].
  const Layout layout = {{.dim = 0, .extent = 2, .name = "y", .within = 16},
                         {.dim = 1, .extent = 3, .name = "x", .within = 16},
                         {2, 2, "c"}};
  EXPECT_EQ(ShapeOf(layout), (std::vector<int64_t>{16}));
  EXPECT_EQ(PlainShapeOf(layout), (std::vector<int64_t>{2, 3, 2}));
  EXPECT_EQ(PlacesAlong(layout, 0), (std::vector<int64_t>{0, 6}));
  EXPECT_EQ(PlacesAlong(layout, 1), (std::vector<int64_t>{0, 2, 4}));
  EXPECT_EQ(PlacesAlong(layout, 2), (std::vector<int64_t>{0, 1}));
  const Tensor plain = te::Placeholder("a", {2, 3, 2}, kInt32), instead = te::Placeholder("b", {16}, kInt32);
  const Tensor twice =
      te::Compute("twice", {2, 3, 2}, [&](const te::Indices& i) -> te::Body { return plain(i) + plain(i); },
                  {"y", "x", "c"});
  const Tensor tensor =
      Relayout("out", twice, {{0, 2, "y"}, {1, 3, "x"}, {2, 2, "c"}}, {{plain, instead, layout}}).tensor;
  const Values values = Random(16, 6);
  Values want(values.begin(), values.begin() + 12);
  for (auto& value : want) value *= 2;
  EXPECT_EQ(Computed(tensor, {instead}, {values}), want);
}

}  // namespace
}  // namespace cosim::layouts
