// SPDX-License-Identifier: Apache-2.0
// Tensor expressions that move elements and compute nothing, of any type.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/ops/definition.h"
#include "compiler/te/te.h"

namespace cosim::ops {

/// Element `i` is x's at `at(i)`.
Definition Move(const std::string& name, const std::vector<int64_t>& shape, const te::Tensor& x,
                const std::function<te::Indices(const te::Indices&)>& at);

/// The elements of x in their order, in another shape.
Definition Reshaped(const std::string& name, const std::vector<int64_t>& shape, const te::Tensor& x);

/// The parts one behind the other along a dimension.
Definition Joined(const std::string& name, const std::vector<int64_t>& shape,
                  const std::vector<te::Tensor>& parts, size_t axis);

/// Where an index of a dimension of that extent points, any integer: negative ones count
/// from the end, those outside are moved to the nearest end.
tir::Expr PlaceOf(const tir::Expr& index, int64_t extent);

}  // namespace cosim::ops
