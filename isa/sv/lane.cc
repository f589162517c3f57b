// SPDX-License-Identifier: Apache-2.0
// Scalar programs as SystemVerilog: one sized signal a value, registers where a value crosses a stage.
#include "isa/sv/lane.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "isa/check.h"
#include "isa/sv/lane_printer.h"
#include "isa/sv/package.h"
#include "isa/text_escape.h"

namespace cosim::isa {

int LanePrinter::Define(const std::string& expression, ScalarType type, int stage, bool is_static) {
  const std::string key =
      fmt::format("{} {} {} {}", expression, type.width, type.is_signed, is_static ? 0 : stage);
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  const int id = static_cast<int>(values_.size());
  const std::string name = fmt::format("v{}", id);
  fmt::format_to(std::back_inserter(body_), "  logic [{}:0] {};\n  assign {} = {};\n", type.width - 1, name,
                 name, expression);
  values_.push_back({name, type, stage, is_static});
  known_[key] = id;
  return id;
}

std::string LanePrinter::Wire(int width, const std::string& expression) {
  std::string& name = wires_[fmt::format("{} {}", expression, width)];
  if (name.empty()) {
    name = fmt::format("w{}", wires_.size());
    fmt::format_to(std::back_inserter(body_), "  logic [{}:0] {};\n  assign {} = {};\n", width - 1, name,
                   name, expression);
  }
  return name;
}

std::string LanePrinter::At(int value, int stage) {
  if (const auto shift = shifts_.find(value); shift != shifts_.end() && stage > values_[value].stage)
    return At(Shifted(value, stage), stage);
  read_[value].insert(stage);
  return Delayed(value, stage);
}

/// A value that is another one shifted by a constant, in a later stage: it is the other one that waits.
int LanePrinter::Shifted(int value, int stage) {
  const auto [base, amount] = shifts_.at(value);
  const ScalarType type = values_[value].type;
  return Define(fmt::format("{} << {}", At(base, stage, type.width), At(amount, stage)), type, stage);
}

std::string LanePrinter::Delayed(int value, int stage) {
  const LaneValue from = values_[value];
  if (from.is_static || stage == from.stage) return from.name;
  COSIM_CHECK(stage > from.stage, "a value of stage {} is used in stage {}", from.stage, stage);
  const auto found = delayed_.find({value, stage});
  if (found != delayed_.end()) return found->second;
  const std::string before = Delayed(value, stage - 1);
  const std::string name = fmt::format("{}_s{}_q", from.name, stage);
  fmt::format_to(std::back_inserter(body_), "  logic [{}:0] {};\n", from.type.width - 1, name);
  fmt::format_to(std::back_inserter(registers_), "    {} <= {};\n", name, before);
  delayed_[{value, stage}] = name;
  return name;
}

int LanePrinter::Input(const AluOp& op, const ScalarInput& input) {
  if (input.kind == ScalarInput::Kind::kImmediate) {
    const std::string& field = spec_.formats[alu_.format].fields[input.instruction_field].name;
    return Define(field + "_i", input.type, 0, true);
  }
  const Memory& memory = spec_.memories[op.operands[input.operand].memory];
  const std::vector<int> reads =
      alu_.Operands(spec_, static_cast<int>(&op - spec_.alu_ops.data()), op.operands[input.operand].memory);
  const bool first_of_two = reads.size() == 2 && input.operand == reads[0];
  const int offset = input.field < 0 ? 0 : memory.fields[input.field].offset;
  return Define(fmt::format("{}{}_i[{}:{}]", memory.name, first_of_two ? "_before" : "",
                            offset + input.type.width - 1, offset),
                input.type, 0);
}

int LanePrinter::Node(const AluOp& op, const ScalarNode& node, const std::vector<int>& values, int delay,
                      int slot) {
  if (node.op == ScalarOp::kInput) return Input(op, op.program.inputs[node.input]);
  if (node.op == ScalarOp::kConst) return Define(SvLiteral(node.value, node.type.width), node.type, 0, true);
  const auto operand = [&](int of) { return of < 0 ? -1 : values[of]; };
  const int a = operand(node.a), b = operand(node.b), c = operand(node.c);
  const int stage = node.stage + delay;
  bool is_static = true;
  for (int value : {a, b, c}) is_static &= value < 0 || values_[value].is_static;
  if (IsProduct(op, node)) return Multiply(slot, a, b, node.type, stage);
  if (node.op == ScalarOp::kRoundShift) return RoundShift(slot, a, b, node.type, stage, is_static);
  if (node.op == ScalarOp::kLookup) return Lookup(op, node, slot, a, stage);
  if (IsCombined(op, node, is_static)) return Combine(op, node, slot, a, b, stage);
  const auto is_as = [&](ScalarType type) {
    return type.width == node.type.width && type.is_signed == node.type.is_signed;
  };
  if (node.op == ScalarOp::kWrap && is_as(values_[a].type)) return a;
  const size_t before = values_.size();
  const int value = node.op == ScalarOp::kClamp
                        ? Clamp(node, a, b, c, stage, StagesInside(op, node), is_static)
                        : Define(Expression(node, a, b, c, stage), node.type, stage, is_static);
  if (values_.size() > before) Count(op, node, a, b);
  if (node.op == ScalarOp::kShl && !is_static && op.program.nodes[node.b].op == ScalarOp::kConst)
    shifts_[value] = {a, b};
  const auto shift = shifts_.find(a);
  if (node.op == ScalarOp::kWrap && shift != shifts_.end() && node.type.width <= values_[a].type.width)
    shifts_[value] = shift->second;
  return value;
}

void LanePrinter::PrintOp(int slot) {
  const AluOp& op = spec_.alu_ops[alu_.ops[slot]];
  fmt::format_to(std::back_inserter(body_), "\n  // {}: {}\n", op.name, CommentText(op.doc));
  std::vector<int> values;
  const std::vector<int> late = NodesLate(op);
  for (size_t n = 0; n < late.size(); ++n)
    values.push_back(Node(op, op.program.nodes[n], values, late[n], slot));
  results_.push_back(values[op.program.result]);
}

void LanePrinter::PrintResults() {
  body_ += "\n  // Results.\n";
  for (int memory : alu_.writes) {
    const Memory& described = spec_.memories[memory];
    std::map<int, std::vector<int>> ops;  // by result
    for (size_t slot = 0; slot < alu_.ops.size(); ++slot) {
      if (spec_.alu_ops[alu_.ops[slot]].result.memory == memory)
        ops[results_[slot]].push_back(static_cast<int>(slot));
    }
    const std::string text = Chosen(ops, alu_.stages, described.record_bits, true);
    fmt::format_to(std::back_inserter(body_), "  assign {}_o = {};\n", described.name, text);
  }
}

std::string LanePrinter::Print() {
  PlanSharing();
  for (size_t slot = 0; slot < alu_.ops.size(); ++slot) PrintOp(static_cast<int>(slot));
  PlanResults();
  const std::string shared = PrintMultipliers() + PrintShifters() + PrintAdders() + PrintLookups();
  PrintResults();
  std::string ports =
      fmt::format("  input  logic clk_i,\n  input  logic [0:0] enable_i,\n  input  logic [{}:0] op_i",
                  alu_.ops.size() - 1);
  std::string inputs = "clk_i, enable_i, op_i";
  auto input = [&](const std::string& name, int bits) {
    fmt::format_to(std::back_inserter(ports), ",\n  input  logic [{}:0] {}", bits - 1, name);
    inputs += ", " + name;
  };
  for (int field : alu_.immediates) {
    const Field& described = spec_.formats[alu_.format].fields[field];
    input(described.name + "_i", described.type.width);
  }
  for (int memory : alu_.reads) {
    const Memory& described = spec_.memories[memory];
    input(described.name + "_i", described.record_bits);
    const bool twice =
        std::ranges::any_of(alu_.ops, [&](int op) { return alu_.Operands(spec_, op, memory).size() == 2; });
    if (twice) input(described.name + "_before_i", described.record_bits);
  }
  for (int memory : alu_.writes) {
    fmt::format_to(std::back_inserter(ports), ",\n  output logic [{}:0] {}_o",
                   spec_.memories[memory].record_bits - 1, spec_.memories[memory].name);
  }
  for (size_t t = 0; t < size_.tables.size(); ++t) {
    input(fmt::format("looked_up{}_i", t), size_.tables[t].bits);
    fmt::format_to(std::back_inserter(ports), ",\n  output logic [{}:0] index{}_o",
                   SvAddressBits(size_.tables[t].depth) - 1, t);
  }
  if (!registers_.empty())
    registers_ = "\n  always_ff @(posedge clk_i) if (enable_i) begin\n" + registers_ + "  end\n";
  // Values are kept in their full width; what no op needs of them is trimmed by synthesis.
  return fmt::format(
      "{}// verilator lint_off UNUSEDSIGNAL\n// Reason: wrapped values and exact products keep bits that "
      "nothing reads.\n"
      "module alu_lane_{} (\n{}\n);\n\n{}{}{}\n  logic unused_inputs;\n  assign unused_inputs = "
      "^{{{}}};\n\nendmodule\n"
      "// verilator lint_on UNUSEDSIGNAL\n",
      SvBanner(spec_, fmt::format("One lane of the {} unit's ALU.", unit_.name)), unit_.name, ports, shared,
      body_, registers_, inputs);
}

std::string SvAluLane(const Spec& spec, const SvUnit& unit) { return LanePrinter(spec, unit).Print(); }

SvLaneSize SvAluLaneSize(const Spec& spec, const SvUnit& unit) {
  LanePrinter printer(spec, unit);
  printer.Print();
  return printer.Size();
}

}  // namespace cosim::isa
