// SPDX-License-Identifier: Apache-2.0
#include "compiler/accel/nest_access.h"

#include <algorithm>

#include "compiler/tir/visitor.h"

namespace cosim::accel {
namespace {

bool SameLane(const LaneIndex& a, const LaneIndex& b) {
  return a.var == b.var && (a.var || a.constant == b.constant);
}

}  // namespace

bool SameElement(const tir::Buffer& a, const std::vector<tir::Expr>& ia, const tir::Buffer& b,
                 const std::vector<tir::Expr>& ib) {
  return a == b &&
         std::equal(ia.begin(), ia.end(), ib.begin(), ib.end(), [](const tir::Expr& x, const tir::Expr& y) {
           return x == y || tir::ToString(x) == tir::ToString(y);
         });
}

bool IsLookup(const tir::Expr& expr) {
  const auto* load = std::get_if<tir::Load>(&expr->node);
  return load != nullptr && std::ranges::any_of(load->indices, tir::Loads);
}

void CollectLoads(const tir::Expr& expr, std::vector<tir::Expr>& out) {
  if (IsLookup(expr)) {
    for (const tir::Expr& index : std::get<tir::Load>(expr->node).indices) CollectLoads(index, out);
  } else if (std::holds_alternative<tir::Load>(expr->node)) {
    out.push_back(expr);
  }
  if (const auto* binary = std::get_if<tir::Binary>(&expr->node)) {
    CollectLoads(binary->a, out);
    CollectLoads(binary->b, out);
  }
  if (const auto* cast = std::get_if<tir::Cast>(&expr->node)) CollectLoads(cast->value, out);
  if (const auto* select = std::get_if<tir::Select>(&expr->node)) {
    CollectLoads(select->condition, out);
    CollectLoads(select->a, out);
    CollectLoads(select->b, out);
  }
}

bool SameLanes(const ElementAccess& a, const ElementAccess& b) {
  return std::equal(a.lanes.begin(), a.lanes.end(), b.lanes.begin(), b.lanes.end(), SameLane);
}

bool LanesFollow(const ElementAccess& operand, const ElementAccess& result, const isa::Memory& memory) {
  const size_t lanes = memory.lanes.size();
  if (lanes > result.lanes.size()) return false;
  return std::equal(operand.lanes.begin(), operand.lanes.begin() + lanes, result.lanes.end() - lanes,
                    SameLane);
}

bool MovesWithAll(const ElementAccess& access, const std::vector<NestLoop>& nest,
                  const std::vector<size_t>& kept) {
  return std::all_of(kept.begin(), kept.end(), [&](size_t d) {
    const auto* extent = std::get_if<tir::IntImm>(&nest[d].extent->node);
    return access.strides[d] != 0 || (extent && extent->value == 1);
  });
}

std::vector<size_t> KeptLoops(const std::vector<NestLoop>& nest, const ElementAccess& access) {
  std::vector<size_t> kept;
  for (size_t d = 0; d < nest.size(); ++d)
    if (std::none_of(access.lanes.begin(), access.lanes.end(),
                     [&](const LaneIndex& lane) { return lane.var == nest[d].var; }))
      kept.push_back(d);
  return kept;
}

std::vector<Dim> DimsOf(const std::vector<NestLoop>& nest, const std::vector<size_t>& kept) {
  std::vector<Dim> dims;
  for (size_t d : kept) dims.push_back({nest[d].var, nest[d].extent});
  return dims;
}

Access Keep(const ElementAccess& access, const std::vector<size_t>& kept) {
  Access out{access.buffer, access.offset, {}, 0};
  for (size_t d : kept) out.strides.push_back(access.strides[d]);
  return out;
}

bool WalksWholeElements(const ElementAccess& access, const std::vector<int64_t>& extents,
                        const std::vector<NestLoop>& nest) {
  for (size_t i = 0; i < extents.size(); ++i) {
    const LaneIndex& lane = access.lanes[i];
    if (!lane.var) {
      if (extents[i] != 1 || lane.constant != 0) return false;
      continue;
    }
    const auto loop =
        std::find_if(nest.begin(), nest.end(), [&](const NestLoop& l) { return l.var == lane.var; });
    if (loop == nest.end() || access.strides[loop - nest.begin()] != 0) return false;
    const auto* extent = std::get_if<tir::IntImm>(&loop->extent->node);
    const auto* min = std::get_if<tir::IntImm>(&loop->min->node);
    if (!extent || extent->value != extents[i] || !min || min->value != 0) return false;
  }
  return true;
}

std::vector<int64_t> LaneExtents(const isa::Memory& memory, int64_t parts) {
  std::vector<int64_t> extents(memory.lanes.begin(), memory.lanes.end());
  if (parts > 1) extents.back() *= parts;
  if (memory.fields.size() > 1) extents.push_back(static_cast<int64_t>(memory.fields.size()));
  return extents;
}

}  // namespace cosim::accel
