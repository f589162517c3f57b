// SPDX-License-Identifier: Apache-2.0
// Tensor expressions of the operators of spatial.h.
#pragma once

#include <vector>

#include "compiler/host/make.h"
#include "compiler/host/spatial.h"
#include "compiler/host/window2d.h"
#include "compiler/ops/window.h"

namespace cosim::host {

ops::Sliding SlidingOf(const Window2d& window);

/// (x, w, bias, optional).
std::optional<ops::Definition> DefineConv(const ops::Sliding& window, int64_t groups,
                                          const ops::HostSite& site);
std::optional<ops::Definition> DefineConvTranspose(const ops::Sliding& window, int64_t groups,
                                                   const ops::HostSite& site);

/// As ConvInteger and QLinearConv.
std::optional<ops::Definition> DefineConvInteger(const ops::Sliding& window, int64_t groups,
                                                 const ops::HostSite& site);
std::optional<ops::Definition> DefineQLinearConv(const ops::Sliding& window, int64_t groups,
                                                 const ops::HostSite& site);

/// Of kMax the first result only. In means count the taps at places from `least` up to `limit`, exclusive, of
/// each dimension.
struct Counted {
  std::vector<int64_t> least, limit;
};
std::optional<ops::Definition> DefinePool(Pool pool, int64_t p, const ops::Sliding& window,
                                          const Counted& counted, const ops::HostSite& site);
std::optional<ops::Definition> DefineGlobalPool(Pool pool, int64_t p, const ops::HostSite& site);

}  // namespace cosim::host
