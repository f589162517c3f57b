// SPDX-License-Identifier: Apache-2.0
#include "sim/energy/energy.h"

namespace cosim::sim {
namespace {

using isa::ScalarNode;
using isa::ScalarOp;

constexpr double kMillijoule = 1e-9;  ///< of a pJ

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

Energy EnergyOf(const isa::Spec& spec, const Work& work, uint64_t dram_bytes, const EnergyTable& table) {
  Energy energy;
  for (size_t f = 0; f < work.macs.size(); ++f)
    if (work.macs[f] > 0)
      energy.macs += static_cast<double>(work.macs[f]) * MacEnergy(spec, *spec.formats[f].intrinsic, table);
  for (size_t op = 0; op < work.lane_ops.size(); ++op)
    if (work.lane_ops[op] > 0)
      energy.alu += static_cast<double>(work.lane_ops[op]) * LaneEnergy(spec.alu_ops[op].program, table);
  for (size_t m = 0; m < work.memories.size(); ++m)
    energy.sram += static_cast<double>(work.memories[m].reads + work.memories[m].writes) *
                   AccessEnergy(spec.memories[m], table);
  energy.dram = static_cast<double>(dram_bytes) * table.dram_byte;
  energy.instructions = static_cast<double>(work.instructions) * table.instruction;
  for (double* part : {&energy.macs, &energy.alu, &energy.sram, &energy.dram, &energy.instructions})
    *part *= kMillijoule;
  return energy;
}

}  // namespace cosim::sim
