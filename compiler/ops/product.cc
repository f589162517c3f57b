// SPDX-License-Identifier: Apache-2.0
#include "compiler/ops/product.h"

#include "compiler/ops/map.h"

namespace cosim::ops {
namespace {

using te::Axis;
using te::Indices;
using te::Tensor;
using tir::Expr;
using tir::Int;

constexpr int64_t kLanes = 32;  // sums side by side along what is summed over

Definition Plain(const std::string& name, const std::vector<int64_t>& shape, const Factors& factors) {
  const Axis k = te::ReduceAxis(factors.depth, "k");
  const auto element = [&](const Indices& i) -> te::Body {
    return te::Sum(factors.a(i, k) * factors.b(i, k), {k});
  };
  Computation product{te::Compute(name, shape, element), Pattern::kReduce};
  product.inner_from = factors.rows ? shape.size() : shape.size() - 1;
  return {{product}, {}};
}

/// In lanes, where there are enough of them. Sums of integers are the same in any order: they have lanes as
/// they stand.
Definition Summed(const std::string& name, const std::vector<int64_t>& shape, const Factors& factors) {
  const int64_t rounds = factors.depth / kLanes, rest = factors.depth % kLanes;
  const Definition plain = Plain(name, shape, factors);
  if (!factors.rows || rounds < 2 || !plain.computations[0].tensor.type().is_float()) return plain;
  // Additions of one sum wait for each other; those of lanes do not.
  std::vector<int64_t> lanes_shape = shape;
  lanes_shape.push_back(kLanes);
  const Axis round = te::ReduceAxis(rounds, "round"), lane = te::ReduceAxis(kLanes, "lane");
  const auto in_lanes = [&](Indices i) -> te::Body {
    const Expr k = Expr(round) * kLanes + i.back();
    i.pop_back();
    return te::Sum(factors.a(i, k) * factors.b(i, k), {round});
  };
  Computation lanes{te::Compute(name + ".lanes", lanes_shape, in_lanes), Pattern::kReduce};
  lanes.inner_from = shape.size();
  const auto total = [&](Indices i) -> te::Body {
    i.push_back(lane);
    return te::Sum(lanes.tensor(i), {lane});
  };
  Computation sum{te::Compute(name + ".sum", shape, total), Pattern::kColumns};
  Definition result{{lanes, sum}, {}};
  if (rest == 0) return result;
  Factors tail = factors;
  tail.depth = rest;
  tail.a = [&, first = rounds * kLanes](const Indices& i, const Expr& k) { return factors.a(i, k + first); };
  tail.b = [&, first = rounds * kLanes](const Indices& i, const Expr& k) { return factors.b(i, k + first); };
  const Computation end = Plain(name + ".rest", shape, tail).computations[0];
  const auto both = [&](const Indices& i) -> te::Body { return sum.tensor(i) + end.tensor(i); };
  result.computations.push_back(end);
  result.computations.push_back({te::Compute(name + ".whole", shape, both), Pattern::kElementwise});
  return result;
}

}  // namespace

Definition Product(const std::string& name, const std::vector<int64_t>& shape, const Factors& factors) {
  Definition result = Summed(name, shape, factors);
  result.computations.back().product = Plain(name, shape, factors).computations[0].tensor;
  return result;
}

Factors MatMulFactors(const Tensor& a, const Tensor& b, bool a_is_vector, bool b_is_vector) {
  Factors factors;
  factors.depth = a.shape().back();
  // The last dimensions of the product are a's row and b's column, as far as there are any.
  const size_t last = (a_is_vector ? 0 : 1) + (b_is_vector ? 0 : 1);
  const auto batch = [last](const Tensor& x, const Indices& i, Indices matrix) {
    const size_t count = x.shape().size() - matrix.size(), have = i.size() - last;
    Indices at(count, Int(0));
    for (size_t k = 1; k <= count; ++k)
      if (x.shape()[count - k] != 1) at[count - k] = i[have - k];
    at.insert(at.end(), matrix.begin(), matrix.end());
    return x(at);
  };
  factors.a = [=](const Indices& i, const Expr& k) {
    return batch(a, i, a_is_vector ? Indices{k} : Indices{i[i.size() - last], k});
  };
  factors.b = [=](const Indices& i, const Expr& k) {
    return batch(b, i, b_is_vector ? Indices{k} : Indices{k, i.back()});
  };
  factors.rows = b.shape().back() == 1 || b_is_vector;
  return factors;
}

}  // namespace cosim::ops
