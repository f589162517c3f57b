// SPDX-License-Identifier: Apache-2.0
// The nest of sim/kernels/tile_gemm.h cut into blocks that a SIMD level can compute in registers: the
// micro-ops of one destination, at several positions of a hardware loop that share the weights.
#pragma once

#include <type_traits>
#include <utility>

#include "sim/kernels/tile_gemm.h"

namespace cosim::sim {

/// acc (+)= the sum of all micro-ops' products, at each of `positions` positions.
struct TileBlock {
  int32_t* acc = nullptr;          ///< the first position's destination
  int64_t src = 0, wgt = 0;        ///< what is added to those of each micro-op, at the first position
  int64_t acc_stride = 0;          ///< lanes from position to position, not 0 if there are several
  int64_t src_stride = 0;          ///< the same for the source; the weights stay
  std::span<const TileStep> uops;  ///< at least one; their dst is in `acc` already
  int positions = 1;
  bool overwrite = false;
};

/// A level of the tile GEMM that computes blocks.
class BlockedTileGemm : public TileGemm {
 public:
  void Run(int32_t* acc, const TileNest& nest, TileMode mode) const final;

 protected:
  /// Blocks will have at most `most_positions`.
  BlockedTileGemm(const TileShape& shape, int most_positions)
      : shape_(shape), most_positions_(most_positions) {}
  const TileShape& shape() const { return shape_; }
  virtual void RunBlock(const TileBlock& block) const = 0;

 private:
  void Reset(int32_t* acc, const TileNest& nest) const;

  TileShape shape_;
  int most_positions_;
};

/// Calls f with `value`, which is from 1 to kMost, as a constant of type std::integral_constant.
template <int kMost, class F>
void WithConstant(int value, F&& f) {
  if constexpr (kMost > 1) {
    if (value < kMost) return WithConstant<kMost - 1>(value, std::forward<F>(f));
  }
  f(std::integral_constant<int, kMost>{});
}

}  // namespace cosim::sim
