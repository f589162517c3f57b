// SPDX-License-Identifier: Apache-2.0
// A first-in first-out queue of fixed capacity, allocated once: what every hardware queue of the timing
// engine is.
#pragma once

#include <bit>
#include <cstddef>
#include <vector>

#include "isa/check.h"

namespace cosim::sim {

template <typename T>
class Ring {
 public:
  explicit Ring(size_t capacity)
      : slots_(std::bit_ceil(capacity)), mask_(slots_.size() - 1), capacity_(capacity) {}
  size_t capacity() const { return capacity_; }
  size_t size() const { return end_ - begin_; }
  bool empty() const { return begin_ == end_; }
  T& front() { return slots_[begin_ & mask_]; }
  const T& front() const { return slots_[begin_ & mask_]; }
  /// The n-th newest, n >= 1.
  const T& FromBack(size_t n) const { return slots_[(end_ - n) & mask_]; }
  void push(const T& value) {
    COSIM_CHECK(size() < capacity_);
    slots_[end_++ & mask_] = value;
  }
  void pop() { ++begin_; }

 private:
  std::vector<T> slots_;  ///< a power of two, so that places are numbers of pushes modulo it
  size_t mask_, capacity_;
  size_t begin_ = 0, end_ = 0;  ///< pops and pushes so far
};

}  // namespace cosim::sim
