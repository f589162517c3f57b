// SPDX-License-Identifier: Apache-2.0
#include "runtime/layer_windows.h"

#include <gtest/gtest.h>

namespace cosim::runtime {
namespace {

const isa::Decoded kStore{.body = isa::Transfer{}}, kGemm{.body = isa::Gemm{}};

void ExpectWindow(const LayerWindow& window, int layer, Cycle begin, Cycle end) {
  EXPECT_EQ(window.layer, layer);
  EXPECT_EQ(window.begin, begin);
  EXPECT_EQ(window.end, end);
}

TEST(LayerWindows, EndWithTheLastRetirement) {
  const std::vector<int> layers = {0, 0, 2, 2};
  const std::vector<isa::Decoded> program = {kGemm, kStore, kGemm, kStore};
  const std::vector<InstructionTimes> times = {{5, 20}, {21, 30}, {40, 50}, {51, 60}};
  const auto windows = LayerWindows(layers, program, times, 61);
  ASSERT_EQ(windows.size(), 2u);
  ExpectWindow(windows[0], 0, 0, 30);
  ExpectWindow(windows[1], 2, 30, 61);
}

// 30 steps of layer 1 need 30 cycles: 20 that are left after layer 0's last store would not do.
TEST(LayerWindows, EndEarlierWhenTheArrayWorksForALaterLayer) {
  const std::vector<int> layers = {0, 0, 1};
  const std::vector<isa::Decoded> program = {kGemm, kStore, kGemm};
  const std::vector<InstructionTimes> times = {{5, 12}, {13, 30}, {15, 50}};
  const auto windows = LayerWindows(layers, program, times, 51);
  ExpectWindow(windows[0], 0, 0, 15);
  ExpectWindow(windows[1], 1, 15, 51);
}

TEST(LayerWindows, MayBeEmptyForWhatRunsBesideTheArray) {
  const std::vector<int> layers = {0, 1, 2};
  const std::vector<isa::Decoded> program = {kGemm, kStore, kGemm};
  const std::vector<InstructionTimes> times = {{5, 30}, {8, 40}, {20, 50}};
  const auto windows = LayerWindows(layers, program, times, 51);
  ExpectWindow(windows[0], 0, 0, 20);
  ExpectWindow(windows[1], 1, 20, 20);
  ExpectWindow(windows[2], 2, 20, 51);
}

isa::Decoded GemmOf(int64_t steps) {
  return {.body = isa::Gemm{.nest = {.uop_begin = 0, .uop_end = 1, .iter_out = steps, .iter_in = 1}}};
}

TEST(LayerWindows, AreSharedByTheArraysWorkWhereLayersTakeTurns) {
  const std::vector<int> layers = {0, 1, 2, 1, 2, 2, 3};
  const std::vector<isa::Decoded> program = {GemmOf(9),  GemmOf(10), GemmOf(20), GemmOf(10),
                                             GemmOf(40), kStore,     GemmOf(5)};
  const std::vector<InstructionTimes> times = {{0, 10},  {10, 21}, {21, 42}, {42, 53},
                                               {53, 94}, {94, 99}, {90, 120}};
  const auto windows = LayerWindows(layers, program, times, 121);
  ASSERT_EQ(windows.size(), 4u);
  ExpectWindow(windows[0], 0, 0, 10);
  ExpectWindow(windows[1], 1, 10, 30);  // 20 of 80 steps: a quarter of the 80 cycles up to layer 3's
  ExpectWindow(windows[2], 2, 30, 90);
  ExpectWindow(windows[3], 3, 90, 121);
}

}  // namespace
}  // namespace cosim::runtime
