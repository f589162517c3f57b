// SPDX-License-Identifier: Apache-2.0
// The largest sums of windows while they are still accumulators: along rows, then along columns, a tap at a
// time, and over the sums themselves where no other window needs those.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/schedules/accel/tile.h"
#include "compiler/te/te.h"

namespace cosim::kernels {

/// Where the maxima along a dimension of `size` sums begin.
struct PoolStart {
  int64_t tap = -1;       ///< one that is a sum in every window; -1: there is none
  bool in_place = false;  ///< the maxima replace that tap's sums, which are in no other window
};
PoolStart StartOf(const PoolAxis& axis, int64_t size);

/// ALU ops on each maximum along a dimension of `size` sums.
int64_t PoolPasses(const PoolAxis& axis, int64_t size);

/// A computation of the accumulators. Without a source it has a place of its own, else te::InPlace's.
struct PoolStage {
  te::Tensor tensor, source;
  std::vector<tir::Expr> at;
};

/// The maxima along dimension `dim` of `sums`. What computes them is appended to `stages`, in order.
te::Tensor LargestAlong(const te::Tensor& sums, size_t dim, const PoolAxis& axis,
                        std::vector<PoolStage>& stages);

}  // namespace cosim::kernels
