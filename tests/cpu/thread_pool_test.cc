// SPDX-License-Identifier: Apache-2.0
#include "runtime/threads/thread_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

namespace cosim::runtime {
namespace {

using Body = std::function<void(int64_t begin, int64_t end)>;

void RunBody(const Parallel& parallel, int64_t count, Body body) {
  parallel.run(
      &parallel,
      [](void* captures, int64_t begin, int64_t end) { (*static_cast<Body*>(captures))(begin, end); }, &body,
      count);
}

std::vector<int> Visits(const Parallel& parallel, int64_t count) {
  std::vector<std::atomic<int>> visits(static_cast<size_t>(count));
  RunBody(parallel, count, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) ++visits[static_cast<size_t>(i)];
  });
  return {visits.begin(), visits.end()};
}

TEST(ThreadPool, RunsEveryRoundOnce) {
  for (const int threads : {1, 2, 5}) {
    const ThreadPool pool(threads);
    for (const int64_t count : {1, 2, 7, 1000})
      EXPECT_THAT(Visits(pool.parallel(), count), ::testing::Each(1)) << threads << " threads, " << count;
  }
}

TEST(ThreadPool, OfOneThreadRunsOnTheCaller) {
  const ThreadPool pool(1);
  std::vector<std::pair<int64_t, int64_t>> ranges;
  RunBody(pool.parallel(), 10, [&](int64_t begin, int64_t end) { ranges.emplace_back(begin, end); });
  EXPECT_THAT(ranges, ::testing::ElementsAre(::testing::Pair(0, 10)));
}

/// Rounds that wait for each other end only if two threads are at work.
TEST(ThreadPool, HasThreadsAtWorkTogether) {
  const ThreadPool pool(2);
  std::atomic<int> arrived = 0;
  const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  RunBody(pool.parallel(), 2, [&](int64_t begin, int64_t end) {
    arrived += static_cast<int>(end - begin);
    while (arrived < 2 && std::chrono::steady_clock::now() < last) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 2);
  EXPECT_LT(std::chrono::steady_clock::now(), last);
}

TEST(ThreadPool, MayBeUsedWithinARangeAndBySeveralThreads) {
  const ThreadPool pool(3);
  std::atomic<int> visits = 0;
  const auto use = [&] {
    RunBody(pool.parallel(), 4, [&](int64_t outer, int64_t outer_end) {
      for (; outer < outer_end; ++outer)
        RunBody(pool.parallel(), 5,
                [&](int64_t begin, int64_t end) { visits += static_cast<int>(end - begin); });
    });
  };
  std::thread other(use);
  use();
  other.join();
  EXPECT_EQ(visits, 2 * 4 * 5);
}

}  // namespace
}  // namespace cosim::runtime
