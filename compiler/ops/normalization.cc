// SPDX-License-Identifier: Apache-2.0
// Sums over channels are tensors of their own, one element a pixel and group, that the last computation
// reads.
#include "compiler/ops/normalization.h"

#include "compiler/ops/elementwise.h"
#include "compiler/ops/statistics.h"

namespace cosim::ops {
namespace {

using graph::Node;
using te::Axis;
using te::Indices;
using te::Tensor;
using tir::DataType;
using tir::Expr;
using tir::Int;
using tir::MathFn;

using Tensors = std::vector<Tensor>;

Indices WithChannel(Indices i, Expr channel) {
  i[1] = std::move(channel);
  return i;
}

Over OverChannels(const Tensor& x, size_t channels = 1) {
  Over over(x.shape().size(), false);
  over[channels] = true;
  return over;
}

}  // namespace

Definition Normalize(const graph::BatchNorm& op, const Node& node, const Tensors& in) {
  const auto factor = [&](const Indices& i) -> te::Body {
    const Expr variance = Real(in[4](i)) + tir::Float(op.epsilon, kReal);
    return Divide(Real(in[1](i)), Apply(MathFn::kSqrt, variance));
  };
  const Tensor gain = te::Compute(node.name + ".gain", in[1].shape(), factor);
  const auto element = [&](const Indices& i) -> te::Body {
    const Expr centred = Real(in[0](i)) - Real(in[3](i[1]));
    return MakeCast(in[0].type(), centred * gain(i[1]) + Real(in[2](i[1])));
  };
  return {
      {{gain, Pattern::kColumns}, {te::Compute(node.name, node.type.shape, element), Pattern::kElementwise}},
      {}};
}

// With groups, x is seen as [N,G,C,...]: what is reduced over are the channels of a group.
Definition Normalize(const graph::Softmax& op, const Node& node, const Tensors& in) {
  if (op.groups == 1) return SoftmaxOver(node.name, in[0], OverChannels(in[0]), op.scale, false);
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
  Definition result = SoftmaxOver(node.name + ".softmax", apart, OverChannels(apart, 2), op.scale, false);
  result.computations.insert(result.computations.begin(), {apart, Pattern::kColumns});
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

Definition Normalize(const graph::QSoftmax& op, const Node& node, const Tensors& in) {
  const Tensor& x = in[0];
  const std::string& name = node.name;
  Definition result;
  const int64_t channels = x.shape()[1] / op.groups;
  const auto steps = static_cast<int64_t>(op.exponentials.size());
  const Tensor table = te::Placeholder(name + ".exponentials", {steps}, kInt32);
  result.tables.push_back(
      {table, std::make_shared<const graph::Tensor>(graph::Shape{steps}, op.exponentials)});
  std::vector<int64_t> columns = x.shape();
  columns[1] = op.groups;
  const auto column_of = [&](const Indices& i) {
    return WithChannel(i, op.groups == 1 ? Int(0) : FloorDiv(i[1], channels));
  };
  const auto add = [&](Tensor tensor) {
    result.computations.push_back({tensor, Pattern::kColumns});
    return tensor;
  };
  const Axis c = te::ReduceAxis(channels, "c"), d = te::ReduceAxis(channels, "d");
  const Tensor most = add(te::Compute(name + ".most", columns, [&](const Indices& i) -> te::Body {
    return te::MaxReduce(x(WithChannel(i, i[1] * channels + Expr(c))), {c});
  }));
  const auto exponential = [&](const Expr& largest, const Expr& value) {
    // Of what a layout alone adds to the channels a value may be larger.
    return table(As(DataType::Index(), Max(As(kInt32, largest) - As(kInt32, value), Int(0, kInt32))));
  };
  const Tensor sum = add(te::Compute(name + ".sum", columns, [&](const Indices& i) -> te::Body {
    return te::Sum(As(kInt64, exponential(most(i), x(WithChannel(i, i[1] * channels + Expr(d))))), {d});
  }));
  const Tensor rate = add(te::Compute(name + ".rate", columns, [&](const Indices& i) -> te::Body {
    return MakeCast(kReal32, Divide(tir::Float(op.levels, kReal), Real(sum(i))));
  }));
  add(te::Compute(name, x.shape(), [&](const Indices& i) -> te::Body {
    const Indices column = column_of(i);
    const Expr e = MakeCast(kReal32, exponential(most(column), x(i)));
    const Expr share = As(kInt32, e * rate(column) + tir::Float(0.5, kReal32));
    return Saturated(x.type(), share + op.zero_point);
  }));
  return result;
}

Definition Normalize(const graph::LayerNorm& op, const Node& node, const Tensors& in) {
  return Normalized(
      node.name, in[0], MomentsOver(node.name, in[0], OverChannels(in[0]), op.epsilon),
      [&](const Expr& normal, const Indices& i) { return normal * Real(in[1](i[1])) + Real(in[2](i[1])); });
}

Definition Normalize(const graph::QLayerNorm& op, const Node& node, const Tensors& in) {
  const Tensor &x = in[0], &gain = in[1], &offset = in[2];
  const int64_t channels = x.shape()[1];
  // Squares of bytes, and what is summed of them, are in 32 bits if there are fewer than 2^17.
  const DataType whole = x.type().bits == 8 && channels < 1 << 16 ? kInt32 : kInt64;
  std::vector<int64_t> columns = x.shape();
  columns[1] = 1;
  const Axis c = te::ReduceAxis(channels, "c"), d = te::ReduceAxis(channels, "d");
  const Tensor sum = te::Compute(node.name + ".sum", columns, [&](const Indices& i) -> te::Body {
    return te::Sum(As(whole, x(WithChannel(i, c))), {c});
  });
  const Tensor squares = te::Compute(node.name + ".squares", columns, [&](const Indices& i) -> te::Body {
    const Expr value = As(whole, x(WithChannel(i, d)));
    return te::Sum(value * value, {d});
  });
  const Tensor rate = te::Compute(node.name + ".rate", columns, [&](const Indices& i) -> te::Body {
    const Expr total = As(kInt64, sum(i));
    const Expr variance = As(kInt64, squares(i)) * channels - total * total;
    const Expr deviation = Apply(MathFn::kSqrt, Real(variance) + tir::Float(op.epsilon, kReal));
    return MakeCast(kReal32, Divide(tir::Float(1, kReal), deviation));
  });
  const Tensor normal = te::Compute(node.name, x.shape(), [&](const Indices& i) -> te::Body {
    const Indices column = WithChannel(i, Int(0));
    const Expr centred = MakeCast(kReal32, As(whole, x(i)) * channels - sum(column));
    const Expr moved = centred * rate(column) * gain(i[1]) + offset(i[1]);
    return SaturatedFloor(x.type(), moved + tir::Float(0.5, kReal32));
  });
  return {{{sum, Pattern::kColumns},
           {squares, Pattern::kColumns},
           {rate, Pattern::kColumns},
           {normal, Pattern::kColumns}},
          {}};
}

}  // namespace cosim::ops
