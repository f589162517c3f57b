// SPDX-License-Identifier: Apache-2.0
// Typed scalar programs: what an ALU op computes, for one lane. Parsed from the spec's text by
// isa/expr/parser.h and read by the vectorized evaluator (sim), the SystemVerilog, C and document printers,
// and the compiler's matcher.
//
// Semantics. Every value is an integer of a stated width (1..64) and sign. Arithmetic is exact: the type of a
// result holds every value the operands can give, and a program whose exact types exceed 64 bits is rejected.
// Nothing wraps unless Wrap or Uwrap says so, nothing saturates unless Sat or Clamp says so. Shifts right are
// arithmetic. RoundShift(x, s) is (x + (s > 0 ? 1 << (s - 1) : 0)) >> s, exact (round half up). A shift by
// `width` or more gives what an infinitely wide integer would give. Comparison gives uint(1). Lookup gives
// what a memory holds at an index. Nodes are in evaluation order (SSA).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "isa/diagnostics.h"

namespace cosim::isa {

/// An integer type: `width` bits, two's complement when `is_signed`.
struct ScalarType {
  int width = 0;
  bool is_signed = false;
  friend bool operator==(const ScalarType&, const ScalarType&) = default;
  int64_t Min() const;
  int64_t Max() const;  ///< uint(64) is not used: unsigned widths stop at 63
};

enum class ScalarOp {
  kConst,  ///< value
  kInput,  ///< inputs[index]
  kAdd,
  kSub,
  kMul,
  kMin,
  kMax,  ///< a, b
  kShr,
  kShl,         ///< a by b (b unsigned)
  kRoundShift,  ///< a by b
  kAnd,
  kOr,
  kXor,
  kNot,
  kLt,
  kLe,
  kEq,
  kNe,
  kSelect,  ///< a ? b : c
  kWrap,    ///< a to type (signed or unsigned), dropping high bits
  kSat,     ///< a to type, saturating
  kClamp,   ///< max(b, min(a, c))
  kLookup,  ///< element a of tables[input]
};

struct ScalarNode {
  ScalarOp op = ScalarOp::kConst;
  ScalarType type;
  int a = -1, b = -1, c = -1;  ///< operand nodes
  int64_t value = 0;           ///< kConst
  int input = -1;              ///< kInput; kLookup: which table
  int stage = 0;               ///< pipeline stage the node is computed in, from 0
};

/// Where an input of a scalar program comes from.
struct ScalarInput {
  enum class Kind { kOperand, kImmediate } kind = Kind::kOperand;
  std::string name;            ///< as written: "a", "p.mult", "imm"
  int operand = -1;            ///< kOperand: index into AluOp::operands
  int field = -1;              ///< kOperand: field of the memory's record, -1 for a plain element
  int instruction_field = -1;  ///< kImmediate: index into InstructionFormat::fields
  ScalarType type;
};

/// A memory of single values that a scalar program looks up: each lane an element of its own.
struct ScalarTable {
  std::string name;
  int memory = -1;
  int64_t depth = 0;  ///< elements
  ScalarType type;    ///< at most 32 bits, or 31 without a sign
};

struct ScalarProgram {
  std::vector<ScalarInput> inputs;
  std::vector<ScalarTable> tables;
  std::vector<ScalarNode> nodes;
  int result = -1;
  int stages = 0;  ///< number of `stage` cuts: registers between the first and the last node
};

/// One node from the values of its operands; any operator but kInput and kLookup.
int64_t EvaluateNode(const ScalarNode& node, int64_t a, int64_t b, int64_t c);

/// One lane, one evaluation; the definition the faster evaluators are tested against. `lookup`: the element
/// of a table at an index, for programs that have tables.
int64_t Evaluate(const ScalarProgram& program, std::span<const int64_t> inputs,
                 const std::function<int64_t(const ScalarTable&, int64_t)>& lookup = {});

}  // namespace cosim::isa
