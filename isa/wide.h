// SPDX-License-Identifier: Apache-2.0
// Wide: signed 128-bit integers, for sums and products of 64-bit ones. The compiler's own where it has them,
// which 32-bit ARM's has not; else Int128, which does the same and wraps as they do.
#pragma once

#include <compare>
#include <cstdint>

namespace cosim {

/// Two's complement in two words. Shifts are by 0 to 127 and keep the sign.
class Int128 {
 public:
  constexpr Int128(int64_t value)  // NOLINT(google-explicit-constructor): as an integer converts
      : high_(value < 0 ? -1 : 0), low_(static_cast<uint64_t>(value)) {}
  explicit constexpr operator int64_t() const { return static_cast<int64_t>(low_); }

  friend constexpr auto operator<=>(const Int128&, const Int128&) = default;
  friend constexpr bool operator==(const Int128&, const Int128&) = default;

  friend constexpr Int128 operator+(Int128 a, Int128 b) {
    const uint64_t low = a.low_ + b.low_;
    return {a.Upper() + b.Upper() + (low < a.low_ ? 1 : 0), low};
  }
  friend constexpr Int128 operator-(Int128 a, Int128 b) {
    return {a.Upper() - b.Upper() - (a.low_ < b.low_ ? 1 : 0), a.low_ - b.low_};
  }
  constexpr Int128 operator-() const { return Int128{0} - *this; }
  constexpr Int128& operator+=(Int128 other) { return *this = *this + other; }
  friend constexpr Int128 operator*(Int128 a, Int128 b) {
    const uint64_t al = a.low_ & kHalf, ah = a.low_ >> 32, bl = b.low_ & kHalf, bh = b.low_ >> 32;
    const uint64_t middle = ah * bl + (al * bl >> 32), other = al * bh + (middle & kHalf);
    const uint64_t carried = ah * bh + (middle >> 32) + (other >> 32);
    return {carried + a.low_ * b.Upper() + a.Upper() * b.low_, a.low_ * b.low_};
  }
  friend constexpr Int128 operator<<(Int128 a, int64_t by) {
    if (by == 0) return a;
    if (by >= 64) return {a.low_ << (by - 64), 0};
    return {a.Upper() << by | a.low_ >> (64 - by), a.low_ << by};
  }
  friend constexpr Int128 operator>>(Int128 a, int64_t by) {
    if (by == 0) return a;
    const uint64_t sign = a.high_ < 0 ? ~uint64_t{0} : 0;
    if (by >= 64) return {sign, static_cast<uint64_t>(a.high_ >> (by - 64))};
    return {static_cast<uint64_t>(a.high_ >> by), a.low_ >> by | a.Upper() << (64 - by)};
  }

 private:
  static constexpr uint64_t kHalf = 0xFFFF'FFFF;
  constexpr Int128(uint64_t high, uint64_t low) : high_(static_cast<int64_t>(high)), low_(low) {}
  constexpr uint64_t Upper() const { return static_cast<uint64_t>(high_); }

  int64_t high_;  // compared first
  uint64_t low_;
};

#ifdef __SIZEOF_INT128__
__extension__ using Wide = __int128;
#else
using Wide = Int128;
#endif

}  // namespace cosim
