// SPDX-License-Identifier: Apache-2.0
// The loops of sim/kernels/lane_ops.h, compiled once for each SIMD level: the including file defines
// COSIM_LANE_TARGET (a function attribute, or nothing) first. Vectorization is the compiler's; what an
// operation computes is said here.
#pragma once

#include <algorithm>
#include <type_traits>

#include "sim/kernels/lane_ops.h"

namespace cosim::sim {
namespace {

template <class T>
constexpr std::make_unsigned_t<T> Bits(T value) {
  return static_cast<std::make_unsigned_t<T>>(value);
}

/// An arithmetic shift by min(amount, width - 1): what an infinitely wide integer would give.
template <class T>
constexpr T ShiftRight(T value, T amount) {
  return value >> std::min<T>(amount, sizeof(T) * 8 - 1);
}

/// Nothing is left of a value that is shifted out of its lane.
template <class T>
constexpr T ShiftLeft(T value, T amount) {
  constexpr T kWidth = sizeof(T) * 8;
  return amount < kWidth ? static_cast<T>(Bits(value) << (amount & (kWidth - 1))) : T{0};
}

/// Half up is: the shifted value plus the last bit shifted out.
template <class T>
constexpr T RoundShift(T value, T amount) {
  const T last = ShiftRight<T>(value, amount - (amount > 0)) & T{amount > 0};
  return ShiftRight(value, amount) + last;
}

// Operations by lane. They are lambdas so that a loop inlines them whatever its target is.
constexpr auto kAdd = [](auto a, auto b) { return Bits(a) + Bits(b); };
constexpr auto kSub = [](auto a, auto b) { return Bits(a) - Bits(b); };
constexpr auto kMul = [](auto a, auto b) { return Bits(a) * Bits(b); };
constexpr auto kMin = [](auto a, auto b) { return a < b ? a : b; };
constexpr auto kMax = [](auto a, auto b) { return a > b ? a : b; };
constexpr auto kAnd = [](auto a, auto b) { return a & b; };
constexpr auto kOr = [](auto a, auto b) { return a | b; };
constexpr auto kXor = [](auto a, auto b) { return a ^ b; };
constexpr auto kNot = [](auto a) { return ~a; };
constexpr auto kShr = [](auto a, auto b) { return ShiftRight(a, b); };
constexpr auto kShlBy = [](auto a, auto b) { return ShiftLeft(a, b); };
constexpr auto kRoundShift = [](auto a, auto b) { return RoundShift(a, b); };
constexpr auto kLt = [](auto a, auto b) { return a < b; };
constexpr auto kLe = [](auto a, auto b) { return a <= b; };
constexpr auto kEq = [](auto a, auto b) { return a == b; };
constexpr auto kNe = [](auto a, auto b) { return a != b; };
constexpr auto kSelect = [](auto a, auto b, auto c) { return a != 0 ? b : c; };
constexpr auto kClamp = [](auto a, auto b, auto c) { return kMax(b, kMin(a, c)); };

/// r[i] = kOp(a[i], …).
template <auto kOp, class T>
COSIM_LANE_TARGET void Loop(const LaneArgs& args, int lanes) {
  T* __restrict r = static_cast<T*>(args.r);
  const T* __restrict a = static_cast<const T*>(args.a);
  const T* __restrict b = static_cast<const T*>(args.b);
  const T* __restrict c = static_cast<const T*>(args.c);
  for (int i = 0; i < lanes; ++i) {
    if constexpr (std::is_invocable_v<decltype(kOp), T>) {
      r[i] = static_cast<T>(kOp(a[i]));
    } else if constexpr (std::is_invocable_v<decltype(kOp), T, T>) {
      r[i] = static_cast<T>(kOp(a[i], b[i]));
    } else {
      r[i] = static_cast<T>(kOp(a[i], b[i], c[i]));
    }
  }
}

template <class T>
COSIM_LANE_TARGET void Sat(const LaneArgs& args, int lanes) {
  T* __restrict r = static_cast<T*>(args.r);
  const T* __restrict a = static_cast<const T*>(args.a);
  const T lo = static_cast<T>(args.lo), hi = static_cast<T>(args.hi);
  for (int i = 0; i < lanes; ++i) r[i] = kClamp(a[i], lo, hi);
}

COSIM_LANE_TARGET void Lookup(const LaneArgs& args, int lanes) {
  auto* __restrict r = static_cast<int32_t*>(args.r);
  const auto* __restrict a = static_cast<const int32_t*>(args.a);
  const auto* __restrict table = static_cast<const int32_t*>(args.b);
  for (int i = 0; i < lanes; ++i) r[i] = table[a[i]];
}

template <class T>
COSIM_LANE_TARGET void Shl(const LaneArgs& args, int lanes) {
  T* __restrict r = static_cast<T*>(args.r);
  const T* __restrict a = static_cast<const T*>(args.a);
  const int shift = args.shift;
  for (int i = 0; i < lanes; ++i) r[i] = static_cast<T>(Bits(a[i]) << shift);
}

/// Shifts the upper bits out and back, copying the sign or not as U has one.
template <class T, class U>
COSIM_LANE_TARGET void Wrap(const LaneArgs& args, int lanes) {
  T* __restrict r = static_cast<T*>(args.r);
  const T* __restrict a = static_cast<const T*>(args.a);
  const int shift = args.shift;
  for (int i = 0; i < lanes; ++i) r[i] = static_cast<T>(static_cast<U>(Bits(a[i]) << shift) >> shift);
}

COSIM_LANE_TARGET void MulWide(const LaneArgs& args, int lanes) {
  int64_t* __restrict r = static_cast<int64_t*>(args.r);
  const int32_t* __restrict a = static_cast<const int32_t*>(args.a);
  const int32_t* __restrict b = static_cast<const int32_t*>(args.b);
  for (int i = 0; i < lanes; ++i) r[i] = int64_t{a[i]} * b[i];
}

template <class From, class To>
COSIM_LANE_TARGET void Convert(const LaneArgs& args, int lanes) {
  To* __restrict r = static_cast<To*>(args.r);
  const From* __restrict a = static_cast<const From*>(args.a);
  for (int i = 0; i < lanes; ++i) r[i] = static_cast<To>(a[i]);
}

/// What both widths have, by LaneOp.
template <class T>
constexpr std::array<LaneFunction, kLaneOps> CommonOps() {
  std::array<LaneFunction, kLaneOps> ops = {};
  const auto at = [&](LaneOp op) -> LaneFunction& { return ops[static_cast<int>(op)]; };
  at(LaneOp::kAdd) = Loop<kAdd, T>;
  at(LaneOp::kSub) = Loop<kSub, T>;
  at(LaneOp::kMul) = Loop<kMul, T>;
  at(LaneOp::kMin) = Loop<kMin, T>;
  at(LaneOp::kMax) = Loop<kMax, T>;
  at(LaneOp::kAnd) = Loop<kAnd, T>;
  at(LaneOp::kOr) = Loop<kOr, T>;
  at(LaneOp::kXor) = Loop<kXor, T>;
  at(LaneOp::kNot) = Loop<kNot, T>;
  at(LaneOp::kShr) = Loop<kShr, T>;
  at(LaneOp::kRoundShift) = Loop<kRoundShift, T>;
  at(LaneOp::kShl) = Shl<T>;
  at(LaneOp::kShlBy) = Loop<kShlBy, T>;
  at(LaneOp::kLt) = Loop<kLt, T>;
  at(LaneOp::kLe) = Loop<kLe, T>;
  at(LaneOp::kEq) = Loop<kEq, T>;
  at(LaneOp::kNe) = Loop<kNe, T>;
  at(LaneOp::kSelect) = Loop<kSelect, T>;
  at(LaneOp::kClamp) = Loop<kClamp, T>;
  at(LaneOp::kSat) = Sat<T>;
  at(LaneOp::kWrapSigned) = Wrap<T, T>;
  at(LaneOp::kWrapUnsigned) = Wrap<T, std::make_unsigned_t<T>>;
  return ops;
}

constexpr LaneTable MakeLaneTable() {
  LaneTable table = {.narrow = CommonOps<int32_t>(), .wide = CommonOps<int64_t>()};
  table.narrow[static_cast<int>(LaneOp::kNarrow)] = Convert<int64_t, int32_t>;
  table.narrow[static_cast<int>(LaneOp::kLookup)] = Lookup;
  table.wide[static_cast<int>(LaneOp::kWiden)] = Convert<int32_t, int64_t>;
  table.wide[static_cast<int>(LaneOp::kMulWide)] = MulWide;
  return table;
}

constexpr LaneTable kLaneTable = MakeLaneTable();

}  // namespace
}  // namespace cosim::sim
