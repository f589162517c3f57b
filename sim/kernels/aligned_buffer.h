// SPDX-License-Identifier: Apache-2.0
// Zeroed arrays that vector loads may start on and run over the end of.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

namespace cosim::sim {

/// `size` values of T, zeroed, aligned to 64 bytes, with 64 readable zero bytes after the last one.
template <class T>
class AlignedBuffer {
 public:
  static constexpr std::align_val_t kAlign{64};

  AlignedBuffer() = default;
  explicit AlignedBuffer(int64_t size) : size_(size) {
    const size_t bytes = size * sizeof(T) + 64;
    data_.reset(static_cast<T*>(::operator new(bytes, kAlign)));
    std::memset(static_cast<void*>(data_.get()), 0, bytes);
  }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T& operator[](int64_t i) { return data_.get()[i]; }
  const T& operator[](int64_t i) const { return data_.get()[i]; }
  int64_t size() const { return size_; }

 private:
  struct Free {
    void operator()(T* p) const { ::operator delete(static_cast<void*>(p), kAlign); }
  };
  std::unique_ptr<T[], Free> data_;
  int64_t size_ = 0;
};

}  // namespace cosim::sim
