// SPDX-License-Identifier: Apache-2.0
// Finds records of requantization parameters by what ALU ops do with their fields. See capabilities.h.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "compiler/accel/capabilities.h"
#include "compiler/accel/exact_expr.h"

namespace cosim::accel {
namespace {

using Parts = std::tuple<int, int, int, int>;  // memory, bias, multiplier, shift

class RecordReader {
 public:
  explicit RecordReader(const isa::AluOp& op) : op_(op) {}

  /// round_shift(… (… + bias) * multiplier …, shift), with anything that is no field of a record around.
  bool Read(const Exact& expr, Parts& out) const {
    if (!expr) return false;
    if (expr->op == ExactOp::kRoundShift || expr->op == ExactOp::kShr) {
      int memory = -1, bias = -1, multiplier = -1, shift = -1;
      if (IsField(expr->args[1], memory, shift) && FindFactor(expr->args[0], memory, bias, multiplier) &&
          bias != multiplier && bias != shift && multiplier != shift) {
        out = {memory, bias, multiplier, shift};
        return true;
      }
    }
    return std::ranges::any_of(expr->args, [&](const Exact& arg) { return Read(arg, out); });
  }

 private:
  /// A field of a record; of the record in `memory` if that is known.
  bool IsField(const Exact& expr, int& memory, int& field) const {
    if (expr->op == ExactOp::kWrap) return IsField(expr->args[0], memory, field);
    if (expr->op != ExactOp::kLeaf) return false;
    const isa::ScalarInput& input = op_.program.inputs[expr->input];
    if (input.kind != isa::ScalarInput::Kind::kOperand || input.field < 0) return false;
    const int from = op_.operands[input.operand].memory;
    if (memory >= 0 && memory != from) return false;
    memory = from;
    field = input.field;
    return true;
  }

  bool FindFactor(const Exact& expr, int memory, int& bias, int& multiplier) const {
    if (expr->op == ExactOp::kMul)
      for (const int side : {0, 1})
        if (IsField(expr->args[side], memory, multiplier) && FindTerm(expr->args[1 - side], memory, bias))
          return true;
    return std::ranges::any_of(expr->args,
                               [&](const Exact& arg) { return FindFactor(arg, memory, bias, multiplier); });
  }

  bool FindTerm(const Exact& expr, int memory, int& bias) const {
    if (expr->op == ExactOp::kAdd &&
        (IsField(expr->args[0], memory, bias) || IsField(expr->args[1], memory, bias)))
      return true;
    return std::ranges::any_of(expr->args, [&](const Exact& arg) { return FindTerm(arg, memory, bias); });
  }

  const isa::AluOp& op_;
};

std::string RecordMisfit(const isa::Spec& spec, const isa::Memory& memory, int index, int64_t channels) {
  if (memory.lanes.size() != 1 || memory.lanes[0] != channels)
    return fmt::format("an element of '{}' has {} records, not one for each of {} channels", memory.name,
                       memory.LaneCount(), channels);
  if (FindTransfer(spec, index, false) < 0) return fmt::format("no instruction loads '{}'", memory.name);
  return {};
}

}  // namespace

ChannelRecord FindChannelRecord(const isa::Spec& spec, int64_t channels, std::string& why) {
  std::map<Parts, int> ops;  // that read a record so
  for (const isa::AluOp& op : spec.alu_ops) {
    Parts parts;
    if (Misfit(spec, op).empty() && RecordReader(op).Read(FromProgram(op.program), parts)) ++ops[parts];
  }
  ChannelRecord best;
  int most = 0;
  for (const auto& [parts, count] : ops) {
    const auto& [memory, bias, multiplier, shift] = parts;
    const std::string misfit = RecordMisfit(spec, spec.memories[memory], memory, channels);
    if (!misfit.empty()) why = misfit;
    if (!misfit.empty() || count <= most) continue;
    most = count;
    best = {memory, bias, multiplier, shift};
  }
  if (best.memory >= 0 || !why.empty()) return best;
  for (const isa::Memory& memory : spec.memories)
    if (memory.fields.size() > 1 && !memory.is_micro_ops)
      why = fmt::format("no ALU op adds a field of '{}', multiplies by a second and shifts by a third",
                        memory.name);
  for (const isa::AluOp& op : spec.alu_ops) {
    const bool reads_record = std::ranges::any_of(op.operands, [&](const isa::Operand& operand) {
      return spec.memories[operand.memory].fields.size() > 1;
    });
    if (const std::string misfit = Misfit(spec, op); reads_record && !misfit.empty())
      why = fmt::format("ALU op '{}' cannot be used: {}", op.name, misfit);
  }
  return best;
}

}  // namespace cosim::accel
