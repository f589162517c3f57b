// SPDX-License-Identifier: Apache-2.0
// Tile GEMM on AVX-512 VNNI: vpdpbusd multiplies unsigned by signed bytes, so weights are kept as w + 128,
// inputs are the signed side, and each sum begins at -128 times the sum of its inputs, kept per input row.
#if defined(__x86_64__)
// GCC 12's own header trips this warning (_mm512_undefined_epi32).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>

#include <cstring>

#include "sim/kernels/tile_gemm_levels.h"
#include "sim/kernels/tile_packing.h"

#define COSIM_VNNI __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")))
#define COSIM_VNNI_INLINE \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni"), always_inline))

namespace cosim::sim {
namespace {

/// One step's addresses.
struct Tile {
  int32_t* dst;
  const int8_t* src;
  const int32_t* correction;  ///< one a row of src
  const uint8_t* wgt;
};

/// kGroups fours of k, kVectors vectors of 16 outputs, known when compiled (and the outputs fill them); 0: as
/// in `shape`.
template <int kGroups, int kVectors>
class VnniTileGemm final : public TileGemm {
 public:
  VnniTileGemm(const TileShape& shape, const SourceLanes& inp, const SourceLanes& wgt)
      : shape_(shape), inp_(inp.i8), corrections_(inp.elements * shape.batch), weights_(shape, wgt, 16) {
    InputsWritten(0, inp.elements);
    WeightsWritten(0, wgt.elements);
  }

  TileStep Strides() const override {
    return {int64_t{shape_.batch} * shape_.block_out, 1, weights_.stride()};
  }

  void InputsWritten(int64_t first, int64_t count) override {
    const int64_t ins = shape_.block_in;
    for (int64_t r = first * shape_.batch; r < (first + count) * shape_.batch; ++r) {
      int32_t sum = 0;
      for (int64_t k = 0; k < ins; ++k) sum += inp_[r * ins + k];
      corrections_[r] = -128 * sum;
    }
  }
  void WeightsWritten(int64_t first, int64_t count) override { weights_.Pack(first, count); }

  void Run(int32_t* acc, const TileNest& nest, TileMode mode) const override {
    const bool wraps = shape_.acc_bits < 32;
    switch (mode) {
      case TileMode::kReset:
        return RunNest<TileMode::kReset, false>(acc, nest);
      case TileMode::kOverwrite:
        return wraps ? RunNest<TileMode::kOverwrite, true>(acc, nest)
                     : RunNest<TileMode::kOverwrite, false>(acc, nest);
      case TileMode::kAccumulate:
        return wraps ? RunNest<TileMode::kAccumulate, true>(acc, nest)
                     : RunNest<TileMode::kAccumulate, false>(acc, nest);
    }
  }

 private:
  template <TileMode kMode, bool kWraps>
  COSIM_VNNI void RunNest(int32_t* acc, const TileNest& nest) const {
    const int64_t batch = kVectors != 0 ? 1 : shape_.batch;
    const int64_t src_lanes = kGroups != 0 ? kGroups * 4 : batch * shape_.block_in;
    for (int64_t i = 0; i < nest.iter_out; ++i) {
      for (int64_t j = 0; j < nest.iter_in; ++j) {
        int32_t* dst = acc + i * nest.outer.dst + j * nest.inner.dst;
        const int64_t src = i * nest.outer.src + j * nest.inner.src;
        const uint8_t* wgt = weights_.data() + i * nest.outer.wgt + j * nest.inner.wgt;
        for (const TileStep& uop : nest.uops) {
          const int64_t element = src + uop.src;
          Step<kMode, kWraps>({dst + uop.dst, inp_ + element * src_lanes,
                               corrections_.data() + element * batch, wgt + uop.wgt});
        }
      }
    }
  }

  template <TileMode kMode, bool kWraps>
  COSIM_VNNI_INLINE inline void Step(const Tile& tile) const {
    const int vectors = kVectors != 0 ? kVectors : weights_.outs() / 16;
    const int groups = kGroups != 0 ? kGroups : weights_.groups();
    const int batch = kVectors != 0 ? 1 : shape_.batch;
    const int ins = kGroups != 0 ? kGroups * 4 : shape_.block_in;
    for (int b = 0; b < batch; ++b) {
      const int8_t* x = tile.src + int64_t{b} * ins;
      int32_t* row = tile.dst + int64_t{b} * shape_.block_out;
      for (int v = 0; v < vectors; ++v) {
        __m512i sum = _mm512_set1_epi32(tile.correction[b]);
        if (kMode != TileMode::kReset) {
          const uint8_t* w = tile.wgt + v * 64;
          for (int g = 0; g < groups; ++g, w += vectors * 64) {
            int32_t four;
            std::memcpy(&four, x + 4 * g, sizeof(four));
            sum = _mm512_dpbusd_epi32(sum, _mm512_load_si512(w), _mm512_set1_epi32(four));
          }
        } else {
          sum = _mm512_setzero_si512();
        }
        Update<kMode, kWraps>(row + v * 16, shape_.block_out - v * 16, sum);
      }
    }
  }

  /// Adds 16 sums to `lanes`, of which the first `left` are the row's.
  template <TileMode kMode, bool kWraps>
  COSIM_VNNI_INLINE inline void Update(int32_t* lanes, int left, __m512i sum) const {
    const __mmask16 mask = kVectors != 0 || left >= 16 ? 0xffff : static_cast<__mmask16>((1u << left) - 1);
    if (kMode == TileMode::kAccumulate) sum = _mm512_add_epi32(sum, _mm512_maskz_loadu_epi32(mask, lanes));
    if (kWraps) {
      const __m128i shift = _mm_cvtsi32_si128(32 - shape_.acc_bits);
      sum = _mm512_sra_epi32(_mm512_sll_epi32(sum, shift), shift);
    }
    _mm512_mask_storeu_epi32(lanes, mask, sum);
  }

  TileShape shape_;
  const int8_t* inp_;
  AlignedBuffer<int32_t> corrections_;  ///< -128 * sum of a row of inputs
  PackedWeights<uint8_t, 4, 128> weights_;
};

}  // namespace

std::unique_ptr<TileGemm> MakeVnniTileGemm(const TileShape& shape, const SourceLanes& inp,
                                           const SourceLanes& wgt) {
  const auto is = [&](int block) {
    return shape.batch == 1 && shape.block_in == block && shape.block_out == block;
  };
  if (is(16)) return std::make_unique<VnniTileGemm<4, 1>>(shape, inp, wgt);
  if (is(32)) return std::make_unique<VnniTileGemm<8, 2>>(shape, inp, wgt);
  return std::make_unique<VnniTileGemm<0, 0>>(shape, inp, wgt);
}

}  // namespace cosim::sim
#endif
