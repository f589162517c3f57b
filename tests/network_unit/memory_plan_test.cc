// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/memory_plan.h"

#include <gtest/gtest.h>

#include <random>

namespace cosim::network {
namespace {

TEST(PlanMemory, ReusesThePlaceOfADeadValue) {
  std::vector<Lifetime> values = {{100, 0, 1}, {100, 1, 2}, {100, 2, 3}};
  EXPECT_EQ(PlanMemory(values, 64), 256u);
  EXPECT_EQ(values[0].address, values[2].address);
  EXPECT_NE(values[0].address, values[1].address);
}

TEST(PlanMemory, FillsGapsBetweenLargerValues) {
  std::vector<Lifetime> values = {{64, 0, 9}, {256, 0, 1}, {192, 5, 9}, {64, 5, 9}};
  EXPECT_EQ(PlanMemory(values, 64), 320u);
}

TEST(PlanMemory, NothingNeedsNothing) {
  std::vector<Lifetime> values;
  EXPECT_EQ(PlanMemory(values, 64), 0u);
}

TEST(PlanMemory, LivingValuesNeverOverlap) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<Lifetime> values(random() % 20 + 1);
    for (Lifetime& v : values) {
      v.bytes = static_cast<int64_t>(random() % 1000 + 1);
      v.first = static_cast<int>(random() % 10);
      v.last = v.first + static_cast<int>(random() % 5);
    }
    const uint64_t bytes = PlanMemory(values, 64);
    for (size_t i = 0; i < values.size(); ++i) {
      const Lifetime& a = values[i];
      EXPECT_EQ(a.address % 64, 0u);
      EXPECT_LE(a.address + a.bytes, bytes);
      for (size_t j = 0; j < i; ++j) {
        const Lifetime& b = values[j];
        const bool together = a.first <= b.last && b.first <= a.last;
        EXPECT_TRUE(!together || a.address + a.bytes <= b.address || b.address + b.bytes <= a.address);
      }
    }
  }
}

}  // namespace
}  // namespace cosim::network
