// SPDX-License-Identifier: Apache-2.0
// Tensor expressions that compute each element from one element of each operand, of any type: broadcasting,
// conversions, arithmetic as C++ has it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/ops/definition.h"
#include "compiler/ops/types.h"
#include "compiler/te/te.h"
#include "compiler/tir/operators.h"

namespace cosim::ops {

/// A number of any type; true or false for bool.
tir::Expr Number(double value, tir::DataType type);

/// Conversion: towards zero and saturating from floats to integers, wrapping among integers, anything but
/// zero to true.
tir::Expr ConvertTo(tir::DataType type, const tir::Expr& x);

inline tir::Expr Apply(tir::MathFn fn, tir::Expr x) { return tir::MakeMath(fn, std::move(x)); }

/// An element as it stands.
inline tir::Expr AsIs(const tir::Expr& x) { return x; }

/// The element of `x` for element `i` of a shape that `x` broadcasts to: dimensions aligned at their ends,
/// extents of 1 stretched.
tir::Expr Broadcast(const te::Tensor& x, const te::Indices& i);

/// `element` of the operands' elements, broadcast to `shape`.
using MapFn = std::function<tir::Expr(const std::vector<tir::Expr>&)>;
Definition Map(const std::string& name, const std::vector<int64_t>& shape,
               const std::vector<te::Tensor>& operands, const MapFn& element);

/// Quotients and remainders of integers as in C++, rounded towards zero; of a divisor 0 they are 0.
tir::Expr Quotient(const tir::Expr& a, const tir::Expr& b);
tir::Expr Remainder(const tir::Expr& a, const tir::Expr& b);

}  // namespace cosim::ops
