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

/// All pixels of a row in vectors of so many lanes.
Tile RowOf(const TileProblem& problem, int64_t lanes) {
  Tile tile{.lanes = lanes};
  tile.vectors = CeilDiv(problem.pixels, lanes);
  tile.pixels = tile.vectors * lanes;
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

std::optional<TileProblem> DepthwiseProblem(const ops::Computation& plain, const CpuTarget& target) {
  if (!target.is_known() || plain.convolved->is_product() || plain.convolved->part) return std::nullopt;
  const ops::Convolved& op = *plain.convolved;
  const std::vector<int64_t>&result = plain.tensor.shape(), &w = op.w.shape();
  const bool is_float = op.x.type() == DataType::Float(32);
  const bool is_byte = op.x.type() == DataType::Int(8) || op.x.type() == DataType::UInt(8);
  const bool is_int = op.w.type() == DataType::Int(8)
                          ? is_byte || (op.x.type() == ops::kInt16 && op.zero_point == 0)
                          : op.w.type() == ops::kInt16 && is_byte;
  // Vectors of every second pixel cost a shuffle each, which loses for floats.
  if (op.stride[1] > 2) return std::nullopt;
  if (w[1] != 1 || op.groups != op.x.shape()[1] || (!is_float && !is_int)) return std::nullopt;
  return TileProblem{.rows = result[2], .pixels = result[3], .channels = result[1], .taps = w[2] * w[3]};
}

Tile ChooseRowTile(const TileProblem& problem, const CpuTarget& target) {
  Tile tile = RowOf(problem, RowLanes(problem.pixels, target));
  for (int64_t r = 1; r <= problem.rows && r * tile.vectors <= kSums; ++r)
    if (problem.rows % r == 0) tile.rows = r;
  return tile;
}

bool IsRowTile(const TileProblem& problem, const Tile& tile, const CpuTarget& target) {
  Tile row = RowOf(problem, tile.lanes);
  row.rows = tile.rows;
  return IsLanes(tile.lanes, target) && tile.rows >= 1 && problem.rows % tile.rows == 0 && tile == row;
}

std::vector<Tile> RowTiles(const TileProblem& problem, const CpuTarget& target) {
  std::vector<Tile> tiles;
  for (int64_t lanes = target.lanes(); IsLanes(lanes, target); lanes /= 2)
    for (int64_t rows = 1; rows <= problem.rows; ++rows) {
      Tile tile = RowOf(problem, lanes);
      tile.rows = rows;
      if (rows > 1 && rows * tile.vectors > target.vector_registers) break;
      if (IsRowTile(problem, tile, target)) tiles.push_back(tile);
    }
  return tiles;
}

Blocked BlockDepthwise(const ops::Computation& last, const Tile& tile) {
  const ops::Convolved& op = *last.convolved;
  const std::vector<int64_t>&result = last.tensor.shape(), &w = op.w.shape();
  const bool is_float = op.x.type() == DataType::Float(32);
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
  return {{{{frame, ops::Pattern::kFrame},
            {sums, ops::Pattern::kRows},
            {value_tensor, ops::Pattern::kElementwise}},
           {}},
          {tile, tile, tile}};
}

}  // namespace cosim::schedules
