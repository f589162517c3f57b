// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/fixed_point.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace cosim::host {
namespace {

constexpr int32_t kMin = std::numeric_limits<int32_t>::min(), kMax = std::numeric_limits<int32_t>::max();

int32_t Wrap(int64_t x) { return static_cast<int32_t>(static_cast<uint32_t>(x)); }

// x * 2^exponent, exponent > 0, saturating.
int32_t SaturatingShiftLeft(int32_t x, int exponent) {
  const int64_t wide = static_cast<int64_t>(x) * (int64_t{1} << exponent);
  return wide > kMax ? kMax : wide < kMin ? kMin : static_cast<int32_t>(wide);
}

// exp(a / 2^31) of a in [-2^29, 0): a Taylor expansion around -1/8.
int32_t ExpOnSmallInterval(int32_t a) {
  constexpr int32_t kExpMinusEighth = 1895147668, kThird = 715827883;
  const int32_t x = a + (1 << 28);
  const int32_t x2 = DoublingHighMultiply(x, x);
  const int32_t x3 = DoublingHighMultiply(x2, x);
  const int32_t x4 = DoublingHighMultiply(x2, x2);
  const int32_t x4_over_4 = RoundingDivideByPowerOfTwo(x4, 2);
  const int32_t tail = RoundingDivideByPowerOfTwo(DoublingHighMultiply(x4_over_4 + x3, kThird) + x2, 1);
  return kExpMinusEighth + DoublingHighMultiply(kExpMinusEighth, x + tail);
}

}  // namespace

int32_t DoublingHighMultiply(int32_t a, int32_t b) {
  if (a == kMin && b == kMin) return kMax;
  return static_cast<int32_t>((static_cast<int64_t>(a) * b + (int64_t{1} << 30)) >> 31);
}

int32_t RoundingDivideByPowerOfTwo(int32_t x, int exponent) {
  if (exponent == 0) return x;
  const int64_t half = int64_t{1} << (exponent - 1);
  return static_cast<int32_t>((x + half - (x < 0 ? 1 : 0)) >> exponent);
}

Multiplier Multiplier::Of(double factor) {
  Multiplier result;
  if (!(factor > 0)) return result;
  if (factor >= 0x1p30) return {kMax, 30};
  const double mantissa = std::frexp(factor, &result.exponent);
  auto fixed = static_cast<int64_t>(std::round(mantissa * static_cast<double>(int64_t{1} << 31)));
  if (fixed == int64_t{1} << 31) {
    fixed /= 2;
    ++result.exponent;
  }
  if (result.exponent < -31) return {};
  result.multiplier = static_cast<int32_t>(fixed);
  return result;
}

int32_t Multiplier::Apply(int32_t x) const {
  const int left = exponent > 0 ? exponent : 0, right = exponent > 0 ? 0 : -exponent;
  return RoundingDivideByPowerOfTwo(DoublingHighMultiply(Wrap(static_cast<int64_t>(x) << left), multiplier),
                                    right);
}

int32_t Multiplier::ApplyWide(int64_t x) const {
  const int64_t reduced = multiplier < 0x7FFF0000 ? (multiplier + (1 << 15)) >> 16 : 0x7FFF;
  const int shift = 15 - exponent;
  const uint64_t rounded =
      static_cast<uint64_t>(x) * static_cast<uint64_t>(reduced) + (uint64_t{1} << (shift - 1));
  return Wrap(static_cast<int64_t>(rounded) >> shift);
}

int32_t ExpOnNegative(int32_t x, int integer_bits) {
  if (x == 0) return kMax;
  const int fraction = 31 - integer_bits;
  const int32_t quarter = 1 << (fraction - 2);
  const int32_t rest = (x & (quarter - 1)) - quarter;  // in [-1/4, 0)
  int32_t result = ExpOnSmallInterval(SaturatingShiftLeft(rest, integer_bits));
  const int32_t remainder = Wrap(static_cast<int64_t>(rest) - x);
  // exp(-2^k) for k from -2 up.
  constexpr int32_t kFactors[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  for (int k = 0; k < integer_bits + 2; ++k)
    if (remainder & (1 << (fraction - 2 + k))) result = DoublingHighMultiply(result, kFactors[k]);
  return result;
}

namespace {

constexpr int32_t kOne = 1 << 29;  // Q2.29

// 2 / (1 + x / 2^31) in Q2.29, by Newton and Raphson on the half denominator.
int32_t TwoOverOnePlus(int32_t x) {
  constexpr int32_t k48Over17 = 1515870810, kMinus32Over17 = -1010580540;
  const auto half_denominator = static_cast<int32_t>((static_cast<int64_t>(x) + kMax + 1) / 2);
  int32_t estimate = k48Over17 + DoublingHighMultiply(half_denominator, kMinus32Over17);
  for (int i = 0; i < 3; ++i) {
    const int32_t error = kOne - DoublingHighMultiply(half_denominator, estimate);
    estimate += SaturatingShiftLeft(DoublingHighMultiply(estimate, error), 2);
  }
  return estimate;
}

}  // namespace

int32_t OneOverOnePlus(int32_t x) { return SaturatingShiftLeft(TwoOverOnePlus(x), 1); }
int32_t OneMinusOverOnePlus(int32_t x) { return SaturatingShiftLeft(TwoOverOnePlus(x) - kOne, 2); }

// x is 2^power times a mantissa r between sqrt(1/2) and sqrt(2), of whose logarithm a quotient of polynomials
// around the fourth root of 1/2 is taken. Two ways to split x, of which the one with the smaller mantissa
// counts.
int32_t LogOfAtLeastOne(int32_t x) {
  constexpr int kIntegerBits = 12, kPowerFraction = 25;  // of x; of a power of two
  constexpr int32_t kLog2 = 1488522236, kRootOfHalf = 1518500250, kFourthRootOfHalf = 1805811301;
  constexpr int32_t kCubic = 117049297, kSquare = 127690142, kLinear = 638450708, kConstant = 1057819769;
  constexpr int32_t kQuarter = 1 << (kPowerFraction - 2);
  const auto zeros = [](int32_t v) { return std::countl_zero(static_cast<uint32_t>(v)); };
  const auto whole = [](int power) { return SaturatingShiftLeft(power, kPowerFraction); };
  const auto product = DoublingHighMultiply;

  const int lead = zeros(x);
  const int32_t top = lead > 1 ? SaturatingShiftLeft(x, lead - 1) : x;
  const int32_t first = SaturatingShiftLeft(product(top, kRootOfHalf), 1);
  const int room = zeros(product(x, kRootOfHalf)) - 1;
  const int32_t second = room > 0 ? SaturatingShiftLeft(x, room) : x;
  const int32_t r = std::min(first, second);
  const int32_t power =
      std::max(whole(kIntegerBits - lead) + kQuarter, whole(kIntegerBits - room) - kQuarter);

  const int64_t sum = int64_t{r} + kFourthRootOfHalf;
  const auto middle = static_cast<int32_t>((sum + (sum >= 0 ? 1 : -1)) / 2);
  const int32_t twice = Wrap(int64_t{r - kFourthRootOfHalf} * 2);
  const int32_t square = product(twice, twice);
  const int32_t above = product(twice, r) + product(product(twice, square), kCubic);
  const int32_t below =
      product(middle, Wrap(int64_t{kConstant} + twice + product(kSquare, square))) + product(kLinear, twice);
  const int32_t quotient =
      product(RoundingDivideByPowerOfTwo(above, 31 - kPowerFraction), OneOverOnePlus(below));
  return SaturatingShiftLeft(product(power, kLog2) + quotient, 1);
}

}  // namespace cosim::host
