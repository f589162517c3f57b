// SPDX-License-Identifier: Apache-2.0
// Tile GEMM on AVX2: pairs of 16-bit products summed by vpmaddwd, eight outputs a vector. Only the marked
// functions use AVX2, so the file may be linked into a program for any x86-64.
#if defined(__x86_64__)
#include <immintrin.h>

#include <cstring>

#include "sim/kernels/tile_gemm_levels.h"
#include "sim/kernels/tile_packing.h"

#define COSIM_AVX2 __attribute__((target("avx2")))

namespace cosim::sim {
namespace {

/// kGroups pairs of k and kVectors vectors of outputs, known when compiled; 0: as in `shape`.
template <int kGroups, int kVectors>
class Avx2TileGemm final : public TileGemm {
 public:
  Avx2TileGemm(const TileShape& shape, const SourceLanes& inp, const SourceLanes& wgt)
      : shape_(shape), inputs_(shape, inp, 2), weights_(shape, wgt, 8) {
    InputsWritten(0, inp.elements);
    WeightsWritten(0, wgt.elements);
  }

  TileStep Strides() const override {
    return {int64_t{shape_.batch} * shape_.block_out, inputs_.stride(), weights_.stride()};
  }
  void InputsWritten(int64_t first, int64_t count) override { inputs_.Pack(first, count); }
  void WeightsWritten(int64_t first, int64_t count) override { weights_.Pack(first, count); }

  COSIM_AVX2 void Run(int32_t* acc, const TileNest& nest, TileMode mode) const override {
    for (int64_t i = 0; i < nest.iter_out; ++i) {
      for (int64_t j = 0; j < nest.iter_in; ++j) {
        int32_t* dst = acc + i * nest.outer.dst + j * nest.inner.dst;
        const int16_t* src = inputs_.data() + i * nest.outer.src + j * nest.inner.src;
        const int16_t* wgt = weights_.data() + i * nest.outer.wgt + j * nest.inner.wgt;
        for (const TileStep& uop : nest.uops) Step(dst + uop.dst, src + uop.src, wgt + uop.wgt, mode);
      }
    }
  }

 private:
  COSIM_AVX2 void Step(int32_t* dst, const int16_t* src, const int16_t* wgt, TileMode mode) const {
    if (mode == TileMode::kReset) {
      std::memset(dst, 0, sizeof(int32_t) * shape_.block_out * shape_.batch);
      return;
    }
    const int vectors = kVectors != 0 ? kVectors : weights_.outs() / 8;
    for (int b = 0; b < shape_.batch; ++b) {
      int v = 0;
      for (; v + 2 <= vectors; v += 2) Outputs<2>(dst, src, wgt, b, v, mode);
      if (v < vectors) Outputs<1>(dst, src, wgt, b, v, mode);
    }
  }

  /// Outputs of vectors v .. v + kCount of row b.
  template <int kCount>
  COSIM_AVX2 void Outputs(int32_t* dst, const int16_t* src, const int16_t* wgt, int b, int v,
                          TileMode mode) const {
    const int groups = kGroups != 0 ? kGroups : weights_.groups();
    const int outs = kVectors != 0 ? kVectors * 8 : weights_.outs();
    __m256i sums[kCount] = {};
    const int16_t* x = src + int64_t{b} * groups * 2;
    const int16_t* w = wgt + v * 16;
    for (int g = 0; g < groups; ++g) {
      int32_t pair;
      std::memcpy(&pair, x + 2 * g, sizeof(pair));
      const __m256i inputs = _mm256_set1_epi32(pair);
      for (int n = 0; n < kCount; ++n) {
        const __m256i weights =
            _mm256_load_si256(reinterpret_cast<const __m256i*>(w + int64_t{g} * outs * 2 + n * 16));
        sums[n] = _mm256_add_epi32(sums[n], _mm256_madd_epi16(inputs, weights));
      }
    }
    int32_t* row = dst + int64_t{b} * shape_.block_out;
    for (int n = 0; n < kCount; ++n) Update(row, (v + n) * 8, sums[n], mode);
  }

  /// Adds a vector of sums to lanes [at, at + 8) of `row`, as far as the row goes.
  COSIM_AVX2 void Update(int32_t* row, int at, __m256i sum, TileMode mode) const {
    const __m128i shift = _mm_cvtsi32_si128(32 - shape_.acc_bits);
    int32_t* lanes = row + at;
    if (shape_.block_out - at >= 8) {
      auto* vector = reinterpret_cast<__m256i*>(lanes);
      if (mode == TileMode::kAccumulate) sum = _mm256_add_epi32(sum, _mm256_loadu_si256(vector));
      _mm256_storeu_si256(vector, _mm256_sra_epi32(_mm256_sll_epi32(sum, shift), shift));
      return;
    }
    const __m256i numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(shape_.block_out - at), numbers);
    if (mode == TileMode::kAccumulate) sum = _mm256_add_epi32(sum, _mm256_maskload_epi32(lanes, mask));
    _mm256_maskstore_epi32(lanes, mask, _mm256_sra_epi32(_mm256_sll_epi32(sum, shift), shift));
  }

  TileShape shape_;
  WideInputs inputs_;
  PackedWeights<int16_t, 2, 0> weights_;
};

}  // namespace

std::unique_ptr<TileGemm> MakeAvx2TileGemm(const TileShape& shape, const SourceLanes& inp,
                                           const SourceLanes& wgt) {
  if (shape.block_out == 16 && shape.block_in == 16) {
    return std::make_unique<Avx2TileGemm<8, 2>>(shape, inp, wgt);
  }
  return std::make_unique<Avx2TileGemm<0, 0>>(shape, inp, wgt);
}

}  // namespace cosim::sim
#endif
