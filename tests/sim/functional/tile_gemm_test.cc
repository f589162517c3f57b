// SPDX-License-Identifier: Apache-2.0
// Every SIMD level of the tile GEMM against three loops, over shapes that fill vectors and shapes that do
// not.
#include "sim/kernels/tile_gemm.h"

#include <gmock/gmock.h>

#include "sim/kernels/aligned_buffer.h"
#include "tests/sim/golden/random.h"

namespace cosim::sim {
namespace {

using cosim::testing::Random;

constexpr int64_t kElements = 5;

/// Sources and accumulators of kElements elements each.
template <class Inp, class Wgt>
struct Case {
  TileShape shape;
  AlignedBuffer<Inp> inp;
  AlignedBuffer<Wgt> wgt;
  std::vector<int32_t> acc;

  Case(const TileShape& s, Random& random)
      : shape(s),
        inp(kElements * s.batch * s.block_in),
        wgt(kElements * s.block_out * s.block_in),
        acc(kElements * s.batch * s.block_out) {
    for (int64_t i = 0; i < inp.size(); ++i) inp[i] = static_cast<Inp>(random.Value({sizeof(Inp) * 8, true}));
    for (int64_t i = 0; i < wgt.size(); ++i) wgt[i] = static_cast<Wgt>(random.Value({sizeof(Wgt) * 8, true}));
    for (int32_t& value : acc) value = static_cast<int32_t>(random.Value({s.acc_bits, true}));
  }

  static SourceLanes Lanes(const int8_t* lanes) { return {.i8 = lanes, .elements = kElements}; }
  static SourceLanes Lanes(const int16_t* lanes) { return {.i16 = lanes, .elements = kElements}; }

  void Step(std::vector<int32_t>& to, const TileStep& e, TileMode mode) const {
    for (int b = 0; b < shape.batch; ++b) {
      for (int o = 0; o < shape.block_out; ++o) {
        int32_t& lane = to[(e.dst * shape.batch + b) * shape.block_out + o];
        uint64_t sum = mode == TileMode::kAccumulate ? static_cast<uint64_t>(int64_t{lane}) : 0;
        for (int k = 0; k < shape.block_in && mode != TileMode::kReset; ++k) {
          const int64_t x = inp[(e.src * shape.batch + b) * shape.block_in + k];
          const int64_t w =
              wgt[e.wgt * shape.block_out * shape.block_in + o * shape.wgt_o_stride + k * shape.wgt_k_stride];
          sum += static_cast<uint64_t>(x * w);
        }
        lane = static_cast<int32_t>(static_cast<uint32_t>(sum) << (32 - shape.acc_bits)) >>
               (32 - shape.acc_bits);
      }
    }
  }

  std::vector<int32_t> Expected(const std::vector<TileStep>& uops, TileMode mode) const {
    std::vector<int32_t> result = acc;
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        for (const TileStep& uop : uops)
          Step(result, {uop.dst + i + j, uop.src + 2 * i + j, uop.wgt + i}, mode);
      }
    }
    return result;
  }

  std::vector<int32_t> Actual(const std::vector<TileStep>& uops, TileMode mode, SimdLevel level) const {
    auto gemm = MakeTileGemm(level, shape, Lanes(inp.data()), Lanes(wgt.data()));
    const TileStep s = gemm->Strides();
    std::vector<TileStep> scaled;
    for (const TileStep& uop : uops) scaled.push_back({uop.dst * s.dst, uop.src * s.src, uop.wgt * s.wgt});
    std::vector<int32_t> result = acc;
    gemm->Run(result.data(), {2, 2, {s.dst, 2 * s.src, s.wgt}, {s.dst, s.src, 0}, scaled}, mode);
    return result;
  }
};

template <class Inp, class Wgt>
void CompareAllLevels(const TileShape& shape, Random& random) {
  const Case<Inp, Wgt> data(shape, random);
  const std::vector<TileStep> uops = {{0, 0, 0}, {2, 1, 3}, {2, 1, 1}, {1, 0, 2}};
  for (const TileMode mode : {TileMode::kAccumulate, TileMode::kOverwrite, TileMode::kReset}) {
    const std::vector<int32_t> expected = data.Expected(uops, mode);
    for (const SimdLevel level : kSimdLevels) {
      if (!IsSupported(level)) continue;
      EXPECT_EQ(data.Actual(uops, mode, level), expected)
          << SimdLevelName(level) << " batch " << shape.batch << " in " << shape.block_in << " out "
          << shape.block_out << " acc " << shape.acc_bits << " inp " << sizeof(Inp) << " wgt " << sizeof(Wgt);
    }
  }
}

TEST(TileGemm, MatchesThreeLoopsOnEveryLevel) {
  Random random(1);
  for (int n = 0; n < 150; ++n) {
    TileShape shape;
    shape.batch = static_cast<int>(random.Between(1, 4));
    shape.block_in = static_cast<int>(random.OneIn(3) ? 16 : random.Between(1, 64));
    shape.block_out = static_cast<int>(random.OneIn(3) ? 16 : random.Between(1, 64));
    if (random.OneIn(5)) shape.block_in = shape.block_out = 32;
    shape.acc_bits = static_cast<int>(random.OneIn(2) ? 32 : random.Between(17, 32));
    const bool transposed = random.OneIn(3);
    shape.wgt_o_stride = transposed ? 1 : shape.block_in;
    shape.wgt_k_stride = transposed ? shape.block_out : 1;
    CompareAllLevels<int8_t, int8_t>(shape, random);
    CompareAllLevels<int16_t, int8_t>(shape, random);
    CompareAllLevels<int16_t, int16_t>(shape, random);
  }
}

TEST(TileGemm, SeesSourcesWrittenAfterItWasMade) {
  Random random(2);
  TileShape shape{.batch = 1, .block_in = 16, .block_out = 16, .wgt_o_stride = 16, .wgt_k_stride = 1};
  Case<int8_t, int8_t> data(shape, random);
  for (const SimdLevel level : kSimdLevels) {
    if (!IsSupported(level)) continue;
    auto gemm = MakeTileGemm(level, shape, data.Lanes(data.inp.data()), data.Lanes(data.wgt.data()));
    data.inp[3 * 16 + 5] = static_cast<int8_t>(data.inp[3 * 16 + 5] ^ 0x55);
    data.wgt[4 * 256 + 7] = static_cast<int8_t>(data.wgt[4 * 256 + 7] ^ 0x33);
    gemm->InputsWritten(3, 1);
    gemm->WeightsWritten(4, 1);
    const TileStep s = gemm->Strides();
    const std::vector<TileStep> uops = {{0, 3 * s.src, 4 * s.wgt}};
    std::vector<int32_t> actual = data.acc, expected = data.acc;
    gemm->Run(actual.data(), {1, 1, {}, {}, uops}, TileMode::kAccumulate);
    data.Step(expected, {0, 3, 4}, TileMode::kAccumulate);
    EXPECT_EQ(actual, expected) << SimdLevelName(level);
  }
}

TEST(SimdLevel, NamesReadBack) {
  for (const SimdLevel level : kSimdLevels) EXPECT_EQ(ParseSimdLevel(SimdLevelName(level)), level);
  EXPECT_EQ(ParseSimdLevel("sse9"), std::nullopt);
  EXPECT_TRUE(IsSupported(SimdLevel::kPortable));
  EXPECT_TRUE(IsSupported(BestSimdLevel()));
}

}  // namespace
}  // namespace cosim::sim
