// SPDX-License-Identifier: Apache-2.0
// How a gemm or alu leaf becomes instructions: lists of micro-ops, each with the loops that walk it, and
// which elements they reach. That depends on the leaf's extents and strides; where its elements begin moves
// all of it, so that one plan is for many iterations of the loops around the leaf.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/accel/micro_ops.h"
#include "isa/spec/spec.h"

namespace cosim::accel {

/// Elements of one memory that an index of the space reaches, `lines` rows of `parts` at a time.
struct LeafOperand {
  int memory = -1;
  bool write = false;
  int index = 0;  ///< of the micro-op's fields
  int64_t parts = 1, lines = 1, pitch = 0;
};

/// What an instruction asks of its plans.
struct LeafRules {
  int64_t iterations = 0;           ///< the most its loops count
  int64_t micro_ops = 1;            ///< the most it may bring along
  bool bases_in_micro_ops = false;  ///< it has no base fields
  std::optional<RowRead> rows;      ///< gemm
  /// alu: steps until what was written can be read. Nothing: gemm, which may sum up again and again.
  std::optional<int64_t> apart;
  std::vector<LeafOperand> operands;
};

/// Elements [begin, end).
struct ElementRun {
  int32_t begin = 0, end = 0;
  friend bool operator==(const ElementRun&, const ElementRun&) = default;
};

/// Every element that an index of the space reaches, `parts` at a time, as runs that are ascending and apart.
std::vector<ElementRun> Reach(const IndexSpace& space, int index, int64_t parts);

/// One list of micro-ops.
struct LeafPart {
  std::vector<int64_t> shift;                  ///< one an index, from the leaf's bases to the part's
  bool first = true;                           ///< has the first point of the reduction
  HardwareNest nest;                           ///< of bases at 0 where the instruction has base fields
  std::vector<std::vector<ElementRun>> reach;  ///< of each operand, from 0 on
  const MicroOpStore::List* list = nullptr;    ///< once it is stored
};

/// A leaf's instructions, in order; none where the space is empty. Parts have no `reach` unless it is wanted.
std::vector<LeafPart> PlanLeaf(const LeafRules& rules, const IndexSpace& space, bool with_reach);

}  // namespace cosim::accel
