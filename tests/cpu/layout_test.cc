// SPDX-License-Identifier: Apache-2.0
// Layout conversions against the index formulas in compiler/layouts/layout.h.
#include "compiler/layouts/layout.h"

#include <gtest/gtest.h>

#include "tests/cpu/blocked.h"
#include "tests/cpu/graph_testing.h"

namespace cosim::cpu {
namespace {

using graph::Shape;
using graph::Tensor;
using layouts::BlockedShape;
using layouts::Blocking;
using layouts::MatrixTiling;
using layouts::PackBlocked;
using layouts::PackMatrices;
using layouts::PackPatches;
using layouts::PatchShape;
using layouts::UnpackBlocked;

Tensor Convert(const tir::Function& function, Tensor source, const Shape& shape) {
  Tensor result(graph::TensorType{graph::DType::kInt8, shape});
  JitCompiler().Compile(function)->Run(std::vector<void*>{Data(source), Data(result)});
  return result;
}

const std::vector<std::pair<Shape, Blocking>>& Cases() {
  static const std::vector<std::pair<Shape, Blocking>> cases = {
      {{1, 64, 14, 14}, {1, 16}},
      {{1, 3, 5, 7}, {1, 16}},
      {{3, 20, 3, 4}, {2, 16}},
      {{5, 7, 1, 9}, {4, 1}},
      {{1, 40}, {1, 16}},
      {{3, 33}, {2, 8}},
      {{1, 30, 3, 5}, {.inner = 12, .gap = 4}},
      {{4, 30, 2, 3}, {.outer = 3, .inner = 5, .gap = 1}}};
  return cases;
}

TEST(Layout, PacksBlocksAndFillsTheirRest) {
  Randoms random(1);
  for (const auto& [shape, blocking] : Cases()) {
    const Tensor plain = random.Int8(shape);
    EXPECT_TRUE(Convert(PackBlocked("pack", shape, blocking, -5), plain, BlockedShape(shape, blocking)) ==
                Blocked(plain, blocking, -5));
  }
}

TEST(Layout, UnpackingUndoesPacking) {
  Randoms random(2);
  for (const auto& [shape, blocking] : Cases()) {
    const Tensor plain = random.Int8(shape);
    EXPECT_TRUE(Convert(UnpackBlocked("unpack", shape, blocking), Blocked(plain, blocking, 99), shape) ==
                plain);
  }
}

struct PatchCase {
  Shape x, w;
  graph::Conv2d op;
  Blocking blocking;
};

const std::vector<PatchCase>& PatchCases() {
  static const std::vector<PatchCase> cases = {
      {{1, 3, 20, 21},
       {20, 3, 7, 7},
       {.stride = {2, 2}, .pad = {3, 3, 3, 3}, .input_zero_point = -7},
       {1, 16}},
      {{2, 2, 6, 5},
       {3, 2, 3, 2},
       {.stride = {1, 2}, .pad = {0, 1, 2, 1}, .dilation = {2, 1}, .input_zero_point = 4},
       {2, 8}},
      {{1, 16, 4, 4}, {16, 16, 1, 1}, {}, {1, 16}},
      {{2, 5, 6, 5}, {3, 5, 3, 2}, {.pad = {1, 1, 1, 0}, .input_zero_point = 3}, {.inner = 12, .gap = 4}},
      {{4, 5, 6, 5}, {3, 5, 3, 2}, {}, {.outer = 3, .inner = 12, .gap = 28}}};
  return cases;
}

TEST(Layout, PatchesAreTheTapsOfTheConvolution) {
  Randoms random(3);
  for (const PatchCase& c : PatchCases()) {
    const Tensor image = random.Int8(c.x);
    const Shape shape = PatchShape(c.x, c.w, c.op);
    Tensor patches(graph::TensorType{graph::DType::kInt8, shape});
    auto out = patches.mutable_data<int8_t>().begin();
    for (int64_t n = 0; n < shape[0]; ++n) {
      for (int64_t p = 0; p < shape[1]; ++p) {
        const int64_t channel = p % c.x[1], kw = p / c.x[1] % c.w[3], kh = p / c.x[1] / c.w[3];
        for (int64_t y = 0; y < shape[2]; ++y) {
          for (int64_t x = 0; x < shape[3]; ++x) {
            const int64_t h = y * c.op.stride[0] - c.op.pad[0] + kh * c.op.dilation[0];
            const int64_t w = x * c.op.stride[1] - c.op.pad[1] + kw * c.op.dilation[1];
            const bool inside = h >= 0 && h < c.x[2] && w >= 0 && w < c.x[3];
            const int64_t index = ((n * c.x[1] + channel) * c.x[2] + h) * c.x[3] + w;
            *out++ = inside ? image.data<int8_t>()[index] : static_cast<int8_t>(c.op.input_zero_point);
          }
        }
      }
    }
    // Channels that only blocking adds are left out: whatever they hold, their weights are 0.
    const Tensor packed =
        Convert(PackPatches("patches", c.x, c.w, c.op, c.blocking), image, BlockedShape(shape, c.blocking));
    EXPECT_TRUE(Convert(UnpackBlocked("unpack", shape, c.blocking), packed, shape) == patches);
  }
}

TEST(Layout, AnImageHasItsBorderAndItsPixelsWhole) {
  Randoms random(4);
  const Shape shape = {2, 3, 4, 5};
  const graph::Conv2d op{.pad = {1, 2, 0, 1}, .input_zero_point = 7};
  for (const bool channels_last : {false, true}) {
    const Tensor image = random.Int8(channels_last ? Shape{2, 4, 5, 3} : shape);
    const Tensor packed =
        Convert(layouts::PackImage("image", shape, op, 6, 8, 8, channels_last), image, {2, 6, 8, 3});
    for (int64_t n = 0; n < 2; ++n)
      for (int64_t y = 0; y < 6; ++y)
        for (int64_t x = 0; x < 8; ++x)
          for (int64_t c = 0; c < 3; ++c) {
            const int64_t h = y - 1, w = x - 2;
            const bool inside = h >= 0 && h < 4 && w >= 0 && w < 5;
            const int64_t at = channels_last ? ((n * 4 + h) * 5 + w) * 3 + c : ((n * 3 + c) * 4 + h) * 5 + w;
            EXPECT_EQ(packed.data<int8_t>()[((n * 6 + y) * 8 + x) * 3 + c],
                      inside ? image.data<int8_t>()[at] : 7);
          }
  }
}

TEST(Layout, MatricesAreTilesOfWeightsWithTheirGaps) {
  Randoms random(5);
  const Shape shape = {2, 10, 3, 4};
  for (const bool transposed : {false, true}) {
    const int64_t rows = 5, pixels = 12, results = transposed ? rows : pixels,
                  sums = transposed ? pixels : rows;
    for (const int64_t gap : {0, 7}) {
      const MatrixTiling t{2, transposed, 3, 6, 4, 4, 8, 8, gap};
      const Tensor plain = random.Int8(shape);
      std::vector<int8_t> tiles;
      for (int64_t matrix = 0; matrix < 4; ++matrix)
        for (int64_t o = 0; o < (results + 5) / 6 * 2; ++o)
          for (int64_t i = 0; i < (sums + 3) / 4; ++i) {
            for (int64_t at = 0; at < 12; ++at) {
              const int64_t result = o * 3 + at / 4, sum = i * 4 + at % 4;
              const int64_t row = transposed ? result : sum, pixel = transposed ? sum : result;
              const int64_t index = (matrix * rows + row) * pixels + pixel;
              tiles.push_back(result < results && sum < sums ? plain.data<int8_t>()[index] : int8_t{0});
            }
            tiles.insert(tiles.end(), gap, 0);
          }
      const Shape flat = {static_cast<int64_t>(tiles.size())};
      EXPECT_TRUE(Convert(PackMatrices("matrices", shape, t), plain, flat) == Tensor(flat, tiles));
      for (const Blocking& blocking : {Blocking{1, 4}, Blocking{2, 3}, Blocking{.inner = 12, .gap = 4}})
        EXPECT_TRUE(Convert(PackMatrices("matrices", shape, t, blocking), Blocked(plain, blocking, 99),
                            flat) == Tensor(flat, tiles));
    }
  }
}

}  // namespace
}  // namespace cosim::cpu
