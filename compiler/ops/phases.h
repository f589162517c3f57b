// SPDX-License-Identifier: Apache-2.0
// Transposed convolutions as convolutions of stride 1, so that nothing is multiplied by the zeros that
// spreading x would put between its elements.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/ops/window.h"

namespace cosim::ops {

/// As ConvolveTransposed (window.h): results that are a stride apart read the same numbers of the kernel, and
/// make a convolution of x by those; the last computation puts them side by side (Pattern::kInterleave).
/// Nothing unless there are two spatial dimensions, one group, no dilation, and a kernel and a result as long
/// as the stride.
std::optional<Definition> ConvolveByPhases(const std::string& name, const std::vector<int64_t>& shape,
                                           const te::Tensor& x, const te::Tensor& w, const Sliding& window,
                                           int64_t groups, bool outputs_first);

}  // namespace cosim::ops
