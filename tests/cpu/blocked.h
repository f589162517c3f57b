// SPDX-License-Identifier: Apache-2.0
// Blocked arrays by the index formulas of compiler/layouts/layout.h.
#pragma once

#include <vector>

#include "compiler/graph/tensor.h"
#include "compiler/layouts/layout.h"

namespace cosim::cpu {

/// NCHW[n]n[c]c of `plain`, or `fill`, which is what gaps hold, too.
inline graph::Tensor Blocked(const graph::Tensor& plain, layouts::Blocking blocking, int8_t fill) {
  graph::Shape extent = plain.shape();
  extent.resize(4, 1);
  const graph::Shape shape = layouts::BlockedShape(plain.shape(), blocking);
  std::vector<int8_t> values;
  for (int64_t no = 0; no < shape[0]; ++no) {
    for (int64_t co = 0; co < shape[1]; ++co) {
      for (int64_t pixel = 0; pixel < extent[2] * extent[3]; ++pixel) {
        for (int64_t n = no * blocking.outer; n < (no + 1) * blocking.outer; ++n) {
          for (int64_t c = co * blocking.inner; c < (co + 1) * blocking.inner; ++c) {
            const bool is_there = n < extent[0] && c < extent[1];
            const int64_t index = (n * extent[1] + c) * extent[2] * extent[3] + pixel;
            values.push_back(is_there ? plain.data<int8_t>()[index] : fill);
          }
        }
        values.insert(values.end(), blocking.gap, fill);
      }
    }
  }
  return {shape, values};
}

}  // namespace cosim::cpu
