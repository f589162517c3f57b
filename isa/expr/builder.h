// SPDX-License-Identifier: Apache-2.0
// Builds scalar programs node by node: infers each node's type from its operands, folds constants, and
// rejects operands that an operator does not take. The grammar is in isa/expr/parser.h.
//
// The type of a result is the narrowest that holds every value which the operands' types allow: a sum is one
// bit wider, a product as wide as both factors together, a constant as wide as its value.
#pragma once

#include <string>
#include <utility>

#include "isa/expr/expr.h"

namespace cosim::isa {

class ExprBuilder {
 public:
  explicit ExprBuilder(ScalarProgram& program) : program_(program) {}

  /// Why the last node could not be made: a code, what is wrong, and what would be right.
  struct Error {
    const char* code = nullptr;
    std::string message, hint;
  };

  // Each returns a node, or -1 with an error to take. -1 as an operand gives -1 and no further error.
  int Constant(int64_t value, int stage);
  int Binary(ScalarOp op, int a, int b, int stage);
  int Not(int a, int stage);
  int Abs(int a, int stage);
  int Select(int condition, int a, int b, int stage);
  int Clamp(int x, int lo, int hi, int stage);
  /// kWrap or kSat to `type`.
  int Convert(ScalarOp op, int a, ScalarType type, int stage);
  /// The element of `table` at `index`.
  int Lookup(const ScalarTable& table, int index, int stage);

  const ScalarType& TypeOf(int node) const { return program_.nodes[node].type; }
  bool IsConstant(int node) const { return program_.nodes[node].op == ScalarOp::kConst; }
  /// The last error, once.
  Error TakeError() { return std::exchange(error_, {}); }

 private:
  int Add(ScalarNode node);
  int Fail(const char* code, std::string message, std::string hint);

  ScalarProgram& program_;
  Error error_;
};

/// "int32", "uint6".
std::string TypeText(ScalarType type);

/// Whether every value of `inner` is one of `outer`.
bool Holds(ScalarType outer, ScalarType inner);

/// Drops nodes that the result does not need, and puts the rest in the order inputs, then stage by stage.
void Canonicalize(ScalarProgram& program);

}  // namespace cosim::isa
