// SPDX-License-Identifier: Apache-2.0
// acc[b, o] (+)= sum over k of inp[b, k] * wgt[o, k], over a nest of hardware loops and micro-ops, one tile a
// step. Each SIMD level keeps its own packed copies of the two sources, renewed as elements are written, so
// that a step reads vectors as they are. Bounds are the caller's business (sim/functional/step_table.h), as
// are other contractions (sim/functional/generic_gemm.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "sim/kernels/simd_level.h"

namespace cosim::sim {

/// Extents of a tile. acc elements are [batch][block_out], inp elements [batch][block_in], both dense; lane
/// (o, k) of a weight element stands at o * wgt_o_stride + k * wgt_k_stride of its block_out * block_in
/// lanes.
struct TileShape {
  int batch = 1, block_in = 0, block_out = 0;
  int wgt_o_stride = 0, wgt_k_stride = 0;
  int acc_bits = 32;  ///< 17..32: sums wrap to this width, and are stored sign-extended
};

/// All lanes of a memory, in one of two storage types.
struct SourceLanes {
  const int8_t* i8 = nullptr;
  const int16_t* i16 = nullptr;
  int64_t elements = 0;
};

enum class TileMode { kAccumulate, kOverwrite, kReset };

/// Where one step's elements begin: element numbers times TileGemm::Strides().
struct TileStep {
  int64_t dst = 0, src = 0, wgt = 0;
};

/// for i < iter_out, for j < iter_in, for each micro-op: a step at uop + i * outer + j * inner.
struct TileNest {
  int64_t iter_out = 0, iter_in = 0;
  TileStep outer, inner;
  std::span<const TileStep> uops;
};

class TileGemm {
 public:
  virtual ~TileGemm() = default;
  /// Distance between consecutive elements of each operand, in this implementation's own units.
  virtual TileStep Strides() const = 0;
  /// To be called after elements [first, first + count) of a source have changed.
  virtual void InputsWritten(int64_t first, int64_t count) = 0;
  virtual void WeightsWritten(int64_t first, int64_t count) = 0;
  /// All elements must be within bounds. `acc` is the first lane of element 0.
  virtual void Run(int32_t* acc, const TileNest& nest, TileMode mode) const = 0;
};

/// The fastest implementation `level` has for these storage types; `level` must be supported. The lanes stay
/// the caller's and must outlive the result, with at least 64 readable bytes after the last one.
std::unique_ptr<TileGemm> MakeTileGemm(SimdLevel level, const TileShape& shape, const SourceLanes& inp,
                                       const SourceLanes& wgt);

}  // namespace cosim::sim
