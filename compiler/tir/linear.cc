// SPDX-License-Identifier: Apache-2.0
// The simplifier's canonical linear form: sums, and how floor division and modulo by constants split over
// them. min and max are minmax.cc's, bounds are bounds.cc's.
#include <algorithm>
#include <numeric>

#include "compiler/tir/arithmetic.h"
#include "compiler/tir/operators.h"
#include "compiler/tir/simplify.h"
#include "compiler/tir/visitor.h"
#include "isa/check.h"

namespace cosim::tir {
namespace {

const Binary* AsBinary(const Expr& expr, BinaryOp op) {
  const auto* node = As<Binary>(expr);
  return node && node->op == op ? node : nullptr;
}

bool Contains(const Linear& linear, BinaryOp op) {
  return std::any_of(linear.terms.begin(), linear.terms.end(),
                     [&](const auto& term) { return AsBinary(term.first, op) != nullptr; });
}

int64_t GcdOfCoefficients(const Linear& linear, int64_t start) {
  for (const auto& [atom, coefficient] : linear.terms) start = std::gcd(start, coefficient);
  return start;
}

}  // namespace

bool Linear::is_affine() const {
  return std::all_of(terms.begin(), terms.end(),
                     [](const auto& term) { return As<VarRef>(term.first) != nullptr; });
}

int Simplifier::RankOf(const VarNode* var) {
  auto it = ranks_.find(var);
  if (it != ranks_.end()) return it->second;
  const int rank = static_cast<int>(ranks_.size());
  ranks_.emplace(var, rank);
  return rank;
}

// Variables first, outer ones before inner ones; then other atoms by structure.
int Simplifier::CompareAtoms(const Expr& a, const Expr& b) {
  const bool a_is_var = As<VarRef>(a) != nullptr, b_is_var = As<VarRef>(b) != nullptr;
  if (a_is_var != b_is_var) return a_is_var ? -1 : 1;
  return Compare(a, b, [&](const VarNode* var) { return RankOf(var); });
}

void Simplifier::AddTerm(Linear& linear, const Expr& atom, int64_t coefficient) {
  if (coefficient == 0) return;
  auto it = linear.terms.begin();
  while (it != linear.terms.end()) {
    const int order = CompareAtoms(it->first, atom);
    if (order > 0) break;
    if (order == 0) {
      it->second += coefficient;
      if (it->second == 0) linear.terms.erase(it);
      return;
    }
    ++it;
  }
  linear.terms.insert(it, {atom, coefficient});
}

void Simplifier::AddScaled(Linear& to, const Linear& from, int64_t scale) {
  for (const auto& [atom, coefficient] : from.terms) AddTerm(to, atom, coefficient * scale);
  to.constant += from.constant * scale;
}

Linear Simplifier::Sum(Linear a, const Linear& b, int64_t scale_of_b) {
  AddScaled(a, b, scale_of_b);
  JoinDivMod(a);
  return a;
}

// x // d * (k * d) + x % d * k  ->  x * k.
void Simplifier::JoinDivMod(Linear& linear) {
  for (size_t i = 0; i < linear.terms.size(); ++i) {
    const auto [atom, coefficient] = linear.terms[i];
    const Binary* mod = AsBinary(atom, BinaryOp::kFloorMod);
    const std::optional<int64_t> divisor = mod ? AsInt(mod->b) : std::nullopt;
    if (!divisor) continue;
    for (const auto& [other, scale] : linear.terms) {
      const Binary* div = AsBinary(other, BinaryOp::kFloorDiv);
      if (!div || scale != coefficient * *divisor || AsInt(div->b) != divisor || !Equal(div->a, mod->a))
        continue;
      const Linear whole = LinearOfCanonical(mod->a);
      const Expr division = other;
      AddTerm(linear, division, -coefficient * *divisor);
      AddTerm(linear, atom, -coefficient);
      AddScaled(linear, whole, coefficient);
      return JoinDivMod(linear);
    }
  }
}

Expr Simplifier::ToExpr(const Linear& linear) {
  auto scaled = [](const Expr& atom, int64_t scale) { return scale == 1 ? atom : atom * scale; };
  Expr sum;
  int64_t constant = linear.constant;
  // Starts with something positive, so that 7 - i * 4 does not read i * -4 + 7.
  auto first = linear.terms.begin();
  if (first != linear.terms.end() && first->second < 0 && constant > 0) {
    sum = Int(constant);
    constant = 0;
    first = linear.terms.end();
  } else {
    first = std::find_if(linear.terms.begin(), linear.terms.end(),
                         [](const auto& term) { return term.second > 0; });
    if (first != linear.terms.end()) sum = scaled(first->first, first->second);
  }
  for (auto it = linear.terms.begin(); it != linear.terms.end(); ++it) {
    if (it == first) continue;
    const auto& [atom, scale] = *it;
    if (!sum) {
      sum = atom * scale;
    } else {
      sum = scale < 0 ? sum - scaled(atom, -scale) : sum + scaled(atom, scale);
    }
  }
  if (!sum) return Int(constant);
  return constant < 0 ? sum - (-constant) : sum + constant;
}

Linear Simplifier::LinearOfAtom(const Expr& atom) {
  Linear linear;
  if (std::optional<int64_t> value = AsInt(atom)) {
    linear.constant = *value;
  } else {
    linear.terms.emplace_back(atom, 1);
  }
  return linear;
}

// The sum of an expression made by ToExpr, without simplifying its atoms again.
Linear Simplifier::LinearOfCanonical(const Expr& expr) {
  const auto* node = As<Binary>(expr);
  if (node && (node->op == BinaryOp::kAdd || node->op == BinaryOp::kSub)) {
    Linear linear = LinearOfCanonical(node->a);
    AddScaled(linear, LinearOfCanonical(node->b), node->op == BinaryOp::kAdd ? 1 : -1);
    return linear;
  }
  if (node && node->op == BinaryOp::kMul) {
    if (std::optional<int64_t> scale = AsInt(node->b)) {
      Linear linear;
      AddScaled(linear, LinearOfCanonical(node->a), *scale);
      return linear;
    }
  }
  return LinearOfAtom(expr);
}

Linear Simplifier::ToLinear(const Expr& expr) {
  COSIM_CHECK(expr->type == DataType::Index(), "{} is not an index", ToString(expr));
  if (const auto* node = As<Binary>(expr)) return AbsorbIntoMinMax(LinearOfBinary(expr, *node));
  if (As<IntImm>(expr) || As<VarRef>(expr)) return LinearOfAtom(expr);
  Expr simplified = SimplifyChildren(expr);
  if (simplified == expr || !As<Binary>(simplified)) return LinearOfAtom(simplified);
  return LinearOfCanonical(simplified);  // A select that became one of its sides.
}

Linear Simplifier::LinearOfBinary(const Expr& expr, const Binary& node) {
  const Linear a = ToLinear(node.a), b = ToLinear(node.b);
  const int64_t known = b.constant;
  switch (node.op) {
    case BinaryOp::kAdd:
      return Sum(a, b, 1);
    case BinaryOp::kSub:
      return Sum(a, b, -1);
    case BinaryOp::kMul:
      if (b.is_constant()) return Sum({}, a, known);
      if (a.is_constant()) return Sum({}, b, a.constant);
      break;
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod:
      if (b.is_constant() && known > 0) return LinearOfDivision(node.op, a, known);
      break;
    case BinaryOp::kMin:
    case BinaryOp::kMax:
      return LinearOfMinMax(node.op, {a, b});
    case BinaryOp::kShl:
      if (b.is_constant() && known >= 0 && known < 62) return Sum({}, a, int64_t{1} << known);
      break;
    case BinaryOp::kShr:
      if (!b.is_constant() || known < 0 || known >= 62) break;
      return LinearOfDivision(BinaryOp::kFloorDiv, a, int64_t{1} << known);
    default:
      break;
  }
  Expr left = ToExpr(a), right = ToExpr(b);
  if (node.op == BinaryOp::kMul && CompareAtoms(left, right) > 0) std::swap(left, right);
  if (Equal(left, node.a) && Equal(right, node.b)) return LinearOfAtom(expr);
  return LinearOfAtom(MakeBinary(node.op, left, right));
}

// Splits value = divisor * quotient + rest, so that only the rest needs a node:
// value // divisor = quotient + rest // divisor, value % divisor = rest % divisor.
Linear Simplifier::LinearOfDivision(BinaryOp op, const Linear& value, int64_t divisor) {
  const bool is_div = op == BinaryOp::kFloorDiv;
  Linear quotient, rest;
  for (const auto& [atom, coefficient] : value.terms) {
    const bool divides = coefficient % divisor == 0;
    AddTerm(divides ? quotient : rest, atom, divides ? coefficient / divisor : coefficient);
  }
  quotient.constant = FloorDivide(value.constant, divisor);
  rest.constant = FloorModulo(value.constant, divisor);
  if (!is_div) quotient = {};

  const std::optional<int64_t> low = Lower(rest), high = Upper(rest);
  if (low && high && FloorDivide(*low, divisor) == FloorDivide(*high, divisor)) {
    const int64_t whole = FloorDivide(*low, divisor);
    if (!is_div) {
      rest.constant -= whole * divisor;
      return rest;
    }
    quotient.constant += whole;
    return quotient;
  }
  // A common factor g of the rest and the divisor: (g * r + c) // (g * d) = (r + c // g) // d; modulo keeps g
  // and c % g.
  const int64_t factor = GcdOfCoefficients(rest, divisor);
  const int64_t leftover = rest.constant % factor;
  for (auto& term : rest.terms) term.second /= factor;
  rest.constant /= factor;
  divisor /= factor;

  Linear result = quotient;
  const int64_t scale = is_div ? 1 : factor;
  if (!is_div) result.constant += leftover;
  if (std::optional<Linear> split = DivideAtom(op, rest, divisor)) return Sum(result, *split, scale);
  if (is_div) {
    if (std::optional<Linear> through = DivideThroughMinMax(rest, divisor)) return Sum(result, *through, 1);
  }
  AddTerm(result, MakeBinary(op, ToExpr(rest), Int(divisor)), scale);
  JoinDivMod(result);
  return result;
}

// Division or modulo of a single division or modulo.
std::optional<Linear> Simplifier::DivideAtom(BinaryOp op, const Linear& rest, int64_t divisor) {
  if (rest.terms.size() != 1 || rest.terms[0].second != 1 || rest.constant != 0) return std::nullopt;
  const auto* inner = As<Binary>(rest.terms[0].first);
  const std::optional<int64_t> inner_divisor = inner ? AsInt(inner->b) : std::nullopt;
  if (!inner_divisor || *inner_divisor <= 0) return std::nullopt;
  const Linear value = LinearOfCanonical(inner->a);
  if (inner->op == BinaryOp::kFloorDiv && op == BinaryOp::kFloorDiv) {
    return LinearOfDivision(op, value, divisor * *inner_divisor);
  }
  if (inner->op != BinaryOp::kFloorMod || *inner_divisor % divisor != 0) return std::nullopt;
  if (op == BinaryOp::kFloorMod) return LinearOfDivision(op, value, divisor);
  // x % (d * m) // d = x // d % m
  const Linear divided = LinearOfDivision(BinaryOp::kFloorDiv, value, divisor);
  return LinearOfDivision(BinaryOp::kFloorMod, divided, *inner_divisor / divisor);
}

// (rest + c * min(a, b)) // d = min((rest + c * a) // d, (rest + c * b) // d) for c > 0: division is
// monotonic. Done when it gets rid of the divisions.
std::optional<Linear> Simplifier::DivideThroughMinMax(const Linear& value, int64_t divisor) {
  for (const auto& [atom, coefficient] : value.terms) {
    const auto* node = As<Binary>(atom);
    if (!node || (node->op != BinaryOp::kMin && node->op != BinaryOp::kMax)) continue;
    const bool is_min = (node->op == BinaryOp::kMin) == (coefficient > 0);
    std::vector<Linear> divided;
    for (const Expr& side : {node->a, node->b}) {
      Linear replaced = Sum(value, LinearOfAtom(atom), -coefficient);
      divided.push_back(LinearOfDivision(BinaryOp::kFloorDiv,
                                         Sum(replaced, LinearOfCanonical(side), coefficient), divisor));
      if (Contains(divided.back(), BinaryOp::kFloorDiv)) return std::nullopt;
    }
    return LinearOfMinMax(is_min ? BinaryOp::kMin : BinaryOp::kMax, divided);
  }
  return std::nullopt;
}

}  // namespace cosim::tir
