// SPDX-License-Identifier: Apache-2.0
// The on-chip memories as the functional engine keeps them: one dense array of signed integers per memory and
// field, in the narrowest storage type that holds the field. Moving data in and out is
// sim/functional/element_codec.h's business.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/spec/spec.h"
#include "sim/kernels/aligned_buffer.h"

namespace cosim::sim {

enum class LaneType : uint8_t { kInt8, kInt16, kInt32, kInt64 };

/// The narrowest signed storage that holds every value of `type` (an unsigned width takes a bit more).
LaneType LaneTypeFor(isa::ScalarType type);

/// The low `type.width` bits of `value` as a value of `type`.
int64_t WrapTo(int64_t value, isa::ScalarType type);

/// One field of all elements of a memory: lane l of element e is value e * lanes + l.
class LaneArray {
 public:
  LaneArray(isa::ScalarType type, int64_t count);

  isa::ScalarType type() const { return type_; }
  LaneType storage() const { return storage_; }
  int64_t count() const { return count_; }
  /// All values; T must be the storage type.
  template <class T>
  T* As() {
    return reinterpret_cast<T*>(bytes_.data());
  }
  template <class T>
  const T* As() const {
    return reinterpret_cast<const T*>(bytes_.data());
  }
  int64_t Get(int64_t i) const;
  /// `value` must fit the type.
  void Set(int64_t i, int64_t value);

 private:
  isa::ScalarType type_;
  LaneType storage_;
  int64_t count_;
  AlignedBuffer<uint8_t> bytes_;
};

/// Calls f with the array's first value in its storage type.
template <class Array, class F>
auto WithStorage(Array& array, F&& f) {
  switch (array.storage()) {
    case LaneType::kInt8:
      return f(array.template As<int8_t>());
    case LaneType::kInt16:
      return f(array.template As<int16_t>());
    case LaneType::kInt32:
      return f(array.template As<int32_t>());
    case LaneType::kInt64:
      break;
  }
  return f(array.template As<int64_t>());
}

/// A memory's contents: one array a field of its record.
struct MemoryStore {
  int64_t depth = 0;  ///< elements
  int64_t lanes = 1;  ///< records an element
  std::vector<LaneArray> fields;
};

class Memories {
 public:
  explicit Memories(const isa::Spec& spec);

  /// The memory whose storage `memory` uses: itself, or what it mirrors.
  int Owner(int memory) const { return owners_[memory]; }
  MemoryStore& Store(int memory) { return stores_[owners_[memory]]; }
  const MemoryStore& Store(int memory) const { return stores_[owners_[memory]]; }
  int size() const { return static_cast<int>(stores_.size()); }

  /// Fills everything with values drawn from `seed`.
  void Poison(uint64_t seed);

 private:
  std::vector<int> owners_;
  std::vector<MemoryStore> stores_;  ///< by memory; a mirror's is empty
};

}  // namespace cosim::sim
