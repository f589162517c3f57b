// SPDX-License-Identifier: Apache-2.0
// Integer expressions freed of their types: exact arithmetic, with a Wrap node only where a value may really
// leave its type. Lowered expressions and the spec's ALU programs both become this, so that they can be
// compared.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "compiler/tir/ir.h"
#include "isa/expr/expr.h"

namespace cosim::accel {

enum class ExactOp {
  kConst,
  kLeaf,
  kAdd,
  kSub,
  kMul,
  kMin,
  kMax,
  kShr,
  kShl,
  kRoundShift,
  kAnd,
  kOr,
  kXor,
  kLt,
  kLe,
  kEq,
  kNe,
  kSelect,
  kWrap,
  kLookup  // what a table holds at args[0]
};

struct ExactNode;
using Exact = std::shared_ptr<const ExactNode>;

struct ExactNode {
  ExactOp op = ExactOp::kConst;
  std::vector<Exact> args;
  int64_t value = 0;          ///< kConst
  tir::Expr load;             ///< kLeaf, kLookup of a lowered expression: a Load
  int input = -1;             ///< the same of an ALU program: index into ScalarProgram::inputs, or tables
  isa::ScalarType type;       ///< kWrap
  int64_t low = 0, high = 0;  ///< the value lies in [low, high] (saturated at the range of int64)
};

/// Null when the expression holds something other than integer arithmetic, or a value that 64 bits may not
/// hold. Chains of clamps by constants come out as max(min(x, high), low).
Exact FromLowered(const tir::Expr& expr);
Exact FromProgram(const isa::ScalarProgram& program);

/// A node with its range computed.
Exact MakeExact(ExactOp op, std::vector<Exact> args);
Exact ExactConst(int64_t value);

/// max(min(x, high), low) with constants.
bool IsClamp(const Exact& e);

}  // namespace cosim::accel
