// SPDX-License-Identifier: Apache-2.0
#include "compiler/accel/micro_ops.h"

#include <algorithm>

#include "isa/check.h"

namespace cosim::accel {
namespace {

struct NestDim {
  int64_t extent;
  std::vector<int64_t> strides;
};  // strides: one an index

std::vector<NestDim> Simplify(const IndexSpace& space) {
  const size_t indices = space.strides.size();
  std::vector<NestDim> dims;
  for (size_t d = 0; d < space.extents.size(); ++d) {
    if (space.extents[d] == 1) continue;
    NestDim dim{space.extents[d], {}};
    for (size_t i = 0; i < indices; ++i) dim.strides.push_back(space.strides[i][d]);
    // Two dims that every index walks as if they were one, are one.
    if (!dims.empty()) {
      bool merges = true;
      for (size_t i = 0; i < indices; ++i) merges &= dims.back().strides[i] == dim.extent * dim.strides[i];
      if (merges) {
        dims.back() = {dims.back().extent * dim.extent, dim.strides};
        continue;
      }
    }
    dims.push_back(std::move(dim));
  }
  return dims;
}

void Enumerate(const std::vector<NestDim>& dims, std::vector<int64_t>& at, size_t depth,
               std::vector<int64_t>& out) {
  if (depth == dims.size()) {
    out.insert(out.end(), at.begin(), at.end());
    return;
  }
  const std::vector<int64_t> start = at;
  for (int64_t v = 0; v < dims[depth].extent; ++v) {
    Enumerate(dims, at, depth + 1, out);
    for (size_t i = 0; i < at.size(); ++i) at[i] += dims[depth].strides[i];
  }
  at = start;
}

int64_t Product(const std::vector<NestDim>& dims) {
  int64_t product = 1;
  for (const auto& dim : dims) product *= dim.extent;
  return product;
}

// Makes one of the dims the inner loop and takes it out.
void TakeRow(std::vector<NestDim>& free, const RowRead& rows, int64_t max_iterations, HardwareNest& nest) {
  const auto apart = [&](const NestDim& dim) { return dim.strides[rows.index]; };
  const auto saved = [&](const NestDim& dim) {  // of the cycles that rounds of their own take, a part
    return static_cast<double>((dim.extent - 1) * (rows.taps - apart(dim))) / static_cast<double>(dim.extent);
  };
  auto best = free.end();
  for (auto dim = free.begin(); dim != free.end(); ++dim) {
    if (dim->extent > max_iterations || apart(*dim) < 1 || apart(*dim) > rows.taps) continue;
    if (best == free.end() || saved(*dim) > saved(*best)) best = dim;
  }
  if (best == free.end()) return;
  nest.iter_in = best->extent;
  nest.inner = best->strides;
  free.erase(best);
}

}  // namespace

HardwareNest PlanNest(const IndexSpace& space, int64_t max_iterations, bool bases_in_micro_ops,
                      std::optional<RowRead> rows) {
  const size_t indices = space.strides.size();
  std::vector<NestDim> reduced, free;
  for (auto& dim : Simplify(space)) (dim.strides[space.result] == 0 ? reduced : free).push_back(dim);

  HardwareNest nest;
  nest.outer.assign(indices, 0);
  nest.inner.assign(indices, 0);
  if (rows) TakeRow(free, *rows, max_iterations, nest);
  std::vector<size_t> loops;  // the longest dims that fit a loop counter
  for (int pick = 0; pick < (rows ? 1 : 2); ++pick) {
    int best = -1;
    for (size_t d = 0; d < free.size(); ++d) {
      if (free[d].extent > max_iterations || std::count(loops.begin(), loops.end(), d)) continue;
      if (best < 0 || free[d].extent > free[best].extent) best = static_cast<int>(d);
    }
    if (best >= 0) loops.push_back(best);
  }
  std::sort(loops.begin(), loops.end());

  if (!rows && !loops.empty()) {
    nest.iter_in = free[loops.back()].extent;
    nest.inner = free[loops.back()].strides;
  }
  if (loops.size() == (rows ? 1 : 2)) {
    nest.iter_out = free[loops[0]].extent;
    nest.outer = free[loops[0]].strides;
  }
  for (auto it = loops.rbegin(); it != loops.rend(); ++it) free.erase(free.begin() + *it);

  nest.first_count = Product(free);
  std::vector<NestDim> dims = reduced;
  dims.insert(dims.end(), free.begin(), free.end());
  nest.micro_op_count = Product(dims);
  nest.bases = bases_in_micro_ops ? std::vector<int64_t>(indices, 0) : space.bases;
  std::vector<int64_t> at = bases_in_micro_ops ? space.bases : std::vector<int64_t>(indices, 0);
  nest.micro_ops.reserve(nest.micro_op_count * indices);
  Enumerate(dims, at, 0, nest.micro_ops);
  return nest;
}

std::optional<HardwareNest> PlanRepeatedNest(const IndexSpace& space, int64_t max_iterations,
                                             bool bases_in_micro_ops, int64_t apart) {
  const std::vector<NestDim> dims = Simplify(space);
  const auto is_reduced = [&](const NestDim& dim) { return dim.strides[space.result] == 0; };
  if (dims.size() != 2 || is_reduced(dims[0]) == is_reduced(dims[1])) return std::nullopt;
  const NestDim &reduced = dims[is_reduced(dims[0]) ? 0 : 1], &row = dims[is_reduced(dims[0]) ? 1 : 0];
  if (row.extent < apart || std::max(row.extent, reduced.extent) > max_iterations) return std::nullopt;
  HardwareNest nest{reduced.extent, row.extent, reduced.strides, row.strides, space.bases, {}, 1, 1};
  nest.micro_ops.assign(space.bases.size(), 0);
  if (bases_in_micro_ops) std::swap(nest.bases, nest.micro_ops);
  return nest;
}

MicroOpStore::MicroOpStore(const isa::Memory& memory, int beat_bytes)
    : depth_(memory.depth),
      alignment_(std::max<int64_t>(1, beat_bytes / memory.stored_bytes)),
      fields_(memory.fields.size()) {}

const MicroOpStore::List* MicroOpStore::Store(const std::vector<int64_t>& micro_ops, int64_t count) {
  COSIM_CHECK(count <= depth_);
  auto [entry, added] = in_dram_.try_emplace(micro_ops, 0);
  if (added) {
    entry->second = static_cast<int64_t>(segment_.size() / fields_);
    segment_.insert(segment_.end(), micro_ops.begin(), micro_ops.end());
    const int64_t end = (entry->second + count + alignment_ - 1) / alignment_ * alignment_;
    segment_.resize(end * fields_, 0);
  }
  return &*entry;
}

MicroOpStore::Place MicroOpStore::Get(const List* list, int64_t count) {
  Place place{0, list->second, false};
  for (const Resident& r : resident_)
    if (r.list == list) {
      place.begin = r.begin;
      return place;
    }
  if (next_ + count > depth_) next_ = 0;
  place.begin = next_;
  place.load = true;
  next_ += count;
  std::erase_if(resident_, [&](const Resident& r) { return r.begin < next_ && place.begin < r.end; });
  resident_.push_back({place.begin, next_, list});
  return place;
}

}  // namespace cosim::accel
