// SPDX-License-Identifier: Apache-2.0
// Which nodes of a lane's ops may share a multiplier, a rounding shifter or an adder: the stages they are
// moved to, how many registers each is cut by, and how wide it is. What is shared is printed by
// lane_shared.cc.
#include <algorithm>
#include <map>
#include <optional>
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

bool IsSumOrOrder(const ScalarNode& node) {
  return node.op == ScalarOp::kAdd || node.op == ScalarOp::kSub || node.op == ScalarOp::kMin ||
         node.op == ScalarOp::kMax;
}

bool Reads(const ScalarNode& reader, int number) {
  return reader.a == number || reader.b == number || reader.c == number;
}

/// With a sign.
int SignedWidth(ScalarType type) { return type.width + (type.is_signed ? 0 : 1); }

}  // namespace

bool IsProduct(const AluOp& op, const ScalarNode& node) {
  return node.op == ScalarOp::kMul && op.program.nodes[node.a].op != ScalarOp::kConst &&
         op.program.nodes[node.b].op != ScalarOp::kConst;
}

int StagesInside(const AluOp& op, const ScalarNode& node) {
  const int number = static_cast<int>(&node - op.program.nodes.data());
  int stages = op.program.stages - node.stage;
  for (const ScalarNode& reader : op.program.nodes) {
    if (Reads(reader, number)) stages = std::min(stages, reader.stage - node.stage);
  }
  return stages;
}

int BitsNeeded(const AluOp& op, const ScalarNode& node, bool may_saturate) {
  const int number = static_cast<int>(&node - op.program.nodes.data());
  int bits = 1, saturated = 0;
  for (const ScalarNode& reader : op.program.nodes) {
    if (!Reads(reader, number)) continue;
    const bool saturates = may_saturate && reader.op == ScalarOp::kSat && reader.type.is_signed;
    if (reader.op != ScalarOp::kWrap && !saturates) return node.type.width;
    bits = std::max(bits, reader.type.width);
    if (saturates) saturated = std::max(saturated, reader.type.width);
  }
  const bool is_result = op.program.result == number;
  if (is_result || (saturated > 0 && saturated < bits)) return node.type.width;
  return std::min(bits, node.type.width);
}

bool LanePrinter::IsCombined(const AluOp& op, const ScalarNode& node, bool is_static) const {
  if (!IsSumOrOrder(node) || is_static) return false;
  const auto is_constant = [&](int of) { return op.program.nodes[of].op == ScalarOp::kConst; };
  const bool is_order = node.op == ScalarOp::kMin || node.op == ScalarOp::kMax;
  return !is_order || (!is_constant(node.a) && !is_constant(node.b));
}

int LanePrinter::CyclesLate(const AluOp& op) const {
  const int slack = alu_.stages - op.program.stages;
  if (const std::optional<int> product = ProductStage(op))
    return std::clamp(shared_product_ - *product, 0, slack);
  const std::optional<int> shift = ShiftStage(op);
  return shift && shared_shift_ >= 0 ? std::clamp(shared_shift_ - *shift, 0, slack) : slack;
}

std::vector<int> LanePrinter::NodesLate(const AluOp& op) const {
  const int slack = alu_.stages - op.program.stages, start = CyclesLate(op), end = DeepEnd(op);
  const bool ends_deep = std::ranges::any_of(
      op.program.nodes, [&](const ScalarNode& node) { return IsDeep(op, node) && node.stage == end; });
  std::vector<bool> is_late;
  std::vector<int> late;
  for (const ScalarNode& node : op.program.nodes) {
    const auto reads_late = [&](int of) { return of >= 0 && is_late[of]; };
    const bool reads = reads_late(node.a) || reads_late(node.b) || reads_late(node.c);
    const bool at_end = node.stage == end && !ends_deep && (IsSumOrOrder(node) || reads);
    is_late.push_back(node.stage > end || at_end);
    late.push_back(is_late.back() ? slack : start);
  }
  return late;
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
    PlanWidths(op);
  }
}

void LanePrinter::PlanWidths(const AluOp& op) {
  const std::vector<int> late = NodesLate(op);
  for (size_t n = 0; n < op.program.nodes.size(); ++n) {
    const ScalarNode& node = op.program.nodes[n];
    const auto operand = [&](int of) { return SignedWidth(op.program.nodes[of].type); };
    if (node.op == ScalarOp::kRoundShift) {
      int& bits = shift_bits_[node.stage + late[n]];
      bits = std::max(bits, BitsNeeded(op, node, true));
    } else if (IsSumOrOrder(node)) {
      const bool is_sum = node.op == ScalarOp::kAdd || node.op == ScalarOp::kSub;
      const int needed = BitsNeeded(op, node, false);
      int& bits = sum_bits_[node.stage + late[n]];
      bits = std::max(bits, is_sum ? needed + (needed == node.type.width && !node.type.is_signed ? 1 : 0)
                                   : std::max(operand(node.a), operand(node.b)) + 1);
    }
  }
}

}  // namespace cosim::isa
