// SPDX-License-Identifier: Apache-2.0
// Layout conversions for the host: between the graph's plain arrays and the blocked ones of an accelerator.
// What is blocked by how much, and where the arrays live, is the accelerator back end's decision.
//
// NCHW[n]n[c]c is the array [ceil(N / n), ceil(C / c), H, W, n, c], row-major: element (i, j, h, w, ii, jj)
// is (i * n + ii, j * c + jj, h, w) of the plain array. Likewise OIHW[o]o[i]i: [ceil(O / o), ceil(I / i), KH,
// KW, o, i]. Each function has two parameters: source, then destination.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/ops.h"
#include "compiler/te/te.h"
#include "compiler/tir/ir.h"

namespace cosim::layouts {

struct Blocking {
  int64_t outer = 1;   ///< n, or o of weights.
  int64_t inner = 1;   ///< c, or i of weights.
  int bits = 8;        ///< Of an element of the blocked array: 8, 16 or 32.
  int plain_bits = 8;  ///< Of one of the plain array, at most as many.
  int64_t gap = 0;     ///< Elements behind each block of n * c that mean nothing.
  int64_t pixels = 0;  ///< Not 0: H, W are one dimension of so many; those behind H * W mean nothing.
  friend bool operator==(const Blocking&, const Blocking&) = default;
};

/// [N,C,…] with groups of channels as images of their own: [N*groups,C/groups,…].
graph::Shape InGroups(graph::Shape shape, int64_t groups);

/// [N,C,H,W] or [N,C] (as H = W = 1) and its blocked shape. With gaps, blocks and gap are the last dimension:
/// [ceil(N / n), ceil(C / c), H, W, n * c + gap].
std::vector<int64_t> BlockedShape(const graph::Shape& shape, Blocking blocking);

/// [N,C,H,W] or [N,C] -> NCHW[n]n[c]c. Elements that only blocking adds are `fill`: a zero point, or 0 for
/// weights. Weights OIHW -> OIHW[o]o[i]i are the same conversion.
tir::Function PackBlocked(const std::string& name, const graph::Shape& shape, Blocking blocking, int8_t fill);

/// NCHW[n]n[c]c -> [N,C,H,W] or [N,C] of the given shape; elements that only blocking added are dropped.
tir::Function UnpackBlocked(const std::string& name, const graph::Shape& shape, Blocking blocking);

/// The array [N,C,H,W] or [N,C] of the given shape that `blocked` holds, for others to read or to take in.
te::Tensor PlainView(const std::string& name, const te::Tensor& blocked, const graph::Shape& shape,
                     Blocking blocking);
/// `plain` as NCHW[n]n[c]c, elements that only blocking adds being `fill`.
te::Tensor InBlocks(const std::string& name, const te::Tensor& plain, Blocking blocking, int8_t fill);

/// [N,G*O,…] or [N,G*I,…] to matrices in tiles of weights, [N*G, ceil(O / lo), lo / bo, ceil(I / li), li /
/// bi, bo, bi], 0 where there is nothing. With `transposed` rows are results and pixels are summed over (a
/// matmul's transpose_b), else the other way round.
struct MatrixTiling {
  int64_t groups = 1;
  bool transposed = false;
  int64_t block_out = 1, layout_out = 1, block_in = 1, layout_in = 1;
  int bits = 8;           ///< of an element
  int plain_bits = 8;     ///< of one of the plain array
  int64_t gap = 0;        ///< elements behind each tile of bo * bi that mean nothing
  bool by_input = false;  ///< a tile is [bi, bo]
};
/// `source`: that stands in blocks so, and not plain.
tir::Function PackMatrices(const std::string& name, const graph::Shape& shape, const MatrixTiling& tiling,
                           const std::optional<Blocking>& source = {});

/// The plain shape of a convolution's input as patches: [N, KH*KW*C, OH, OW]. Channel (kh * KW + kw) * C + c
/// of pixel (y, x) is input channel c at the tap (kh, kw) of that output pixel.
graph::Shape PatchShape(const graph::Shape& input, const graph::Shape& weight, const graph::Conv2d& op);

/// [N,C,H,W] -> the patches of the convolution, blocked. Taps outside the image are op.input_zero_point;
/// channels that only blocking adds are taps behind the last, whose weights are 0. The convolution must have
/// one group.
tir::Function PackPatches(const std::string& name, const graph::Shape& input, const graph::Shape& weight,
                          const graph::Conv2d& op, Blocking blocking);

/// [N,C,H,W], which with `channels_last` stands as [N,H,W,C], -> [N, rows, columns, C], the image with the
/// border of the convolution: what is outside is op.input_zero_point.
tir::Function PackImage(const std::string& name, const graph::Shape& input, const graph::Conv2d& op,
                        int64_t rows, int64_t columns, int bits, bool channels_last = false);

}  // namespace cosim::layouts
