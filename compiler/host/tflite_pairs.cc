// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/tflite_pairs.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "compiler/host/broadcast.h"
#include "compiler/host/elementwise_define.h"
#include "compiler/host/fixed_point_define.h"

namespace cosim::host {
namespace {

using tir::Expr;

/// f(x, y) of From, broadcast; To is the same, or uint8_t for bool.
template <typename To, typename From = int8_t, typename F>
HostOperatorPtr OnPairsOf(const char* name, DType to, F f, DefineFunction define) {
  constexpr DType kFrom = sizeof(From) == 1 ? DType::kInt8 : DType::kInt16;
  return Make(
      name, 2, 2,
      [=](Operands in) {
        for (const HostOperand& operand : in)
          if (operand.type.dtype != kFrom) return Refuse("operands must be {}", Name(kFrom));
        return InferBroadcast(in, to);
      },
      [=](Values in, Results out) {
        const auto x = in[0]->data<From>(), y = in[1]->data<From>();
        const auto result = out[0].mutable_data<To>();
        ForEachBroadcast(in, out[0].shape(), [&](int64_t i, int64_t ix, int64_t iy) {
          result[i] = static_cast<To>(f(int32_t{x[ix]}, int32_t{y[iy]}));
        });
      },
      {}, std::move(define));
}

int32_t Byte(int64_t x) { return static_cast<int32_t>(std::clamp<int64_t>(x, -128, 127)); }

Expr ByteOf(const Expr& x) {
  const Expr low = tir::Int(-128, ops::kInt64), high = tir::Int(127, ops::kInt64);
  return MakeCast(tir::DataType::Int(8), Max(Min(x, high), low));
}

/// 2^shift / x with 2^31 for 1: of x shifted left to 31 bits, what gemmlowp makes of the fraction.
struct Reciprocal {
  int32_t value;
  int shift;
};
Reciprocal ReciprocalOf(int32_t x) {
  const int headroom = std::countl_zero(static_cast<uint32_t>(x));
  const uint32_t fraction = (static_cast<uint32_t>(x) << headroom) - (uint32_t{1} << 31);
  return {OneOverOnePlus(static_cast<int32_t>(fraction)), 31 - headroom};
}

}  // namespace

HostOperatorPtr QuantizedPRelu(const TflitePRelu& a) {
  return OnPairsOf<int8_t>(
      "tflite_prelu", DType::kInt8,
      [=](int32_t x, int32_t slope) {
        const int32_t v = x - a.zero_points[0];
        const int32_t scaled =
            v >= 0 ? a.positive.Apply(v) : a.negative.Apply(v * (slope - a.zero_points[1]));
        return Byte(int64_t{scaled} + a.output_zero_point);
      },
      DefineMap([=](const std::vector<Expr>& v) {
        const Expr x = Centred(v[0], a.zero_points[0]), slope = Centred(v[1], a.zero_points[1]);
        const Expr scaled =
            MakeSelect(Lt(x, 0), Applied(FieldsOf(a.negative), x * slope), Applied(FieldsOf(a.positive), x));
        return ByteOf(scaled + a.output_zero_point);
      }));
}

HostOperatorPtr QuantizedComparison(const TfliteComparison& a) {
  return OnPairsOf<uint8_t>(
      "tflite_compare", DType::kBool,
      [=](int32_t x, int32_t y) {
        return Holds(a.comparison, a.multipliers[0].Apply((x - a.zero_points[0]) * 256),
                     a.multipliers[1].Apply((y - a.zero_points[1]) * 256)) != a.negate;
      },
      DefineMap([=](const std::vector<Expr>& v) {
        Expr terms[2];
        for (int k : {0, 1})
          terms[k] = Applied(FieldsOf(a.multipliers[k]), Centred(v[k], a.zero_points[k]) * 256);
        const Expr holds = CompareTo(a.comparison, terms[0], terms[1]);
        return a.negate ? Eq(holds, ops::Number(0, holds->type)) : holds;
      }));
}

HostOperatorPtr QuantizedSquaredDifference(const TfliteSquaredDifference& a) {
  const int unit = a.wide ? 1 : 128;
  const auto square = [=](int32_t x, int32_t y) {
    const int32_t difference = a.multipliers[0].Apply((x - a.zero_points[0]) * unit) -
                               a.multipliers[1].Apply((y - a.zero_points[1]) * unit);
    const auto bits = static_cast<uint32_t>(difference);
    return int64_t{a.output.Apply(static_cast<int32_t>(bits * bits))} + a.output_zero_point;
  };
  if (a.wide)
    return OnPairsOf<int16_t, int16_t>(
        "tflite_squared_difference", DType::kInt16,
        [=](int32_t x, int32_t y) { return std::clamp<int64_t>(square(x, y), -32768, 32767); }, {});
  return OnPairsOf<int8_t>(
      "tflite_squared_difference", DType::kInt8, [=](int32_t x, int32_t y) { return Byte(square(x, y)); },
      DefineMap([=](const std::vector<Expr>& v) {
        Expr terms[2];
        for (int k : {0, 1})
          terms[k] = Wrapped(Applied(FieldsOf(a.multipliers[k]), Centred(v[k], a.zero_points[k]) * 128));
        const Expr difference = terms[0] - terms[1];
        return ByteOf(Applied(FieldsOf(a.output), difference * difference) + a.output_zero_point);
      }));
}

HostOperatorPtr QuantizedDivision(const TfliteDivision& a) {
  return OnPairsOf<int8_t>(
      "tflite_div", DType::kInt8,
      [=](int32_t x, int32_t y) {
        int32_t value = x - a.zero_points[0], divisor = y - a.zero_points[1];
        if (divisor == 0) return std::clamp(a.output_zero_point, a.low, a.high);
        if (divisor < 0) {
          value = -value;
          divisor = -divisor;
        }
        const Reciprocal inverse = ReciprocalOf(divisor);
        // As far left as the sign allows.
        const int headroom = std::countl_zero(static_cast<uint32_t>(value < 0 ? ~value : value)) - 1;
        const int32_t shifted = static_cast<int32_t>(static_cast<uint32_t>(value) << headroom);
        const int32_t quotient = DoublingHighMultiply(shifted, inverse.value);
        const int shift = inverse.shift + headroom - a.multiplier.exponent;
        const int32_t product = DoublingHighMultiply(quotient, a.multiplier.multiplier);
        // Beyond 31 bits, which the reference does not define, nothing is left.
        const int32_t scaled = shift > 31 ? 0 : RoundingDivideByPowerOfTwo(product, std::max(shift, 0));
        return static_cast<int32_t>(
            std::clamp<int64_t>(int64_t{scaled} + a.output_zero_point, a.low, a.high));
      },
      {});
}

}  // namespace cosim::host
