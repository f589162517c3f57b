// SPDX-License-Identifier: Apache-2.0
#include "compiler/accel/pad_bounds.h"

#include <limits>

#include "compiler/accel/affine.h"

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
    if (dim >= 0 || (slack->coefficients[d] != 1 && slack->coefficients[d] != -1)) return false;
    dim = static_cast<int>(d);
  }
  if (dim < 0) return false;
  const tir::Expr limit = strict ? slack->rest - tir::Int(1) : slack->rest;
  const tir::Expr least = tir::Int(std::numeric_limits<int32_t>::min()),
                  most = tir::Int(std::numeric_limits<int32_t>::max());
  const tir::Expr& min = nest[dim].min;  // dims count from 0, loops from their min
  if (slack->coefficients[dim] == 1) {
    bounds.push_back({dim, tir::Int(0) - limit - min, most});
  } else {
    bounds.push_back({dim, least, limit + tir::Int(1) - min});
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

}  // namespace cosim::accel
