// SPDX-License-Identifier: Apache-2.0
// Compiled with contraction (CMakeLists.txt): where the processor has fused multiply-adds, vectors' products
// and sums become them.
#include "compiler/graph/float_tile.h"

#include <bit>
#include <utility>

namespace cosim::graph {
namespace {

template <int kLanes>
struct VectorOf {
  typedef float Type __attribute__((vector_size(kLanes * sizeof(float))));  // NOLINT: an alias loses the size
};

/// Sums of all rows stay in registers, as two vectors each.
template <int kLanes, int kRows>
[[gnu::always_inline]] inline void SumTile(const float* weights, int64_t weights_stride, const float* panel,
                                           int64_t depth, float* sums, int64_t sums_stride) {
  using Vector = typename VectorOf<kLanes>::Type;
  for (int64_t column = 0; column < kTileColumns; column += 2 * kLanes) {
    Vector low[kRows], high[kRows];
    for (int r = 0; r < kRows; ++r) {
      __builtin_memcpy(&low[r], sums + r * sums_stride + column, sizeof(Vector));
      __builtin_memcpy(&high[r], sums + r * sums_stride + column + kLanes, sizeof(Vector));
    }
    for (int64_t k = 0; k < depth; ++k) {
      Vector a, b;
      __builtin_memcpy(&a, panel + k * kTileColumns + column, sizeof(Vector));
      __builtin_memcpy(&b, panel + k * kTileColumns + column + kLanes, sizeof(Vector));
      _Pragma("GCC unroll 6") for (int r = 0; r < kRows; ++r) {
        const float w = weights[r * weights_stride + k];
        low[r] += a * w;
        high[r] += b * w;
      }
    }
    for (int r = 0; r < kRows; ++r) {
      __builtin_memcpy(sums + r * sums_stride + column, &low[r], sizeof(Vector));
      __builtin_memcpy(sums + r * sums_stride + column + kLanes, &high[r], sizeof(Vector));
    }
  }
}

#if defined(__FP_FAST_FMAF)  // every processor of this kind has them
template <int kRows>
void AnyTile(const float* weights, int64_t weights_stride, const float* panel, int64_t depth, float* sums,
             int64_t sums_stride) {
  SumTile<4, kRows>(weights, weights_stride, panel, depth, sums, sums_stride);
}
#else
/// a * b + c, rounded once. A double holds the product; the sum of doubles is rounded to odd, which keeps the
/// second rounding, to float, from seeing a tie that is none.
inline float FusedMultiplyAdd(float a, float b, float c) {
  const double product = static_cast<double>(a) * b, sum = product + c;
  const double added = sum - product, error = (product - (sum - added)) + (c - added);
  auto bits = std::bit_cast<uint64_t>(sum);
  if ((error < 0 || error > 0) && bits % 2 == 0) bits += (error > 0) == (sum > 0) ? 1 : -1;
  return static_cast<float>(std::bit_cast<double>(bits));
}

template <int kRows>
void AnyTile(const float* weights, int64_t weights_stride, const float* panel, int64_t depth, float* sums,
             int64_t sums_stride) {
  for (int r = 0; r < kRows; ++r)
    for (int64_t k = 0; k < depth; ++k)
      for (int64_t c = 0; c < kTileColumns; ++c) {
        float& sum = sums[r * sums_stride + c];
        sum = FusedMultiplyAdd(panel[k * kTileColumns + c], weights[r * weights_stride + k], sum);
      }
}
#endif

template <int... kRows>
FloatTiles AnyTiles(std::integer_sequence<int, kRows...>) {
  return {AnyTile<kRows + 1>...};
}

#if defined(__x86_64__)
template <int kRows>
__attribute__((target("avx2,fma"))) void Avx2Tile(const float* weights, int64_t weights_stride,
                                                  const float* panel, int64_t depth, float* sums,
                                                  int64_t sums_stride) {
  SumTile<8, kRows>(weights, weights_stride, panel, depth, sums, sums_stride);
}

template <int... kRows>
FloatTiles Avx2Tiles(std::integer_sequence<int, kRows...>) {
  return {Avx2Tile<kRows + 1>...};
}

template <int kRows>
__attribute__((target("avx512f"))) void Avx512Tile(const float* weights, int64_t weights_stride,
                                                   const float* panel, int64_t depth, float* sums,
                                                   int64_t sums_stride) {
  SumTile<16, kRows>(weights, weights_stride, panel, depth, sums, sums_stride);
}

template <int... kRows>
FloatTiles Avx512Tiles(std::integer_sequence<int, kRows...>) {
  return {Avx512Tile<kRows + 1>...};
}
#endif

}  // namespace

const std::vector<FloatTiles>& SupportedFloatTiles() {
  static const std::vector<FloatTiles> tiles = [] {
    constexpr std::make_integer_sequence<int, int{kTileRows}> rows;
    std::vector<FloatTiles> list = {AnyTiles(rows)};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) list.push_back(Avx2Tiles(rows));
    if (__builtin_cpu_supports("avx512f")) list.push_back(Avx512Tiles(rows));
#endif
    return list;
  }();
  return tiles;
}

}  // namespace cosim::graph
