// SPDX-License-Identifier: Apache-2.0
// Operators that combine the elements along dimensions.
#pragma once

#include <string>

#include "compiler/host/make.h"

namespace cosim::host {

enum class Reduction { kSum, kMean, kMax, kMin, kProduct, kL1, kL2, kLogSum, kLogSumExp, kSumSquare };

/// (x, axes int64 [K], optional and constant) -> x reduced over `axes`, or over the operand, or, when neither
/// names one, over all dimensions (over none if `none_if_empty`).
HostOperatorPtr Reduce(std::string name, Reduction op, std::vector<int64_t> axes, bool keep_dimensions,
                       bool none_if_empty);

/// (x) -> int64: where the largest (smallest) element along `axis` is; of equals the first, or the last.
HostOperatorPtr ArgExtreme(bool largest, int64_t axis, bool keep_dimensions, bool last);

/// (x, axis scalar, constant) -> running sums along it.
HostOperatorPtr CumulativeSum(bool exclusive, bool reverse);

enum class Normalization { kSoftmax, kLogSoftmax, kHardmax };
/// (x float) -> scale * x normalized over `axis`, or (`flatten`, as ONNX did before opset 13) over it and all
/// after it.
HostOperatorPtr Normalize(std::string name, Normalization op, int64_t axis, bool flatten, double scale = 1);

/// (x, k int64 [1], constant) -> the k largest (smallest) elements along `axis` in order, and where they
/// were.
HostOperatorPtr TopK(int64_t axis, bool largest);

}  // namespace cosim::host
