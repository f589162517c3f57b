// SPDX-License-Identifier: Apache-2.0
// Helpers of the tests of compiler/cpu: a deterministic generator that likes edge cases, and arrays of a loop
// IR type.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "compiler/tir/ir.h"

namespace cosim::cpu {

using Wide = __int128;
inline const tir::DataType kInt8 = tir::DataType::Int(8), kInt32 = tir::DataType::Int(32),
                           kInt64 = tir::DataType::Int(64);

/// `value` modulo 2^bits, as the integer type represents it.
inline Wide Wrap(tir::DataType type, Wide value) {
  const Wide modulus = Wide{1} << type.bits;
  Wide low = value & (modulus - 1);
  if (type.code == tir::DataType::Code::kInt && (low >> (type.bits - 1)) != 0) low -= modulus;
  return low;
}

inline Wide Lowest(tir::DataType type) {
  return type.code == tir::DataType::Code::kInt ? -(Wide{1} << (type.bits - 1)) : Wide{0};
}
inline Wide Highest(tir::DataType type) { return Lowest(type) + (Wide{1} << type.bits) - 1; }

/// A dense array of integers; a bool takes a byte.
class IntArray {
 public:
  IntArray(tir::DataType type, size_t size)
      : type_(type), width_((type.bits + 7) / 8), bytes_(size * width_) {}

  size_t size() const { return bytes_.size() / width_; }
  void* data() { return bytes_.data(); }
  Wide at(size_t i) const {
    uint64_t raw = 0;
    std::memcpy(&raw, &bytes_[i * width_], width_);
    return Wrap(type_, raw);
  }
  void set(size_t i, Wide value) {
    const auto raw = static_cast<uint64_t>(value);
    std::memcpy(&bytes_[i * width_], &raw, width_);
  }

 private:
  tir::DataType type_;
  size_t width_;
  std::vector<uint8_t> bytes_;
};

/// Uniform bits, extremes, and small numbers around zero: a third each, clamped to [low, high].
inline Wide EdgyValue(std::mt19937_64& random, tir::DataType type, Wide low, Wide high) {
  Wide value = Wrap(type, static_cast<Wide>(random()));
  if (const int kind = random() % 3; kind == 0) {
    value = random() % 2 != 0 ? Lowest(type) + static_cast<int>(random() % 3)
                              : Highest(type) - static_cast<int>(random() % 3);
  } else if (kind == 1) {
    value = Wrap(type, static_cast<int>(random() % 9) - 4);
  }
  if (value < low || value > high) value = low + static_cast<Wide>(random()) % (high - low + 1);
  return value;
}

inline IntArray EdgyArray(std::mt19937_64& random, tir::DataType type, size_t size, Wide low, Wide high) {
  IntArray array(type, size);
  for (size_t i = 0; i < size; ++i) array.set(i, EdgyValue(random, type, low, high));
  return array;
}
inline IntArray EdgyArray(std::mt19937_64& random, tir::DataType type, size_t size) {
  return EdgyArray(random, type, size, Lowest(type), Highest(type));
}

/// for (kind i in [0, extent)) body(i)
template <typename Body>
tir::Stmt Loop(const char* name, int64_t extent, tir::LoopKind kind, Body body) {
  const tir::Var var = tir::MakeVar(name);
  return tir::MakeStmt(tir::For{var, tir::Int(0), tir::Int(extent), kind, body(tir::Ref(var))});
}

}  // namespace cosim::cpu
