// SPDX-License-Identifier: Apache-2.0
// Instruction selection for elementwise expressions: covers the expression tree with the spec's ALU ops, with
// as few as it takes. An op matches where its own expression does; immediates take the constants they stand
// against, and drop out as 0 (sums, shifts), 1 (products) or a type's bound (clamps) where the expression has
// nothing there.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/accel/exact_expr.h"
#include "isa/spec/spec.h"

namespace cosim::accel {

/// An operand as the selector sees it: a load of the expression, or the intermediate result in the
/// accumulators.
struct AluSource {
  tir::Expr load;  ///< null: the intermediate
  int field = -1;  ///< which field of the record
};

struct SelectedOp {
  int op = -1;
  std::vector<AluSource> operands;                  ///< as AluOp::operands
  std::vector<std::pair<int, int64_t>> immediates;  ///< (instruction field, value)
  std::vector<tir::Buffer> tables;                  ///< as ScalarProgram::tables
};

/// What the selector needs to know of a load; `field` is set for a load of one field of a record.
struct LoadInfo {
  int memory = -1;
  int field = -1;
};

/// Where results and intermediates go. An intermediate has one element of `intermediate_memory` for each
/// element of the result; it may be an element the expression itself loads, which is then read once, by the
/// first op.
struct AluTarget {
  int memory = -1;
  int intermediate_memory = -1;
  std::function<LoadInfo(const tir::Expr&)> info;
  std::function<bool(const tir::Expr&, const tir::Expr&)> same_element;  ///< two loads read one element
  std::function<bool(const tir::Expr&)> is_result;  ///< the load reads the element the result is written to
  std::function<bool(const tir::Expr&)> is_intermediate;  ///< the load reads the intermediate's element
};

/// Ops in order of execution; the last writes the result. Empty: nothing covers it, and `why` says what did
/// not match.
std::vector<SelectedOp> SelectAluOps(const isa::Spec& spec, const Exact& expr, const AluTarget& target,
                                     std::string& why);

}  // namespace cosim::accel
