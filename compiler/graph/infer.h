// SPDX-License-Identifier: Apache-2.0
// Types of results from types of operands: the shape and element type rules of every operation. Builders,
// importers and the verifier all ask here.
#pragma once

#include <span>
#include <string>
#include <variant>

#include "compiler/graph/ops.h"
#include "compiler/graph/tensor.h"

namespace cosim::graph {

/// The type of the result, or why these operands and attributes are not allowed (one sentence, no position).
/// An Input has no operand to infer from and is not asked for.
std::variant<TensorType, std::string> InferType(const Op& op, std::span<const TensorType> operands);

/// Extent of a convolution's or pooling's result along one dimension; not positive when the window does not
/// fit.
int64_t WindowExtent(int64_t extent, int64_t kernel, int64_t stride, int64_t dilation, int64_t pad_before,
                     int64_t pad_after);

}  // namespace cosim::graph
