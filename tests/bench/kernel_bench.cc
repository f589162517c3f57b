// SPDX-License-Identifier: Apache-2.0
// The tile GEMM of the simulators at each SIMD level, on the nest of a 3x3 convolution. Items are
// multiply-accumulates.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "sim/kernels/aligned_buffer.h"
#include "sim/kernels/tile_gemm.h"

namespace cosim::sim {
namespace {

constexpr int kBlock = 16;
constexpr int64_t kInputs = 1024, kWeights = 144, kOutputs = 784;

void TileGemmNest(benchmark::State& state, SimdLevel level) {
  AlignedBuffer<int8_t> inp(kInputs * kBlock), wgt(kWeights * kBlock * kBlock);
  for (int64_t i = 0; i < inp.size(); ++i) inp[i] = static_cast<int8_t>(i * 37);
  for (int64_t i = 0; i < wgt.size(); ++i) wgt[i] = static_cast<int8_t>(i * 53);
  std::vector<int32_t> acc(kOutputs * kBlock);
  const TileShape shape{
      .batch = 1, .block_in = kBlock, .block_out = kBlock, .wgt_o_stride = kBlock, .wgt_k_stride = 1};
  const auto gemm = MakeTileGemm(level, shape, {.i8 = inp.data(), .elements = kInputs},
                                 {.i8 = wgt.data(), .elements = kWeights});
  gemm->InputsWritten(0, kInputs);
  gemm->WeightsWritten(0, kWeights);
  const TileStep strides = gemm->Strides();
  std::vector<TileStep> uops;
  for (int k = 0; k < 9; ++k) uops.push_back({0, (k / 3 * 30 + k % 3) * strides.src, k * strides.wgt});
  const TileNest nest{.iter_out = 28,
                      .iter_in = 28,
                      .outer = {28 * strides.dst, 30 * strides.src, 0},
                      .inner = {strides.dst, strides.src, 0},
                      .uops = uops};
  for (auto _ : state) {
    gemm->Run(acc.data(), nest, TileMode::kAccumulate);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * 28 * 28 * 9 * kBlock * kBlock);
}

const bool registered = [] {
  for (const SimdLevel level : kSimdLevels) {
    if (!IsSupported(level)) continue;
    benchmark::RegisterBenchmark(("tile_gemm/" + std::string(SimdLevelName(level))).c_str(), TileGemmNest,
                                 level);
  }
  return true;
}();

}  // namespace
}  // namespace cosim::sim
