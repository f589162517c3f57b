// SPDX-License-Identifier: Apache-2.0
// The memory that threads keep for their kernels' buffers.
#include "compiler/cpu/scratch.h"

#include <gtest/gtest.h>

#include <thread>

namespace cosim::cpu {
namespace {

/// In a thread of its own, which keeps nothing yet.
template <typename F>
void Apart(F&& test) {
  std::thread(test).join();
}

TEST(Scratch, GivesTheLeastBlockThatIsLargeEnough) {
  Apart([] {
    void* const small = AllocateScratch(1000);
    void* const large = AllocateScratch(5000);
    FreeScratch(large);
    FreeScratch(small);
    EXPECT_EQ(KeptScratch(), 1024U + 5056U);
    void* const again = AllocateScratch(900);
    EXPECT_EQ(again, small);
    void* const larger = AllocateScratch(1025);
    EXPECT_EQ(larger, large);
    EXPECT_EQ(KeptScratch(), 0U);
    FreeScratch(again);
    FreeScratch(larger);
  });
}

TEST(Scratch, BlocksAreAligned) {
  for (const uint64_t bytes : {1, 63, 64, 20000}) {
    void* const block = AllocateScratch(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0U);
    FreeScratch(block);
  }
}

TEST(Scratch, KeepsNoMoreThanItMay) {
  Apart([] {
    void* blocks[5];
    for (void*& block : blocks) block = AllocateScratch(kMostKeptScratch / 4 + 64);
    for (void* const block : blocks) FreeScratch(block);
    EXPECT_GT(KeptScratch(), kMostKeptScratch / 2);
    EXPECT_LE(KeptScratch(), kMostKeptScratch);
    FreeScratch(AllocateScratch(2 * kMostKeptScratch));
    EXPECT_LE(KeptScratch(), kMostKeptScratch);
  });
}

TEST(Scratch, KeepsALargerBlockInPlaceOfSmallerOnes) {
  Apart([] {
    for (const uint64_t bytes : {1024, 4096, 2048}) FreeScratch(AllocateScratch(bytes));
    EXPECT_EQ(KeptScratch(), 4096U);
  });
}

TEST(Scratch, GoesFromThreadToThread) {
  void* block = nullptr;
  Apart([&] { block = AllocateScratch(100000); });
  Apart([&] {
    FreeScratch(block);
    EXPECT_GE(KeptScratch(), 100000U);
  });
}

}  // namespace
}  // namespace cosim::cpu
