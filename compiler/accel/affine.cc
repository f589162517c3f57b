// SPDX-License-Identifier: Apache-2.0
#include "compiler/accel/affine.h"

#include <algorithm>

#include "compiler/tir/arithmetic.h"
#include "isa/check.h"

namespace cosim::accel {
namespace {

using tir::BinaryOp;

bool MentionsAny(const tir::Expr& expr, std::span<const tir::Var> vars) {
  return std::any_of(vars.begin(), vars.end(), [&](const tir::Var& v) { return Mentions(expr, v); });
}

std::optional<int64_t> Constant(const tir::Expr& expr) {
  if (const auto* imm = std::get_if<tir::IntImm>(&expr->node)) return imm->value;
  return std::nullopt;
}

}  // namespace

int64_t Environment::Lookup(const tir::VarNode* var) const {
  for (auto it = bindings_.rbegin(); it != bindings_.rend(); ++it)
    if (it->first == var) return it->second;
  COSIM_CHECK(false, "loop variable {} has no value here", var->name);
}

int64_t Evaluate(const tir::Expr& expr, const Environment& env) {
  if (const auto* imm = std::get_if<tir::IntImm>(&expr->node)) return imm->value;
  if (const auto* ref = std::get_if<tir::VarRef>(&expr->node)) return env.Lookup(ref->var.get());
  if (const auto* cast = std::get_if<tir::Cast>(&expr->node)) return Evaluate(cast->value, env);
  if (const auto* select = std::get_if<tir::Select>(&expr->node))
    return Evaluate(Evaluate(select->condition, env) ? select->a : select->b, env);
  const auto* binary = std::get_if<tir::Binary>(&expr->node);
  COSIM_CHECK(binary, "not an index expression: {}", tir::ToString(expr));
  const auto value =
      tir::EvaluateBinary(binary->op, Evaluate(binary->a, env), Evaluate(binary->b, env), binary->a->type);
  COSIM_CHECK(value, "an index divides by what is not positive: {}", tir::ToString(expr));
  return *value;
}

IndexFunction::IndexFunction(const tir::Expr& expr) {
  if (!AddTerms(expr, 1)) expr_ = expr;
}

bool IndexFunction::AddTerms(const tir::Expr& expr, int64_t factor) {
  if (const auto value = Constant(expr)) {
    constant_ += factor * *value;
    return true;
  }
  if (const auto* ref = std::get_if<tir::VarRef>(&expr->node)) {
    terms_.emplace_back(ref->var.get(), factor);
    return true;
  }
  if (const auto* cast = std::get_if<tir::Cast>(&expr->node)) return AddTerms(cast->value, factor);
  const auto* binary = std::get_if<tir::Binary>(&expr->node);
  if (!binary) return false;
  if (binary->op == BinaryOp::kAdd) return AddTerms(binary->a, factor) && AddTerms(binary->b, factor);
  if (binary->op == BinaryOp::kSub) return AddTerms(binary->a, factor) && AddTerms(binary->b, -factor);
  if (binary->op != BinaryOp::kMul) return false;
  if (const auto by = Constant(binary->b)) return AddTerms(binary->a, factor * *by);
  if (const auto by = Constant(binary->a)) return AddTerms(binary->b, factor * *by);
  return false;
}

int64_t IndexFunction::operator()(const Environment& env) const {
  if (expr_) return Evaluate(expr_, env);
  int64_t value = constant_;
  for (const auto& [var, factor] : terms_) value += factor * env.Lookup(var);
  return value;
}

bool Mentions(const tir::Expr& expr, const tir::Var& var) {
  if (const auto* ref = std::get_if<tir::VarRef>(&expr->node)) return ref->var == var;
  if (const auto* cast = std::get_if<tir::Cast>(&expr->node)) return Mentions(cast->value, var);
  if (const auto* math = std::get_if<tir::Math>(&expr->node)) return Mentions(math->value, var);
  if (const auto* binary = std::get_if<tir::Binary>(&expr->node))
    return Mentions(binary->a, var) || Mentions(binary->b, var);
  if (const auto* select = std::get_if<tir::Select>(&expr->node))
    return Mentions(select->condition, var) || Mentions(select->a, var) || Mentions(select->b, var);
  if (const auto* load = std::get_if<tir::Load>(&expr->node))
    return std::any_of(load->indices.begin(), load->indices.end(),
                       [&](const tir::Expr& e) { return Mentions(e, var); });
  return false;
}

tir::Expr Substitute(const tir::Expr& expr, const tir::Var& var, const tir::Expr& by) {
  if (const auto* ref = std::get_if<tir::VarRef>(&expr->node)) return ref->var == var ? by : expr;
  if (!Mentions(expr, var)) return expr;
  if (const auto* cast = std::get_if<tir::Cast>(&expr->node))
    return MakeCast(expr->type, Substitute(cast->value, var, by));
  if (const auto* binary = std::get_if<tir::Binary>(&expr->node))
    return MakeBinary(binary->op, Substitute(binary->a, var, by), Substitute(binary->b, var, by));
  if (const auto* select = std::get_if<tir::Select>(&expr->node))
    return MakeSelect(Substitute(select->condition, var, by), Substitute(select->a, var, by),
                      Substitute(select->b, var, by));
  COSIM_CHECK(false, "not an index expression: {}", tir::ToString(expr));
}

std::optional<Affine> SplitAffine(const tir::Expr& expr, std::span<const tir::Var> vars) {
  Affine result{expr, std::vector<int64_t>(vars.size(), 0)};
  if (!MentionsAny(expr, vars)) return result;
  if (const auto* ref = std::get_if<tir::VarRef>(&expr->node)) {
    const auto at = std::find(vars.begin(), vars.end(), ref->var);
    result.coefficients[at - vars.begin()] = 1;
    result.rest = tir::Int(0);
    return result;
  }
  if (const auto* cast = std::get_if<tir::Cast>(&expr->node)) return SplitAffine(cast->value, vars);
  if (const auto* select = std::get_if<tir::Select>(&expr->node)) {
    const auto a = SplitAffine(select->a, vars), b = SplitAffine(select->b, vars);
    if (!a || !b || a->coefficients != b->coefficients || MentionsAny(select->condition, vars))
      return std::nullopt;
    return Affine{MakeSelect(select->condition, a->rest, b->rest), a->coefficients};
  }
  const auto* binary = std::get_if<tir::Binary>(&expr->node);
  if (!binary) return std::nullopt;
  auto a = SplitAffine(binary->a, vars), b = SplitAffine(binary->b, vars);
  if (!a || !b) return std::nullopt;
  if (binary->op == BinaryOp::kMin || binary->op == BinaryOp::kMax) {
    // What both sides move with comes out.
    if (a->coefficients != b->coefficients) return std::nullopt;
    return Affine{MakeBinary(binary->op, a->rest, b->rest), a->coefficients};
  }
  if (binary->op == BinaryOp::kAdd || binary->op == BinaryOp::kSub) {
    result.rest = MakeBinary(binary->op, a->rest, b->rest);
    for (size_t i = 0; i < vars.size(); ++i)
      result.coefficients[i] =
          a->coefficients[i] + (binary->op == BinaryOp::kSub ? -b->coefficients[i] : b->coefficients[i]);
    return result;
  }
  if (binary->op == BinaryOp::kMul) {
    auto factor = Constant(binary->b);
    if (!factor) {
      factor = Constant(binary->a);
      std::swap(a, b);
    }
    if (!factor) return std::nullopt;
    result.rest = MakeBinary(BinaryOp::kMul, a->rest, tir::Int(*factor));
    for (size_t i = 0; i < vars.size(); ++i) result.coefficients[i] = a->coefficients[i] * *factor;
    return result;
  }
  return std::nullopt;
}

}  // namespace cosim::accel
