// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/float_convolution.h"

#include <algorithm>
#include <array>

namespace cosim::host {
namespace {

constexpr int64_t kLanes = 16;  // outputs whose sums are made at a time, two of the widest vectors
constexpr int64_t kRows = 6;    // … for so many pixels: twelve sums in registers
constexpr int64_t kChunk = 8 * kRows;

using Vector = double __attribute__((vector_size(64)));
using Sums = std::array<std::array<double, kLanes>, kRows>;

// tile[r][l] += patches[r][k] * weights[k][l] for k from 0 to `depth`; a product is exact, fused or not.
#define COSIM_TILE_LOOP(NAME, TARGET)                                                         \
  TARGET void NAME(const double* patches, const double* weights, int64_t depth, Sums& tile) { \
    Vector low[kRows], high[kRows];                                                           \
    for (int64_t r = 0; r < kRows; ++r) {                                                     \
      __builtin_memcpy(&low[r], tile[r].data(), sizeof(Vector));                              \
      __builtin_memcpy(&high[r], tile[r].data() + kLanes / 2, sizeof(Vector));                \
    }                                                                                         \
    for (int64_t k = 0; k < depth; ++k) {                                                     \
      Vector a, b;                                                                            \
      __builtin_memcpy(&a, weights + k * kLanes, sizeof(Vector));                             \
      __builtin_memcpy(&b, weights + k * kLanes + kLanes / 2, sizeof(Vector));                \
      _Pragma("GCC unroll 6") for (int64_t r = 0; r < kRows; ++r) {                           \
        const double x = patches[r * depth + k];                                              \
        low[r] += a * x;                                                                      \
        high[r] += b * x;                                                                     \
      }                                                                                       \
    }                                                                                         \
    for (int64_t r = 0; r < kRows; ++r) {                                                     \
      __builtin_memcpy(tile[r].data(), &low[r], sizeof(Vector));                              \
      __builtin_memcpy(tile[r].data() + kLanes / 2, &high[r], sizeof(Vector));                \
    }                                                                                         \
  }

using TileLoop = void (*)(const double* patches, const double* weights, int64_t depth, Sums& tile);

COSIM_TILE_LOOP(AnyTile, )
#if defined(__x86_64__)
COSIM_TILE_LOOP(Avx2Tile, __attribute__((target("avx2,fma"))))
COSIM_TILE_LOOP(Avx512Tile, __attribute__((target("avx512f"))))
#endif

TileLoop BestLoop() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return Avx512Tile;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Avx2Tile;
#endif
  return AnyTile;
}

/// One image and group; x, w, bias and y begin with theirs.
class GroupRun {
 public:
  GroupRun(const FloatConvolution& c, const float* w, const float* bias)
      : c_(c), bias_(bias), depth_(c.channels * c.taps), weights_(Packed(w)), patches_(kChunk * depth_) {}

  void Run(const float* x, float* y) {
    for (int64_t first = 0; first < c_.pixels(); first += kChunk) {
      const int64_t count = std::min(kChunk, c_.pixels() - first);
      for (int64_t p = 0; p < count; ++p) Gather(x, first + p, patches_.data() + p * depth_);
      for (int64_t o = 0; o < c_.outputs; o += kLanes)
        for (int64_t p = 0; p < count; p += kRows) Sum(o, first, p, std::min(kRows, count - p), y);
    }
  }

 private:
  /// [outputs / kLanes][depth][kLanes]; lanes without an output are 0.
  std::vector<double> Packed(const float* w) const {
    const int64_t blocks = (c_.outputs + kLanes - 1) / kLanes;
    std::vector<double> packed(blocks * depth_ * kLanes);
    for (int64_t o = 0; o < c_.outputs; ++o)
      for (int64_t k = 0; k < depth_; ++k)
        packed[(o / kLanes * depth_ + k) * kLanes + o % kLanes] = static_cast<double>(w[o * depth_ + k]);
    return packed;
  }

  void Gather(const float* x, int64_t pixel, double* patch) const {
    const int64_t* places = c_.places.data() + pixel * c_.taps;
    for (int64_t c = 0; c < c_.channels; ++c, x += c_.plane)
      for (int64_t t = 0; t < c_.taps; ++t)
        *patch++ = places[t] < 0 ? 0.0 : static_cast<double>(x[places[t]]);
  }

  /// Outputs from `o`, pixels from first + p, `rows` of them; what stands in patches_ behind those is summed
  /// for nothing.
  void Sum(int64_t o, int64_t first, int64_t p, int64_t rows, float* y) {
    const int64_t lanes = std::min(kLanes, c_.outputs - o);
    Sums tile{};
    for (int64_t l = 0; bias_ && l < lanes; ++l)
      for (auto& row : tile) row[l] = static_cast<double>(bias_[o + l]);
    loop_(patches_.data() + p * depth_, weights_.data() + o * depth_, depth_, tile);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t l = 0; l < lanes; ++l)
        y[(o + l) * c_.pixels() + first + p + r] = static_cast<float>(tile[r][l]);
  }

  const FloatConvolution& c_;
  const float* bias_;
  int64_t depth_;
  std::vector<double> weights_, patches_;
  TileLoop loop_ = BestLoop();
};

/// One output a group: no neighbours to sum with.
void RunDepthwise(const FloatConvolution& c, const float* x, const float* w, const float* bias, float* y) {
  for (int64_t p = 0; p < c.pixels(); ++p) {
    const int64_t* places = c.places.data() + p * c.taps;
    double sum = bias ? static_cast<double>(*bias) : 0;
    for (int64_t k = 0; k < c.channels; ++k)
      for (int64_t t = 0; t < c.taps; ++t) {
        const double value = places[t] < 0 ? 0.0 : static_cast<double>(x[k * c.plane + places[t]]);
        sum += value * static_cast<double>(w[k * c.taps + t]);
      }
    y[p] = static_cast<float>(sum);
  }
}

}  // namespace

void FloatConvolution::Run(const float* x, const float* w, const float* bias, float* y) const {
  for (int64_t g = 0; g < groups; ++g) {
    const float* const weights = w + g * outputs * channels * taps;
    const float* const biases = bias ? bias + g * outputs : nullptr;
    const auto image = [&](int64_t n) { return x + (n * groups + g) * channels * plane; };
    const auto result = [&](int64_t n) { return y + (n * groups + g) * outputs * pixels(); };
    if (outputs == 1) {
      for (int64_t n = 0; n < batch; ++n) RunDepthwise(*this, image(n), weights, biases, result(n));
      continue;
    }
    GroupRun group(*this, weights, biases);
    for (int64_t n = 0; n < batch; ++n) group.Run(image(n), result(n));
  }
}

}  // namespace cosim::host
