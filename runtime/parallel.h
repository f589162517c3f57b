// SPDX-License-Identifier: Apache-2.0
// How a kernel shares out loops whose rounds are independent. In C's terms, since compiled code calls it.
#pragma once

#include <cstdint>

namespace cosim::runtime {

struct Parallel {
  /// Calls body(captures, begin, end) for disjoint ranges that together are [0, count), perhaps on several
  /// threads at a time, and returns when all have returned.
  void (*run)(const Parallel* self, void (*body)(void* captures, int64_t begin, int64_t end), void* captures,
              int64_t count);
};

/// One range, on the calling thread.
const Parallel& Serial();

}  // namespace cosim::runtime
