// SPDX-License-Identifier: Apache-2.0
// Schedules as the accelerator back end uses them, against convolutions and pooling written out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "compiler/te/lower.h"
#include "compiler/tir/simplify.h"
#include "compiler/tir/visitor.h"
#include "tests/te/accelerator_programs.h"
#include "tests/te/run.h"

namespace cosim::te {
namespace {

// How a tile of the output is chosen.
struct Tiling {
  int64_t co, y, x, ci;
  bool virtual_threads = false, resident_weights = false;
};

// The schedule of a blocked convolution: everything a tile needs is loaded, computed and stored inside its
// loop.
void ScheduleTiled(Schedule& s, const BlockedConv& conv, const Tiling& tiling) {
  const Tensor wgt = s.CacheRead(conv.weight, "wgt", {conv.acc});
  const Tensor par = s.CacheRead(conv.params, "par", {conv.q});
  const Tensor residual = s.CacheRead(conv.residual, "inp", {conv.q});
  s[conv.pad].SetScope("inp");
  s[conv.acc].SetScope("acc");
  s[conv.q].SetScope("out");

  Stage& res = s[conv.res];
  auto [co_outer, co] = res.Split(res.axis(1), tiling.co);
  const auto [y_outer, y] = res.Split(res.axis(2), tiling.y);
  const auto [x_outer, x] = res.Split(res.axis(3), tiling.x);
  Axis tile;
  if (tiling.virtual_threads) {
    const auto [co_outermost, thread] = res.Split(co_outer, 2);
    res.Reorder({y_outer, x_outer, co_outermost, thread, co, y, x});
    res.VirtualThread(thread);
    tile = thread;
  } else {
    res.Reorder({y_outer, x_outer, co_outer, co, y, x});
    tile = co_outer;
  }

  Stage& acc = s[conv.acc];
  acc.ComputeAt(res, tile);
  const auto [ci_outer, ci] = acc.Split(acc.reduce_axis(0), tiling.ci);
  acc.Reorder({ci_outer, acc.axis(0), ci, acc.reduce_axis(1), acc.reduce_axis(2), acc.axis(1), acc.axis(2),
               acc.axis(3), acc.axis(4), acc.axis(5), acc.reduce_axis(3)});
  acc.Tensorize(acc.axis(4));
  s[conv.pad].ComputeAt(acc, ci_outer);
  if (!tiling.resident_weights) s[wgt].ComputeAt(acc, ci_outer);
  for (const Tensor& tensor : {conv.q, par, residual}) s[tensor].ComputeAt(res, tile);
}

// The convolution with its epilogue, element by element.
std::vector<int8_t> Reference(const BlockedConv& conv, const ConvShape& s, const Arrays& arrays) {
  auto wrap = [](int64_t value) { return static_cast<int32_t>(static_cast<uint32_t>(value)); };
  std::vector<int8_t> out;
  for (int64_t co = 0; co < s.co_blocks; ++co)
    for (int64_t y = 0; y < s.out_height(); ++y)
      for (int64_t x = 0; x < s.out_width(); ++x)
        for (int64_t o = 0; o < s.block; ++o) {
          int64_t sum = 0;
          for (int64_t ci = 0; ci < s.ci_blocks; ++ci)
            for (int64_t ky = 0; ky < s.kernel; ++ky)
              for (int64_t kx = 0; kx < s.kernel; ++kx)
                for (int64_t i = 0; i < s.block; ++i) {
                  const int64_t iy = y * s.stride + ky - s.pad, ix = x * s.stride + kx - s.pad;
                  if (iy < 0 || iy >= s.height || ix < 0 || ix >= s.width) continue;
                  const int64_t d = ((ci * s.height + iy) * s.width + ix) * s.block + i;
                  const int64_t w =
                      ((((co * s.ci_blocks + ci) * s.kernel + ky) * s.kernel + kx) * s.block + o) * s.block +
                      i;
                  sum += int64_t{At<int8_t>(arrays[0], d)} * At<int8_t>(arrays[1], w);
                }
          const int64_t channel = (co * s.block + o) * 2;
          const int32_t scaled = wrap(wrap(sum * At<int32_t>(arrays[2], channel)) +
                                      int64_t{At<int32_t>(arrays[2], channel + 1)});
          const int64_t rounded = (int64_t{scaled} + 32) >> 6;
          const int64_t total = rounded + At<int8_t>(arrays[3], static_cast<int64_t>(out.size()));
          out.push_back(static_cast<int8_t>(std::clamp<int64_t>(total, -128, 127)));
        }
  EXPECT_EQ(conv.res.shape()[1], s.co_blocks);
  return out;
}

// Small parameters, so that outputs neither saturate everywhere nor vanish.
Arrays ConvData(const BlockedConv& conv) {
  Arrays arrays = RandomArrays(conv.args(), 3);
  for (size_t i = 0; i < arrays[2].size(); i += 4) {
    const int32_t value = static_cast<int32_t>(arrays[2][i]) % 5 - 2;
    std::memcpy(arrays[2].data() + i, &value, sizeof(value));
  }
  for (std::byte& byte : arrays[1]) byte = static_cast<std::byte>(static_cast<int>(byte) % 7 - 3);
  return arrays;
}

void ExpectConv(const ConvShape& shape, const std::function<void(Schedule&, const BlockedConv&)>& apply) {
  const BlockedConv conv(shape);
  Schedule schedule({conv.res});
  apply(schedule, conv);
  const tir::Function function = Lower(schedule, conv.args(), "conv");
  const Arrays arrays = ConvData(conv);
  const std::vector<int8_t> expected = Reference(conv, shape, arrays);
  const Arrays after = Execute(function, arrays);
  const auto* actual = reinterpret_cast<const int8_t*>(after[4].data());
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), actual)) << ToString(function);
  EXPECT_GT(std::count_if(expected.begin(), expected.end(), [](int8_t v) { return v > -128 && v < 127; }),
            static_cast<int64_t>(expected.size() / 8));
}

constexpr ConvShape kSmall = {
    .co_blocks = 4, .ci_blocks = 3, .height = 9, .width = 8, .kernel = 3, .stride = 1, .pad = 1, .block = 4};
constexpr ConvShape kStrided = {.co_blocks = 2,
                                .ci_blocks = 4,
                                .height = 11,
                                .width = 10,
                                .kernel = 3,
                                .stride = 2,
                                .pad = 1,
                                .block = 4};
constexpr ConvShape kDense = {
    .co_blocks = 3, .ci_blocks = 5, .height = 1, .width = 1, .kernel = 1, .stride = 1, .pad = 0, .block = 4};

TEST(AcceleratorScheduleTest, TilesAConvolution) {
  for (const ConvShape& shape : {kSmall, kStrided, kDense}) {
    for (const Tiling& tiling : {Tiling{1, 4, 8, 1}, Tiling{2, 3, 3, 2}, Tiling{2, 3, 4, 3, true},
                                 Tiling{1, 16, 16, 4, false, true}, Tiling{1, 2, 5, 2, true, true}}) {
      ExpectConv(shape, [&](Schedule& s, const BlockedConv& conv) { ScheduleTiled(s, conv, tiling); });
    }
  }
}

TEST(AcceleratorScheduleTest, RunsAConvolutionWithoutTiles) {
  for (const ConvShape& shape : {kSmall, kStrided, kDense}) {
    ExpectConv(shape, [](Schedule& s, const BlockedConv& conv) {
      s.CacheRead(conv.weight, "wgt", {conv.acc});
      s[conv.pad].SetScope("inp");
      s[conv.acc].SetScope("acc");
      Stage& acc = s[conv.acc];
      std::vector<Axis> order = acc.reduce_axes();
      order.pop_back();
      for (const Axis& axis : acc.axes()) order.push_back(axis);
      acc.Reorder(order);
      acc.Tensorize(acc.axis(4));
      s[conv.q].SetScope("out");
    });
  }
}

// The statement of a stage.
tir::Stmt FindStage(const tir::Function& function, const std::string& name) {
  tir::Stmt found;
  tir::ForEachStmt(function.body, [&](const tir::Stmt& stmt) {
    const auto* stage = tir::As<tir::Stage>(stmt);
    if (stage && stage->name == name) found = stage->body;
  });
  return found;
}

TEST(AcceleratorScheduleTest, LoadsABorderedTileWithAPlainCopyNest) {
  const BlockedConv conv(
      {.co_blocks = 4, .ci_blocks = 4, .height = 14, .width = 14, .kernel = 3, .stride = 2, .pad = 1});
  Schedule schedule({conv.res});
  ScheduleTiled(schedule, conv, {2, 4, 7, 2, true});
  const tir::Function function = Lower(schedule, conv.args(), "conv");
  EXPECT_EQ(ToString(FindStage(function, "pad")),
            "for n in 0..1:\n"
            "  for ci in 0..2:\n"
            "    for y in 0..(min(4, 7 - y.o * 4) * 2 + 1):\n"
            "      for x in 0..15:\n"
            "        for nb in 0..1:\n"
            "          for cii in 0..16:\n"
            "            pad[n, ci, y, x, nb, cii] = select(1 <= y.o * 8 + y && 1 <= x.o * 14 + x, "
            "data[n_1 + n, ci.o * 2 + ci, y.o * 8 + y - 1, x.o * 14 + x - 1, nb, cii], 0)\n");
}

TEST(AcceleratorScheduleTest, KeepsTheIntrinsicsLoopsInnermost) {
  const BlockedConv conv(
      {.co_blocks = 4, .ci_blocks = 4, .height = 14, .width = 14, .kernel = 3, .stride = 2, .pad = 1});
  Schedule schedule({conv.res});
  ScheduleTiled(schedule, conv, {2, 4, 7, 2});
  const tir::Function function = Lower(schedule, conv.args(), "conv");
  EXPECT_EQ(ToString(FindStage(function, "acc.update")),
            "for n in 0..1:\n"
            "  for ci.i in 0..2:\n"
            "    for ky in 0..3:\n"
            "      for kx in 0..3:\n"
            "        for co in 0..2:\n"
            "          for y in 0..min(4, 7 - y.o * 4):\n"
            "            for x in 0..7:\n"
            "              for nb in 0..1 tensorized:\n"
            "                for coi in 0..16 tensorized:\n"
            "                  for cii in 0..16 tensorized:\n"
            "                    acc[n, co, y, x, nb, coi] = acc[n, co, y, x, nb, coi] + "
            "int32(pad[n, ci.i, ky + y * 2, kx + x * 2, nb, cii]) * "
            "int32(weight.wgt[co, ci.i, ky, kx, coi, cii])\n");
}

TEST(AcceleratorScheduleTest, SizesBuffersByTheirTile) {
  const BlockedConv conv(
      {.co_blocks = 4, .ci_blocks = 4, .height = 14, .width = 14, .kernel = 3, .stride = 2, .pad = 1});
  Schedule schedule({conv.res});
  ScheduleTiled(schedule, conv, {2, 4, 7, 2});
  std::vector<std::string> declared;
  tir::ForEachStmt(Lower(schedule, conv.args(), "conv").body, [&](const tir::Stmt& stmt) {
    const auto* allocate = tir::As<tir::Allocate>(stmt);
    if (!allocate) return;
    std::string text = allocate->buffer->name + " " + allocate->buffer->scope;
    for (int64_t extent : allocate->buffer->shape) text += " " + std::to_string(extent);
    declared.push_back(text);
  });
  EXPECT_EQ(declared, (std::vector<std::string>{"acc acc 1 2 4 7 1 16", "params.par par 2 16 2",
                                                "residual.inp inp 1 2 4 7 1 16", "q out 1 2 4 7 1 16",
                                                "pad inp 1 2 9 15 1 16", "weight.wgt wgt 2 2 3 3 16 16"}));
}

TEST(AcceleratorScheduleTest, PoolsTilesOfABorderedImage) {
  const int64_t height = 9, width = 7, block = 4;
  const Tensor data = Placeholder("data", {1, 2, height, width, 1, block}, kInt8);
  const Tensor pad = Bordered(data, 1, tir::Int(-128, kInt8));
  const Axis ky = ReduceAxis(3, "ky"), kx = ReduceAxis(3, "kx");
  const Tensor pool = Compute("pool", {1, 2, 5, 4, 1, block}, [&](const Indices& i) {
    return MaxReduce(pad(i[0], i[1], i[2] * 2 + ky, i[3] * 2 + kx, i[4], i[5]), {ky, kx});
  });
  const Tensor res = Compute("res", pool.shape(), [&](const Indices& i) { return pool(i); });
  Schedule schedule({res});
  schedule[pad].SetScope("inp");
  schedule[pool].SetScope("out");
  Stage& result = schedule[res];
  const auto [yo, yi] = result.Split(result.axis(2), 2);
  const auto [xo, xi] = result.Split(result.axis(3), 3);
  result.Reorder({yo, xo, yi, xi});
  schedule[pool].ComputeAt(result, xo);
  schedule[pad].ComputeAt(result, xo);
  const Arrays arrays = RandomArrays({data, res}, 5);
  const Arrays after = Execute(Lower(schedule, {data, res}, "pool"), arrays);
  for (int64_t c = 0, at = 0; c < 2; ++c)
    for (int64_t y = 0; y < 5; ++y)
      for (int64_t x = 0; x < 4; ++x)
        for (int64_t o = 0; o < block; ++o, ++at) {
          int8_t most = -128;
          for (int64_t iy = std::max<int64_t>(y * 2 - 1, 0); iy < std::min(y * 2 + 2, height); ++iy)
            for (int64_t ix = std::max<int64_t>(x * 2 - 1, 0); ix < std::min(x * 2 + 2, width); ++ix)
              most = std::max(most, At<int8_t>(arrays[0], ((c * height + iy) * width + ix) * block + o));
          ASSERT_EQ(At<int8_t>(after[1], at), most) << c << " " << y << " " << x << " " << o;
        }
}

}  // namespace
}  // namespace cosim::te
