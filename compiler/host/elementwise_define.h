// SPDX-License-Identifier: Apache-2.0
// Tensor expressions of the operators of elementwise.h.
#pragma once

#include "compiler/host/elementwise.h"
#include "compiler/host/make.h"

namespace cosim::host {

/// One operation on two values of a type, with the reference's NaNs, wraps and divisions by 0.
tir::Expr ApplyTo(Arithmetic op, const tir::Expr& a, const tir::Expr& b);
tir::Expr CompareTo(Comparison op, const tir::Expr& a, const tir::Expr& b);
/// a ^ b in float32 when both fit it, else in float64.
tir::Expr PowerOf(const tir::Expr& a, const tir::Expr& b);

std::optional<ops::Definition> DefineVariadic(Arithmetic op, bool mean, const ops::HostSite& site);
std::optional<ops::Definition> DefineClip(const ops::HostSite& site);
/// Operand 0 in the type of the result.
std::optional<ops::Definition> DefineConversion(const ops::HostSite& site);
/// The definition of `op` on (a, b), b being put in `shape`, which adds dimensions behind its own.
std::optional<ops::Definition> DefineAligned(const HostOperatorPtr& op, const Shape& shape,
                                             const ops::HostSite& site);

}  // namespace cosim::host
