// SPDX-License-Identifier: Apache-2.0
#include "compiler/accel/gather.h"

#include <algorithm>

#include "compiler/tir/rounding.h"

namespace cosim::accel {
namespace {

/// Takes the dim that is contiguous on chip behind `inner` elements and, in the param, moves by `step` or a
/// multiple of it that stays below `end`.
CopyDim TakeDim(std::vector<CopyDim>& dims, int64_t inner, int64_t step, int64_t end) {
  const auto fits = [&](const CopyDim& dim) {
    return dim.sram_stride == inner && dim.dram_stride % step == 0 && dim.dram_stride < end;
  };
  const auto at = std::ranges::find_if(dims, fits);
  if (at == dims.end()) return {1, 0, 0, inner, step};
  const CopyDim dim = *at;
  dims.erase(at);
  return dim;
}

/// The pieces of the rectangle at element `first`, cut to what the fields hold.
void Emit(const Gathered& g, const CopyDim& rows, const CopyDim& cols, int64_t first, int64_t sram,
          const PieceLimits& limits, std::vector<PieceLoad>& out) {
  const int64_t position = first % (g.rows * g.cols), block = first / (g.rows * g.cols);
  const int64_t count = std::ssize(g.blocks), step = cols.dram_stride * g.col_bytes;
  const int64_t at =
      block / count * g.image_bytes + position / g.cols * g.row_bytes + position % g.cols * g.col_bytes;
  const int64_t stride = rows.dram_stride / g.cols * g.row_bytes;
  for (const Gathered::Piece& piece : g.blocks[block % count]) {
    const int64_t in_row = step == 0 ? limits.cols : (limits.row_bytes - piece.bytes) / step + 1;
    const int64_t most_cols = std::min({limits.cols, in_row, cols.valid});
    const int64_t most_rows = most_cols < cols.valid || stride > limits.stride ? 1 : limits.rows;
    for (int64_t r = 0; r < rows.valid; r += most_rows)
      for (int64_t c = 0; c < cols.valid; c += most_cols) {
        PieceLoad load{piece, sram + r * cols.valid + c, at + piece.offset + r * stride + c * step};
        load.rows = std::min(most_rows, rows.valid - r);
        load.cols = std::min(most_cols, cols.valid - c);
        load.stride = load.rows > 1 ? stride : 0;
        load.step = load.cols > 1 ? step : 0;
        out.push_back(load);
      }
  }
}

void EmitAll(const Gathered& g, const std::vector<CopyDim>& outer, size_t depth, const CopyDim& rows,
             const CopyDim& cols, int64_t first, int64_t sram, const PieceLimits& limits,
             std::vector<PieceLoad>& out) {
  if (depth == outer.size()) return Emit(g, rows, cols, first, sram, limits, out);
  const CopyDim& dim = outer[depth];
  for (int64_t v = 0; v < dim.valid; ++v)
    EmitAll(g, outer, depth + 1, rows, cols, first + v * dim.dram_stride, sram + v * dim.sram_stride, limits,
            out);
}

}  // namespace

Gathered GatherOf(const ImageWindow& w, int64_t element_bytes, int64_t longest) {
  Gathered gathered;
  gathered.rows = w.oh;
  gathered.cols = w.ow;
  gathered.image_bytes = w.ImageBytes(element_bytes);
  gathered.row_bytes = w.sh * w.RowBytes();
  gathered.col_bytes = w.sw * w.channels * w.value_bytes;
  const int64_t pixel = w.channels * w.value_bytes, bytes = w.kh * w.kw * pixel;
  // Runs of the window that are contiguous in the image.
  const int64_t run = w.dw == 1 ? w.kw * pixel : pixel, runs = bytes / run, in_row = w.kw * pixel / run;
  const int64_t blocks = tir::CeilDiv(bytes, element_bytes);
  gathered.blocks.resize(blocks);
  for (int64_t at = 0; at < blocks * element_bytes;) {
    const int64_t r = std::min(at / run, runs - 1), in_run = at - r * run;
    const int64_t left = r == runs - 1 ? blocks * element_bytes - at : run - in_run;
    const int64_t first = at % element_bytes, take = std::min({left, element_bytes - first, longest});
    const int64_t offset = r / in_row * w.dh * w.RowBytes() + r % in_row * w.dw * pixel + in_run;
    gathered.blocks[at / element_bytes].push_back({first, take, offset});
    at += take;
  }
  return gathered;
}

double CyclesOfElement(const Gathered& gathered, int64_t beat_bytes) {
  const int64_t rows = std::min(gathered.rows, beat_bytes), cols = gathered.cols, step = gathered.col_bytes;
  int64_t cycles = 0;
  for (int64_t y = 0; y < rows; ++y)
    for (const auto& block : gathered.blocks)
      for (const Gathered::Piece& piece : block) {
        // Of the first piece's last byte, from the row's first beat on.
        const int64_t end = (y * gathered.row_bytes + piece.offset) % beat_bytes + piece.bytes - 1;
        cycles += step < beat_bytes ? end / beat_bytes + cols : (end + (cols - 1) * step) / beat_bytes + 1;
      }
  return static_cast<double>(cycles) / static_cast<double>(rows * cols * std::ssize(gathered.blocks));
}

std::optional<std::vector<PieceLoad>> CutGather(const Gathered& gathered, std::vector<CopyDim> dims,
                                                int64_t first, const PieceLimits& limits, std::string& why) {
  std::erase_if(dims, [](const CopyDim& d) { return d.total() == 1; });
  for (const CopyDim& dim : dims)
    if (dim.pad_low != 0 || dim.pad_high != 0 || dim.valid <= 0) {
      why = "padding of windows that are gathered from an image";
      return std::nullopt;
    }
  const CopyDim cols = TakeDim(dims, 1, 1, gathered.cols);
  const CopyDim rows = TakeDim(dims, cols.valid, gathered.cols, gathered.cols * gathered.rows);
  const int64_t last = first % gathered.cols + (cols.valid - 1) * cols.dram_stride;
  if (last >= gathered.cols) {
    why = "a tile that goes on in the next row of an image";
    return std::nullopt;
  }
  std::vector<PieceLoad> out;
  EmitAll(gathered, dims, 0, rows, cols, first, 0, limits, out);
  return out;
}

}  // namespace cosim::accel
