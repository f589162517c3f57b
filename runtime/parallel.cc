// SPDX-License-Identifier: Apache-2.0
#include "runtime/parallel.h"

namespace cosim::runtime {

const Parallel& Serial() {
  static constexpr Parallel serial = {[](const Parallel*, void (*body)(void*, int64_t, int64_t),
                                         void* captures, int64_t count) { body(captures, 0, count); }};
  return serial;
}

}  // namespace cosim::runtime
