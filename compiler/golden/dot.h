// SPDX-License-Identifier: Apache-2.0
// The one fast kernel of the golden model: int32 dot products of int16 vectors.
#pragma once

#include <cstdint>

namespace cosim::golden {

/// Rows of vectors are padded with zeros to a multiple of this.
constexpr int64_t kDotAlignment = 32;

/// c[i * c_stride + j] = sum over k < depth of a[i * depth + k] * b[j * depth + k], for i < rows, j <
/// columns. Wraps. `depth` is a multiple of kDotAlignment.
void DotProducts(const int16_t* a, int64_t rows, const int16_t* b, int64_t columns, int64_t depth, int32_t* c,
                 int64_t c_stride);

}  // namespace cosim::golden
