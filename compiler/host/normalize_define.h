// SPDX-License-Identifier: Apache-2.0
// Tensor expressions of the normalizations of linear.h. They are computed in float64 and rounded once.
#pragma once

#include <vector>

#include "compiler/host/make.h"

namespace cosim::host {

std::optional<ops::Definition> DefineBatchNormalization(double epsilon, const ops::HostSite& site);
std::optional<ops::Definition> DefineInstanceNormalization(double epsilon, const ops::HostSite& site);
/// Of the first result only.
std::optional<ops::Definition> DefineLayerNormalization(size_t axis, double epsilon,
                                                        const ops::HostSite& site);
std::optional<ops::Definition> DefineMeanVariance(const std::vector<int64_t>& axes,
                                                  const ops::HostSite& site);
std::optional<ops::Definition> DefineLocalResponse(int64_t size, double alpha, double beta, double bias,
                                                   const ops::HostSite& site);

}  // namespace cosim::host
