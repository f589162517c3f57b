// SPDX-License-Identifier: Apache-2.0
// Scalar programs as SystemVerilog: one sized signal a value, registers where a value crosses a stage.
#include "isa/sv/lane.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "isa/check.h"
#include "isa/sv/lane_printer.h"
#include "isa/sv/package.h"
#include "isa/text_escape.h"

namespace cosim::isa {
namespace {

bool IsProduct(const AluOp& op, const ScalarNode& node) {
  return node.op == ScalarOp::kMul && op.program.nodes[node.a].op != ScalarOp::kConst &&
         op.program.nodes[node.b].op != ScalarOp::kConst;
}

/// The stage of an op's first product, if it has one.
std::optional<int> ProductStage(const AluOp& op) {
  for (const ScalarNode& node : op.program.nodes) {
    if (IsProduct(op, node)) return node.stage;
  }
  return std::nullopt;
}

/// One bit for each of `slots` set: any of them runs.
std::string AnyOp(const std::vector<int>& slots) {
  std::string text;
  for (int slot : slots) text += fmt::format("{}op_i[{}]", text.empty() ? "" : " | ", slot);
  return text;
}

}  // namespace

int LanePrinter::CyclesLate(const AluOp& op) const {
  const int slack = alu_.stages - op.program.stages;
  const std::optional<int> product = ProductStage(op);
  return product ? std::clamp(shared_stage_ - *product, 0, slack) : slack;
}

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
  const Value from = values_[value];
  if (from.is_static || stage == from.stage) return from.name;
  COSIM_CHECK(stage > from.stage, "a value of stage {} is used in stage {}", from.stage, stage);
  const auto found = delayed_.find({value, stage});
  if (found != delayed_.end()) return found->second;
  const std::string before = At(value, stage - 1);
  const std::string name = fmt::format("{}_s{}_q", from.name, stage);
  fmt::format_to(std::back_inserter(body_), "  logic [{}:0] {};\n", from.type.width - 1, name);
  fmt::format_to(std::back_inserter(registers_), "    {} <= {};\n", name, before);
  delayed_[{value, stage}] = name;
  return name;
}

size_t LanePrinter::UnitFor(std::vector<SharedUnit>& units, const SharedUnit& wanted, int slot, int a,
                            int b) {
  for (size_t u = 0; u < units.size(); ++u) {
    SharedUnit& unit = units[u];
    if (unit.stage != wanted.stage || unit.common != wanted.common || unit.type.width != wanted.type.width ||
        unit.type.is_signed != wanted.type.is_signed) {
      continue;
    }
    const auto is_same = [&](const SharedUnit::Use& use) { return use.a == a && use.b == b; };
    const auto has_slot = [&](const SharedUnit::Use& use) { return std::ranges::count(use.ops, slot) > 0; };
    if (std::ranges::any_of(unit.uses, [&](const auto& use) { return has_slot(use) && !is_same(use); }))
      continue;
    const auto same = std::ranges::find_if(unit.uses, is_same);
    if (same == unit.uses.end()) {
      unit.uses.push_back({{slot}, a, b});
    } else if (!has_slot(*same)) {
      same->ops.push_back(slot);
    }
    return u;
  }
  units.push_back(wanted);
  units.back().uses = {{{slot}, a, b}};
  return units.size() - 1;
}

/// Ops that add different values to one in the same stage take turns at one adder.
int LanePrinter::Add(int slot, int a, int b, ScalarType type, int stage) {
  if (values_[b].is_static) std::swap(a, b);
  const size_t adder = UnitFor(adders_, {stage, a, type, {}}, slot, a, b);
  return Define(fmt::format("sum{}", adder), type, stage);
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

int LanePrinter::Multiply(int slot, int a, int b, ScalarType type, int stage) {
  const size_t multiplier = UnitFor(multipliers_, {stage, -1, {}, {}}, slot, a, b);
  return Define(fmt::format("product{}[{}:0]", multiplier, type.width - 1), type,
                stage + product_stages_[stage]);
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
  if (node.op == ScalarOp::kAdd && !is_static) return Add(slot, a, b, node.type, stage);
  return Define(Expression(node, a, b, c, stage, slot), node.type, stage, is_static);
}

void LanePrinter::PrintOp(int slot) {
  const AluOp& op = spec_.alu_ops[alu_.ops[slot]];
  const int delay = CyclesLate(op);
  fmt::format_to(std::back_inserter(body_), "\n  // {}: {}\n", op.name, CommentText(op.doc));
  std::vector<int> values;
  for (const ScalarNode& node : op.program.nodes) values.push_back(Node(op, node, values, delay, slot));
  results_.push_back(values[op.program.result]);
}

std::string LanePrinter::Operand(const SharedUnit& unit, int SharedUnit::Use::* operand, int width) {
  std::map<int, std::vector<int>> ops;  // by value
  for (const SharedUnit::Use& use : unit.uses) {
    std::vector<int>& all = ops[use.*operand];
    all.insert(all.end(), use.ops.begin(), use.ops.end());
  }
  if (ops.size() == 1) return At(ops.begin()->first, unit.stage, width);
  std::string text;
  for (const auto& [value, slots] : ops) {
    text += fmt::format("{}(({}) ? {} : '0)", text.empty() ? "" : "\n    | ", AnyOp(slots),
                        At(value, unit.stage, width));
  }
  return text;
}

std::string LanePrinter::PrintMultipliers() {
  std::string text, products;
  for (size_t m = 0; m < multipliers_.size(); ++m) {
    const SharedUnit& unit = multipliers_[m];
    int a_bits = 1, b_bits = 1;
    for (const SharedUnit::Use& use : unit.uses) {
      a_bits = std::max(a_bits, values_[use.a].type.width + (values_[use.a].type.is_signed ? 0 : 1));
      b_bits = std::max(b_bits, values_[use.b].type.width + (values_[use.b].type.is_signed ? 0 : 1));
    }
    products += fmt::format("  logic signed [{}:0] product{};\n", a_bits + b_bits - 1, m);
    fmt::format_to(std::back_inserter(text),
                   "  logic signed [{0}:0] factor_a{2};\n  logic signed [{1}:0] factor_b{2};\n"
                   "  assign factor_a{2} = {3};\n  assign factor_b{2} = {4};\n"
                   "  pipelined_multiplier #(.ABits({5}), .BBits({6}), .Stages({7})) i_multiplier{2} (\n"
                   "    .clk_i, .a_i(factor_a{2}), .b_i(factor_b{2}), .product_o(product{2})\n  );\n",
                   a_bits - 1, b_bits - 1, m, Operand(unit, &SharedUnit::Use::a, a_bits),
                   Operand(unit, &SharedUnit::Use::b, b_bits), a_bits, b_bits, product_stages_[unit.stage]);
  }
  if (!text.empty())
    body_ += "\n  // Multipliers, shared by all ops that multiply in the same stage.\n" + text;
  return products;
}

/// (x + half) >> s, as the shifted value with one more bit below, rounded by that bit.
std::string LanePrinter::PrintShifters() {
  std::string text, declarations;
  for (size_t s = 0; s < shifters_.size(); ++s) {
    int width = 1, bits = 1;
    for (const SharedUnit::Use& use : shifters_[s].uses) {
      width = std::max(width, values_[use.a].type.width + 1);  // with a sign in any case
      bits = std::max(bits, values_[use.b].type.width);
    }
    declarations += fmt::format("  logic [{}:0] rounded{};\n", width - 1, s);
    fmt::format_to(std::back_inserter(text),
                   "  logic [{0}:0] shifted{3};\n  logic [{1}:0] unshifted{3};\n  logic [{2}:0] amount{3};\n"
                   "  assign unshifted{3} = {4};\n  assign amount{3} = {5};\n"
                   "  assign shifted{3} = $signed({{unshifted{3}, 1'b0}}) >>> amount{3};\n"
                   "  assign rounded{3} = shifted{3}[{0}:1] + {0}'(shifted{3}[0]);\n",
                   width, width - 1, bits - 1, s, Operand(shifters_[s], &SharedUnit::Use::a, width),
                   Operand(shifters_[s], &SharedUnit::Use::b, bits));
  }
  if (!text.empty())
    body_ += "\n  // Rounding shifters, shared by all ops that shift in the same stage.\n" + text;
  return declarations;
}

std::string LanePrinter::PrintAdders() {
  std::string text, declarations;
  for (size_t s = 0; s < adders_.size(); ++s) {
    const SharedUnit& unit = adders_[s];
    const int width = unit.type.width;
    declarations += fmt::format("  logic [{}:0] sum{};\n", width - 1, s);
    fmt::format_to(std::back_inserter(text),
                   "  logic [{0}:0] addend{1};\n  assign addend{1} = {2};\n"
                   "  assign sum{1} = {3} + addend{1};\n",
                   width - 1, s, Operand(unit, &SharedUnit::Use::b, width),
                   At(unit.common, unit.stage, width));
  }
  if (!text.empty())
    body_ += "\n  // Adders, shared by all ops that add to one value in the same stage.\n" + text;
  return declarations;
}

void LanePrinter::PlanMultipliers() {
  for (int number : alu_.ops) {
    const AluOp& op = spec_.alu_ops[number];
    const std::vector<ScalarNode>& nodes = op.program.nodes;
    for (size_t n = 0; n < nodes.size(); ++n) {
      if (!IsProduct(op, nodes[n])) continue;
      const int node = static_cast<int>(n);
      int stages = op.program.stages - nodes[n].stage;
      for (const ScalarNode& reader : nodes) {
        if (reader.a == node || reader.b == node || reader.c == node)
          stages = std::min(stages, reader.stage - nodes[n].stage);
      }
      const auto [planned, is_first] = product_stages_.try_emplace(nodes[n].stage + CyclesLate(op), stages);
      if (!is_first) planned->second = std::min(planned->second, stages);
    }
  }
}

void LanePrinter::PrintResults() {
  body_ += "\n  // Results.\n";
  for (int memory : alu_.writes) {
    const Memory& described = spec_.memories[memory];
    std::map<std::string, std::vector<int>> ops;  // by result
    for (size_t slot = 0; slot < alu_.ops.size(); ++slot) {
      if (spec_.alu_ops[alu_.ops[slot]].result.memory != memory) continue;
      ops[At(results_[slot], alu_.stages, described.record_bits)].push_back(static_cast<int>(slot));
    }
    std::string text;
    for (const auto& [result, slots] : ops) {
      fmt::format_to(std::back_inserter(text), "{}(({}) ? {} : '0)", text.empty() ? "" : "\n    | ",
                     AnyOp(slots), result);
    }
    fmt::format_to(std::back_inserter(body_), "  assign {}_o = {};\n", described.name, text);
  }
}

std::string LanePrinter::Print() {
  for (int op : alu_.ops)
    shared_stage_ = std::max(shared_stage_, ProductStage(spec_.alu_ops[op]).value_or(0));
  PlanMultipliers();
  for (size_t slot = 0; slot < alu_.ops.size(); ++slot) PrintOp(static_cast<int>(slot));
  const std::string shared = PrintMultipliers() + PrintShifters() + PrintAdders();
  PrintResults();
  std::string ports = fmt::format("  input  logic clk_i,\n  input  logic [{}:0] op_i", alu_.ops.size() - 1);
  std::string inputs = "clk_i, op_i";
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
  if (!registers_.empty()) registers_ = "\n  always_ff @(posedge clk_i) begin\n" + registers_ + "  end\n";
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

}  // namespace cosim::isa
