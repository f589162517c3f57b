// SPDX-License-Identifier: Apache-2.0
#include "cli/isa_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "isa/expr/builder.h"

namespace cosim::cli {
namespace {

using IsaObject = nlohmann::ordered_json;

std::string RecordText(const isa::Memory& memory) {
  std::vector<std::string> fields;
  for (const isa::Field& field : memory.fields)
    fields.push_back(field.name.empty() ? isa::TypeText(field.type)
                                        : fmt::format("{}: {}", field.name, isa::TypeText(field.type)));
  return fmt::format("{}", fmt::join(fields, ", "));
}

IsaObject IsaMemoryJson(const isa::Spec& spec, const isa::Memory& memory) {
  IsaObject json;
  if (!memory.lanes.empty()) json["lanes"] = fmt::format("{}", fmt::join(memory.lanes, " x "));
  json.update({{"type", RecordText(memory)},
               {"depth", memory.depth},
               {"banks", memory.banks},
               {"stored_bytes", memory.stored_bytes}});
  if (memory.locks_ports) json["lock"] = "ports";
  if (memory.mirrors >= 0) json["mirrors"] = spec.memories[memory.mirrors].name;
  return json;
}

IsaObject IsaUnitJson(const isa::Unit& unit) {
  return {{"commands", unit.commands}, {"overlap", unit.overlap},           {"latency", unit.latency},
          {"lanes", unit.lanes},       {"buffer_beats", unit.buffer_beats}, {"port", unit.port}};
}

std::string FieldText(const isa::Field& field) {
  const int last = field.offset + field.type.width - 1;
  const std::string type = isa::TypeText(field.type);
  return last == field.offset ? fmt::format("{} at bit {}", type, last)
                              : fmt::format("{} at bits {}..{}", type, field.offset, last);
}

IsaObject InstructionJson(const isa::Spec& spec, const isa::InstructionFormat& format) {
  IsaObject json = {{"kind", isa::KindName(format.kind)},
                    {"unit", spec.units[format.unit].name},
                    {"opcode", format.opcode}};
  if (format.memory >= 0) json["memory"] = spec.memories[format.memory].name;
  if (format.micro_ops >= 0) json["micro_ops"] = spec.memories[format.micro_ops].name;
  if (format.intrinsic) json["computes"] = format.intrinsic->text;
  for (const auto& [field, value] : format.match)
    if (field != 0) json["match"][format.fields[field].name] = value;
  for (const isa::Field& field : format.fields) json["fields"][field.name] = FieldText(field);
  return json;
}

std::string OperandText(const isa::Spec& spec, const isa::Operand& operand) {
  return fmt::format("{}[{}]", spec.memories[operand.memory].name, operand.index);
}

/// What it computes and, apart from that, after which of its lines the pipeline's registers stand.
IsaObject AluOpJson(const isa::Spec& spec, const isa::AluOp& op) {
  std::vector<std::string> lines;
  std::vector<size_t> registers;
  for (const std::string& line : op.body) {
    if (line == "stage")
      registers.push_back(lines.size());
    else
      lines.push_back(line);
  }
  IsaObject json = {{"code", op.code}, {"instruction", spec.formats[op.format].name}};
  for (const isa::Operand& operand : op.operands) json["operands"][operand.name] = OperandText(spec, operand);
  json["result"] = OperandText(spec, op.result);
  json["computes"] = fmt::format("{}", fmt::join(lines, "; "));
  json["stages"] = registers.empty()
                       ? "0"
                       : fmt::format("{}, after lines {}", registers.size(), fmt::join(registers, " "));
  if (!op.available) json["unavailable"] = op.unavailable;
  return json;
}

}  // namespace

nlohmann::ordered_json IsaJson(const isa::Spec& spec) {
  IsaObject json = {{"word", {{"bits", spec.word_bits}, {"opcode_bits", spec.opcode_bits}}}};
  for (const char* section : {"parameters", "memories", "units", "queues", "instructions", "alu_ops"})
    json[section] = IsaObject::object();
  for (const isa::Parameter& each : spec.parameters) json["parameters"][each.name] = {{"value", each.value}};
  for (const isa::Memory& each : spec.memories) json["memories"][each.name] = IsaMemoryJson(spec, each);
  for (const isa::Unit& each : spec.units) json["units"][each.name] = IsaUnitJson(each);
  for (const isa::Queue& each : spec.queues)
    json["queues"][each.name] = {
        {"from", spec.units[each.from].name}, {"to", spec.units[each.to].name}, {"capacity", each.capacity}};
  for (const isa::InstructionFormat& each : spec.formats)
    json["instructions"][each.name] = InstructionJson(spec, each);
  for (const isa::AluOp& each : spec.alu_ops) json["alu_ops"][each.name] = AluOpJson(spec, each);
  return json;
}

}  // namespace cosim::cli
