// SPDX-License-Identifier: Apache-2.0
#include "isa/spec/row_product.h"

#include <algorithm>

namespace cosim::isa {
namespace {

/// Terms of axes with more than one value, in the order of the axes.
std::vector<LaneTerm> Essential(const Intrinsic& intrinsic, std::vector<LaneTerm> terms) {
  std::erase_if(terms, [&](const LaneTerm& term) {
    return (intrinsic.axes[term.axis].extent - 1) / term.divisor == 0;
  });
  std::ranges::sort(terms, {}, &LaneTerm::axis);
  return terms;
}

}  // namespace

std::optional<RowProduct> MatchRowProduct(const Intrinsic& intrinsic) {
  const int row = intrinsic.RowSource();
  if (row < 0 || intrinsic.sources.size() != 2 || intrinsic.dst.axes.size() != 2 || intrinsic.axes.size() > 5)
    return std::nullopt;
  const Operand &src = intrinsic.sources[row], &side = intrinsic.sources[1 - row];
  if (src.lanes.size() != 2 || side.lanes.size() != 2) return std::nullopt;
  const int b = intrinsic.dst.axes[0], o = intrinsic.dst.axes[1], t = src.row_axis, r = src.line_axis;
  int g = -1;
  for (int axis = 0; axis < static_cast<int>(intrinsic.axes.size()); ++axis)
    if (axis != b && axis != o && axis != t && axis != r) g = axis;
  const int group = g < 0 ? 1 : intrinsic.axes[g].extent, taps = intrinsic.axes[t].extent;
  const auto is = [&](const std::vector<LaneTerm>& lane, std::vector<LaneTerm> form) {
    return Essential(intrinsic, lane) == Essential(intrinsic, std::move(form));
  };
  std::vector<LaneTerm> channel = {{o, group, group}}, place = {{t, group, 1}};
  if (r >= 0) place.push_back({r, int64_t{taps} * group, 1});
  if (g >= 0) {
    channel.push_back({g, 1, 1});
    place.push_back({g, 1, 1});
  }
  if (!is(src.lanes[0], {{b, 1, 1}}) || !is(src.lanes[1], channel) || !is(side.lanes[0], {{o, 1, 1}}) ||
      !is(side.lanes[1], place))
    return std::nullopt;
  return RowProduct{row, 1 - row, intrinsic.axes[b].extent, intrinsic.axes[o].extent, src.lines, taps, group};
}

}  // namespace cosim::isa
