// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedules/cpu/depthwise.h"

#include <algorithm>
#include <utility>

#include "compiler/ops/types.h"
#include "compiler/schedules/cpu/frame.h"
#include "compiler/tir/operators.h"

namespace cosim::schedules {
namespace {

using te::Axis;
using te::Indices;
using te::Tensor;
using tir::DataType;
using tir::Expr;

constexpr int64_t kSums = 12;  // vectors of a tile: enough that none waits, few enough for registers

Tile RowTile(int64_t rows, int64_t pixels, const CpuTarget& target) {
  Tile tile{.lanes = RowLanes(pixels, target)};
  tile.vectors = CeilDiv(pixels, tile.lanes);
  tile.pixels = tile.vectors * tile.lanes;
  for (int64_t r = 1; r <= rows && r * tile.vectors <= kSums; ++r)
    if (rows % r == 0) tile.rows = r;
  return tile;
}

Tensor FrameFor(const std::string& name, const ops::Convolved& op, const std::vector<int64_t>& result,
                const Tile& tile) {
  const std::vector<int64_t>& w = op.w.shape();
  const int64_t height = (result[2] - 1) * op.stride[0] + op.dilation[0] * (w[2] - 1) + 1;
  const int64_t reach = (tile.pixels - 1) * op.stride[1] + op.dilation[1] * (w[3] - 1) + 1;
  return FrameOf(name, op, height, CeilDiv(reach, tile.lanes) * tile.lanes);
}

}  // namespace

std::optional<Blocked> BlockDepthwise(const ops::Definition& plain, const CpuTarget& target) {
  const ops::Computation& last = plain.computations.back();
  if (!target.is_known() || !last.convolved || last.convolved->is_product() || last.convolved->part)
    return std::nullopt;
  const ops::Convolved& op = *last.convolved;
  const std::vector<int64_t>&result = last.tensor.shape(), &w = op.w.shape();
  const bool is_float = op.x.type() == DataType::Float(32);
  const bool is_byte = op.x.type() == DataType::Int(8) || op.x.type() == DataType::UInt(8);
  const bool is_int = op.w.type() == DataType::Int(8)
                          ? is_byte || (op.x.type() == ops::kInt16 && op.zero_point == 0)
                          : op.w.type() == ops::kInt16 && is_byte;
  // Vectors of every second pixel cost a shuffle each, which loses for floats.
  if (op.stride[1] > (is_float ? 1 : 2)) return std::nullopt;
  if (w[1] != 1 || op.groups != op.x.shape()[1] || (!is_float && !is_int)) return std::nullopt;
  const Tile tile = RowTile(result[2], result[3], target);
  const Tensor frame = FrameFor(last.tensor->name, op, result, tile);
  const Axis kh = te::ReduceAxis(w[2], "kh"), kw = te::ReduceAxis(w[3], "kw");
  const auto sum = [&](const Indices& i) -> te::Body {
    const Expr channel = result[1] == op.groups ? i[1] : FloorDiv(i[1], result[1] / op.groups);
    const Expr row = i[2] * op.stride[0] + Expr(kh) * op.dilation[0],
               column = i[3] * op.stride[1] + Expr(kw) * op.dilation[1];
    const Expr x = frame(i[0], channel, row, column);
    const Expr weight = op.w(i[1], tir::Int(0), kh, kw);
    if (is_float) return te::Sum(x * weight, {kh, kw});
    return te::Sum(MakeCast(ops::kInt32, x) * MakeCast(ops::kInt32, weight), {kh, kw});
  };
  const Tensor sums = te::Compute(last.tensor->name + ".sums", {result[0], result[1], result[2], tile.pixels},
                                  sum, {"n", "o", "y", "x"});
  const auto value = [&](const Indices& i) -> te::Body { return sums(i); };
  const Tensor value_tensor = te::Compute(last.tensor->name, result, value, {"n", "o", "y", "x"});
  return Blocked{{{{frame, ops::Pattern::kFrame},
                   {sums, ops::Pattern::kRows},
                   {value_tensor, ops::Pattern::kElementwise}},
                  {}},
                 {tile, tile, tile}};
}

}  // namespace cosim::schedules
