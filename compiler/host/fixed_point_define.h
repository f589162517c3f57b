// SPDX-License-Identifier: Apache-2.0
// The arithmetic of fixed_point.h as expressions, to the bit.
#pragma once

#include "compiler/host/fixed_point.h"
#include "compiler/ops/map.h"
#include "compiler/ops/types.h"
#include "compiler/tir/operators.h"

namespace cosim::host {

inline tir::Expr Wide(const tir::Expr& x) { return MakeCast(ops::kInt64, x); }
inline tir::Expr Wrapped(const tir::Expr& x) { return MakeCast(ops::kInt32, x); }

/// The fields of a Multiplier as int64, of one or of a channel.
struct ScaleFields {
  tir::Expr multiplier, exponent;
};

ScaleFields FieldsOf(const Multiplier& m);

/// Multiplier::Apply of an int32.
tir::Expr Applied(const ScaleFields& scale, const tir::Expr& x);

/// The operand less its zero point, as int32.
inline tir::Expr Centred(const tir::Expr& x, int32_t zero_point) { return Wrapped(x) - zero_point; }

}  // namespace cosim::host
