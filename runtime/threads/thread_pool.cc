// SPDX-License-Identifier: Apache-2.0
#include "runtime/threads/thread_pool.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "isa/check.h"

namespace cosim::runtime {

struct ThreadPool::Arena : Parallel {
  explicit Arena(int threads)
      : Parallel{&Arena::Run},
        allowed(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(threads)),
        arena(threads) {}

  static void Run(const Parallel* self, void (*body)(void*, int64_t, int64_t), void* captures,
                  int64_t count) {
    static_cast<const Arena*>(self)->arena.execute([&] {
      tbb::parallel_for(tbb::blocked_range<int64_t>(0, count), [&](const tbb::blocked_range<int64_t>& range) {
        body(captures, range.begin(), range.end());
      });
    });
  }

  tbb::global_control allowed;  // oneTBB has no more workers than processors if nobody asks for them
  mutable tbb::task_arena arena;
};

ThreadPool::ThreadPool(int threads) : threads_(threads) {
  COSIM_CHECK(threads >= 1, "{} threads", threads);
  if (threads > 1) arena_ = std::make_unique<Arena>(threads);
}

ThreadPool::~ThreadPool() = default;

const Parallel& ThreadPool::parallel() const {
  if (!arena_) return Serial();
  return *arena_;
}

int UsableProcessors() { return tbb::info::default_concurrency(); }

}  // namespace cosim::runtime
