// SPDX-License-Identifier: Apache-2.0
// Executes one ALU op: gathers the operands of many steps into runs of lanes, evaluates them together, and
// writes the results back. A run ends before a step that reads what an earlier step of the run writes, so the
// outcome is that of steps done one after another.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isa/program/decode.h"
#include "isa/spec/spec.h"
#include "sim/functional/alu_evaluator.h"
#include "sim/functional/memories.h"
#include "sim/functional/step_table.h"

namespace cosim::sim {

class AluUnit {
 public:
  /// Keeps references; `memories` must not move. `op` must be available.
  AluUnit(const isa::Spec& spec, const isa::AluOp& op, Memories& memories, SimdLevel level);

  /// `fields` are the instruction's values. Returns which bounds it exceeds, and then does nothing; empty if
  /// none.
  std::string Execute(const isa::Alu& alu, std::span<const int64_t> fields);
  /// The steps of the last instruction executed; column 0 is the result.
  const StepTable& steps() const { return table_; }
  int destination() const { return op_.result.memory; }

 private:
  /// An operand's elements in one pass of the inner loop with one micro-op.
  struct Row {
    int64_t first = 0, stride = 0, count = 0;
    int64_t Last() const { return first + (count - 1) * stride; }
  };
  Row RowOf(int operand, int64_t i) const {
    const StepColumn& column = table_.columns[operand];
    return {column.uops[0] + i * column.outer, column.inner, table_.iter_in};
  }

  void RunSteps();
  /// Whether no step of row `i` reads what an earlier one writes.
  bool RowIsIndependent(int64_t i) const;
  void RunRow(int64_t i);
  void RunStepByStep(int64_t i);
  bool ReadsWritten(const std::vector<int64_t>& elements) const;
  /// Executes the steps gathered. `continues_row`: they follow those of the run before in an independent row.
  void FlushRun(bool continues_row);
  void GatherInput(int input);
  void ScatterResult(LaneRegister result);
  void NextStamp();

  const isa::Spec& spec_;
  const isa::AluOp& op_;
  Memories& memories_;
  int lanes_;      ///< of the result
  int run_steps_;  ///< the most a run may have
  AluEvaluator evaluator_;
  StepTable table_;
  std::vector<StepOperand> operands_;      ///< the result, then the op's
  std::vector<int> hazards_;               ///< those of the op's operands that live where the result does
  std::vector<std::vector<int64_t>> run_;  ///< elements of the steps gathered so far, by operand
  std::vector<uint32_t> stamps_;           ///< by element of the result's memory: the run that wrote it last
  uint32_t stamp_ = 0;                     ///< of the current run
};

}  // namespace cosim::sim
