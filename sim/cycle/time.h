// SPDX-License-Identifier: Apache-2.0
// Time in the timing engine. By rule zero a change made in cycle t is seen in t + 1, so state carries the
// cycle from which it holds, and the order in which one cycle's events are worked through does not matter.
#pragma once

#include <limits>

#include "runtime/profile.h"

namespace cosim::sim {

using runtime::Cycle;

/// Later than any cycle: something that no known event will bring about. Sums with small numbers do not
/// overflow.
inline constexpr Cycle kNever = std::numeric_limits<Cycle>::max() / 4;

}  // namespace cosim::sim
