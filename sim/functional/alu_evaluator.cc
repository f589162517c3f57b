// SPDX-License-Identifier: Apache-2.0
// Runs compiled ALU ops. What is computed in which width was settled by sim/functional/alu_compiler.cc.
#include "sim/functional/alu_evaluator.h"

#include <algorithm>

#include "isa/check.h"

namespace cosim::sim {

AluEvaluator::AluEvaluator(const isa::ScalarProgram& program, int capacity, SimdLevel level)
    : capacity_((capacity + 7) / 8 * 8) {
  const CompiledAlu compiled = CompileAlu(program);
  const LaneTable& table = LaneTableFor(level);
  wide_ = compiled.register_wide;
  inputs_ = compiled.inputs;
  result_ = compiled.result;
  values_ = AlignedBuffer<int64_t>(int64_t{capacity_} * static_cast<int64_t>(wide_.size()));
  for (const isa::ScalarTable& t : program.tables) tables_.emplace_back(t.depth);
  for (const CompiledLaneOp& op : compiled.ops) {
    auto data = [&](int r) { return r < 0 ? nullptr : Register(r).data; };
    const void* b = op.table < 0 ? data(op.b) : tables_[op.table].data();
    const LaneFunction function = (op.wide ? table.wide : table.narrow)[static_cast<int>(op.op)];
    COSIM_CHECK(function != nullptr, "lane operation {}", static_cast<int>(op.op));
    (op.uniform ? uniform_ops_ : lane_ops_)
        .push_back({function, {data(op.r), data(op.a), b, data(op.c), op.lo, op.hi, op.shift}});
  }
  for (const auto& [r, value] : compiled.constants) Fill(r, value, capacity_);
}

LaneRegister AluEvaluator::Register(int r) { return {values_.data() + int64_t{r} * capacity_, wide_[r]}; }

void AluEvaluator::Fill(int r, int64_t value, int lanes) {
  const LaneRegister reg = Register(r);
  if (reg.wide) {
    std::fill_n(static_cast<int64_t*>(reg.data), lanes, value);
  } else {
    std::fill_n(static_cast<int32_t*>(reg.data), lanes, static_cast<int32_t>(value));
  }
}

void AluEvaluator::SetImmediate(int input, int64_t value, int lanes) {
  if (Uses(input)) Fill(inputs_[input], value, lanes);
}

void AluEvaluator::Execute(const std::vector<Op>& ops, int lanes) {
  for (const Op& op : ops) op.function(op.args, lanes);
}

LaneRegister AluEvaluator::Run(int lanes) {
  COSIM_CHECK(lanes <= capacity_, "{} lanes", lanes);
  Execute(lane_ops_, lanes);
  return Register(result_);
}

}  // namespace cosim::sim
