// SPDX-License-Identifier: Apache-2.0
// Tile GEMM in plain C++: 16-bit sources, weights transposed so that the inner loop runs over outputs.
#include <cstring>
#include <vector>

#include "sim/kernels/tile_gemm_levels.h"
#include "sim/kernels/tile_packing.h"

namespace cosim::sim {
namespace {

/// Wraps to 32 - `shift` bits, sign-extended.
int32_t Wrap(uint32_t value, int shift) { return static_cast<int32_t>(value << shift) >> shift; }

/// kOut, kIn: extents known when compiled; 0: as in `shape`.
template <int kOut, int kIn>
class PortableTileGemm final : public TileGemm {
 public:
  PortableTileGemm(const TileShape& shape, const SourceLanes& inp, const SourceLanes& wgt)
      : shape_(shape), inputs_(shape, inp, 1), weights_(shape, wgt, 1) {
    InputsWritten(0, inp.elements);
    WeightsWritten(0, wgt.elements);
  }

  TileStep Strides() const override {
    return {int64_t{shape_.batch} * shape_.block_out, inputs_.stride(), weights_.stride()};
  }
  void InputsWritten(int64_t first, int64_t count) override { inputs_.Pack(first, count); }
  void WeightsWritten(int64_t first, int64_t count) override { weights_.Pack(first, count); }

  void Run(int32_t* acc, const TileNest& nest, TileMode mode) const override {
    std::vector<uint32_t> sums(shape_.block_out);
    for (int64_t i = 0; i < nest.iter_out; ++i) {
      for (int64_t j = 0; j < nest.iter_in; ++j) {
        int32_t* dst = acc + i * nest.outer.dst + j * nest.inner.dst;
        const int16_t* src = inputs_.data() + i * nest.outer.src + j * nest.inner.src;
        const int16_t* wgt = weights_.data() + i * nest.outer.wgt + j * nest.inner.wgt;
        for (const TileStep& uop : nest.uops) {
          Step(dst + uop.dst, src + uop.src, wgt + uop.wgt, mode, sums.data());
        }
      }
    }
  }

 private:
  void Step(int32_t* dst, const int16_t* src, const int16_t* wgt, TileMode mode, uint32_t* sums) const {
    const int outs = kOut != 0 ? kOut : shape_.block_out;
    const int ins = kIn != 0 ? kIn : shape_.block_in;
    if (mode == TileMode::kReset) {
      std::memset(dst, 0, sizeof(int32_t) * outs * shape_.batch);
      return;
    }
    const int shift = 32 - shape_.acc_bits;
    for (int b = 0; b < shape_.batch; ++b) {
      std::memset(sums, 0, sizeof(uint32_t) * outs);
      for (int k = 0; k < ins; ++k) {
        const int32_t x = src[b * ins + k];
        for (int o = 0; o < outs; ++o) sums[o] += static_cast<uint32_t>(x * wgt[k * outs + o]);
      }
      int32_t* row = dst + b * outs;
      for (int o = 0; o < outs; ++o) {
        const uint32_t before = mode == TileMode::kAccumulate ? static_cast<uint32_t>(row[o]) : 0;
        row[o] = Wrap(before + sums[o], shift);
      }
    }
  }

  TileShape shape_;
  WideInputs inputs_;
  PackedWeights<int16_t, 1, 0> weights_;
};

}  // namespace

std::unique_ptr<TileGemm> MakePortableTileGemm(const TileShape& shape, const SourceLanes& inp,
                                               const SourceLanes& wgt) {
  if (shape.block_out == 16 && shape.block_in == 16) {
    return std::make_unique<PortableTileGemm<16, 16>>(shape, inp, wgt);
  }
  return std::make_unique<PortableTileGemm<0, 0>>(shape, inp, wgt);
}

}  // namespace cosim::sim
