// SPDX-License-Identifier: Apache-2.0
#include "sim/energy/costs.h"

namespace cosim::sim {
namespace {

using isa::ScalarNode;
using isa::ScalarOp;

double OperatorEnergy(const ScalarNode& node, const isa::ScalarProgram& program, const EnergyTable& table) {
  const auto operand = [&](int index) -> const ScalarNode& {
    return program.nodes[static_cast<size_t>(index)];
  };
  const double sum = table.add.At(node.type.width);
  switch (node.op) {
    case ScalarOp::kConst:
    case ScalarOp::kInput:
    case ScalarOp::kWrap:
    case ScalarOp::kNot:
      return 0;
    case ScalarOp::kMul:
      return table.Multiply(operand(node.a).type.width, operand(node.b).type.width);
    case ScalarOp::kShr:
    case ScalarOp::kShl:
      return operand(node.b).op == ScalarOp::kConst ? 0 : sum;  // by a constant it is wires
    case ScalarOp::kLt:
    case ScalarOp::kLe:
    case ScalarOp::kEq:
    case ScalarOp::kNe:
      return table.add.At(operand(node.a).type.width);
    case ScalarOp::kClamp:
      return 2 * table.add.At(operand(node.a).type.width);
    case ScalarOp::kSat:
      return table.add.At(operand(node.a).type.width);
    default:
      return sum;
  }
}

}  // namespace

double MacEnergy(const isa::Spec& spec, const isa::Intrinsic& intrinsic, const EnergyTable& table) {
  const auto width = [&](const isa::Operand& operand) {
    return static_cast<double>(spec.memories[static_cast<size_t>(operand.memory)].record_bits);
  };
  double energy = table.add.At(width(intrinsic.dst));
  double product = 0;
  for (const isa::Operand& source : intrinsic.sources) {
    if (product > 0) energy += table.Multiply(product, width(source));
    product += width(source);
  }
  return energy;
}

double LaneEnergy(const isa::ScalarProgram& program, const EnergyTable& table) {
  double energy = 0;
  for (const ScalarNode& node : program.nodes) energy += OperatorEnergy(node, program, table);
  return energy;
}

double AccessEnergy(const isa::Memory& memory, const EnergyTable& table) {
  const auto bits = static_cast<double>(memory.element_bits);
  const double bytes = static_cast<double>(memory.depth) * bits / 8;
  return table.sram.At(bytes) * bits / table.sram_access_bits;
}

Costs CostsOf(const isa::Spec& spec, const EnergyTable& table) {
  Costs costs;
  costs.table = table.name;
  costs.technology = table.technology;
  for (const isa::InstructionFormat& format : spec.formats)
    costs.macs.push_back(format.intrinsic ? MacEnergy(spec, *format.intrinsic, table) : 0);
  for (const isa::AluOp& op : spec.alu_ops) costs.lane_ops.push_back(LaneEnergy(op.program, table));
  for (const isa::Memory& memory : spec.memories) {
    const double access = AccessEnergy(memory, table);
    costs.memories.push_back({access, access});
  }
  costs.dram_byte = {table.dram_byte, table.dram_byte};
  costs.instruction = table.instruction;
  costs.host_cycle = table.host_cycle;
  costs.static_mw = table.static_mw;
  return costs;
}

}  // namespace cosim::sim
