// SPDX-License-Identifier: Apache-2.0
// Written so that compilers turn the inner loops into multiply-and-add of int16 pairs. Sums are taken in
// uint32_t, where wrapping is defined.
#include "compiler/golden/dot.h"

#include <algorithm>

namespace cosim::golden {
namespace {

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define COSIM_GOLDEN_CLONES __attribute__((target_clones("arch=skylake-avx512", "avx2", "default")))
#else
#define COSIM_GOLDEN_CLONES
#endif

/// Products of two rows of a and two of b.
COSIM_GOLDEN_CLONES
void Dot2x2(const int16_t* a0, const int16_t* a1, const int16_t* b0, const int16_t* b1, int64_t depth,
            uint32_t sums[4]) {
  uint32_t s00 = 0, s01 = 0, s10 = 0, s11 = 0;
  for (int64_t k = 0; k < depth; ++k) {
    s00 += static_cast<uint32_t>(a0[k] * b0[k]);
    s01 += static_cast<uint32_t>(a0[k] * b1[k]);
    s10 += static_cast<uint32_t>(a1[k] * b0[k]);
    s11 += static_cast<uint32_t>(a1[k] * b1[k]);
  }
  sums[0] = s00;
  sums[1] = s01;
  sums[2] = s10;
  sums[3] = s11;
}

}  // namespace

void DotProducts(const int16_t* a, int64_t rows, const int16_t* b, int64_t columns, int64_t depth, int32_t* c,
                 int64_t c_stride) {
  // A block of b that stays in the cache while all of a passes by.
  const int64_t block = std::max<int64_t>(2, (128 * 1024) / (depth * 2) / 2 * 2);
  for (int64_t j0 = 0; j0 < columns; j0 += block) {
    const int64_t j1 = std::min(columns, j0 + block);
    for (int64_t i = 0; i < rows; i += 2) {
      const int64_t i2 = std::min(i + 1, rows - 1);
      for (int64_t j = j0; j < j1; j += 2) {
        const int64_t j2 = std::min(j + 1, columns - 1);
        uint32_t sums[4];
        Dot2x2(a + i * depth, a + i2 * depth, b + j * depth, b + j2 * depth, depth, sums);
        c[i * c_stride + j] = static_cast<int32_t>(sums[0]);
        c[i * c_stride + j2] = static_cast<int32_t>(j2 == j ? sums[0] : sums[1]);
        c[i2 * c_stride + j] = static_cast<int32_t>(i2 == i ? sums[0] : sums[2]);
        c[i2 * c_stride + j2] = static_cast<int32_t>(sums[i2 == i ? (j2 == j ? 0 : 1) : (j2 == j ? 2 : 3)]);
      }
    }
  }
}

}  // namespace cosim::golden
