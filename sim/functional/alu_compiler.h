// SPDX-License-Identifier: Apache-2.0
// Chooses the lane operations and widths that compute an isa::ScalarProgram. Running them is
// sim/functional/alu_evaluator.h's business.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/expr/expr.h"
#include "sim/kernels/lane_ops.h"

namespace cosim::sim {

/// One operation on virtual registers of 32-bit lanes, or of 64-bit lanes when `wide`.
struct CompiledLaneOp {
  LaneOp op = LaneOp::kAdd;
  bool wide = false;     ///< which table: the width of the result
  bool uniform = false;  ///< depends on no operand: the same in every lane and for a whole instruction
  int r = -1, a = -1, b = -1, c = -1;  ///< registers; -1: not read
  int64_t lo = 0, hi = 0;
  int shift = 0;
  int table = -1;  ///< kLookup: which of the program's, read as b
};

struct CompiledAlu {
  std::vector<bool> register_wide;                 ///< by register
  std::vector<int> inputs;                         ///< register of each input; -1: not needed
  std::vector<std::pair<int, int64_t>> constants;  ///< registers that hold one value in all lanes
  std::vector<CompiledLaneOp> ops;                 ///< in order of evaluation
  int result = -1;
};

CompiledAlu CompileAlu(const isa::ScalarProgram& program);

}  // namespace cosim::sim
