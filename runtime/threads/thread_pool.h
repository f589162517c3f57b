// SPDX-License-Identifier: Apache-2.0
// Threads that kernels share their loops with: an arena of oneTBB, whose workers sleep when there is nothing
// to do and take over what another has not begun. Which thread runs a range changes no value.
#pragma once

#include <memory>

#include "runtime/parallel.h"

namespace cosim::runtime {

class ThreadPool {
 public:
  /// `threads` of them, the calling one included; at least 1.
  explicit ThreadPool(int threads);
  ~ThreadPool();

  /// For as long as the pool lives. May be used by several threads at once, and within a range that it runs.
  const Parallel& parallel() const;
  int threads() const { return threads_; }

 private:
  struct Arena;
  int threads_;
  std::unique_ptr<Arena> arena_;
};

/// How many threads this process may run at a time.
int UsableProcessors();

}  // namespace cosim::runtime
