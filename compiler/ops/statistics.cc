// SPDX-License-Identifier: Apache-2.0
#include "compiler/ops/statistics.h"

#include "isa/check.h"

namespace cosim::ops {
namespace {

using te::Axis;
using te::Indices;
using te::Tensor;
using tir::Expr;
using tir::Int;
using tir::MathFn;

std::vector<int64_t> KeptShape(const Tensor& x, const Over& over) {
  std::vector<int64_t> shape = x.shape();
  for (size_t d = 0; d < shape.size(); ++d)
    if (over[d]) shape[d] = 1;
  return shape;
}

}  // namespace

Computation ReduceOver(const std::string& name, const std::vector<int64_t>& shape, const Tensor& x,
                       const Over& over, te::ReduceOp op, const std::function<Expr(const Expr&)>& seen) {
  const size_t rank = x.shape().size();
  size_t kept = 0, trailing = 0;
  for (size_t d = 0; d < rank; ++d) {
    kept += over[d] ? 0 : 1;
    trailing = over[d] ? 0 : trailing + 1;
  }
  const bool keeps_rank = shape.size() == rank && kept != rank;
  std::vector<Axis> axes;
  const auto element = [&](const Indices& i) -> te::Body {
    Indices at;
    size_t next = 0;
    for (size_t d = 0; d < rank; ++d) {
      if (over[d]) {
        axes.push_back(te::ReduceAxis(x.shape()[d], "r" + std::to_string(d)));
        at.push_back(axes.back());
        next += keeps_rank ? 1 : 0;
      } else {
        at.push_back(i[next++]);
      }
    }
    if (axes.empty()) axes.push_back(te::ReduceAxis(1, "r"));
    return te::Reduce(op, seen(x(at)), axes);
  };
  Computation result{te::Compute(name, shape, element), Pattern::kReduce};
  result.inner_from = shape.size() - (kept == 0 ? 0 : trailing);
  return result;
}

Expr Kept(const Tensor& reduced, const Indices& i) { return Broadcast(reduced, i); }

Definition SoftmaxOver(const std::string& name, const Tensor& x, const Over& over, double scale,
                       bool logarithm) {
  const std::vector<int64_t> columns = KeptShape(x, over);
  Definition result;
  result.computations.push_back(
      ReduceOver(name + ".most", columns, x, over, te::ReduceOp::kMax, [](const Expr& v) { return v; }));
  const Tensor most = result.computations.back().tensor;
  const auto power = [&](const Indices& i) {
    const Expr centred = x(i) - Kept(most, i);
    return scale == 1 ? centred : centred * tir::Float(scale, x.type());
  };
  result.computations.push_back(
      {te::Compute(name + ".exp", x.shape(), [&](const Indices& i) { return Apply(MathFn::kExp, power(i)); }),
       Pattern::kColumns});
  const Tensor exponentials = result.computations.back().tensor;
  result.computations.push_back(
      ReduceOver(name + ".sum", columns, exponentials, over, te::ReduceOp::kSum, Real));
  const Tensor sum = result.computations.back().tensor;
  const auto share = [&](const Indices& i) -> te::Body {
    if (logarithm) return MakeCast(x.type(), Real(power(i)) - Apply(MathFn::kLog, Kept(sum, i)));
    return MakeCast(x.type(), Divide(Real(exponentials(i)), Kept(sum, i)));
  };
  result.computations.push_back({te::Compute(name, x.shape(), share), Pattern::kColumns});
  return result;
}

Moments MomentsOver(const std::string& name, const Tensor& x, const Over& over, double epsilon,
                    double behind) {
  const std::vector<int64_t> shape = KeptShape(x, over);
  double count = 1;
  for (size_t d = 0; d < over.size(); ++d) count *= over[d] ? static_cast<double>(x.shape()[d]) : 1;
  Moments result;
  const auto add = [&](Computation computation) {
    result.computations.push_back(computation);
    return computation.tensor;
  };
  const auto derived = [&](const std::string& part, const std::function<Expr(const Indices&)>& element) {
    return add({te::Compute(name + part, shape, [&](const Indices& i) -> te::Body { return element(i); }),
                Pattern::kColumns});
  };
  const Tensor sum = add(ReduceOver(name + ".sum", shape, x, over, te::ReduceOp::kSum, Real));
  result.mean = derived(".mean", [&](const Indices& i) { return Divide(sum(i), tir::Float(count, kReal)); });
  const auto square = [&](const Indices& i) -> te::Body {
    const Expr centred = Real(x(i)) - Kept(result.mean, i);
    return centred * centred;
  };
  const Tensor squares = add({te::Compute(name + ".square", x.shape(), square), Pattern::kColumns});
  const Tensor deviation = add(ReduceOver(name + ".squares", shape, squares, over, te::ReduceOp::kSum,
                                          [](const Expr& v) { return v; }));
  result.inverse = derived(".inverse", [&](const Indices& i) {
    const Expr variance = Divide(deviation(i), tir::Float(count, kReal));
    const Expr root = Apply(MathFn::kSqrt, variance + tir::Float(epsilon, kReal));
    return Divide(tir::Float(1, kReal), root + tir::Float(behind, kReal));
  });
  return result;
}

Definition Normalized(const std::string& name, const Tensor& x, const Moments& moments,
                      const std::function<Expr(const Expr&, const Indices&)>& last) {
  Definition result{moments.computations, {}};
  const auto element = [&](const Indices& i) -> te::Body {
    const Expr normal = (Real(x(i)) - Kept(moments.mean, i)) * Kept(moments.inverse, i);
    return MakeCast(x.type(), last(normal, i));
  };
  result.computations.push_back({te::Compute(name, x.shape(), element), Pattern::kColumns});
  return result;
}

}  // namespace cosim::ops
