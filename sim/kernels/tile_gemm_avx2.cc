// SPDX-License-Identifier: Apache-2.0
// Tile GEMM on AVX2: pairs of 16-bit products summed by vpmaddwd, eight outputs a vector. Only the marked
// functions use AVX2, so the file may be linked into a program for any x86-64.
#if defined(__x86_64__)
#include <immintrin.h>

#include <cstring>

#include "sim/kernels/tile_gemm_levels.h"
#include "sim/kernels/tile_nest.h"
#include "sim/kernels/tile_packing.h"

#define COSIM_AVX2 __attribute__((target("avx2")))

namespace cosim::sim {
namespace {

constexpr int kVector = 8;     ///< outputs
constexpr int kPositions = 4;  ///< times two vectors of sums: half the registers

class Avx2TileGemm final : public BlockedTileGemm {
 public:
  Avx2TileGemm(const TileShape& shape, const SourceLanes& inp, const SourceLanes& wgt)
      : BlockedTileGemm(shape, kPositions), inputs_(shape, inp, 2), weights_(shape, wgt, kVector) {
    InputsWritten(0, inp.elements);
    WeightsWritten(0, wgt.elements);
  }

  TileStep Strides() const override {
    return {int64_t{shape().batch} * shape().block_out, inputs_.stride(), weights_.stride()};
  }
  void InputsWritten(int64_t first, int64_t count) override { inputs_.Pack(first, count); }
  void WeightsWritten(int64_t first, int64_t count) override { weights_.Pack(first, count); }

 private:
  void RunBlock(const TileBlock& block) const override {
    WithConstant<kPositions>(block.positions, [&](auto positions) { Compute<positions>(block); });
  }

  template <int kCount>
  COSIM_AVX2 void Compute(const TileBlock& block) const {
    for (int b = 0; b < shape().batch; ++b) {
      int o = 0;
      for (; o + 2 * kVector <= weights_.outs(); o += 2 * kVector) Outputs<kCount, 2>(block, b, o);
      if (o < weights_.outs()) Outputs<kCount, 1>(block, b, o);
    }
  }

  /// kVectors vectors of outputs from `out` on, of row b of each position.
  template <int kCount, int kVectors>
  COSIM_AVX2 void Outputs(const TileBlock& block, int b, int out) const {
    __m256i sums[kCount][kVectors] = {};
    const int groups = weights_.groups();
    const int64_t group_values = int64_t{weights_.outs()} * 2;
    for (const TileStep& uop : block.uops) {
      const int16_t* x = inputs_.data() + block.src + uop.src + int64_t{b} * inputs_.row();
      const int16_t* w = weights_.data() + block.wgt + uop.wgt + int64_t{out} * 2;
      for (int g = 0; g < groups; ++g, x += 2, w += group_values) {
        __m256i weights[kVectors];
        for (int v = 0; v < kVectors; ++v)
          weights[v] = _mm256_load_si256(reinterpret_cast<const __m256i*>(w + int64_t{v} * kVector * 2));
        for (int p = 0; p < kCount; ++p) {
          int32_t pair;
          std::memcpy(&pair, x + p * block.src_stride, sizeof(pair));
          const __m256i inputs = _mm256_set1_epi32(pair);
          for (int v = 0; v < kVectors; ++v)
            sums[p][v] = _mm256_add_epi32(sums[p][v], _mm256_madd_epi16(inputs, weights[v]));
        }
      }
    }
    int32_t* row = block.acc + int64_t{b} * shape().block_out;
    for (int p = 0; p < kCount; ++p, row += block.acc_stride) {
      for (int v = 0; v < kVectors; ++v) Update(row, out + v * kVector, sums[p][v], block.overwrite);
    }
  }

  /// Adds a vector of sums to lanes [at, at + 8) of `row`, as far as the row goes.
  COSIM_AVX2 void Update(int32_t* row, int at, __m256i sum, bool overwrite) const {
    const __m128i shift = _mm_cvtsi32_si128(32 - shape().acc_bits);
    int32_t* lanes = row + at;
    if (shape().block_out - at >= kVector) {
      auto* vector = reinterpret_cast<__m256i*>(lanes);
      if (!overwrite) sum = _mm256_add_epi32(sum, _mm256_loadu_si256(vector));
      _mm256_storeu_si256(vector, _mm256_sra_epi32(_mm256_sll_epi32(sum, shift), shift));
      return;
    }
    const __m256i numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(shape().block_out - at), numbers);
    if (!overwrite) sum = _mm256_add_epi32(sum, _mm256_maskload_epi32(lanes, mask));
    _mm256_maskstore_epi32(lanes, mask, _mm256_sra_epi32(_mm256_sll_epi32(sum, shift), shift));
  }

  PackedInputs<int16_t, 0> inputs_;
  PackedWeights<int16_t, 2> weights_;
};

}  // namespace

std::unique_ptr<TileGemm> MakeAvx2TileGemm(const TileShape& shape, const SourceLanes& inp,
                                           const SourceLanes& wgt) {
  return std::make_unique<Avx2TileGemm>(shape, inp, wgt);
}

}  // namespace cosim::sim
#endif
