// SPDX-License-Identifier: Apache-2.0
#include "compiler/ops/statistics.h"

#include <algorithm>
#include <utility>

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

using SeenFn = std::function<Expr(const Expr&)>;

constexpr int64_t kLanesOfRow = 16;

/// How the last dimension, if it is reduced, is gone through: so many rounds, and the place of a round in it
/// for element `i` of the result.
struct Row {
  int64_t rounds;
  std::function<Expr(const Axis& round, const Indices& i)> place;
};

/// The dimensions of x that are kept are the first ones of `shape`, or with `keeps_rank` all of x's are.
Computation Reduced(const std::string& name, const std::vector<int64_t>& shape, const Tensor& x,
                    const Over& over, te::ReduceOp op, const SeenFn& seen, bool keeps_rank, const Row& row) {
  const size_t rank = x.shape().size();
  std::vector<Axis> axes;
  const auto element = [&](const Indices& i) -> te::Body {
    Indices at;
    size_t next = 0;
    for (size_t d = 0; d < rank; ++d) {
      if (over[d]) {
        const bool last = d + 1 == rank;
        axes.push_back(te::ReduceAxis(last ? row.rounds : x.shape()[d], "r" + std::to_string(d)));
        at.push_back(last ? row.place(axes.back(), i) : Expr(axes.back()));
        next += keeps_rank ? 1 : 0;
      } else {
        at.push_back(i[next++]);
      }
    }
    if (axes.empty()) axes.push_back(te::ReduceAxis(1, "r"));
    return te::Reduce(op, seen(x(at)), axes);
  };
  return {te::Compute(name, shape, element), Pattern::kReduce};
}

/// Elements [first, first + count) of the last dimension, or all of one that is kept.
Computation ReducePlainly(const std::string& name, const std::vector<int64_t>& shape, const Tensor& x,
                          const Over& over, te::ReduceOp op, const SeenFn& seen, int64_t first,
                          int64_t count) {
  const size_t rank = x.shape().size();
  size_t kept = 0, trailing = 0;
  for (size_t d = 0; d < rank; ++d) {
    kept += over[d] ? 0 : 1;
    trailing = over[d] ? 0 : trailing + 1;
  }
  const auto place = [first](const Axis& round, const Indices&) {
    return first > 0 ? round + Int(first) : Expr(round);
  };
  Computation result =
      Reduced(name, shape, x, over, op, seen, shape.size() == rank && kept != rank, {count, place});
  result.inner_from = shape.size() - (kept == 0 ? 0 : trailing);
  return result;
}

/// The whole rounds of lanes of the last dimension, [shape..., lanes].
Computation ReduceInLanes(const std::string& name, std::vector<int64_t> shape, const Tensor& x,
                          const Over& over, te::ReduceOp op, const SeenFn& seen) {
  const bool keeps_rank = shape.size() == x.shape().size();
  shape.push_back(kLanesOfRow);
  const auto place = [](const Axis& round, const Indices& i) { return Expr(round) * kLanesOfRow + i.back(); };
  Computation result =
      Reduced(name, shape, x, over, op, seen, keeps_rank, {x.shape().back() / kLanesOfRow, place});
  result.inner_from = shape.size() - 1;
  return result;
}

/// Pairs of neighbours, pairs of those, …
Expr CombinePairs(te::ReduceOp op, std::vector<Expr> values) {
  while (values.size() > 1) {
    std::vector<Expr> pairs;
    for (size_t k = 0; k + 1 < values.size(); k += 2)
      pairs.push_back(te::Combine(op, values[k], values[k + 1]));
    if (values.size() % 2 == 1) pairs.push_back(values.back());
    values = std::move(pairs);
  }
  return values[0];
}

}  // namespace

std::vector<Computation> ReduceOver(const std::string& name, const std::vector<int64_t>& shape,
                                    const Tensor& x, const Over& over, te::ReduceOp op, const SeenFn& seen) {
  COSIM_CHECK(over.size() == x.shape().size(), "{} dimensions of {}", over.size(), name);
  const int64_t row = x.shape().back();
  const bool keeps_some = std::find(over.begin(), over.end(), false) != over.end();
  if (!over.back() || !keeps_some || row < 2 * kLanesOfRow)
    return {ReducePlainly(name, shape, x, over, op, seen, 0, row)};
  std::vector<Computation> result = {ReduceInLanes(name + ".lanes", shape, x, over, op, seen)};
  const int64_t rest = row % kLanesOfRow;
  if (rest > 0) result.push_back(ReducePlainly(name + ".rest", shape, x, over, op, seen, row - rest, rest));
  const auto all = [&](const Indices& i) -> te::Body {
    std::vector<Expr> values;
    for (int64_t lane = 0; lane < kLanesOfRow; ++lane) {
      Indices at = i;
      at.push_back(Int(lane));
      values.push_back(result[0].tensor(at));
    }
    if (rest > 0) values.push_back(result[1].tensor(i));
    return CombinePairs(op, values);
  };
  result.push_back({te::Compute(name, shape, all), Pattern::kColumns});
  return result;
}

Expr Kept(const Tensor& reduced, const Indices& i) { return Broadcast(reduced, i); }

Definition SoftmaxOver(const std::string& name, const Tensor& x, const Over& over, double scale,
                       bool logarithm) {
  const std::vector<int64_t> columns = KeptShape(x, over);
  Definition result{ReduceOver(name + ".most", columns, x, over, te::ReduceOp::kMax, AsIs), {}};
  const Tensor most = result.computations.back().tensor;
  const auto power = [&](const Indices& i) {
    const Expr centred = x(i) - Kept(most, i);
    return scale == 1 ? centred : centred * tir::Float(scale, x.type());
  };
  result.computations.push_back(
      {te::Compute(name + ".exp", x.shape(), [&](const Indices& i) { return Apply(MathFn::kExp, power(i)); }),
       Pattern::kColumns});
  const Tensor exponentials = result.computations.back().tensor;
  for (const Computation& part :
       ReduceOver(name + ".sum", columns, exponentials, over, te::ReduceOp::kSum, Real))
    result.computations.push_back(part);
  const Tensor sum = result.computations.back().tensor;
  // Of all that an element takes, the division or logarithm is the same along what is summed.
  const auto shared = [&](const Indices& i) -> te::Body {
    return logarithm ? Apply(MathFn::kLog, sum(i)) : Divide(tir::Float(1, kReal), sum(i));
  };
  result.computations.push_back({te::Compute(name + ".shared", columns, shared), Pattern::kColumns});
  const Tensor common = result.computations.back().tensor;
  const auto share = [&](const Indices& i) -> te::Body {
    if (logarithm) return MakeCast(x.type(), Real(power(i)) - Kept(common, i));
    return MakeCast(x.type(), Real(exponentials(i)) * Kept(common, i));
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
  const auto add_all = [&](const std::vector<Computation>& computations) {
    for (const Computation& computation : computations) add(computation);
    return computations.back().tensor;
  };
  const Tensor sum = add_all(ReduceOver(name + ".sum", shape, x, over, te::ReduceOp::kSum, Real));
  result.mean = derived(".mean", [&](const Indices& i) { return Divide(sum(i), tir::Float(count, kReal)); });
  const auto square = [&](const Indices& i) -> te::Body {
    const Expr centred = Real(x(i)) - Kept(result.mean, i);
    return centred * centred;
  };
  const Tensor squares = add({te::Compute(name + ".square", x.shape(), square), Pattern::kColumns});
  const Tensor deviation =
      add_all(ReduceOver(name + ".squares", shape, squares, over, te::ReduceOp::kSum, AsIs));
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
