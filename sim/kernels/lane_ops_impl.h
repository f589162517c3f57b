// SPDX-License-Identifier: Apache-2.0
// The loops of sim/kernels/lane_ops.h, compiled once for each SIMD level: the including file defines
// COSIM_LANE_TARGET (a function attribute, or nothing) first. Vectorization is the compiler's; what an
// operation computes is said once here.
#pragma once

#include <algorithm>
#include <type_traits>

#include "sim/kernels/lane_ops.h"

namespace cosim::sim {
namespace {

template <class T>
constexpr int kBits = static_cast<int>(sizeof(T)) * 8;

template <class T>
std::make_unsigned_t<T> Bits(T value) {
  return static_cast<std::make_unsigned_t<T>>(value);
}

/// An arithmetic shift by min(amount, width - 1): what an infinitely wide integer would give.
template <class T>
T ShiftRight(T value, T amount) {
  return value >> std::min<T>(amount, kBits<T> - 1);
}

// Each operation: how many arrays it reads, and one lane of it.
struct Add {
  static constexpr int kReads = 2;
  template <class T>
  static T Lane(T a, T b, T, const LaneArgs&) {
    return static_cast<T>(Bits(a) + Bits(b));
  }
};
struct Sub {
  static constexpr int kReads = 2;
  template <class T>
  static T Lane(T a, T b, T, const LaneArgs&) {
    return static_cast<T>(Bits(a) - Bits(b));
  }
};
struct Mul {
  static constexpr int kReads = 2;
  template <class T>
  static T Lane(T a, T b, T, const LaneArgs&) {
    return static_cast<T>(Bits(a) * Bits(b));
  }
};
struct Min {
  static constexpr int kReads = 2;
  template <class T>
  static T Lane(T a, T b, T, const LaneArgs&) {
    return a < b ? a : b;
  }
};
struct Max {
  static constexpr int kReads = 2;
  template <class T>
  static T Lane(T a, T b, T, const LaneArgs&) {
    return a > b ? a : b;
  }
};
struct And {
  static constexpr int kReads = 2;
  template <class T>
  static T Lane(T a, T b, T, const LaneArgs&) {
    return a & b;
  }
};
struct Or {
  static constexpr int kReads = 2;
  template <class T>
  static T Lane(T a, T b, T, const LaneArgs&) {
    return a | b;
  }
};
struct Xor {
  static constexpr int kReads = 2;
  template <class T>
  static T Lane(T a, T b, T, const LaneArgs&) {
    return a ^ b;
  }
};
struct Not {
  static constexpr int kReads = 1;
  template <class T>
  static T Lane(T a, T, T, const LaneArgs&) {
    return ~a;
  }
};
struct Shr {
  static constexpr int kReads = 2;
  template <class T>
  static T Lane(T a, T b, T, const LaneArgs&) {
    return ShiftRight(a, b);
  }
};
struct RoundShift {
  static constexpr int kReads = 2;
  /// Half up is: the shifted value plus the last bit shifted out.
  template <class T>
  static T Lane(T a, T b, T, const LaneArgs&) {
    const T last = ShiftRight(a, static_cast<T>(b - (b > 0))) & T{b > 0};
    return ShiftRight(a, b) + last;
  }
};
struct Shl {
  static constexpr int kReads = 1;
  template <class T>
  static T Lane(T a, T, T, const LaneArgs& args) {
    return static_cast<T>(Bits(a) << args.shift);
  }
};
struct Lt {
  static constexpr int kReads = 2;
  template <class T>
  static T Lane(T a, T b, T, const LaneArgs&) {
    return a < b;
  }
};
struct Le {
  static constexpr int kReads = 2;
  template <class T>
  static T Lane(T a, T b, T, const LaneArgs&) {
    return a <= b;
  }
};
struct Eq {
  static constexpr int kReads = 2;
  template <class T>
  static T Lane(T a, T b, T, const LaneArgs&) {
    return a == b;
  }
};
struct Ne {
  static constexpr int kReads = 2;
  template <class T>
  static T Lane(T a, T b, T, const LaneArgs&) {
    return a != b;
  }
};
struct Select {
  static constexpr int kReads = 3;
  template <class T>
  static T Lane(T a, T b, T c, const LaneArgs&) {
    return a != 0 ? b : c;
  }
};
struct Clamp {
  static constexpr int kReads = 3;
  template <class T>
  static T Lane(T a, T b, T c, const LaneArgs&) {
    const T low = a < c ? a : c;
    return low > b ? low : b;
  }
};
struct Sat {
  static constexpr int kReads = 1;
  template <class T>
  static T Lane(T a, T, T, const LaneArgs& args) {
    const T lo = static_cast<T>(args.lo), hi = static_cast<T>(args.hi);
    const T low = a < hi ? a : hi;
    return low > lo ? low : lo;
  }
};
struct WrapSigned {
  static constexpr int kReads = 1;
  template <class T>
  static T Lane(T a, T, T, const LaneArgs& args) {
    return static_cast<T>(Bits(a) << args.shift) >> args.shift;
  }
};
struct WrapUnsigned {
  static constexpr int kReads = 1;
  template <class T>
  static T Lane(T a, T, T, const LaneArgs& args) {
    return static_cast<T>(Bits(a) << args.shift >> args.shift);
  }
};

/// r[i] = Op(a[i], b[i], c[i]).
template <class Op, class T>
COSIM_LANE_TARGET void Loop(const LaneArgs& args, int lanes) {
  T* __restrict r = static_cast<T*>(args.r);
  const T* __restrict a = static_cast<const T*>(args.a);
  const T* __restrict b = static_cast<const T*>(args.b);
  const T* __restrict c = static_cast<const T*>(args.c);
  const LaneArgs local = args;
  for (int i = 0; i < lanes; ++i) {
    r[i] = Op::template Lane<T>(a[i], Op::kReads > 1 ? b[i] : T{}, Op::kReads > 2 ? c[i] : T{}, local);
  }
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

/// In the order of LaneOp.
constexpr LaneTable kLaneTable = {.narrow = {Loop<Add, int32_t>,
                                             Loop<Sub, int32_t>,
                                             Loop<Mul, int32_t>,
                                             Loop<Min, int32_t>,
                                             Loop<Max, int32_t>,
                                             Loop<And, int32_t>,
                                             Loop<Or, int32_t>,
                                             Loop<Xor, int32_t>,
                                             Loop<Not, int32_t>,
                                             Loop<Shr, int32_t>,
                                             Loop<RoundShift, int32_t>,
                                             Loop<Shl, int32_t>,
                                             Loop<Lt, int32_t>,
                                             Loop<Le, int32_t>,
                                             Loop<Eq, int32_t>,
                                             Loop<Ne, int32_t>,
                                             Loop<Select, int32_t>,
                                             Loop<Clamp, int32_t>,
                                             Loop<Sat, int32_t>,
                                             Loop<WrapSigned, int32_t>,
                                             Loop<WrapUnsigned, int32_t>,
                                             nullptr,
                                             nullptr,
                                             Convert<int64_t, int32_t>},
                                  .wide = {Loop<Add, int64_t>,          Loop<Sub, int64_t>,
                                           Loop<Mul, int64_t>,          Loop<Min, int64_t>,
                                           Loop<Max, int64_t>,          Loop<And, int64_t>,
                                           Loop<Or, int64_t>,           Loop<Xor, int64_t>,
                                           Loop<Not, int64_t>,          Loop<Shr, int64_t>,
                                           Loop<RoundShift, int64_t>,   Loop<Shl, int64_t>,
                                           Loop<Lt, int64_t>,           Loop<Le, int64_t>,
                                           Loop<Eq, int64_t>,           Loop<Ne, int64_t>,
                                           Loop<Select, int64_t>,       Loop<Clamp, int64_t>,
                                           Loop<Sat, int64_t>,          Loop<WrapSigned, int64_t>,
                                           Loop<WrapUnsigned, int64_t>, MulWide,
                                           Convert<int32_t, int64_t>,   nullptr}};

}  // namespace
}  // namespace cosim::sim
