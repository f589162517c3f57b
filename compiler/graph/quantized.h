// SPDX-License-Identifier: Apache-2.0
// The two element types of quantized values.
#pragma once

#include <cstdint>

#include "compiler/graph/tensor.h"
#include "isa/check.h"

namespace cosim::graph {

/// Calls f(T{}) with the type of quantized elements, int8_t or int16_t.
template <typename F>
void WithQuantized(DType dtype, F f) {
  COSIM_CHECK(IsQuantized(dtype), "element type {}", Name(dtype));
  dtype == DType::kInt8 ? f(int8_t{}) : f(int16_t{});
}

}  // namespace cosim::graph
