// SPDX-License-Identifier: Apache-2.0
// Operators on corresponding elements, broadcasting where they take several operands. Integers wrap; floats
// are computed in double and rounded once unless said otherwise.
#pragma once

#include <functional>
#include <string>

#include "compiler/host/make.h"

namespace cosim::host {

/// (x float) -> f(x), whose tensor expression is `element`.
HostOperatorPtr MathFunction(std::string name, std::function<double(double)> f,
                             std::function<tir::Expr(const tir::Expr&)> element);

/// (x) -> its absolute value, negation or sign.
HostOperatorPtr Absolute();
HostOperatorPtr Negate();
HostOperatorPtr Sign();
/// (x) -> max(x, 0).
HostOperatorPtr Rectify();
/// (x float) -> bool.
HostOperatorPtr IsNan();
HostOperatorPtr IsInf(bool positive, bool negative);
/// (x bool) -> bool.
HostOperatorPtr Not();

enum class Arithmetic {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kMinimum,
  kMaximum,
  kModulo,
  kFloatModulo,
  kShiftLeft,
  kShiftRight
};
/// (a, b) of one type. Division of integers rounds towards zero, by zero gives 0; kModulo has the sign of b,
/// kFloatModulo that of a.
HostOperatorPtr Binary(std::string name, Arithmetic op);
/// `op` on (a, b) after b's dimensions are put under a's from `axis` on, as ONNX broadcast before operator
/// set 7.
HostOperatorPtr AlignedAt(HostOperatorPtr op, int64_t axis);
/// (a, b) -> a ^ b in the type of a; b may be of another type.
HostOperatorPtr Power();
/// (y, x) of one type of float -> the angle of the point (x, y), from -pi to pi.
HostOperatorPtr ArcTangent2();
/// (x...) of one type -> the sum, mean, least or largest.
HostOperatorPtr Variadic(std::string name, Arithmetic op, bool mean);

enum class Comparison { kEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual };
/// (a, b) of one type -> bool.
HostOperatorPtr Compare(std::string name, Comparison op);
template <typename T>
bool Holds(Comparison op, T a, T b) {
  switch (op) {
    case Comparison::kEqual:
      return a == b;
    case Comparison::kLess:
      return a < b;
    case Comparison::kLessOrEqual:
      return a <= b;
    case Comparison::kGreater:
      return a > b;
    default:
      return a >= b;
  }
}

enum class Logic { kAnd, kOr, kXor };
/// (a bool, b bool) -> bool.
HostOperatorPtr Combine(std::string name, Logic op);

/// (condition bool, a, b) -> a where the condition holds, b elsewhere; any type.
HostOperatorPtr Where();

/// (x, low, high) -> min(max(x, low), high); the bounds are scalars and optional.
HostOperatorPtr Clip();

/// (x float, slope) -> x where x >= 0, slope * x elsewhere; the slope broadcasts to x.
HostOperatorPtr PRelu();

/// (x) -> x in another type (ConvertTo in numeric.h).
HostOperatorPtr Cast(DType to);
/// (x, y) -> x in the type of y.
HostOperatorPtr CastLike();

}  // namespace cosim::host
