// SPDX-License-Identifier: Apache-2.0
// Short names of the types that definitions compute in.
#pragma once

#include "compiler/tir/ir.h"

namespace cosim::ops {

inline const tir::DataType kInt16 = tir::DataType::Int(16), kInt32 = tir::DataType::Int(32),
                           kInt64 = tir::DataType::Int(64);
inline const tir::DataType kReal32 = tir::DataType::Float(32), kReal = tir::DataType::Float(64);

/// A number as a float of 64 bits.
inline tir::Expr Real(const tir::Expr& x) { return tir::MakeCast(kReal, x); }

}  // namespace cosim::ops
