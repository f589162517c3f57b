// SPDX-License-Identifier: Apache-2.0
// The simplifier's canonical min and max: operands flattened, dominated ones dropped, what all have in common
// (terms, and the constant when no operand is one) moved outside, so that it can cancel against its
// surroundings.
#include <algorithm>

#include "compiler/tir/simplify.h"
#include "compiler/tir/visitor.h"

namespace cosim::tir {
namespace {

const Binary* AsMinMax(const Expr& expr) {
  const auto* node = As<Binary>(expr);
  return node && (node->op == BinaryOp::kMin || node->op == BinaryOp::kMax) ? node : nullptr;
}

int64_t CoefficientOf(const Linear& linear, const Expr& atom) {
  for (const auto& [other, coefficient] : linear.terms) {
    if (Equal(other, atom)) return coefficient;
  }
  return 0;
}

}  // namespace

// rest + c * min(a, b) as an operand of min (c > 0; or -c * max) is the two operands rest + c * a and rest +
// c * b.
void Simplifier::Flatten(BinaryOp op, const Linear& operand, std::vector<Linear>& operands) {
  for (const auto& [atom, coefficient] : operand.terms) {
    const Binary* node = AsMinMax(atom);
    if (!node) continue;
    if ((node->op == op) != (coefficient > 0)) continue;
    const Linear rest = Sum(operand, LinearOfAtom(atom), -coefficient);
    Flatten(op, Sum(rest, LinearOfCanonical(node->a), coefficient), operands);
    Flatten(op, Sum(rest, LinearOfCanonical(node->b), coefficient), operands);
    return;
  }
  operands.push_back(operand);
}

void Simplifier::DropDominated(BinaryOp op, std::vector<Linear>& operands) {
  auto dominates = [&](const Linear& a, const Linear& b) {
    const Linear excess = op == BinaryOp::kMin ? Sum(a, b, -1) : Sum(b, a, -1);
    const std::optional<int64_t> most = Upper(excess);
    return most && *most <= 0;
  };
  for (size_t i = 0; i < operands.size();) {
    bool dominated = false;
    for (size_t j = 0; j < operands.size() && !dominated; ++j) {
      dominated = i != j && dominates(operands[j], operands[i]);
    }
    if (dominated) {
      operands.erase(operands.begin() + i);
    } else {
      ++i;
    }
  }
}

Linear Simplifier::LinearOfMinMax(BinaryOp op, const std::vector<Linear>& operands) {
  std::vector<Linear> flat;
  for (const Linear& operand : operands) Flatten(op, operand, flat);
  DropDominated(op, flat);
  return flat.size() == 1 ? flat[0] : FactorMinMax(op, std::move(flat));
}

Linear Simplifier::FactorMinMax(BinaryOp op, std::vector<Linear> operands) {
  Linear common;
  const Linear pattern = operands[0];
  for (const auto& [atom, coefficient] : pattern.terms) {
    auto has_term = [&, &atom = atom, &coefficient = coefficient](const Linear& operand) {
      return std::any_of(operand.terms.begin(), operand.terms.end(), [&](const auto& term) {
        return term.second == coefficient && Equal(term.first, atom);
      });
    };
    if (std::all_of(operands.begin(), operands.end(), has_term)) AddTerm(common, atom, coefficient);
  }
  for (Linear& operand : operands) AddScaled(operand, common, -1);

  const bool has_constant = std::any_of(operands.begin(), operands.end(),
                                        [](const Linear& operand) { return operand.is_constant(); });
  if (!has_constant) {
    int64_t least = operands[0].constant;
    for (const Linear& operand : operands) least = std::min(least, operand.constant);
    for (Linear& operand : operands) operand.constant -= least;
    common.constant += least;
  }

  std::vector<Expr> exprs;
  for (const Linear& operand : operands) exprs.push_back(ToExpr(operand));
  std::sort(exprs.begin(), exprs.end(), [&](const Expr& a, const Expr& b) {
    return Compare(a, b, [&](const VarNode* var) { return RankOf(var); }) < 0;
  });
  Expr joined = exprs[0];
  for (size_t i = 1; i < exprs.size(); ++i) joined = MakeBinary(op, joined, exprs[i]);
  AddScaled(common, LinearOfAtom(joined), 1);
  return common;
}

// rest + c * min(a, b): what cancels against most of the operands moves inside, and so does the constant when
// an operand is one: 1 - o * 4 + min(6, o * 4 + 3) is min(7 - o * 4, 4).
Linear Simplifier::AbsorbIntoMinMax(Linear linear) {
  for (const auto& [atom, scale] : linear.terms) {
    const Binary* node = AsMinMax(atom);
    if (!node) continue;
    std::vector<Linear> operands;
    Flatten(node->op, LinearOfAtom(atom), operands);
    Linear moved;
    for (const auto& [term, coefficient] : linear.terms) {
      if (coefficient % scale != 0) continue;
      const auto cancels =
          std::count_if(operands.begin(), operands.end(), [&, &term = term](const Linear& operand) {
            return CoefficientOf(operand, term) == -(coefficient / scale);
          });
      if (2 * cancels + 1 > static_cast<int64_t>(operands.size())) AddTerm(moved, term, coefficient / scale);
    }
    const bool has_constant = std::any_of(operands.begin(), operands.end(),
                                          [](const Linear& operand) { return operand.is_constant(); });
    if (linear.constant % scale == 0 && (has_constant || !moved.is_constant())) {
      moved.constant = linear.constant / scale;
    }
    if (moved.is_constant() && moved.constant == 0) continue;
    for (Linear& operand : operands) AddScaled(operand, moved, 1);
    Linear result = linear;
    const BinaryOp op = node->op;
    const int64_t factor = scale;
    AddTerm(result, Expr(atom), -factor);
    AddScaled(result, moved, -factor);
    AddScaled(result, LinearOfMinMax(op, operands), factor);
    return AbsorbIntoMinMax(std::move(result));
  }
  return linear;
}

}  // namespace cosim::tir
