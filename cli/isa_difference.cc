// SPDX-License-Identifier: Apache-2.0
#include "cli/isa_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/isa_json.h"
#include "isa/expr/builder.h"

namespace cosim::cli {
namespace {

using nlohmann::ordered_json;

std::vector<PartChange> PartChanges(const ordered_json& before, const ordered_json& after) {
  std::vector<PartChange> parts;
  const ordered_json none = ordered_json::object();
  if (auto word = explore::ChangesOf(before.at("word"), after.at("word")); !word.empty())
    parts.push_back({PartChange::What::kChanged, "word", "", std::move(word)});
  for (const auto& [section, old] : before.items()) {
    if (section == "word") continue;
    const ordered_json& now = after.at(section);
    for (const auto& [name, part] : old.items()) {
      const bool kept = now.contains(name);
      auto values = explore::ChangesOf(part, kept ? now.at(name) : none);
      if (!values.empty())
        parts.push_back({kept ? PartChange::What::kChanged : PartChange::What::kRemoved, section, name,
                         std::move(values)});
    }
    for (const auto& [name, part] : now.items())
      if (!old.contains(name))
        parts.push_back({PartChange::What::kAdded, section, name, explore::ChangesOf(none, part)});
  }
  return parts;
}

/// Collects why programs for `a` are others under `b`.
class Obstacles {
 public:
  Obstacles(const isa::Spec& a, const isa::Spec& b) : a_(a), b_(b) {}

  std::vector<std::string> Collect() {
    if (a_.word_bits != b_.word_bits)
      Add(fmt::format("words have {} bits instead of {}", b_.word_bits, a_.word_bits));
    for (const isa::Memory& memory : a_.memories) Elements(memory);
    for (const isa::Queue& queue : a_.queues) Ends(queue);
    for (const isa::InstructionFormat& format : a_.formats) Encoding(format);
    for (const isa::AluOp& op : a_.alu_ops) Semantics(op);
    return std::move(list_);
  }

 private:
  void Add(std::string why) { list_.push_back(std::move(why)); }

  void Elements(const isa::Memory& memory) {
    const int index = b_.MemoryIndex(memory.name);
    if (index < 0) return Add(fmt::format("there is no memory '{}'", memory.name));
    const isa::Memory& other = b_.memories[index];
    const auto same_field = [](const isa::Field& x, const isa::Field& y) {
      return x.name == y.name && x.type == y.type && x.offset == y.offset;
    };
    const bool same = memory.lanes == other.lanes && memory.stored_bytes == other.stored_bytes &&
                      MirrorOf(a_, memory) == MirrorOf(b_, other) &&
                      std::ranges::equal(memory.fields, other.fields, same_field);
    if (!same) Add(fmt::format("elements of memory '{}' are laid out in another way", memory.name));
  }

  static std::string MirrorOf(const isa::Spec& spec, const isa::Memory& memory) {
    return memory.mirrors < 0 ? "" : spec.memories[memory.mirrors].name;
  }

  void Ends(const isa::Queue& queue) {
    const int index = b_.QueueIndex(queue.name);
    if (index < 0) return Add(fmt::format("there is no queue '{}'", queue.name));
    const isa::Queue& other = b_.queues[index];
    if (a_.units[queue.from].name != b_.units[other.from].name ||
        a_.units[queue.to].name != b_.units[other.to].name)
      Add(fmt::format("queue '{}' has other ends", queue.name));
  }

  void Encoding(const isa::InstructionFormat& format) {
    const int index = b_.FormatIndex(format.name);
    if (index < 0) return Add(fmt::format("there is no instruction '{}'", format.name));
    const isa::InstructionFormat& other = b_.formats[index];
    if (format.opcode != other.opcode)
      return Add(fmt::format("instruction '{}' has opcode {} instead of {}", format.name, other.opcode,
                             format.opcode));
    if (!SameMeaning(format, other))
      return Add(fmt::format(
          "instruction '{}' is of another kind, unit or memory, or computes something else", format.name));
    for (const isa::Field& field : format.fields) {
      const int at = other.FieldIndex(field.name);
      if (at < 0) return Add(fmt::format("instruction '{}' has no field '{}'", format.name, field.name));
      if (other.fields[at].offset != field.offset)
        return Add(fmt::format("field '{}' of instruction '{}' begins at bit {} instead of {}", field.name,
                               format.name, other.fields[at].offset, field.offset));
      if (other.fields[at].type != field.type)
        return Add(fmt::format("field '{}' of instruction '{}' is {} instead of {}", field.name, format.name,
                               isa::TypeText(other.fields[at].type), isa::TypeText(field.type)));
    }
    if (format.match != other.match)
      Add(fmt::format("instruction '{}' is told by other values of match fields", format.name));
  }

  bool SameMeaning(const isa::InstructionFormat& x, const isa::InstructionFormat& y) const {
    const auto memory = [](const isa::Spec& spec, int index) {
      return index < 0 ? "" : spec.memories[index].name;
    };
    return x.kind == y.kind && a_.units[x.unit].name == b_.units[y.unit].name &&
           memory(a_, x.memory) == memory(b_, y.memory) &&
           memory(a_, x.micro_ops) == memory(b_, y.micro_ops) &&
           x.intrinsic.has_value() == y.intrinsic.has_value() &&
           (!x.intrinsic || x.intrinsic->text == y.intrinsic->text);
  }

  void Semantics(const isa::AluOp& op) {
    if (!op.available) return;  // then no program has it
    const int index = b_.AluOpIndex(op.name);
    if (index < 0) return Add(fmt::format("there is no ALU op '{}'", op.name));
    const isa::AluOp& other = b_.alu_ops[index];
    if (op.code != other.code || a_.formats[op.format].name != b_.formats[other.format].name)
      return Add(fmt::format("ALU op '{}' has code {} of '{}' instead of {}", op.name, other.code,
                             b_.formats[other.format].name, op.code));
    if (!other.available) return Add(fmt::format("ALU op '{}': {}", op.name, other.unavailable));
    const bool same_operands =
        SameOperand(op.result, other.result) &&
        std::ranges::equal(op.operands, other.operands,
                           [&](const isa::Operand& x, const isa::Operand& y) { return SameOperand(x, y); });
    if (!same_operands || !SameProgram(op, other))
      Add(fmt::format("ALU op '{}' computes something else", op.name));
  }

  bool SameOperand(const isa::Operand& x, const isa::Operand& y) const {
    return a_.memories[x.memory].name == b_.memories[y.memory].name && x.index == y.index &&
           x.parts == y.parts;
  }

  /// Whatever the values are called, and wherever registers stand between them.
  bool SameProgram(const isa::AluOp& x, const isa::AluOp& y) const {
    const auto same_node = [](const isa::ScalarNode& m, const isa::ScalarNode& n) {
      return m.op == n.op && m.type == n.type && m.a == n.a && m.b == n.b && m.c == n.c &&
             m.value == n.value && m.input == n.input;
    };
    const auto immediate = [](const isa::Spec& spec, const isa::AluOp& op, const isa::ScalarInput& input) {
      return input.instruction_field < 0 ? "" : spec.formats[op.format].fields[input.instruction_field].name;
    };
    const auto same_input = [&](const isa::ScalarInput& m, const isa::ScalarInput& n) {
      return m.kind == n.kind && m.operand == n.operand && m.field == n.field && m.type == n.type &&
             immediate(a_, x, m) == immediate(b_, y, n);
    };
    const auto same_table = [&](const isa::ScalarTable& m, const isa::ScalarTable& n) {
      return m.name == n.name && m.depth == n.depth && m.type == n.type;
    };
    return x.program.result == y.program.result &&
           std::ranges::equal(x.program.tables, y.program.tables, same_table) &&
           std::ranges::equal(x.program.nodes, y.program.nodes, same_node) &&
           std::ranges::equal(x.program.inputs, y.program.inputs, same_input);
  }

  const isa::Spec &a_, &b_;
  std::vector<std::string> list_;
};

/// Of specs without an obstacle.
std::vector<std::string> Cautions(const isa::Spec& a, const isa::Spec& b) {
  std::vector<std::string> list;
  for (const isa::InstructionFormat& format : a.formats)
    for (const isa::Field& field : b.formats[b.FormatIndex(format.name)].fields)
      if (format.FieldIndex(field.name) < 0)
        list.push_back(fmt::format("instruction '{}' has a field '{}' too, which programs leave at 0",
                                   format.name, field.name));
  for (const isa::Memory& memory : a.memories) {
    const isa::Memory& other = b.memories[b.MemoryIndex(memory.name)];
    if (other.depth < memory.depth)
      list.push_back(fmt::format("memory '{}' has {} elements instead of {}: programs may reach beyond",
                                 memory.name, other.depth, memory.depth));
    if (memory.shared && memory.locks_ports != other.locks_ports)
      list.push_back(fmt::format("memory '{}' is held by {} instead of {}: locks name others", memory.name,
                                 other.locks_ports ? "ports" : "banks",
                                 memory.locks_ports ? "ports" : "banks"));
    if (memory.shared && (other.depth / other.banks != memory.depth / memory.banks))
      list.push_back(fmt::format("banks of memory '{}' hold {} elements instead of {}: locks name others",
                                 memory.name, other.depth / other.banks, memory.depth / memory.banks));
  }
  for (const isa::Queue& queue : a.queues) {
    const isa::Queue& other = b.queues[b.QueueIndex(queue.name)];
    if (other.capacity < queue.capacity)
      list.push_back(fmt::format("queue '{}' holds {} tokens instead of {}: programs may wait for ever",
                                 queue.name, other.capacity, queue.capacity));
  }
  return list;
}

}  // namespace

IsaDifference CompareIsas(const isa::Spec& before, const isa::Spec& after) {
  IsaDifference difference{.parts = PartChanges(IsaJson(before), IsaJson(after)),
                           .obstacles = Obstacles(before, after).Collect()};
  if (difference.obstacles.empty()) difference.cautions = Cautions(before, after);
  return difference;
}

}  // namespace cosim::cli
