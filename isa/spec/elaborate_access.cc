// SPDX-License-Identifier: Apache-2.0
// What formats do with memories: readers, writers, which memories are shared; index fields and lock fields.
#include <utility>

#include "isa/spec/elaborate.h"

namespace cosim::isa {
namespace {

void AddOnce(std::vector<int>& list, int value) {
  if (std::ranges::find(list, value) == list.end()) list.push_back(value);
}

/// Fields of the roles that index `name` plays; uop is -1 when the micro-op has no such field.
IndexFields FieldsOf(const Spec& spec, const InstructionFormat& format, const std::string& name) {
  IndexFields fields;
  fields.index = name;
  fields.base = format.FieldIndex(name + "_base");
  fields.outer = format.FieldIndex(name + "_out");
  fields.inner = format.FieldIndex(name + "_in");
  const std::vector<Field>& record = spec.memories[format.micro_ops].fields;
  const auto found = std::ranges::find(record, name, &Field::name);
  if (found != record.end()) fields.uop = static_cast<int>(found - record.begin());
  return fields;
}

/// First the indices that the micro-op knows, in its order, then those that the instruction alone gives.
void SetIndices(const Spec& spec, int index, InstructionFormat& format) {
  std::vector<std::string> used;
  for (const Operand* operand : OperandsOf(spec, index)) {
    if (std::ranges::find(used, operand->index) == used.end()) used.push_back(operand->index);
  }
  for (const Field& field : spec.memories[format.micro_ops].fields) {
    IndexFields fields = FieldsOf(spec, format, field.name);
    const bool named = fields.base >= 0 || fields.outer >= 0 || fields.inner >= 0;
    if (named || std::ranges::find(used, field.name) != used.end())
      format.indices.push_back(std::move(fields));
  }
  for (const std::string& name : used) {
    IndexFields fields = FieldsOf(spec, format, name);
    if (fields.uop < 0) format.indices.push_back(std::move(fields));
  }
}

void SetLocks(const Spec& spec, InstructionFormat& format) {
  for (size_t f = 0; f < format.fields.size(); ++f) {
    const std::string& name = format.fields[f].name;
    const int memory = name.starts_with("lock_") ? spec.MemoryIndex(std::string_view(name).substr(5)) : -1;
    if (memory >= 0) format.locks.emplace_back(memory, static_cast<int>(f));
  }
}

}  // namespace

std::vector<const Operand*> OperandsOf(const Spec& spec, int format) {
  std::vector<const Operand*> operands;
  if (const auto& intrinsic = spec.formats[format].intrinsic) {
    operands.push_back(&intrinsic->dst);
    for (const Operand& source : intrinsic->sources) operands.push_back(&source);
  }
  for (const AluOp& op : spec.alu_ops) {
    if (op.format != format) continue;
    operands.push_back(&op.result);
    for (const Operand& operand : op.operands) operands.push_back(&operand);
  }
  return operands;
}

std::vector<Access> AccessesOf(const Spec& spec, int format_index) {
  const InstructionFormat& format = spec.formats[format_index];
  std::vector<Access> accesses(spec.memories.size());
  if (format.kind == Kind::kLoad) accesses[format.memory].writes = true;
  if (format.kind == Kind::kStore) accesses[format.memory].reads = true;
  if (format.micro_ops >= 0) accesses[format.micro_ops].reads = true;
  if (format.intrinsic) {
    accesses[format.intrinsic->dst.memory] = {-1, true, true};
    for (const Operand& source : format.intrinsic->sources) accesses[source.memory].reads = true;
  }
  for (const AluOp& op : spec.alu_ops) {
    if (op.format != format_index) continue;
    accesses[op.result.memory].writes = true;
    for (const Operand& operand : op.operands) accesses[operand.memory].reads = true;
    for (const ScalarTable& table : op.program.tables) accesses[table.memory].reads = true;
  }
  for (size_t m = 0; m < accesses.size(); ++m) {
    accesses[m].memory = static_cast<int>(m);
    const int mirrored = spec.memories[m].mirrors;
    if (mirrored >= 0) accesses[m].writes |= accesses[mirrored].writes;
  }
  std::erase_if(accesses, [](const Access& access) { return !access.reads && !access.writes; });
  return accesses;
}

void ElaborateAccess(Elaboration& e) {
  Spec& spec = e.spec;
  for (size_t f = 0; f < spec.formats.size(); ++f) {
    InstructionFormat& format = spec.formats[f];
    if (format.micro_ops >= 0) spec.memories[format.micro_ops].is_micro_ops = true;
    for (const Access& access : AccessesOf(spec, static_cast<int>(f))) {
      if (access.reads) AddOnce(spec.memories[access.memory].readers, format.unit);
      if (access.writes) AddOnce(spec.memories[access.memory].writers, format.unit);
    }
    if (format.micro_ops >= 0) SetIndices(spec, static_cast<int>(f), format);
    SetLocks(spec, format);
  }
  for (Memory& memory : spec.memories) {
    std::ranges::sort(memory.readers);
    std::ranges::sort(memory.writers);
    memory.shared = memory.ReadsContend() || memory.WritesContend();
  }
}

}  // namespace cosim::isa
