// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/slicing_define.h"

#include "compiler/ops/movement.h"

namespace cosim::host {
namespace {

using te::Indices;
using tir::Expr;
using tir::Int;

/// Where a reflected place lies: back and forth between 0 and extent - 1.
Expr Reflected(const Expr& place, int64_t extent) {
  if (extent == 1) return Int(0);
  const Expr k = FloorMod(place, 2 * (extent - 1));
  return Min(k, Int(2 * (extent - 1)) - k);
}

Expr First(const te::Tensor& x) { return x(Indices(x.shape().size(), Int(0))); }

}  // namespace

std::optional<ops::Definition> DefineSlice(const std::vector<AxisSlice>& ranges, const ops::HostSite& site) {
  return ops::Move(site.name, site.shape(), site.in[0], [&](Indices i) {
    for (size_t d = 0; d < ranges.size(); ++d) i[d] = i[d] * ranges[d].step + ranges[d].start;
    return i;
  });
}

std::optional<ops::Definition> DefinePad(PadMode mode, const std::vector<int64_t>& before,
                                         const ops::HostSite& site) {
  const te::Tensor &x = site.in[0], &value = site.in[2];
  if (site.operands[0].type.shape.empty()) return std::nullopt;
  const auto element = [&](const Indices& i) -> te::Body {
    Indices at = i;
    Expr inside = Int(1, tir::DataType::Bool());
    for (size_t d = 0; d < before.size(); ++d) {
      const int64_t extent = x.shape()[d];
      at[d] = i[d] - before[d];
      if (mode == PadMode::kEdge) at[d] = Max(Min(at[d], Int(extent - 1)), Int(0));
      if (mode == PadMode::kReflect) at[d] = Reflected(at[d], extent);
      if (mode != PadMode::kConstant) continue;
      if (before[d] > 0) inside = And(inside, Le(0, at[d]));
      if (site.shape()[d] - before[d] > extent) inside = And(inside, Lt(at[d], extent));
    }
    const Expr outside = value.get() ? First(value) : ops::Number(0, x.type());
    return MakeSelect(inside, x(at), outside);
  };
  return ops::Definition{{{te::Compute(site.name, site.shape(), element), ops::Pattern::kColumns}}, {}};
}

std::optional<ops::Definition> DefineTriangle(bool upper, const ops::HostSite& site) {
  const te::Tensor &x = site.in[0], &k = site.in[1];
  const auto element = [&](const Indices& i) -> te::Body {
    const Expr distance = i.back() - i[i.size() - 2];
    const Expr limit = k.get() ? MakeCast(tir::DataType::Index(), First(k)) : Int(0);
    return MakeSelect(upper ? Le(limit, distance) : Le(distance, limit), x(i), ops::Number(0, x.type()));
  };
  return ops::Definition{{{te::Compute(site.name, site.shape(), element), ops::Pattern::kColumns}}, {}};
}

std::optional<ops::Definition> DefineReverseSequence(size_t batch_axis, size_t time_axis,
                                                     const ops::HostSite& site) {
  return ops::Move(site.name, site.shape(), site.in[0], [&](Indices i) {
    const Expr length = MakeCast(tir::DataType::Index(), site.in[1](i[batch_axis]));
    const Expr steps = Min(length, Int(site.shape()[time_axis])), t = i[time_axis];
    i[time_axis] = MakeSelect(Lt(t, steps), steps - 1 - t, t);
    return i;
  });
}

std::optional<ops::Definition> DefineDepthToSpace(int64_t block, bool columns_first,
                                                  const ops::HostSite& site) {
  const int64_t channels = site.shape()[1];
  return ops::Move(site.name, site.shape(), site.in[0], [&](const Indices& i) -> Indices {
    const Expr place = FloorMod(i[2], block) * block + FloorMod(i[3], block);
    const Expr channel = columns_first ? place * channels + i[1] : i[1] * (block * block) + place;
    return {i[0], channel, FloorDiv(i[2], block), FloorDiv(i[3], block)};
  });
}

std::optional<ops::Definition> DefineSpaceToDepth(int64_t block, const ops::HostSite& site) {
  const int64_t channels = site.in[0].shape()[1];
  return ops::Move(site.name, site.shape(), site.in[0], [&](const Indices& i) -> Indices {
    const Expr place = FloorDiv(i[1], channels);
    return {i[0], FloorMod(i[1], channels), i[2] * block + FloorDiv(place, block),
            i[3] * block + FloorMod(place, block)};
  });
}

}  // namespace cosim::host
