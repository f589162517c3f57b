// SPDX-License-Identifier: Apache-2.0
// Tensor expressions of the operators of reduce.h.
#pragma once

#include "compiler/host/make.h"
#include "compiler/host/reduce.h"
#include "compiler/ops/statistics.h"

namespace cosim::host {

/// x reduced over the dimensions that `reduced` marks.
std::optional<ops::Definition> DefineReduce(Reduction op, ops::Over reduced, const ops::HostSite& site);

/// Where the largest (smallest) element along `axis` is, as ArgExtreme.
std::optional<ops::Definition> DefineArgExtreme(bool largest, size_t axis, bool keep_dimensions, bool last,
                                                const ops::HostSite& site);

/// As Normalize; Hardmax has none.
std::optional<ops::Definition> DefineNormalize(Normalization op, size_t axis, bool flatten, double scale,
                                               const ops::HostSite& site);

}  // namespace cosim::host
