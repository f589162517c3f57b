// SPDX-License-Identifier: Apache-2.0
// Which elements the steps of a gemm or alu instruction touch: micro-ops read once, bounds checked for all
// steps at once, so that the loops over steps need neither. What a step does is the units' business.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/program/decode.h"
#include "isa/spec/spec.h"
#include "sim/functional/memories.h"

namespace cosim::sim {

/// An operand to resolve: elements of `memory` numbered by `index`, each with others up to `parts` - 1 behind
/// it.
struct StepOperand {
  int memory = -1;
  isa::Index index;
  Wide parts = 1;
};

/// One operand's elements: step (i, j, u) touches uops[u] + i * outer + j * inner.
struct StepColumn {
  int64_t outer = 0, inner = 0;
  int64_t low = 0, high = 0;  ///< the least and the greatest of them
  std::vector<int64_t> uops;
};

struct StepTable {
  int64_t iter_out = 0, iter_in = 0;
  int64_t uops = 0;
  std::vector<StepColumn> columns;  ///< by operand
  int64_t Steps() const { return iter_out * iter_in * uops; }

  /// Fills the table; reuses what it has allocated. The loops may come out as one with the same steps in the
  /// same order, if `merge`. Returns which bounds the instruction exceeds, empty if
  /// none; an instruction without steps has none.
  std::string Resolve(const isa::Spec& spec, const Memories& memories, const isa::Nest& nest,
                      std::span<const StepOperand> operands, bool merge = true);

 private:
  /// Makes the two loops one where that leaves the steps and their order as they are.
  void MergeLoops();
};

}  // namespace cosim::sim
