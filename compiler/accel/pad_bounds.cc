// SPDX-License-Identifier: Apache-2.0
#include "compiler/accel/pad_bounds.h"

#include <algorithm>
#include <limits>

#include "compiler/accel/affine.h"
#include "compiler/tir/operators.h"

namespace cosim::accel {
namespace {

// A comparison turned into `left <= right`.
bool AddComparison(tir::Expr left, tir::Expr right, bool strict, const std::vector<NestLoop>& nest,
                   std::vector<Bound>& bounds) {
  std::vector<tir::Var> vars;
  for (const NestLoop& loop : nest) vars.push_back(loop.var);
  const auto slack = SplitAffine(right - left, vars);  // must be >= 0
  if (!slack) return false;
  int dim = -1;
  for (size_t d = 0; d < nest.size(); ++d) {
    if (slack->coefficients[d] == 0) continue;
    if (dim >= 0) return false;
    dim = static_cast<int>(d);
  }
  if (dim < 0) {  // decided outside the nest, for all of it
    if (nest.empty()) return false;
    const tir::Expr holds = strict ? Lt(left, right) : Le(left, right);
    bounds.push_back({0, tir::Int(0), MakeSelect(holds, nest[0].extent, tir::Int(0))});
    return true;
  }
  const tir::Expr limit = strict ? slack->rest - tir::Int(1) : slack->rest;
  const tir::Expr least = tir::Int(std::numeric_limits<int32_t>::min()),
                  most = tir::Int(std::numeric_limits<int32_t>::max());
  const tir::Expr& min = nest[dim].min;  // dims count from 0, loops from their min
  const int64_t step = slack->coefficients[dim];
  if (step > 0) {
    bounds.push_back({dim, FloorDiv(tir::Int(step - 1) - limit, step) - min, most});
  } else {
    bounds.push_back({dim, least, FloorDiv(limit, -step) + tir::Int(1) - min});
  }
  return true;
}

}  // namespace

bool CollectBounds(const tir::Expr& condition, const std::vector<NestLoop>& nest,
                   std::vector<Bound>& bounds) {
  if (const auto* imm = std::get_if<tir::IntImm>(&condition->node)) return imm->value != 0;
  const auto* binary = std::get_if<tir::Binary>(&condition->node);
  if (!binary) return false;
  switch (binary->op) {
    case tir::BinaryOp::kAnd:
    case tir::BinaryOp::kLogicalAnd:
      return CollectBounds(binary->a, nest, bounds) && CollectBounds(binary->b, nest, bounds);
    case tir::BinaryOp::kLt:
      return AddComparison(binary->a, binary->b, true, nest, bounds);
    case tir::BinaryOp::kLe:
      return AddComparison(binary->a, binary->b, false, nest, bounds);
    default:
      return false;
  }
}

bool KeepWhere(const tir::Expr& condition, std::vector<NestLoop>& nest) {
  std::vector<Bound> bounds;
  if (!CollectBounds(condition, nest, bounds)) return false;
  for (size_t d = 0; d < nest.size(); ++d) {
    tir::Expr low = tir::Int(0), high = nest[d].extent;
    for (const Bound& bound : bounds) {
      if (bound.dim != static_cast<int>(d)) continue;
      low = tir::Max(low, bound.low);
      high = tir::Min(high, bound.high);
    }
    if (std::ranges::none_of(bounds, [&](const Bound& b) { return b.dim == static_cast<int>(d); })) continue;
    nest[d].min = nest[d].min + low;
    nest[d].extent = tir::Max(high - low, tir::Int(0));
  }
  return true;
}

std::optional<tir::Expr> Unclamped(const tir::Expr& index, const std::vector<NestLoop>& nest,
                                   std::vector<Bound>& bounds) {
  const auto* clamp = std::get_if<tir::Binary>(&index->node);
  const bool is_max = clamp && clamp->op == tir::BinaryOp::kMax;
  if (!is_max && !(clamp && clamp->op == tir::BinaryOp::kMin)) return index;
  if (std::ranges::none_of(nest, [&](const NestLoop& loop) { return Mentions(index, loop.var); }))
    return index;
  const bool is_limit_first = std::holds_alternative<tir::IntImm>(clamp->a->node);
  const tir::Expr &limit = is_limit_first ? clamp->a : clamp->b,
                  &inner = is_limit_first ? clamp->b : clamp->a;
  if (!std::holds_alternative<tir::IntImm>(limit->node)) return std::nullopt;
  const auto within = Unclamped(inner, nest, bounds);
  if (!within) return std::nullopt;
  std::vector<tir::Var> vars;
  for (const NestLoop& loop : nest) vars.push_back(loop.var);
  const auto affine = SplitAffine(*within, vars);
  const auto moves = [](int64_t step) { return step != 0; };
  if (!affine || std::ranges::count_if(affine->coefficients, moves) != 1 ||
      std::ranges::count(affine->coefficients, 1) != 1 ||
      !CollectBounds(is_max ? Le(limit, *within) : Le(*within, limit), nest, bounds))
    return std::nullopt;
  return within;
}

}  // namespace cosim::accel
