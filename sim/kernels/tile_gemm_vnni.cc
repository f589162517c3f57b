// SPDX-License-Identifier: Apache-2.0
// Tile GEMM on AVX-512 VNNI: vpdpbusd multiplies unsigned by signed bytes, so inputs are kept as x + 128, and
// each sum is corrected by -128 times the sum of the weights of its output, once a micro-op.
#if defined(__x86_64__)
// GCC 12's own header trips this warning (_mm512_undefined_epi32).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>

#include <cstring>

#include "sim/kernels/tile_gemm_levels.h"
#include "sim/kernels/tile_nest.h"
#include "sim/kernels/tile_packing.h"

#define COSIM_VNNI __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")))

namespace cosim::sim {
namespace {

constexpr int kVector = 16;  ///< outputs
/// Enough chains of additions to hide the latency of vpdpbusd, few enough pointers for the registers.
constexpr int kPositions = 16;

class VnniTileGemm final : public BlockedTileGemm {
 public:
  VnniTileGemm(const TileShape& shape, const SourceLanes& inp, const SourceLanes& wgt)
      : BlockedTileGemm(shape, kPositions),
        wgt_(wgt),
        inputs_(shape, inp, 4),
        weights_(shape, wgt, kVector),
        corrections_(wgt.elements * weights_.outs()) {
    InputsWritten(0, inp.elements);
    WeightsWritten(0, wgt.elements);
  }

  TileStep Strides() const override {
    return {int64_t{shape().batch} * shape().block_out, inputs_.stride(), 1};
  }
  void InputsWritten(int64_t first, int64_t count) override { inputs_.Pack(first, count); }
  COSIM_VNNI void WeightsWritten(int64_t first, int64_t count) override {
    const bool by_fours =
        shape().wgt_k_stride == 1 && shape().block_in % 4 == 0 && weights_.outs() == shape().block_out;
    if (!by_fours) weights_.Pack(first, count);
    const __m512i rows =
        _mm512_mullo_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                           _mm512_set1_epi32(shape().wgt_o_stride));
    const __m512i offset = _mm512_set1_epi8(static_cast<char>(128));
    for (int64_t e = first; e < first + count; ++e) {
      const int8_t* element = wgt_.i8 + e * shape().block_out * shape().block_in;
      for (int o = 0; o < weights_.outs(); o += kVector) {
        __m512i sum = _mm512_setzero_si512();
        for (int g = 0; g < weights_.groups(); ++g) {
          int8_t* packed = weights_.Group(e, g, o);
          if (by_fours)
            _mm512_store_si512(packed,
                               _mm512_i32gather_epi32(rows, element + o * shape().wgt_o_stride + 4 * g, 1));
          sum = _mm512_dpbusd_epi32(sum, offset, _mm512_load_si512(packed));
        }
        _mm512_store_si512(corrections_.data() + e * weights_.outs() + o,
                           _mm512_sub_epi32(_mm512_setzero_si512(), sum));
      }
    }
  }

 private:
  void RunBlock(const TileBlock& block) const override {
    WithConstant<kPositions>(block.positions, [&](auto positions) { Compute<positions>(block); });
  }

  template <int kCount>
  COSIM_VNNI void Compute(const TileBlock& block) const {
    for (int b = 0; b < shape().batch; ++b) {
      for (int o = 0; o < weights_.outs(); o += kVector) Outputs<kCount>(block, b, o);
    }
  }

  /// Outputs [out, out + kVector) of row b of each position.
  template <int kCount>
  COSIM_VNNI void Outputs(const TileBlock& block, int b, int out) const {
    __m512i sums[kCount];
#pragma GCC unroll 16  // else the sums go through memory
    for (__m512i& sum : sums) sum = _mm512_setzero_si512();
    __m512i correction = _mm512_setzero_si512();
    constexpr int kHalf = (kCount + 1) / 2;  // positions a pointer
    const int64_t stride = block.src_stride;
    const int groups = weights_.groups();
    const int64_t group_bytes = int64_t{weights_.outs()} * 4;
    for (const TileStep& uop : block.uops) {
      const int64_t element = block.wgt + uop.wgt;
      correction = _mm512_add_epi32(correction,
                                    _mm512_load_si512(corrections_.data() + element * weights_.outs() + out));
      const uint8_t* x = inputs_.data() + block.src + uop.src + int64_t{b} * inputs_.row();
      const int8_t* w = weights_.Group(element, 0, out);
      const uint8_t* y = x + kHalf * stride;
      for (int g = 0; g < groups; ++g, x += 4, y += 4, w += group_bytes) {
        const __m512i weights = _mm512_load_si512(w);
        for (int p = 0; p < kCount; ++p) {
          int32_t four;
          std::memcpy(&four, p < kHalf ? x + p * stride : y + (p - kHalf) * stride, sizeof(four));
          sums[p] = _mm512_dpbusd_epi32(sums[p], _mm512_set1_epi32(four), weights);
        }
      }
    }
    int32_t* lanes = block.acc + int64_t{b} * shape().block_out + out;
#pragma GCC unroll 16
    for (int p = 0; p < kCount; ++p) {
      Update(lanes + p * block.acc_stride, shape().block_out - out, _mm512_add_epi32(sums[p], correction),
             block.overwrite);
    }
  }

  /// Adds 16 sums to `lanes`, of which the first `left` are the row's.
  COSIM_VNNI void Update(int32_t* lanes, int left, __m512i sum, bool overwrite) const {
    const __mmask16 mask = left >= kVector ? 0xffff : static_cast<__mmask16>((1u << left) - 1);
    if (!overwrite) sum = _mm512_add_epi32(sum, _mm512_maskz_loadu_epi32(mask, lanes));
    const __m128i shift = _mm_cvtsi32_si128(32 - shape().acc_bits);
    _mm512_mask_storeu_epi32(lanes, mask, _mm512_sra_epi32(_mm512_sll_epi32(sum, shift), shift));
  }

  SourceLanes wgt_;
  PackedInputs<uint8_t, 128> inputs_;
  PackedWeights<int8_t, 4> weights_;
  AlignedBuffer<int32_t> corrections_;  ///< by element and output: -128 times the sum of its weights
};

}  // namespace

std::unique_ptr<TileGemm> MakeVnniTileGemm(const TileShape& shape, const SourceLanes& inp,
                                           const SourceLanes& wgt) {
  return std::make_unique<VnniTileGemm>(shape, inp, wgt);
}

}  // namespace cosim::sim
#endif
