// SPDX-License-Identifier: Apache-2.0
// Tables that ALU ops look up. See capabilities.h.
#include "compiler/accel/capabilities.h"

namespace cosim::accel {
namespace {

/// The op as that form: it looks one table up and does nothing else.
ValueTable Read(const isa::Spec& spec, const isa::AluOp& op, int accumulators) {
  const isa::ScalarProgram& program = op.program;
  const isa::ScalarNode& lookup = program.nodes[program.result];
  if (lookup.op != isa::ScalarOp::kLookup) return {};
  const isa::ScalarTable& table = program.tables[lookup.input];
  const isa::ScalarNode& index = program.nodes[lookup.a];
  if (index.op != isa::ScalarOp::kWrap || index.type.is_signed ||
      table.depth != int64_t{1} << index.type.width)
    return {};
  const isa::ScalarNode& value = program.nodes[index.a];
  if (value.op != isa::ScalarOp::kInput || program.inputs[value.input].operand < 0 ||
      op.operands[program.inputs[value.input].operand].memory != accumulators)
    return {};
  const bool holds_values = table.type == isa::ScalarType{index.type.width, true};
  if (!holds_values || FindTransfer(spec, table.memory, false) < 0) return {};
  return {table.memory, index.type.width};
}

}  // namespace

ValueTable FindValueTable(const isa::Spec& spec, int accumulators, int results) {
  for (const isa::AluOp& op : spec.alu_ops) {
    if (op.result.memory != results || !Misfit(spec, op).empty()) continue;
    if (const ValueTable found = Read(spec, op, accumulators); found.memory >= 0) return found;
  }
  return {};
}

}  // namespace cosim::accel
