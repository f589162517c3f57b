// SPDX-License-Identifier: Apache-2.0
#include "compiler/accel/transfers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace cosim::accel {
namespace {

bool Padded(const CopyDim& dim) { return dim.pad_low != 0 || dim.pad_high != 0; }

// Whether `outer` continues `inner` on both sides, so that the two are one longer dim.
bool Continues(const CopyDim& outer, const CopyDim& inner) {
  return !Padded(inner) && !Padded(outer) && outer.sram_stride == inner.total() * inner.sram_stride &&
         outer.dram_stride == inner.valid * inner.dram_stride;
}

CopyDim Merge(const CopyDim& outer, const CopyDim& inner) {
  return {outer.valid * inner.valid,       0, 0, inner.sram_stride, inner.dram_stride,
          outer.owns_gap && inner.owns_gap};
}

// Whether the padding of `outer`, in elements of the contiguous `inner` within it, is one that columns may
// have.
bool PaddingFits(const CopyDim& outer, const CopyDim& inner, const TransferLimits& limits) {
  constexpr int64_t kMostInner = 16;  // of a pixel's elements; rows of pixels stay rows
  return !Padded(inner) && inner.sram_stride == 1 && inner.dram_stride == 1 && inner.valid <= kMostInner &&
         outer.sram_stride == inner.valid && outer.dram_stride == inner.valid &&
         outer.pad_low * inner.valid <= limits.pad_left && outer.pad_high * inner.valid <= limits.pad_right;
}

void Normalize(std::vector<CopyDim>& dims, const TransferLimits& limits) {
  std::erase_if(dims, [](const CopyDim& d) { return d.total() == 1; });
  // What repeats the same elements comes first.
  const auto order = [](const CopyDim& d) { return std::pair(d.sram_stride != 0, -d.sram_stride); };
  std::ranges::stable_sort(dims, {}, order);
  for (size_t d = dims.size(); d-- > 1;)
    if (Continues(dims[d - 1], dims[d])) {
      dims[d - 1] = Merge(dims[d - 1], dims[d]);
      dims.erase(dims.begin() + d);
    }
  if (dims.size() < 2) return;
  CopyDim& pixels = dims[dims.size() - 2];
  if (const CopyDim& elements = dims.back(); Padded(pixels) && PaddingFits(pixels, elements, limits)) {
    pixels = {pixels.valid * elements.valid,
              pixels.pad_low * elements.valid,
              pixels.pad_high * elements.valid,
              1,
              1,
              pixels.owns_gap};
    dims.pop_back();
  }
}

// Takes rows and columns off the end of `dims`; the others, which must not be padded, stay.
Copy2d TakeRowsAndColumns(std::vector<CopyDim>& dims) {
  CopyDim cols{1, 0, 0, 1, 1};
  if (!dims.empty() && dims.back().sram_stride == 1 && dims.back().dram_stride == 1) {
    cols = dims.back();
    dims.pop_back();
  }
  // Padding between rows is written by a transfer only where rows follow each other without a gap.
  if (!dims.empty() && Padded(dims.back()) && dims.back().owns_gap && dims.back().sram_stride > cols.total())
    cols.pad_high += dims.back().sram_stride - cols.total();
  CopyDim rows{1, 0, 0, cols.total(), cols.valid};
  if (!dims.empty() && dims.back().sram_stride == cols.total()) {
    rows = dims.back();
    dims.pop_back();
  }
  Copy2d copy;
  copy.rows = rows.valid;
  copy.cols = cols.valid;
  copy.stride = rows.valid > 1 ? rows.dram_stride : cols.valid;
  copy.pad_top = rows.pad_low;
  copy.pad_bottom = rows.pad_high;
  copy.pad_left = cols.pad_low;
  copy.pad_right = cols.pad_high;
  return copy;
}

// Appends `whole` as transfers of at most `limits` rows, and of single rows where the stride is too long.
void EmitRows(const Copy2d& whole, const TransferLimits& limits, std::vector<Copy2d>& out) {
  const int64_t most = whole.stride > limits.stride ? 1 : limits.rows;
  for (int64_t row = 0; row < whole.rows; row += most) {
    Copy2d part = whole;
    part.rows = std::min(most, whole.rows - row);
    part.dram += row * whole.stride;
    if (row > 0) {
      part.sram += (whole.pad_top + row) * whole.total_cols();
      part.pad_top = 0;
    }
    if (row + part.rows < whole.rows) part.pad_bottom = 0;
    if (part.rows == 1) part.stride = std::min(part.cols, limits.stride);
    out.push_back(part);
  }
}

// A row too long for one transfer comes in pieces; it has no padding.
void EmitPieces(const Copy2d& whole, const TransferLimits& limits, std::vector<Copy2d>& out) {
  for (int64_t row = 0; row < whole.rows; ++row)
    for (int64_t col = 0; col < whole.cols; col += limits.cols) {
      Copy2d part;
      part.sram = whole.sram + row * whole.cols + col;
      part.dram = whole.dram + row * whole.stride + col;
      part.cols = std::min(limits.cols, whole.cols - col);
      part.stride = std::min(part.cols, limits.stride);
      out.push_back(part);
    }
}

void Emit(const std::vector<CopyDim>& outer, size_t depth, Copy2d at, const TransferLimits& limits,
          std::vector<Copy2d>& out) {
  if (depth == outer.size())
    return at.cols > limits.cols ? EmitPieces(at, limits, out) : EmitRows(at, limits, out);
  const CopyDim& dim = outer[depth];
  for (int64_t v = 0; v < dim.valid; ++v) {
    Copy2d next = at;
    next.sram += v * dim.sram_stride;
    next.dram += v * dim.dram_stride;
    Emit(outer, depth + 1, next, limits, out);
  }
}

std::string Misfit(const std::vector<CopyDim>& outer, const Copy2d& copy, const TransferLimits& limits) {
  if (std::any_of(outer.begin(), outer.end(), Padded))
    return "padding in more than two dimensions of a transfer";
  struct Side {
    const char* name;
    int64_t pad, limit;
  };
  bool padded = false;
  for (const Side& side :
       {Side{"top", copy.pad_top, limits.pad_top}, Side{"bottom", copy.pad_bottom, limits.pad_bottom},
        Side{"left", copy.pad_left, limits.pad_left}, Side{"right", copy.pad_right, limits.pad_right}}) {
    padded |= side.pad != 0;
    if (side.pad > side.limit)
      return fmt::format("padding of {} at the {}: a load pads at most {}", side.pad, side.name, side.limit);
  }
  if (padded && copy.cols > limits.cols)
    return fmt::format("a padded row of {} elements: a load moves at most {}", copy.cols, limits.cols);
  return {};
}

// A part of a copy in which nothing repeats, and where it begins.
struct Part {
  std::vector<CopyDim> dims;
  int64_t sram = 0, dram = 0;
};

// From dim `d` on, the valid elements of each that repeats, and the first and the last again as often as its
// padding says.
void SplitRepeated(Part whole, size_t d, std::vector<Part>& out) {
  if (d == whole.dims.size()) return out.push_back(std::move(whole));
  const CopyDim dim = whole.dims[d];
  if (!dim.repeats) return SplitRepeated(std::move(whole), d + 1, out);
  const auto add = [&](int64_t count, int64_t at, int64_t from, int64_t step) {
    if (count == 0) return;
    Part part = whole;
    part.dims[d] = {count, 0, 0, dim.sram_stride, step, dim.owns_gap};
    part.sram += at * dim.sram_stride;
    part.dram += from * dim.dram_stride;
    SplitRepeated(std::move(part), d + 1, out);
  };
  add(dim.pad_low, 0, 0, 0);
  add(dim.valid, dim.pad_low, 0, dim.dram_stride);
  add(dim.pad_high, dim.pad_low + dim.valid, dim.valid - 1, 0);
}

}  // namespace

std::optional<std::vector<Copy2d>> CutCopy(std::vector<CopyDim> dims, const TransferLimits& limits,
                                           std::string& why) {
  for (const CopyDim& dim : dims)
    if (dim.valid <= 0) {
      why = "in tiles that fit, some see padding alone, which no load makes";
      return std::nullopt;
    }
  if (std::ranges::any_of(dims, [](const CopyDim& dim) { return dim.repeats && Padded(dim); })) {
    std::vector<Part> parts;
    SplitRepeated({dims}, 0, parts);
    std::vector<Copy2d> out;
    for (const Part& part : parts) {
      const auto copies = CutCopy(part.dims, limits, why);
      if (!copies) return std::nullopt;
      for (Copy2d copy : *copies) {
        copy.sram += part.sram;
        copy.dram += part.dram;
        out.push_back(copy);
      }
    }
    return out;
  }
  Normalize(dims, limits);
  const Copy2d copy = TakeRowsAndColumns(dims);
  why = Misfit(dims, copy, limits);
  if (!why.empty()) return std::nullopt;
  std::vector<Copy2d> out;
  Emit(dims, 0, copy, limits, out);
  return out;
}

}  // namespace cosim::accel
