// SPDX-License-Identifier: Apache-2.0
#include "compiler/ops/real.h"

#include "compiler/ops/map.h"
#include "compiler/ops/product.h"
#include "compiler/ops/statistics.h"
#include "compiler/ops/window.h"

namespace cosim::ops {
namespace {

using graph::Node;
using te::Indices;
using te::Tensor;
using tir::Expr;
using tir::MathFn;
using Tensors = std::vector<Tensor>;
using Result = std::optional<Definition>;

template <typename Op>
Sliding WindowOf(const Op& op, std::vector<int64_t> kernel) {
  return {std::move(kernel), {op.stride[0], op.stride[1]}, {1, 1}, {op.pad[0], op.pad[1]}};
}

Seen AsIs() {
  return [](const Expr& value) { return value; };
}

Result BuildReal(const graph::Conv2d& op, const Node& node, const Tensors& in) {
  Convolution convolution;
  convolution.window = WindowOf(op, {in[1].shape()[2], in[1].shape()[3]});
  convolution.window.dilation = {op.dilation[0], op.dilation[1]};
  convolution.groups = op.groups;
  return Convolve(node.name, node.type.shape, in[0], in[1], convolution);
}

Result BuildReal(const graph::ConvTranspose2d& op, const Node& node, const Tensors& in) {
  return ConvolveTransposed(node.name, node.type.shape, in[0], in[1],
                            WindowOf(op, {in[1].shape()[2], in[1].shape()[3]}), 1, true);
}

Result BuildReal(const graph::Dense&, const Node& node, const Tensors& in) {
  Factors factors{.depth = in[0].shape()[1], .rows = true};
  factors.a = [&](const Indices& i, const Expr& k) { return in[0](i[0], k); };
  factors.b = [&](const Indices& i, const Expr& k) { return in[1](i[1], k); };
  Definition result = Product(node.name, node.type.shape, factors);
  result.computations.back().convolved = {.x = in[0], .w = in[1]};
  return result;
}

Result BuildReal(const graph::MatMul& op, const Node& node, const Tensors& in) {
  const int64_t depth = in[0].shape()[1] / op.groups, results = node.type.shape[1] / op.groups,
                width = in[1].shape()[3];
  Factors factors{.depth = depth};
  const auto row = [=](const Indices& i, const Expr& k) { return FloorDiv(i[1], results) * depth + k; };
  factors.a = [&](const Indices& i, const Expr& k) { return in[0](i[0], row(i, k), i[2], i[3]); };
  factors.b = [&](const Indices& i, const Expr& k) {
    const Expr pixel = op.transpose_b ? k : FloorMod(i[1], results);
    return in[1](i[0], op.transpose_b ? i[1] : row(i, k), FloorDiv(pixel, width), FloorMod(pixel, width));
  };
  Definition result = Product(node.name, node.type.shape, factors);
  result.computations[0].inner_from = 2;
  return result;
}

Result BuildReal(const graph::BatchNorm& op, const Node& node, const Tensors& in) {
  const auto factor = [&](const Indices& i) -> te::Body {
    const Expr variance = Real(in[4](i)) + tir::Float(op.epsilon, kReal);
    return Divide(Real(in[1](i)), Apply(MathFn::kSqrt, variance));
  };
  const Tensor gain = te::Compute(node.name + ".gain", in[1].shape(), factor);
  const auto element = [&](const Indices& i) -> te::Body {
    const Expr centred = Real(in[0](i)) - Real(in[3](i[1]));
    return MakeCast(in[0].type(), centred * gain(i[1]) + Real(in[2](i[1])));
  };
  return Definition{
      {{gain, Pattern::kColumns}, {te::Compute(node.name, node.type.shape, element), Pattern::kElementwise}},
      {}};
}

template <typename F>
Result Pairs(const Node& node, const Tensors& in, F f) {
  return Map(node.name, node.type.shape, in, [&](const std::vector<Expr>& v) { return f(v[0], v[1]); });
}

Result BuildReal(const graph::Add&, const Node& node, const Tensors& in) {
  return Pairs(node, in, [](const Expr& a, const Expr& b) { return a + b; });
}
Result BuildReal(const graph::Sub&, const Node& node, const Tensors& in) {
  return Pairs(node, in, [](const Expr& a, const Expr& b) { return a - b; });
}
Result BuildReal(const graph::Mul&, const Node& node, const Tensors& in) {
  return Pairs(node, in, [](const Expr& a, const Expr& b) { return a * b; });
}

Result BuildReal(const graph::Relu& op, const Node& node, const Tensors& in) {
  return Map(node.name, node.type.shape, in, [&](const std::vector<Expr>& v) {
    const Expr least = Max(tir::Float(0), v[0]);
    return op.cap > 0 ? Min(least, tir::Float(op.cap)) : least;
  });
}

Result BuildReal(const graph::Gelu&, const Node& node, const Tensors& in) {
  return Map(node.name, node.type.shape, in, [](const std::vector<Expr>& v) {
    const Expr share = tir::Float(1) + Apply(MathFn::kErf, v[0] * tir::Float(0.70710678118654752));
    return v[0] * tir::Float(0.5) * share;
  });
}

/// Sums of windows times `share`.
Result Means(const Node& node, Definition sums, double share) {
  Finish(sums, node.name, [&](const Expr& sum, const Indices&) { return sum * tir::Float(share); });
  return sums;
}

Result BuildReal(const graph::AvgPool& op, const Node& node, const Tensors& in) {
  const auto window = WindowOf(op, {op.kernel[0], op.kernel[1]});
  return Means(
      node,
      Pool(node.name + ".sum", node.type.shape, in[0], window, te::ReduceOp::kSum, tir::Float(0), AsIs()),
      1 / static_cast<double>(op.kernel[0] * op.kernel[1]));
}

Result BuildReal(const graph::GlobalAvgPool&, const Node& node, const Tensors& in) {
  Definition result{ReduceOver(node.name + ".sum", node.type.shape, in[0], {false, false, true, true},
                               te::ReduceOp::kSum, Real),
                    {}};
  const double plane = static_cast<double>(in[0].shape()[2] * in[0].shape()[3]);
  Finish(result, node.name, [&](const Expr& sum, const Indices&) {
    return MakeCast(in[0].type(), Divide(sum, tir::Float(plane, kReal)));
  });
  return result;
}

/// x seen as [N,G,C,...]: what is reduced over are the channels of a group.
Result BuildReal(const graph::Softmax& op, const Node& node, const Tensors& in) {
  if (op.groups == 1) {
    Over over(in[0].shape().size(), false);
    over[1] = true;
    return SoftmaxOver(node.name, in[0], over, op.scale, false);
  }
  std::vector<int64_t> grouped = in[0].shape();
  const int64_t channels = grouped[1] / op.groups;
  grouped[1] = channels;
  grouped.insert(grouped.begin() + 1, op.groups);
  const auto split = [&](const Indices& i) -> te::Body {
    Indices at = i;
    at[2] = i[1] * channels + i[2];
    at.erase(at.begin() + 1);
    return in[0](at);
  };
  const Tensor apart = te::Compute(node.name + ".groups", grouped, split);
  Over over(grouped.size(), false);
  over[2] = true;
  Definition result{{{apart, Pattern::kColumns}}, {}};
  for (Computation& computation :
       SoftmaxOver(node.name + ".softmax", apart, over, op.scale, false).computations)
    result.computations.push_back(std::move(computation));
  const Tensor shares = result.computations.back().tensor;
  const auto join = [&](const Indices& i) -> te::Body {
    Indices at = i;
    at[1] = FloorMod(i[1], channels);
    at.insert(at.begin() + 1, FloorDiv(i[1], channels));
    return shares(at);
  };
  result.computations.push_back({te::Compute(node.name, node.type.shape, join), Pattern::kColumns});
  return result;
}

Result BuildReal(const graph::LayerNorm& op, const Node& node, const Tensors& in) {
  Over over(in[0].shape().size(), false);
  over[1] = true;
  return Normalized(
      node.name, in[0], MomentsOver(node.name, in[0], over, op.epsilon),
      [&](const Expr& normal, const Indices& i) { return normal * Real(in[1](i[1])) + Real(in[2](i[1])); });
}

template <typename Op>
Result BuildReal(const Op&, const Node&, const Tensors&) {
  return std::nullopt;
}

}  // namespace

std::optional<Definition> DefineReal(const Node& node, const Tensors& operands) {
  return std::visit([&](const auto& op) { return BuildReal(op, node, operands); }, node.op);
}

}  // namespace cosim::ops
