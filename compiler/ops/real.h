// SPDX-License-Identifier: Apache-2.0
// Tensor expressions of the graph's own operations on float32. compiler/graph/ops.h says what they mean.
#pragma once

#include <optional>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/ops/definition.h"

namespace cosim::ops {

/// Nothing for operations whose one tensor expression serves all types (concat, pad, max_pool, …), and for
/// those that are not of floats.
std::optional<Definition> DefineReal(const graph::Node& node, const std::vector<te::Tensor>& operands);

}  // namespace cosim::ops
