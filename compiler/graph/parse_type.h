// SPDX-License-Identifier: Apache-2.0
// Tensor types from text, as module files state them.
#pragma once

#include <optional>
#include <string_view>

#include "compiler/graph/tensor.h"

namespace cosim::graph {

/// The type for which ToString gives this text. Nothing when there is none, or its elements are past
/// counting.
std::optional<TensorType> ParseTensorType(std::string_view text);

}  // namespace cosim::graph
