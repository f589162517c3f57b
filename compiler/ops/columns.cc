// SPDX-License-Identifier: Apache-2.0
// Sums over channels are tensors of their own, one element a pixel and group, that the last computation
// reads.
#include "compiler/ops/columns.h"

#include "compiler/ops/elementwise.h"
#include "compiler/tir/operators.h"

namespace cosim::ops {
namespace {

using te::Axis;
using te::Indices;
using te::Tensor;
using tir::DataType;
using tir::Expr;
using tir::Int;

const DataType kDouble = DataType::Float(64);

Indices WithChannel(Indices i, Expr channel) {
  i[1] = std::move(channel);
  return i;
}

}  // namespace

Definition MatMul(const std::string& name, const graph::MatMul& op, const std::vector<int64_t>& shape,
                  const Tensor& a, const Tensor& b) {
  const int64_t summed = a.shape()[1] / op.groups, results = shape[1] / op.groups, width = b.shape()[3];
  const Axis k = te::ReduceAxis(summed, "k");
  const auto element = [&](const Indices& i) -> te::Body {
    const Expr row = FloorDiv(i[1], results) * summed + Expr(k);
    const Expr pixel = op.transpose_b ? Expr(k) : FloorMod(i[1], results);
    const Expr channel = op.transpose_b ? i[1] : row;
    const Expr weight = b(i[0], channel, FloorDiv(pixel, width), FloorMod(pixel, width));
    return te::Sum(As(kInt32, a(i[0], row, i[2], i[3])) * As(kInt32, weight), {k});
  };
  return {{{te::Compute(name, shape, element), Pattern::kColumns}}, {}};
}

Definition Softmax(const std::string& name, const graph::QSoftmax& op, const Tensor& x) {
  Definition result;
  const int64_t channels = x.shape()[1] / op.groups;
  const auto steps = static_cast<int64_t>(op.exponentials.size());
  const Tensor table = te::Placeholder(name + ".exponentials", {steps}, kInt32);
  result.tables.push_back(
      {table, std::make_shared<const graph::Tensor>(graph::Shape{steps}, op.exponentials)});
  std::vector<int64_t> columns = x.shape();
  columns[1] = op.groups;
  const Axis c = te::ReduceAxis(channels, "c"), d = te::ReduceAxis(channels, "d");
  const Tensor most = te::Compute(name + ".most", columns, [&](const Indices& i) -> te::Body {
    return te::MaxReduce(x(WithChannel(i, i[1] * channels + Expr(c))), {c});
  });
  const auto exponential = [&](const Expr& largest, const Expr& value) {
    return As(kInt64, table(As(DataType::Index(), As(kInt32, largest) - As(kInt32, value))));
  };
  const Tensor sum = te::Compute(name + ".sum", columns, [&](const Indices& i) -> te::Body {
    return te::Sum(exponential(most(i), x(WithChannel(i, i[1] * channels + Expr(d)))), {d});
  });
  const Tensor share = te::Compute(name, x.shape(), [&](const Indices& i) -> te::Body {
    const Indices column = WithChannel(i, FloorDiv(i[1], channels));
    const Expr twice = exponential(most(column), x(i)) * (2 * int64_t{op.levels}) + sum(column);
    return Saturated(x.type(), FloorDiv(twice, sum(column) * 2) + op.zero_point);
  });
  for (const Tensor& tensor : {most, sum, share}) result.computations.push_back({tensor, Pattern::kColumns});
  return result;
}

Definition LayerNorm(const std::string& name, const graph::QLayerNorm& op, const Tensor& x,
                     const Tensor& gain, const Tensor& offset) {
  const int64_t channels = x.shape()[1];
  std::vector<int64_t> columns = x.shape();
  columns[1] = 1;
  const Axis c = te::ReduceAxis(channels, "c"), d = te::ReduceAxis(channels, "d");
  const Tensor sum = te::Compute(name + ".sum", columns, [&](const Indices& i) -> te::Body {
    return te::Sum(As(kInt64, x(WithChannel(i, c))), {c});
  });
  const Tensor squares = te::Compute(name + ".squares", columns, [&](const Indices& i) -> te::Body {
    const Expr value = As(kInt64, x(WithChannel(i, d)));
    return te::Sum(value * value, {d});
  });
  const Tensor normal = te::Compute(name, x.shape(), [&](const Indices& i) -> te::Body {
    const Indices column = WithChannel(i, Int(0));
    const Expr variance = squares(column) * channels - sum(column) * sum(column);
    const Expr deviation =
        MakeMath(tir::MathFn::kSqrt, As(kDouble, variance) + tir::Float(op.epsilon, kDouble));
    const Expr centred = As(kDouble, As(kInt64, x(i)) * channels - sum(column));
    const Expr scaled = Divide(centred, deviation) * As(kDouble, gain(i[1]));
    const Expr moved = scaled + As(kDouble, offset(i[1]));
    return Saturated(x.type(), MakeMath(tir::MathFn::kFloor, moved + tir::Float(0.5, kDouble)));
  });
  return {{{sum, Pattern::kColumns}, {squares, Pattern::kColumns}, {normal, Pattern::kColumns}}, {}};
}

}  // namespace cosim::ops
