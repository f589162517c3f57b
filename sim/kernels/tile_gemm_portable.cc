// SPDX-License-Identifier: Apache-2.0
// Tile GEMM in plain C++: 16-bit sources, weights transposed so that the inner loop runs over a vector of
// outputs, whose sums stay in registers.
#include <algorithm>

#include "sim/kernels/tile_gemm_levels.h"
#include "sim/kernels/tile_nest.h"
#include "sim/kernels/tile_packing.h"

namespace cosim::sim {
namespace {

constexpr int kVector = 8;  ///< outputs

/// Wraps to 32 - `shift` bits, sign-extended.
int32_t Wrap(uint32_t value, int shift) { return static_cast<int32_t>(value << shift) >> shift; }

class PortableTileGemm final : public BlockedTileGemm {
 public:
  PortableTileGemm(const TileShape& shape, const SourceLanes& inp, const SourceLanes& wgt)
      : BlockedTileGemm(shape, 1), inputs_(shape, inp, 1), weights_(shape, wgt, kVector) {
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
    for (int b = 0; b < shape().batch; ++b) {
      for (int o = 0; o < weights_.outs(); o += kVector) Outputs(block, b, o);
    }
  }

  /// Outputs [out, out + kVector) of row b, as far as the row goes.
  void Outputs(const TileBlock& block, int b, int out) const {
    uint32_t sums[kVector] = {};
    for (const TileStep& uop : block.uops) {
      const int16_t* x = inputs_.data() + block.src + uop.src + int64_t{b} * inputs_.row();
      const int16_t* w = weights_.data() + block.wgt + uop.wgt + out;
      for (int k = 0; k < shape().block_in; ++k, w += weights_.outs()) {
        for (int o = 0; o < kVector; ++o) sums[o] += static_cast<uint32_t>(int32_t{x[k]} * w[o]);
      }
    }
    int32_t* row = block.acc + int64_t{b} * shape().block_out + out;
    const int shift = 32 - shape().acc_bits;
    for (int o = 0; o < std::min(kVector, shape().block_out - out); ++o) {
      const uint32_t before = block.overwrite ? 0 : static_cast<uint32_t>(row[o]);
      row[o] = Wrap(before + sums[o], shift);
    }
  }

  PackedInputs<int16_t, 0> inputs_;
  PackedWeights<int16_t, 1> weights_;
};

}  // namespace

std::unique_ptr<TileGemm> MakePortableTileGemm(const TileShape& shape, const SourceLanes& inp,
                                               const SourceLanes& wgt) {
  return std::make_unique<PortableTileGemm>(shape, inp, wgt);
}

}  // namespace cosim::sim
