// SPDX-License-Identifier: Apache-2.0
#include "compiler/accel/transfers.h"

#include <algorithm>

#include "isa/check.h"

namespace cosim::accel {
namespace {

bool Padded(const CopyDim& dim) { return dim.pad_low != 0 || dim.pad_high != 0; }

// Whether `outer` continues `inner` on both sides, so that the two are one longer dim.
bool Continues(const CopyDim& outer, const CopyDim& inner) {
  return !Padded(inner) && !Padded(outer) && outer.sram_stride == inner.total() * inner.sram_stride &&
         outer.dram_stride == inner.valid * inner.dram_stride;
}

CopyDim Merge(const CopyDim& outer, const CopyDim& inner) {
  return {outer.valid * inner.valid, 0, 0, inner.sram_stride, inner.dram_stride};
}

void Emit(const std::vector<CopyDim>& outer, size_t depth, Copy2d at, std::vector<Copy2d>& out) {
  if (depth == outer.size()) {
    out.push_back(at);
    return;
  }
  const CopyDim& dim = outer[depth];
  COSIM_CHECK(!Padded(dim), "padding in more than two dims of a copy");
  for (int64_t v = 0; v < dim.valid; ++v) {
    Copy2d next = at;
    next.sram += v * dim.sram_stride;
    next.dram += v * dim.dram_stride;
    Emit(outer, depth + 1, next, out);
  }
}

}  // namespace

std::vector<Copy2d> CutCopy(std::vector<CopyDim> dims) {
  std::erase_if(dims, [](const CopyDim& d) { return d.total() == 1; });
  std::stable_sort(dims.begin(), dims.end(),
                   [](const CopyDim& a, const CopyDim& b) { return a.sram_stride > b.sram_stride; });
  for (size_t d = dims.size(); d-- > 1;)
    if (Continues(dims[d - 1], dims[d])) {
      dims[d - 1] = Merge(dims[d - 1], dims[d]);
      dims.erase(dims.begin() + d);
    }

  Copy2d copy;
  CopyDim cols{1, 0, 0, 1, 1};
  if (!dims.empty() && dims.back().sram_stride == 1 && dims.back().dram_stride == 1) {
    cols = dims.back();
    dims.pop_back();
  }
  CopyDim rows{1, 0, 0, cols.total(), cols.valid};
  if (!dims.empty() && dims.back().sram_stride == cols.total()) {
    rows = dims.back();
    dims.pop_back();
  }
  copy.rows = rows.valid;
  copy.cols = cols.valid;
  copy.stride = rows.valid > 1 ? rows.dram_stride : cols.valid;
  copy.pad_top = rows.pad_low;
  copy.pad_bottom = rows.pad_high;
  copy.pad_left = cols.pad_low;
  copy.pad_right = cols.pad_high;
  COSIM_CHECK(copy.rows > 0 && copy.cols > 0, "a transfer of padding alone");
  std::vector<Copy2d> out;
  Emit(dims, 0, copy, out);
  return out;
}

}  // namespace cosim::accel
