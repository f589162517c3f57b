// SPDX-License-Identifier: Apache-2.0
// A first-in first-out queue of fixed capacity, allocated once: what every hardware queue of the timing
// engine is.
#pragma once

#include <cstddef>
#include <vector>

#include "isa/check.h"

namespace cosim::sim {

template <typename T>
class Ring {
 public:
  explicit Ring(size_t capacity) : slots_(capacity) {}
  size_t capacity() const { return slots_.size(); }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& front() { return slots_[head_]; }
  const T& front() const { return slots_[head_]; }
  /// The n-th newest, n >= 1.
  const T& FromBack(size_t n) const { return slots_[Wrap(head_ + size_ - n)]; }
  void push(const T& value) {
    COSIM_CHECK(size_ < slots_.size());
    slots_[Wrap(head_ + size_)] = value;
    ++size_;
  }
  void pop() {
    head_ = Wrap(head_ + 1);
    --size_;
  }

 private:
  size_t Wrap(size_t index) const { return index < slots_.size() ? index : index - slots_.size(); }
  std::vector<T> slots_;
  size_t head_ = 0, size_ = 0;
};

}  // namespace cosim::sim
