// SPDX-License-Identifier: Apache-2.0
// Wall time, for differences.
#pragma once

#include <chrono>

namespace cosim::tune {

/// In seconds.
inline double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace cosim::tune
