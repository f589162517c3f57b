// SPDX-License-Identifier: Apache-2.0
#include "compiler/accel/linear_access.h"

#include "compiler/accel/affine.h"

namespace cosim::accel {

size_t LaneDims(const isa::Memory& memory) {
  return memory.lanes.size() + (memory.fields.size() > 1 ? 1 : 0);
}

int64_t PartsOf(const tir::Buffer& buffer, const isa::Memory& memory) {
  if (memory.lanes.empty() || memory.fields.size() > 1 || memory.LaneCount() != memory.lanes.back() ||
      buffer->shape.size() < memory.lanes.size() || buffer->shape.back() % memory.lanes.back() != 0)
    return 1;
  return buffer->shape.back() / memory.lanes.back();
}

ElementAccess InParts(ElementAccess access, int64_t parts) {
  if (parts == 1) return access;
  access.offset = access.offset * tir::Int(parts);
  for (int64_t& stride : access.strides) stride *= parts;
  return access;
}

std::optional<ElementAccess> LinearAccess(const tir::Buffer& buffer, const std::vector<tir::Expr>& indices,
                                          size_t lane_dims, const std::vector<NestLoop>& nest,
                                          bool any_lanes) {
  if (indices.size() < lane_dims) return std::nullopt;
  std::vector<tir::Var> vars;
  for (const NestLoop& loop : nest) vars.push_back(loop.var);
  ElementAccess access{buffer, {}, tir::Int(0), std::vector<int64_t>(nest.size(), 0)};

  const size_t leading = indices.size() - lane_dims;
  for (size_t i = leading; i < indices.size(); ++i) {
    if (const auto* ref = std::get_if<tir::VarRef>(&indices[i]->node)) {
      access.lanes.push_back({ref->var, 0, {}});
    } else if (const auto* imm = std::get_if<tir::IntImm>(&indices[i]->node)) {
      access.lanes.push_back({nullptr, imm->value, {}});
    } else if (any_lanes) {
      access.lanes.push_back({nullptr, 0, indices[i]});
    } else {
      return std::nullopt;
    }
  }
  int64_t pitch = 1;
  for (size_t i = leading; i-- > 0;) {
    const auto affine = SplitAffine(indices[i], vars);
    if (!affine) return std::nullopt;
    access.offset = access.offset + affine->rest * tir::Int(pitch);
    for (size_t d = 0; d < nest.size(); ++d) {
      access.strides[d] += affine->coefficients[d] * pitch;
      access.offset = access.offset + nest[d].min * tir::Int(affine->coefficients[d] * pitch);
    }
    pitch *= buffer->shape[i];
  }
  return access;
}

}  // namespace cosim::accel
