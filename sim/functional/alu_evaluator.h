// SPDX-License-Identifier: Apache-2.0
// Evaluates an isa::ScalarProgram on many lanes at once, as isa::Evaluate does on one. Which lanes, and where
// they come from and go to, is sim/functional/alu_unit.h's business.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/expr/expr.h"
#include "sim/functional/alu_compiler.h"
#include "sim/kernels/aligned_buffer.h"
#include "sim/kernels/lane_ops.h"

namespace cosim::sim {

/// An array of lanes: int32_t, or int64_t when wide.
struct LaneRegister {
  void* data = nullptr;
  bool wide = false;
};

class AluEvaluator {
 public:
  /// `capacity`: the most lanes a Run evaluates.
  AluEvaluator(const isa::ScalarProgram& program, int capacity, SimdLevel level);

  int capacity() const { return capacity_; }

  /// False for an input that the result does not depend on; it has no register.
  bool Uses(int input) const { return inputs_[input] >= 0; }
  /// Where the lanes of an operand are put before Run. The values must fit the input's type.
  LaneRegister Input(int input) { return Register(inputs_[input]); }
  /// The value of an immediate, for Runs of up to `lanes` lanes. After all of them, before Run:
  /// PrepareUniform.
  void SetImmediate(int input, int64_t value, int lanes);
  /// Where the values of a table are put before PrepareUniform, and stay.
  int32_t* Table(int table) { return tables_[table].data(); }
  /// Evaluates what depends on immediates and constants only.
  void PrepareUniform(int lanes) { Execute(uniform_ops_, lanes); }
  /// Evaluates lanes [0, lanes); the result's lanes stay until the next Run.
  LaneRegister Run(int lanes);

 private:
  struct Op {
    LaneFunction function = nullptr;
    LaneArgs args;
  };

  LaneRegister Register(int r);
  void Fill(int r, int64_t value, int lanes);
  static void Execute(const std::vector<Op>& ops, int lanes);

  int capacity_;
  std::vector<bool> wide_;  ///< by register
  std::vector<int> inputs_;
  int result_;
  std::vector<std::vector<int32_t>> tables_;
  AlignedBuffer<int64_t> values_;  ///< capacity_ words a register
  std::vector<Op> uniform_ops_, lane_ops_;
};

}  // namespace cosim::sim
