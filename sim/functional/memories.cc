// SPDX-License-Identifier: Apache-2.0
// Storage of on-chip memories; nothing here knows what instructions do with it.
#include "sim/functional/memories.h"

namespace cosim::sim {
namespace {

int StorageBytes(LaneType type) { return 1 << static_cast<int>(type); }

uint64_t SplitMix64(uint64_t& state) {
  uint64_t z = (state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

}  // namespace

LaneType LaneTypeFor(isa::ScalarType type) {
  const int bits = type.is_signed ? type.width : type.width + 1;
  if (bits <= 8) return LaneType::kInt8;
  if (bits <= 16) return LaneType::kInt16;
  return bits <= 32 ? LaneType::kInt32 : LaneType::kInt64;
}

int64_t WrapTo(int64_t value, isa::ScalarType type) {
  const int shift = 64 - type.width;
  const uint64_t high = static_cast<uint64_t>(value) << shift;
  return type.is_signed ? static_cast<int64_t>(high) >> shift : static_cast<int64_t>(high >> shift);
}

LaneArray::LaneArray(isa::ScalarType type, int64_t count)
    : type_(type), storage_(LaneTypeFor(type)), count_(count), bytes_(count * StorageBytes(storage_)) {}

int64_t LaneArray::Get(int64_t i) const {
  return WithStorage(*this, [&](const auto* values) { return static_cast<int64_t>(values[i]); });
}

void LaneArray::Set(int64_t i, int64_t value) {
  WithStorage(*this, [&](auto* values) {
    values[i] = static_cast<std::remove_reference_t<decltype(*values)>>(value);
  });
}

Memories::Memories(const isa::Spec& spec) {
  for (int m = 0; m < static_cast<int>(spec.memories.size()); ++m) {
    const isa::Memory& memory = spec.memories[m];
    owners_.push_back(memory.mirrors >= 0 ? memory.mirrors : m);
    MemoryStore& store = stores_.emplace_back();
    if (memory.mirrors >= 0) continue;
    store.depth = memory.depth;
    store.lanes = memory.LaneCount();
    for (const isa::Field& field : memory.fields)
      store.fields.emplace_back(field.type, store.depth * store.lanes);
  }
}

void Memories::Poison(uint64_t seed) {
  for (MemoryStore& store : stores_) {
    for (LaneArray& array : store.fields) {
      WithStorage(array, [&](auto* values) {
        for (int64_t i = 0; i < array.count(); ++i) {
          const int64_t value = WrapTo(static_cast<int64_t>(SplitMix64(seed)), array.type());
          values[i] = static_cast<std::remove_reference_t<decltype(*values)>>(value);
        }
      });
    }
  }
}

}  // namespace cosim::sim
