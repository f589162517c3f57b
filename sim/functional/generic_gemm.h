// SPDX-License-Identifier: Apache-2.0
// Any tensor intrinsic, straight from its index expression: any number of sources and axes, any types. Slow;
// the common shape goes to sim/kernels/tile_gemm.h instead.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/spec/spec.h"
#include "sim/functional/memories.h"
#include "sim/kernels/tile_gemm.h"

namespace cosim::sim {

class GenericGemm {
 public:
  GenericGemm(const isa::Spec& spec, const isa::Intrinsic& intrinsic);

  /// One step: elements[0] of the destination, elements[1 + s] of source s. Where a source has several rows
  /// they lie `pitch` elements apart.
  void Step(Memories& memories, const std::vector<int64_t>& elements, int64_t pitch, TileMode mode);

 private:
  struct Source {
    int memory = -1, lines = 1;
    std::vector<int64_t> by_lane, by_term;  ///< lane number = by_lane[destination lane] + by_term[term]
    std::vector<int64_t> values;            ///< lanes of the current element, or elements, row by row
  };

  int dst_memory_;
  int64_t terms_ = 1;  ///< products a destination lane sums
  std::vector<Source> sources_;
  std::vector<uint64_t> sums_;
};

}  // namespace cosim::sim
