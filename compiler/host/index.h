// SPDX-License-Identifier: Apache-2.0
// Operators that pick or place elements by index, or make tensors from shapes. Negative indices count from
// the end; those out of range are clamped to the last element, so that a run cannot fail.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/host/make.h"

namespace cosim::host {

/// (x, indices) -> x at those places of `axis`: [before axis, indices..., behind axis].
HostOperatorPtr Gather(int64_t axis);
/// (x, indices of x's rank) -> like indices: x at the same place but for `axis`, which the index gives.
HostOperatorPtr GatherElements(int64_t axis);
/// (x, indices [..., K]) -> [..., rest of x]: each row of K is a place among dimensions behind `batch` ones.
HostOperatorPtr GatherNd(int64_t batch);

enum class ScatterMode { kReplace, kAdd, kMultiply, kMaximum, kMinimum };
/// (x, indices, updates) -> x with the updates at the places that GatherElements, GatherNd would read.
HostOperatorPtr ScatterElements(int64_t axis, ScatterMode mode);
HostOperatorPtr ScatterNd(ScatterMode mode);

/// (x, update of x's rank, starts [rank]) -> x with the update from `starts` on, which give way where it
/// would not fit.
HostOperatorPtr UpdateSlice();

/// (indices, depth, values [off, on]) -> one-hot vectors along `axis`; indices outside [-depth, depth) give
/// none.
HostOperatorPtr OneHot(int64_t axis);
/// (x, condition bool [K], constant) -> what the condition keeps along `axis`, or of the flattened x.
HostOperatorPtr Compress(int64_t axis, bool flatten);
/// (x, constant) -> int64 [rank, count]: where x is not 0.
HostOperatorPtr NonZero();

/// (start, limit, delta; constants) -> [start, start + delta, ...) before limit.
HostOperatorPtr Range();
/// (shape, constant) -> `value` everywhere.
HostOperatorPtr ConstantOfShape(graph::TensorPtr value);
/// (x [R,C]) -> ones on diagonal `k`, of `dtype`, or of x's type.
HostOperatorPtr EyeLike(std::optional<DType> dtype, int64_t k);
/// (x) -> int64: its extents from `start` to `end`, or its size.
HostOperatorPtr ShapeOf(int64_t start, int64_t end);
HostOperatorPtr SizeOf();

}  // namespace cosim::host
