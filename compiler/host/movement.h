// SPDX-License-Identifier: Apache-2.0
// Operators that move elements and compute nothing; any element type. Shapes, axes and indices that are
// operands have to be constants where the shape of the result depends on them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/host/make.h"

namespace cosim::host {

/// (x) -> x with dimension permutation[i] in place i; empty reverses them all.
HostOperatorPtr Transpose(std::vector<int64_t> permutation);

/// (x) -> the same elements in that shape.
HostOperatorPtr ReshapeTo(Shape shape);
/// (x, shape) -> the same elements; -1 is what is left over, 0 the extent of x unless `allow_zero`.
HostOperatorPtr Reshape(bool allow_zero);
/// (x) -> two dimensions, split before `axis`.
HostOperatorPtr FlattenAt(int64_t axis);
/// (x, axes, optional) -> without those dimensions of 1 (all of them), or with them. The attribute holds when
/// there is no operand.
HostOperatorPtr Squeeze(std::vector<int64_t> axes);
HostOperatorPtr Unsqueeze(std::vector<int64_t> axes);

/// (x) -> x.
HostOperatorPtr Identity();

/// (x...) -> one behind the other along `axis`.
HostOperatorPtr Concat(int64_t axis);
/// (x, lengths, optional) -> `count` parts along `axis`, of those lengths or of equal ones.
HostOperatorPtr Split(int64_t axis, std::vector<int64_t> lengths, size_t count);
/// (x, starts, ends, axes, steps; the last two optional) -> as numpy's x[start:end:step].
HostOperatorPtr Slice();
/// (x, shape) -> broadcast to the common shape of both.
HostOperatorPtr Expand();
/// (x, repeats) -> x repeated along each dimension.
HostOperatorPtr Tile();

enum class PadMode { kConstant, kReflect, kEdge };
/// (x, pads, value, optional) -> x in a frame, or cropped where a pad is negative; pads: all begins, then all
/// ends.
HostOperatorPtr Pad(PadMode mode);

/// (x) -> blocks of channels as squares of pixels, and back; `columns_first`: depth is [block, block, C],
/// else [C, block, block].
HostOperatorPtr DepthToSpace(int64_t block, bool columns_first);
HostOperatorPtr SpaceToDepth(int64_t block);

/// (x, k, optional) -> the upper (lower) triangle of each matrix, zeros elsewhere.
HostOperatorPtr Triangle(bool upper);

/// (x, lengths [batch]) -> the first lengths[b] steps of each sequence reversed.
HostOperatorPtr ReverseSequence(int64_t batch_axis, int64_t time_axis);

}  // namespace cosim::host
