// SPDX-License-Identifier: Apache-2.0
// Maps the dims of a leaf onto the two hardware loops and a list of micro-ops, and keeps the micro-op
// memories: equal lists are stored and loaded once, and stay on chip until their place is needed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "isa/spec/spec.h"

namespace cosim::accel {

/// A leaf's index space in numbers: strides[index][dim], the indices in the order of the micro-op's fields.
struct IndexSpace {
  std::vector<int64_t> extents;
  std::vector<int64_t> bases;
  std::vector<std::vector<int64_t>> strides;
  int result = 0;  ///< the index that is written
};

/// Micro-ops flattened: fields of micro-op 0, fields of micro-op 1, …
struct HardwareNest {
  int64_t iter_out = 1, iter_in = 1;
  std::vector<int64_t> outer, inner;  ///< one stride an index
  std::vector<int64_t> bases;
  std::vector<int64_t> micro_ops;
  int64_t micro_op_count = 0;
  /// The first of them belong to the first point of the reduction; all of them if nothing is reduced.
  int64_t first_count = 0;
};

/// Dims that the written index does not move along are reductions: always micro-ops, outermost, in order. Of
/// the others, the two that save most micro-ops become hardware loops, as far as `max_iterations` allows.
/// `bases_in_micro_ops`: the instruction has no base fields.
///
/// With `rows`, the inner loop goes along rows of an index: it is the dim, of those whose elements lie 1 to
/// `taps` apart in them, that takes fewest cycles a round (isa::Gemm), or none.
struct RowRead {
  int index;
  int64_t taps;
};
HardwareNest PlanNest(const IndexSpace& space, int64_t max_iterations, bool bases_in_micro_ops,
                      std::optional<RowRead> rows = std::nullopt);

/// A nest whose outer loop is the reduction, for units that take `apart` steps until what they write can be
/// read. Nothing where the space is no single reduction over a row of at least as many results.
std::optional<HardwareNest> PlanRepeatedNest(const IndexSpace& space, int64_t max_iterations,
                                             bool bases_in_micro_ops, int64_t apart);

/// Micro-ops of one unit: a ring on chip, a segment in DRAM.
class MicroOpStore {
 public:
  MicroOpStore(const isa::Memory& memory, int beat_bytes);

  struct Place {
    int64_t begin = 0;       ///< first micro-op on chip
    int64_t dram_begin = 0;  ///< first micro-op in the segment
    bool load = false;       ///< not on chip: has to be loaded now
  };
  /// A list with its first micro-op in the segment; there while this is.
  using List = std::pair<const std::vector<int64_t>, int64_t>;
  /// `micro_ops` flattened by fields: `count` of them, at most memory.depth.
  const List* Store(const std::vector<int64_t>& micro_ops, int64_t count);
  /// Where a list is now that it is needed.
  Place Get(const List* list, int64_t count);
  /// The segment's contents, one entry a field, padded with zeros between lists.
  const std::vector<int64_t>& segment() const { return segment_; }

 private:
  struct Resident {
    int64_t begin, end;
    const List* list;
  };
  int64_t depth_, alignment_;
  size_t fields_;
  int64_t next_ = 0;
  std::map<std::vector<int64_t>, int64_t> in_dram_;
  std::vector<Resident> resident_;
  std::vector<int64_t> segment_;
};

}  // namespace cosim::accel
