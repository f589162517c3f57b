// SPDX-License-Identifier: Apache-2.0
// The simplifier's bounds and proofs. A sum is bounded by eliminating its terms from the innermost out, so
// that what cancels between a variable and the range of another (i <= 6 - o * 4 in o * 4 + i) does cancel.
#include <algorithm>

#include "compiler/tir/arithmetic.h"
#include "compiler/tir/operators.h"
#include "compiler/tir/simplify.h"
#include "compiler/tir/visitor.h"

namespace cosim::tir {
namespace {

using Bound = std::optional<int64_t>;

// Elimination steps per bound: products of nested min and max stay below it in practice.
constexpr int kBudget = 500;

Bound Best(Bound a, Bound b) { return a && b ? std::min(*a, *b) : a ? a : b; }
Bound Worst(Bound a, Bound b) { return a && b ? Bound(std::max(*a, *b)) : std::nullopt; }

// What the type alone says about a value cast to an index.
Interval RangeOfType(DataType type) {
  if (type.bits >= 64 || type.is_float()) return {};
  if (type.is_unsigned()) return {0, (int64_t{1} << type.bits) - 1};
  return {-(int64_t{1} << (type.bits - 1)), (int64_t{1} << (type.bits - 1)) - 1};
}

Linear Negated(Linear linear) {
  for (auto& term : linear.terms) term.second = -term.second;
  linear.constant = -linear.constant;
  return linear;
}

}  // namespace

void Simplifier::Bind(const Var& var, const Expr& min, const Expr& extent) {
  Range range{Simplify(min), Simplify(min + extent - 1)};
  ranks_[var.get()] = static_cast<int>(kept_.size()) + (1 << 20);  // after every variable seen free
  kept_.push_back(var);
  ranges_[var.get()] = std::move(range);
}

void Simplifier::Bind(const Var& var, int64_t min, int64_t extent) { Bind(var, Int(min), Int(extent)); }

Bound Simplifier::Upper(const Linear& linear) {
  int budget = kBudget;
  return UpperWithin(linear, budget);
}

Bound Simplifier::Lower(const Linear& linear) {
  const Bound bound = Upper(Negated(linear));
  return bound ? Bound(-*bound) : std::nullopt;
}

Bound Simplifier::UpperWithin(Linear linear, int& budget) {
  if (linear.is_constant()) return linear.constant;
  if (--budget < 0) return std::nullopt;
  const auto [atom, coefficient] = linear.terms.back();  // compound atoms, then the innermost variable
  linear.terms.pop_back();
  if (const auto* ref = As<VarRef>(atom)) {
    auto range = ranges_.find(ref->var.get());
    if (range == ranges_.end()) return std::nullopt;
    const Expr& extreme = coefficient > 0 ? range->second.last : range->second.min;
    return UpperWithin(Sum(std::move(linear), LinearOfCanonical(extreme), coefficient), budget);
  }
  if (const auto* node = As<Binary>(atom)) return UpperThroughBinary(linear, *node, coefficient, budget);
  if (const auto* node = As<Select>(atom)) {
    return Worst(UpperWithin(Sum(linear, LinearOfCanonical(node->a), coefficient), budget),
                 UpperWithin(Sum(linear, LinearOfCanonical(node->b), coefficient), budget));
  }
  if (const auto* node = As<Cast>(atom)) {
    const Interval range = RangeOfType(node->value->type);
    const Bound extreme = coefficient > 0 ? range.max : range.min;
    if (!extreme) return std::nullopt;
    linear.constant += coefficient * *extreme;
    return UpperWithin(std::move(linear), budget);
  }
  return std::nullopt;
}

// Upper bound of rest + coefficient * node.
Bound Simplifier::UpperThroughBinary(const Linear& rest, const Binary& node, int64_t coefficient,
                                     int& budget) {
  auto with = [&](const Linear& value, int64_t scale) {
    return UpperWithin(Sum(rest, value, scale), budget);
  };
  auto with_constant = [&](Bound value) {
    return value ? with(Linear{{}, *value}, coefficient) : std::nullopt;
  };
  const Bound divisor = AsInt(node.b);
  switch (node.op) {
    case BinaryOp::kMin:
    case BinaryOp::kMax: {
      const Bound a = with(LinearOfCanonical(node.a), coefficient),
                  b = with(LinearOfCanonical(node.b), coefficient);
      return (node.op == BinaryOp::kMin) == (coefficient > 0) ? Best(a, b) : Worst(a, b);
    }
    case BinaryOp::kFloorDiv: {
      if (!divisor || *divisor <= 0) return std::nullopt;
      // x // d is at most x / d and at least (x - (d - 1)) / d.
      Linear value = LinearOfCanonical(node.a);
      const Bound extreme = coefficient > 0 ? UpperWithin(value, budget) : Lower(value);
      const Bound coarse = with_constant(extreme ? Bound(FloorDivide(*extreme, *divisor)) : std::nullopt);
      if (coefficient % *divisor != 0) return coarse;
      if (coefficient < 0) value.constant -= *divisor - 1;
      return Best(coarse, with(value, coefficient / *divisor));
    }
    case BinaryOp::kFloorMod: {
      if (!divisor || *divisor <= 0) return std::nullopt;
      if (coefficient < 0) return with_constant(0);
      const Linear value = LinearOfCanonical(node.a);
      const Bound coarse = with_constant(*divisor - 1), least = Lower(value);
      return least && *least >= 0 ? Best(coarse, with(value, coefficient)) : coarse;
    }
    case BinaryOp::kMul: {
      // A product of two varying factors: bounded only when both are not negative.
      const Linear a = LinearOfCanonical(node.a), b = LinearOfCanonical(node.b);
      const Bound least_a = Lower(a), least_b = Lower(b), most_a = Upper(a), most_b = Upper(b);
      if (!least_a || !least_b || *least_a < 0 || *least_b < 0) return std::nullopt;
      if (coefficient < 0) return with_constant(*least_a * *least_b);
      return most_a && most_b ? with_constant(*most_a * *most_b) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

Interval Simplifier::Bounds(const Expr& expr) {
  const Linear linear = ToLinear(expr);
  return {Lower(linear), Upper(linear)};
}

bool Simplifier::ProveLessEqual(const Expr& a, const Expr& b) {
  const Bound most = Upper(Sum(ToLinear(a), ToLinear(b), -1));
  return most && *most <= 0;
}

bool Simplifier::ProveEqual(const Expr& a, const Expr& b) {
  const Linear difference = Sum(ToLinear(a), ToLinear(b), -1);
  return Lower(difference) == 0 && Upper(difference) == 0;
}

}  // namespace cosim::tir
