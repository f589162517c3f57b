// SPDX-License-Identifier: Apache-2.0
// Matrices seen as a whole: determinants, and columns of patches put back into an image.
#pragma once

#include <vector>

#include "compiler/host/make.h"

namespace cosim::host {

/// (x float [...,M,M]) -> [...].
HostOperatorPtr Determinant();

/// Empty lists as in Spatial (spatial.h).
struct PatchAttributes {
  std::vector<int64_t> dilations, pads, strides;
};
/// (x float [N,C*block,L], image shape, block shape; both constants) -> [N,C,image...]: each column is a
/// block at one of L places, and what overlaps is added.
HostOperatorPtr ImageOfColumns(const PatchAttributes& attributes);

}  // namespace cosim::host
