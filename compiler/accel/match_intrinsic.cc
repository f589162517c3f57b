// SPDX-License-Identifier: Apache-2.0
#include "compiler/accel/match_intrinsic.h"

#include <algorithm>

#include "compiler/accel/capabilities.h"

namespace cosim::accel {
namespace {

const tir::Expr& StripCasts(const tir::Expr& expr) {
  const auto* cast = std::get_if<tir::Cast>(&expr->node);
  return cast ? StripCasts(cast->value) : expr;
}

bool Factors(const tir::Expr& expr, std::vector<const tir::Load*>& out) {
  const tir::Expr& plain = StripCasts(expr);
  if (const auto* load = std::get_if<tir::Load>(&plain->node)) {
    out.push_back(load);
    return true;
  }
  const auto* binary = std::get_if<tir::Binary>(&plain->node);
  return binary && binary->op == tir::BinaryOp::kMul && Factors(binary->a, out) && Factors(binary->b, out);
}

bool SameIndices(const std::vector<tir::Expr>& a, const std::vector<tir::Expr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const tir::Expr& x, const tir::Expr& y) {
    return x == y || tir::ToString(x) == tir::ToString(y);
  });
}

std::optional<int64_t> ExtentOf(const tir::Var& var, const std::vector<NestLoop>& nest) {
  for (const NestLoop& loop : nest) {
    if (loop.var != var) continue;
    const auto* extent = std::get_if<tir::IntImm>(&loop.extent->node);
    const auto* min = std::get_if<tir::IntImm>(&loop.min->node);
    if (extent && min && min->value == 0) return extent->value;
  }
  return std::nullopt;
}

// Binds the operand's lanes to the intrinsic's axes; false if they are walked in any other way.
bool BindAxes(const ElementAccess& access, const isa::Operand& operand, const isa::Intrinsic& intrinsic,
              const std::vector<NestLoop>& nest, std::vector<tir::Var>& axes) {
  if (access.lanes.size() != operand.axes.size()) return false;
  for (size_t i = 0; i < operand.axes.size(); ++i) {
    const int axis = operand.axes[i];
    const int64_t extent = intrinsic.axes[axis].extent;
    const LaneIndex& lane = access.lanes[i];
    if (!lane.var) {
      if (extent != 1 || lane.constant != 0) return false;
      continue;
    }
    if (ExtentOf(lane.var, nest) != extent) return false;
    if (axes[axis] && axes[axis] != lane.var) return false;
    axes[axis] = lane.var;
  }
  return true;
}

// An axis must not move the element as well.
bool AxesStayInside(const IntrinsicMatch& match, const std::vector<NestLoop>& nest) {
  for (size_t d = 0; d < nest.size(); ++d) {
    if (!std::count(match.axes.begin(), match.axes.end(), nest[d].var)) continue;
    if (match.dst.strides[d] != 0) return false;
    for (const auto& source : match.sources)
      if (source.strides[d] != 0) return false;
  }
  return true;
}

}  // namespace

std::optional<IntrinsicMatch> MatchIntrinsic(const isa::Spec& spec, const std::vector<NestLoop>& nest,
                                             const tir::Store& store) {
  const auto* sum = std::get_if<tir::Binary>(&store.value->node);
  if (!sum || sum->op != tir::BinaryOp::kAdd) return std::nullopt;
  for (const auto& [accumulator, product] : {std::pair{sum->a, sum->b}, std::pair{sum->b, sum->a}}) {
    const auto* old = std::get_if<tir::Load>(&accumulator->node);
    std::vector<const tir::Load*> factors;
    if (!old || old->buffer != store.buffer || !SameIndices(old->indices, store.indices) ||
        !Factors(product, factors))
      continue;
    for (size_t f = 0; f < spec.formats.size(); ++f) {
      const auto& format = spec.formats[f];
      if (!format.intrinsic || factors.size() != format.intrinsic->sources.size()) continue;
      const auto& intrinsic = *format.intrinsic;
      if (spec.memories[intrinsic.dst.memory].name != store.buffer->scope || !Misfit(spec, format).empty())
        continue;
      IntrinsicMatch match{static_cast<int>(f), {}, {}, std::vector<tir::Var>(intrinsic.axes.size())};
      auto dst =
          LinearAccess(store.buffer, store.indices, LaneDims(spec.memories[intrinsic.dst.memory]), nest);
      bool fits = dst && BindAxes(*dst, intrinsic.dst, intrinsic, nest, match.axes);
      for (size_t s = 0; fits && s < intrinsic.sources.size(); ++s) {
        const isa::Memory& memory = spec.memories[intrinsic.sources[s].memory];
        const auto factor = std::find_if(factors.begin(), factors.end(), [&](const tir::Load* load) {
          return load->buffer->scope == memory.name;
        });
        fits = factor != factors.end();
        if (!fits) break;
        auto access = LinearAccess((*factor)->buffer, (*factor)->indices, LaneDims(memory), nest);
        fits = access && BindAxes(*access, intrinsic.sources[s], intrinsic, nest, match.axes);
        if (fits) match.sources.push_back(std::move(*access));
      }
      if (!fits) continue;
      match.dst = std::move(*dst);
      if (AxesStayInside(match, nest)) return match;
    }
  }
  return std::nullopt;
}

}  // namespace cosim::accel
