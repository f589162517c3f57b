// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/reduce_define.h"

#include <limits>

#include "compiler/ops/statistics.h"
#include "compiler/ops/window.h"

namespace cosim::host {
namespace {

using te::Indices;
using tir::DataType;
using tir::Expr;
using tir::MathFn;

/// The type in which elements are combined: integers in 64 bits, floats in float64; extremes as they are.
DataType SumType(Reduction op, DataType x) {
  if (op == Reduction::kMax || op == Reduction::kMin) return x;
  return x.is_float() ? DataType::Float(64) : DataType::Int(64);
}

te::ReduceOp OperationOf(Reduction op) {
  switch (op) {
    case Reduction::kMax:
      return te::ReduceOp::kMax;
    case Reduction::kMin:
      return te::ReduceOp::kMin;
    case Reduction::kProduct:
      return te::ReduceOp::kProduct;
    default:
      return te::ReduceOp::kSum;
  }
}

Expr Seen(Reduction op, const Expr& x) {
  const Expr value = MakeCast(SumType(op, x->type), x), zero = ops::Number(0, value->type);
  if (op == Reduction::kL1) return MakeSelect(Lt(value, zero), zero - value, value);
  return op == Reduction::kL2 || op == Reduction::kSumSquare ? value * value : value;
}

/// What a mean, norm or logarithm makes of the sum.
Expr Final(Reduction op, const Expr& sum, double count, DataType type) {
  const DataType real = DataType::Float(64);
  const Expr value = MakeCast(real, sum);
  if (op == Reduction::kMean) return MakeCast(type, Divide(value, tir::Float(count, real)));
  if (op == Reduction::kL2) return MakeCast(type, ops::Apply(MathFn::kSqrt, value));
  if (op == Reduction::kLogSum) return MakeCast(type, ops::Apply(MathFn::kLog, value));
  return MakeCast(type, sum);
}

/// log(sum(exp(x))), the largest x taken out first.
std::optional<ops::Definition> LogSumExp(const ops::Over& reduced, const ops::HostSite& site) {
  const te::Tensor& x = site.in[0];
  const DataType real = DataType::Float(64);
  if (!x.type().is_float()) return std::nullopt;
  std::vector<int64_t> kept = x.shape();
  for (size_t d = 0; d < kept.size(); ++d)
    if (reduced[d]) kept[d] = 1;
  const auto wide = [&](const Expr& v) { return MakeCast(real, v); };
  ops::Definition result;
  const auto reduce = [&](const std::string& part, const std::vector<int64_t>& shape, const te::Tensor& from,
                          te::ReduceOp op, const std::function<Expr(const Expr&)>& seen) {
    for (const auto& step : ops::ReduceOver(site.name + part, shape, from, reduced, op, seen))
      result.computations.push_back(step);
    return result.computations.back().tensor;
  };
  const te::Tensor most = reduce(".most", kept, x, te::ReduceOp::kMax, wide);
  const te::Tensor exponentials =
      te::Compute(site.name + ".exp", x.shape(), [&](const Indices& i) -> te::Body {
        return ops::Apply(MathFn::kExp, wide(x(i)) - ops::Kept(most, i));
      });
  result.computations.push_back({exponentials, ops::Pattern::kColumns});
  // Both in the shape of the result, which may have fewer dimensions.
  const te::Tensor sum = reduce(".sum", site.shape(), exponentials, te::ReduceOp::kSum, ops::AsIs);
  const te::Tensor peak = reduce(".peak", site.shape(), x, te::ReduceOp::kMax, wide);
  const auto element = [&](const Indices& i) -> te::Body {
    const double infinity = std::numeric_limits<double>::infinity();
    const Expr is_infinite =
        Or(Eq(peak(i), tir::Float(infinity, real)), Eq(peak(i), tir::Float(-infinity, real)));
    const Expr value = peak(i) + ops::Apply(MathFn::kLog, sum(i));
    return MakeCast(x.type(), MakeSelect(is_infinite, peak(i), value));
  };
  result.computations.push_back({te::Compute(site.name, site.shape(), element), ops::Pattern::kElementwise});
  return result;
}

}  // namespace

std::optional<ops::Definition> DefineReduce(Reduction op, ops::Over reduced, const ops::HostSite& site) {
  const te::Tensor& x = site.in[0];
  if (x.type() == DataType::UInt(64) || x.type() == DataType::Bool()) return std::nullopt;
  reduced.resize(x.shape().size(), false);  // a scalar's tensor has a dimension, which is kept
  if (op == Reduction::kLogSumExp) return LogSumExp(reduced, site);
  double count = 1;
  for (size_t d = 0; d < reduced.size(); ++d) count *= reduced[d] ? static_cast<double>(x.shape()[d]) : 1;
  const DataType type = x.type();
  ops::Definition result{ops::ReduceOver(site.name + ".all", site.shape(), x, reduced, OperationOf(op),
                                         [op](const Expr& v) { return Seen(op, v); }),
                         {}};
  ops::Finish(result, site.name,
              [&](const Expr& sum, const Indices&) { return Final(op, sum, count, type); });
  return result;
}

std::optional<ops::Definition> DefineArgExtreme(bool largest, size_t axis, bool keep_dimensions, bool last,
                                                const ops::HostSite& site) {
  const te::Tensor& x = site.in[0];
  const DataType index = DataType::Index();
  if (x.type() == DataType::Bool()) return std::nullopt;
  ops::Over reduced(x.shape().size(), false);
  reduced[axis] = true;
  const auto op = largest ? te::ReduceOp::kMax : te::ReduceOp::kMin;
  ops::Definition result{ops::ReduceOver(site.name + ".most", site.shape(), x, reduced, op, ops::AsIs), {}};
  const te::Tensor most = result.computations.back().tensor;
  const int64_t extent = x.shape()[axis];
  const auto at = [&](const Indices& i, const Expr& k) {
    Indices place = i;
    if (keep_dimensions) {
      place[axis] = k;
    } else if (x.shape().size() == 1) {
      place = {k};
    } else {
      place.insert(place.begin() + static_cast<std::ptrdiff_t>(axis), k);
    }
    return x(place);
  };
  const te::Axis k = te::ReduceAxis(extent, "k");
  const auto found = [&](const Indices& i) -> te::Body {
    const Expr none = tir::Int(last ? -1 : extent, index);
    return te::Reduce(last ? te::ReduceOp::kMax : te::ReduceOp::kMin,
                      MakeSelect(Eq(at(i, k), most(i)), Expr(k), none), {k});
  };
  const te::Tensor place = te::Compute(site.name + ".place", site.shape(), found);
  result.computations.push_back({place, ops::Pattern::kColumns});
  const auto element = [&](const Indices& i) -> te::Body {
    // Nothing is larger than a NaN, with which the search begins.
    const Expr first = at(i, tir::Int(0));
    return x.type().is_float() ? MakeSelect(Ne(first, first), tir::Int(0), place(i)) : place(i);
  };
  result.computations.push_back({te::Compute(site.name, site.shape(), element), ops::Pattern::kColumns});
  return result;
}

std::optional<ops::Definition> DefineNormalize(Normalization op, size_t axis, bool flatten, double scale,
                                               const ops::HostSite& site) {
  if (op == Normalization::kHardmax) return std::nullopt;
  ops::Over over(site.in[0].shape().size(), false);
  for (size_t d = axis; d < over.size() && (flatten || d == axis); ++d) over[d] = true;
  return ops::SoftmaxOver(site.name, site.in[0], over, scale, op == Normalization::kLogSoftmax);
}

}  // namespace cosim::host
