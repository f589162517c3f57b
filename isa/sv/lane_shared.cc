// SPDX-License-Identifier: Apache-2.0
// What the ops of a lane share: multipliers, rounding shifters and adders, in which stages they stand, and
// how many registers each is cut by. Signals of values are lane.cc's.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "isa/sv/lane_printer.h"

namespace cosim::isa {
namespace {

bool IsDeep(const AluOp& op, const ScalarNode& node) {
  return IsProduct(op, node) || node.op == ScalarOp::kRoundShift;
}

/// The stage of an op's first product.
std::optional<int> ProductStage(const AluOp& op) {
  for (const ScalarNode& node : op.program.nodes) {
    if (IsProduct(op, node)) return node.stage;
  }
  return std::nullopt;
}

/// The stage of its last rounding shift.
std::optional<int> ShiftStage(const AluOp& op) {
  std::optional<int> stage;
  for (const ScalarNode& node : op.program.nodes) {
    if (node.op == ScalarOp::kRoundShift) stage = std::max(stage.value_or(0), node.stage);
  }
  return stage;
}

/// The stage in which the last product or rounding shift may end; -1 without any.
int DeepEnd(const AluOp& op) {
  int end = -1;
  for (const ScalarNode& node : op.program.nodes) {
    if (IsDeep(op, node)) end = std::max(end, node.stage + StagesInside(op, node));
  }
  return end;
}

}  // namespace

bool IsProduct(const AluOp& op, const ScalarNode& node) {
  return node.op == ScalarOp::kMul && op.program.nodes[node.a].op != ScalarOp::kConst &&
         op.program.nodes[node.b].op != ScalarOp::kConst;
}

int StagesInside(const AluOp& op, const ScalarNode& node) {
  const int number = static_cast<int>(&node - op.program.nodes.data());
  int stages = op.program.stages - node.stage;
  for (const ScalarNode& reader : op.program.nodes) {
    if (reader.a == number || reader.b == number || reader.c == number)
      stages = std::min(stages, reader.stage - node.stage);
  }
  return stages;
}

int LanePrinter::CyclesLate(const AluOp& op) const {
  const int slack = alu_.stages - op.program.stages;
  if (const std::optional<int> product = ProductStage(op))
    return std::clamp(shared_product_ - *product, 0, slack);
  const std::optional<int> shift = ShiftStage(op);
  return shift && shared_shift_ >= 0 ? std::clamp(shared_shift_ - *shift, 0, slack) : slack;
}

int LanePrinter::CyclesLate(const AluOp& op, const ScalarNode& node) const {
  return node.stage > DeepEnd(op) ? alu_.stages - op.program.stages : CyclesLate(op);
}

void LanePrinter::PlanSharing() {
  for (int number : alu_.ops)
    shared_product_ = std::max(shared_product_, ProductStage(spec_.alu_ops[number]).value_or(0));
  for (int number : alu_.ops) {
    const AluOp& op = spec_.alu_ops[number];
    if (const std::optional<int> shift = ShiftStage(op); shift && ProductStage(op))
      shared_shift_ = std::max(shared_shift_, *shift + CyclesLate(op));
  }
  for (int number : alu_.ops) {
    const AluOp& op = spec_.alu_ops[number];
    for (const ScalarNode& node : op.program.nodes) {
      if (!IsDeep(op, node)) continue;
      std::map<int, int>& planned = IsProduct(op, node) ? product_stages_ : shift_stages_;
      const int stages = StagesInside(op, node);
      const auto [plan, is_first] = planned.try_emplace(node.stage + CyclesLate(op), stages);
      if (!is_first) plan->second = std::min(plan->second, stages);
    }
  }
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

int LanePrinter::Multiply(int slot, int a, int b, ScalarType type, int stage) {
  const size_t multiplier = UnitFor(multipliers_, {stage, -1, {}, {}}, slot, a, b);
  return Define(fmt::format("product{}[{}:0]", multiplier, type.width - 1), type,
                stage + product_stages_[stage]);
}

int LanePrinter::RoundShift(int slot, int a, int b, ScalarType type, int stage, bool is_static) {
  const size_t shifter = UnitFor(shifters_, {stage, -1, {}, {}}, slot, a, b);
  return Define(fmt::format("rounded{}[{}:0]", shifter, type.width - 1), type, stage + shift_stages_[stage],
                is_static);
}

std::string LanePrinter::Register(const std::string& name, int width, const std::string& value) {
  size_.registers += width;
  fmt::format_to(std::back_inserter(body_), "  logic [{}:0] {};\n", width - 1, name);
  fmt::format_to(std::back_inserter(registers_), "    {} <= {};\n", name, value);
  return name;
}

std::string LanePrinter::Selected(const std::vector<int>& slots) {
  std::string any;
  for (int slot : slots) any += fmt::format("{}op_i[{}]", any.empty() ? "" : " | ", slot);
  std::string& name = selects_[any];
  if (name.empty()) name = Register(fmt::format("select{}_q", selects_.size()), 1, any);
  return name;
}

std::string LanePrinter::Chosen(const std::map<int, std::vector<int>>& ops, int stage, int width,
                                bool may_choose_early) {
  if (ops.size() == 1) return At(ops.begin()->first, stage, width);
  size_.choices += static_cast<int64_t>(ops.size()) * width;
  std::string early, now;
  int early_values = 0;
  for (const auto& [value, slots] : ops) {
    const bool is_early =
        may_choose_early && stage > 0 && (values_[value].is_static || values_[value].stage < stage);
    std::string& text = is_early ? early : now;
    fmt::format_to(std::back_inserter(text), "{}({} ? {} : '0)", text.empty() ? "" : "\n    | ",
                   Selected(slots), At(value, stage - (is_early ? 1 : 0), width));
    early_values += is_early;
  }
  if (early_values > 0) {
    early = Register(fmt::format("chosen{}_q", chosen_++), width, early);
    now += (now.empty() ? "" : "\n    | ") + early;
  }
  return now;
}

std::string LanePrinter::Operand(const SharedUnit& unit, int SharedUnit::Use::* operand, int width,
                                 bool may_choose_early) {
  std::map<int, std::vector<int>> ops;  // by value
  for (const SharedUnit::Use& use : unit.uses) {
    std::vector<int>& all = ops[use.*operand];
    all.insert(all.end(), use.ops.begin(), use.ops.end());
  }
  return Chosen(ops, unit.stage, width, may_choose_early);
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
    size_.multipliers.push_back({a_bits, b_bits, product_stages_[unit.stage]});
    products += fmt::format("  logic signed [{}:0] product{};\n", a_bits + b_bits - 1, m);
    fmt::format_to(
        std::back_inserter(text),
        "  logic signed [{0}:0] factor_a{2};\n  logic signed [{1}:0] factor_b{2};\n"
        "  assign factor_a{2} = {3};\n  assign factor_b{2} = {4};\n"
        "  pipelined_multiplier #(.ABits({5}), .BBits({6}), .Stages({7})) i_multiplier{2} (\n"
        "    .clk_i, .enable_i, .a_i(factor_a{2}), .b_i(factor_b{2}), .product_o(product{2})\n  );\n",
        a_bits - 1, b_bits - 1, m, Operand(unit, &SharedUnit::Use::a, a_bits, false),
        Operand(unit, &SharedUnit::Use::b, b_bits, false), a_bits, b_bits, product_stages_[unit.stage]);
  }
  if (!text.empty())
    body_ += "\n  // Multipliers, shared by all ops that multiply in the same stage.\n" + text;
  return products;
}

std::string LanePrinter::PrintShifters() {
  std::string text, declarations;
  for (size_t s = 0; s < shifters_.size(); ++s) {
    const SharedUnit& unit = shifters_[s];
    int width = 1, bits = 1;
    for (const SharedUnit::Use& use : unit.uses) {
      width = std::max(width, values_[use.a].type.width + 1);  // with a sign in any case
      bits = std::max(bits, values_[use.b].type.width);
    }
    size_.shifters.push_back({width, bits, shift_stages_[unit.stage]});
    declarations += fmt::format("  logic [{}:0] rounded{};\n", width - 1, s);
    fmt::format_to(
        std::back_inserter(text),
        "  logic [{0}:0] unshifted{2};\n  logic [{1}:0] amount{2};\n"
        "  assign unshifted{2} = {3};\n  assign amount{2} = {4};\n"
        "  rounding_shifter #(.Width({5}), .AmountBits({6}), .Stages({7})) i_shifter{2} (\n"
        "    .clk_i, .enable_i, .value_i(unshifted{2}), .amount_i(amount{2}), .rounded_o(rounded{2})\n  );\n",
        width - 1, bits - 1, s, Operand(unit, &SharedUnit::Use::a, width, true),
        Operand(unit, &SharedUnit::Use::b, bits, true), width, bits, shift_stages_[unit.stage]);
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
    size_.adders += width;
    declarations += fmt::format("  logic [{}:0] sum{};\n", width - 1, s);
    fmt::format_to(std::back_inserter(text),
                   "  logic [{0}:0] addend{1};\n  assign addend{1} = {2};\n"
                   "  assign sum{1} = {3} + addend{1};\n",
                   width - 1, s, Operand(unit, &SharedUnit::Use::b, width, true),
                   At(unit.common, unit.stage, width));
  }
  if (!text.empty())
    body_ += "\n  // Adders, shared by all ops that add to one value in the same stage.\n" + text;
  return declarations;
}

}  // namespace cosim::isa
