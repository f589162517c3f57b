// SPDX-License-Identifier: Apache-2.0
// Tensor expressions of the operators of movement.h that join, cut, repeat and frame.
#pragma once

#include <vector>

#include "compiler/host/make.h"
#include "compiler/host/movement.h"

namespace cosim::host {

/// Element `i` of each dimension is x's at start + i * step.
struct AxisSlice {
  int64_t start = 0, step = 1, length = 0;
};
std::optional<ops::Definition> DefineSlice(const std::vector<AxisSlice>& ranges, const ops::HostSite& site);

/// `before`: what stands in front of x in each dimension, negative where x is cut.
std::optional<ops::Definition> DefinePad(PadMode mode, const std::vector<int64_t>& before,
                                         const ops::HostSite& site);

std::optional<ops::Definition> DefineTriangle(bool upper, const ops::HostSite& site);
std::optional<ops::Definition> DefineReverseSequence(size_t batch_axis, size_t time_axis,
                                                     const ops::HostSite& site);
std::optional<ops::Definition> DefineDepthToSpace(int64_t block, bool columns_first,
                                                  const ops::HostSite& site);
std::optional<ops::Definition> DefineSpaceToDepth(int64_t block, const ops::HostSite& site);

}  // namespace cosim::host
