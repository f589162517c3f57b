// SPDX-License-Identifier: Apache-2.0
// The golden model against the definitions written as plain loops over int64, on random small graphs.
#include <gtest/gtest.h>

#include <random>

#include "compiler/golden/golden.h"

namespace cosim::golden {
namespace {

using graph::Graph;
using graph::Node;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;

int32_t Wrap32(int64_t x) { return static_cast<int32_t>(static_cast<uint64_t>(x)); }

/// floor(x / 2^shift + 1/2) by division, in a way of its own.
int64_t RoundedQuotient(int64_t x, int shift) {
  const __int128 divisor = __int128{1} << (shift + 1);
  const __int128 numerator = __int128{x} * 2 + (__int128{1} << shift);
  __int128 quotient = numerator / divisor;
  if (numerator % divisor < 0) --quotient;
  return static_cast<int64_t>(quotient);
}

int64_t Clamp(int64_t x, int64_t lo, int64_t hi) { return x < lo ? lo : x > hi ? hi : x; }

int64_t At(const Tensor& t, int64_t n, int64_t c, int64_t y, int64_t x) {
  const Shape& s = t.shape();
  return t.data<int8_t>()[((n * s[1] + c) * s[2] + y) * s[3] + x];
}

Tensor NaiveConv2d(const Node& node, const Tensor& x, const Tensor& w) {
  const auto& op = *node.As<graph::Conv2d>();
  Tensor out(node.type);
  const Shape& s = node.type.shape;
  const int64_t per_group = s[1] / op.groups;
  int64_t i = 0;
  for (int64_t n = 0; n < s[0]; ++n)
    for (int64_t o = 0; o < s[1]; ++o)
      for (int64_t oy = 0; oy < s[2]; ++oy)
        for (int64_t ox = 0; ox < s[3]; ++ox) {
          int64_t sum = 0;
          for (int64_t c = 0; c < w.shape()[1]; ++c)
            for (int64_t ky = 0; ky < w.shape()[2]; ++ky)
              for (int64_t kx = 0; kx < w.shape()[3]; ++kx) {
                const int64_t iy = oy * op.stride[0] + ky * op.dilation[0] - op.pad[0];
                const int64_t ix = ox * op.stride[1] + kx * op.dilation[1] - op.pad[1];
                if (iy < 0 || ix < 0 || iy >= x.shape()[2] || ix >= x.shape()[3]) continue;
                sum += (At(x, n, o / per_group * w.shape()[1] + c, iy, ix) - op.input_zero_point) *
                       At(w, o, c, ky, kx);
              }
          out.mutable_data<int32_t>()[i++] = Wrap32(sum);
        }
  return out;
}

Tensor NaiveRequantize(const Node& node, const Tensor& x) {
  const auto& op = *node.As<graph::Requantize>();
  Tensor out(node.type);
  const Shape& s = node.type.shape;
  for (int64_t i = 0; i < x.size(); ++i) {
    const int64_t c = op.multiplier.size() == 1 ? 0 : i / (s[2] * s[3]) % s[1];
    const int64_t scaled = RoundedQuotient(int64_t{x.data<int32_t>()[i]} * op.multiplier[c], op.shift[c]);
    out.mutable_data<int8_t>()[i] =
        static_cast<int8_t>(Clamp(Clamp(scaled, INT32_MIN, INT32_MAX) + op.zero_point, -128, 127));
  }
  return out;
}

Tensor NaiveQAdd(const Node& node, const Tensor& a, const Tensor& b) {
  const auto& op = *node.As<graph::QAdd>();
  Tensor out(node.type);
  auto term = [](const graph::QAdd::Operand& o, int64_t v) {
    return int64_t{Wrap32(RoundedQuotient((v - o.zero_point) * o.multiplier, o.shift))};
  };
  for (int64_t i = 0; i < a.size(); ++i) {
    const int64_t sum =
        op.output_zero_point + term(op.a, a.data<int8_t>()[i]) + term(op.b, b.data<int8_t>()[i]);
    out.mutable_data<int8_t>()[i] = static_cast<int8_t>(Clamp(Wrap32(sum), -128, 127));
  }
  return out;
}

Tensor NaiveMaxPool(const Node& node, const Tensor& x) {
  const auto& op = *node.As<graph::MaxPool>();
  Tensor out(node.type);
  const Shape &s = node.type.shape, &xs = x.shape();
  for (int64_t i = 0; i < out.size(); ++i) {
    const int64_t ox = i % s[3], oy = i / s[3] % s[2], c = i / (s[3] * s[2]) % s[1],
                  n = i / (s[3] * s[2] * s[1]);
    int64_t best = -128;
    for (int64_t iy = 0; iy < xs[2]; ++iy)
      for (int64_t ix = 0; ix < xs[3]; ++ix) {
        const int64_t ky = iy + op.pad[0] - oy * op.stride[0], kx = ix + op.pad[1] - ox * op.stride[1];
        if (ky >= 0 && kx >= 0 && ky < op.kernel[0] && kx < op.kernel[1])
          best = std::max(best, At(x, n, c, iy, ix));
      }
    out.mutable_data<int8_t>()[i] = static_cast<int8_t>(best);
  }
  return out;
}

/// A chain of random convolutions, pools, requantizations, additions and clips.
class RandomGraph {
 public:
  explicit RandomGraph(uint32_t seed) : random_(seed) {
    value_ =
        graph_.AddInput("x", {graph::DType::kInt8, {Pick(1, 2), 4 * Pick(1, 5), Pick(5, 12), Pick(5, 12)}});
    for (int step = 0; step < 4; ++step) {
      Convolution();
      Addition();
      if (shape()[2] > 3 && shape()[3] > 3) Pool();
    }
    graph_.SetOutputs({value_});
  }

  const Graph& graph() const { return graph_; }

  template <typename T>
  Tensor RandomTensor(const Shape& shape, int64_t lo, int64_t hi) {
    std::vector<T> data(graph::NumElements(shape));
    for (T& v : data) v = static_cast<T>(Pick(lo, hi));
    return Tensor(shape, std::move(data));
  }

 private:
  int64_t Pick(int64_t lo, int64_t hi) { return std::uniform_int_distribution<int64_t>(lo, hi)(random_); }
  int32_t Pick32(int64_t lo, int64_t hi) { return static_cast<int32_t>(Pick(lo, hi)); }
  const Shape& shape() const { return graph_.node(value_).type.shape; }
  std::string Next(const char* kind) { return kind + std::to_string(graph_.size()); }

  void Convolution() {
    const int64_t groups = int64_t{1} << Pick(0, 2), outputs = 4 * Pick(1, 9);
    graph::Conv2d op{.stride = {Pick(1, 2), Pick(1, 2)},
                     .pad = {Pick(0, 2), Pick(0, 2), Pick(0, 2), Pick(0, 2)},
                     .dilation = {Pick(1, 2), Pick(1, 2)},
                     .groups = groups,
                     .input_zero_point = Pick32(-128, 127)};
    const Shape kernel{outputs, shape()[1] / groups, Pick(1, std::min<int64_t>(3, (shape()[2] + 1) / 2)),
                       Pick(1, std::min<int64_t>(3, (shape()[3] + 1) / 2))};
    const ValueId w = graph_.AddConstant(Next("w"), RandomTensor<int8_t>(kernel, -128, 127));
    value_ = graph_.Add(Next("conv"), op, {value_, w});
    graph::Requantize requantize{.multiplier = {}, .shift = {}, .zero_point = Pick32(-128, 127)};
    for (int64_t c = Pick(0, 1) ? outputs : 1; c > 0; --c) {
      requantize.multiplier.push_back(Pick32(1 << 30, INT32_MAX));
      requantize.shift.push_back(Pick32(30, 44));
    }
    value_ = graph_.Add(Next("requantize"), requantize, {value_});
  }

  void Addition() {
    auto operand = [&] {
      return graph::QAdd::Operand{Pick32(-128, 127), Pick32(1, INT32_MAX), Pick32(20, 40)};
    };
    const ValueId other = graph_.AddConstant(Next("c"), RandomTensor<int8_t>(shape(), -128, 127));
    value_ = graph_.Add(Next("qadd"), graph::QAdd{operand(), operand(), Pick32(-128, 127)}, {value_, other});
  }

  void Pool() {
    const int64_t kernel = Pick(2, 3);
    auto pad = [&] { return Pick(0, kernel - 1); };
    value_ = graph_.Add(
        Next("pool"),
        graph::MaxPool{{kernel, kernel}, {Pick(1, 2), Pick(1, 2)}, {pad(), pad(), pad(), pad()}}, {value_});
  }

  std::mt19937 random_;
  Graph graph_{"random"};
  ValueId value_ = 0;
};

TEST(GoldenAgainstNaiveLoops, AgreesOnRandomGraphs) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    RandomGraph random(seed);
    const Graph& g = random.graph();
    const auto values = golden::Run(g, {random.RandomTensor<int8_t>(g.node(0).type.shape, -128, 127)});
    for (ValueId id = 0; id < g.size(); ++id) {
      const Node& node = g.node(id);
      auto in = [&](int i) -> const Tensor& { return *values[node.inputs[i]]; };
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << node.name);
      if (node.As<graph::Conv2d>()) {
        ASSERT_EQ(*values[id], NaiveConv2d(node, in(0), in(1)));
      }
      if (node.As<graph::Requantize>()) {
        ASSERT_EQ(*values[id], NaiveRequantize(node, in(0)));
      }
      if (node.As<graph::QAdd>()) {
        ASSERT_EQ(*values[id], NaiveQAdd(node, in(0), in(1)));
      }
      if (node.As<graph::MaxPool>()) {
        ASSERT_EQ(*values[id], NaiveMaxPool(node, in(0)));
      }
    }
  }
}

}  // namespace
}  // namespace cosim::golden
