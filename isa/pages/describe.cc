// SPDX-License-Identifier: Apache-2.0
// Writes the manual, a function a chapter.
#include "isa/pages/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "isa/expr/builder.h"
#include "isa/pages/markdown_page.h"
#include "isa/text_escape.h"

namespace cosim::isa {
namespace {

std::string UnitNames(const Spec& spec, const std::vector<int>& units) {
  std::vector<std::string> names;
  for (int unit : units) names.push_back(spec.units[unit].name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string ElementText(const Memory& memory) {
  std::vector<std::string> fields;
  for (const Field& field : memory.fields) {
    fields.push_back(field.name.empty() ? TypeText(field.type)
                                        : fmt::format("{}: {}", field.name, TypeText(field.type)));
  }
  const std::string record =
      memory.fields[0].name.empty() ? fields[0] : fmt::format("{{{}}}", fmt::join(fields, ", "));
  return memory.lanes.empty() ? record : fmt::format("{} of {}", fmt::join(memory.lanes, " x "), record);
}

std::string BitsText(const Field& field) {
  if (field.type.width == 1) return fmt::format("{}", field.offset);
  return fmt::format("{}:{}", field.offset + field.type.width - 1, field.offset);
}

std::string OperandText(const Spec& spec, const Operand& operand) {
  return fmt::format("{}[{}]", spec.memories[operand.memory].name, operand.index);
}

/// What an index field adds to the element of its memories; empty if it is none.
std::string IndexRole(const InstructionFormat& format, int field) {
  for (const IndexFields& index : format.indices) {
    if (field == index.base) return fmt::format("`{}` of the first step", index.index);
    if (field == index.outer)
      return fmt::format("added to `{}` for each step of the outer loop", index.index);
    if (field == index.inner)
      return fmt::format("added to `{}` for each step of the inner loop", index.index);
  }
  const int row = format.intrinsic ? format.intrinsic->RowSource() : -1;
  if (row >= 0 && field == format.intrinsic->sources[row].pitch_field)
    return fmt::format("elements of `{}` from one row that a step reads to the next",
                       format.intrinsic->sources[row].index);
  return "";
}

std::string TransferRole(const Spec& spec, const InstructionFormat& format, std::string_view name) {
  const Memory& memory = spec.memories[format.memory];
  if (name == "sram") return fmt::format("first element of `{}`", memory.name);
  if (format.Gathers()) {
    if (name == "dram") return "byte address in DRAM, any";
    if (name == "stride") return "bytes from one row to the next in DRAM";
    if (name == "row_bytes") return "bytes of a row: (`cols` - 1) x `piece_step` + `piece_bytes`";
    if (name == "piece_bytes")
      return fmt::format("bytes of an element that are filled, 1 to {}", LongestPiece(spec, memory));
    if (name == "piece_first") return "first of them in the element";
    if (name == "piece_step") return "bytes from one element's to the next one's in DRAM";
  }
  if (name == "dram")
    return fmt::format("byte address in DRAM, a multiple of {}", DramAlignment(spec, memory));
  if (name == "rows") return "rows";
  if (name == "cols") return "elements a row";
  if (name == "stride") return "elements from one row to the next in DRAM";
  if (name == "pad_value") return "what padding holds, in every lane";
  return name.starts_with("pad_") ? fmt::format("rows or columns of padding: {}", name.substr(4)) : "";
}

std::string NestRole(std::string_view name, Kind kind) {
  if (name == "uop_begin") return "first micro-op";
  if (name == "uop_end") return "one after the last micro-op";
  if (name == "iter_out") return "steps of the outer loop";
  if (name == "iter_in") return "steps of the inner loop";
  if (kind == Kind::kAlu) return name == "op" ? "code of the ALU op" : "immediate of the ALU op";
  if (name == "reset") return "1: sets the accumulators to zero instead, and reads no tile";
  return name == "overwrite" ? "1: the sum replaces the accumulator" : "";
}

std::string RoleText(const Spec& spec, const InstructionFormat& format, int field) {
  for (const auto& [match, value] : format.match) {
    if (match == field) return fmt::format("always {}", value);
  }
  for (const auto& [queue, flag] : format.pops) {
    if (flag == field) return fmt::format("takes a token of `{}` before it starts", spec.queues[queue].name);
  }
  for (const auto& [queue, flag] : format.pushes) {
    if (flag == field) return fmt::format("gives a token to `{}` when it retires", spec.queues[queue].name);
  }
  for (const auto& [memory, lock] : format.locks) {
    if (lock != field) continue;
    const Memory& locked = spec.memories[memory];
    if (!locked.locks_ports) return fmt::format("banks of `{}` that it uses, one bit each", locked.name);
    return fmt::format("banks of `{}` that it reads (low {} bits) and writes (high {}), one bit each",
                       locked.name, locked.banks, locked.banks);
  }
  if (const std::string index = IndexRole(format, field); !index.empty()) return index;
  const std::string& name = format.fields[field].name;
  if (format.memory >= 0) return TransferRole(spec, format, name);
  return format.micro_ops >= 0 ? NestRole(name, format.kind) : "";
}

void WriteParameters(const Spec& spec, MarkdownPage& page) {
  page.Line("\n## Parameters\n");
  page.Header({"parameter", "value", "meaning"});
  for (const Parameter& parameter : spec.parameters) {
    page.Row({fmt::format("`{}`", parameter.name), fmt::format("{}", parameter.value),
              MarkdownText(parameter.doc)});
  }
}

void WriteMemories(const Spec& spec, MarkdownPage& page) {
  page.Line("\n## Memories\n");
  page.Header(
      {"memory", "an element", "elements", "banks", "bytes in DRAM", "read by", "written by", "meaning"});
  for (const Memory& memory : spec.memories) {
    const std::string mirrored =
        memory.mirrors < 0 ? "" : fmt::format(" Follows `{}`.", spec.memories[memory.mirrors].name);
    page.Row({fmt::format("`{}`", memory.name), ElementText(memory), fmt::format("{}", memory.depth),
              fmt::format("{}", memory.banks), fmt::format("{}", memory.stored_bytes),
              UnitNames(spec, memory.readers), UnitNames(spec, memory.writers),
              MarkdownText(memory.doc) + mirrored});
  }
}

void WriteUnits(const Spec& spec, MarkdownPage& page) {
  page.Line("\n## Units\n");
  page.Header({"unit", "commands", "overlap", "latency", "ALU lanes", "data buffer", "port", "meaning"});
  for (const Unit& unit : spec.units) {
    page.Row({fmt::format("`{}`", unit.name), fmt::format("{}", unit.commands), unit.overlap ? "yes" : "no",
              fmt::format("{}", unit.latency), unit.lanes > 0 ? fmt::format("{}", unit.lanes) : "",
              unit.buffer_beats > 0 ? fmt::format("{} beats", unit.buffer_beats) : "",
              unit.reads_dram || unit.writes_dram ? fmt::format("{}", unit.port) : "",
              MarkdownText(unit.doc)});
  }
  if (spec.queues.empty()) return;
  page.Line("\n## Dependency queues\n");
  page.Header({"queue", "from", "to", "tokens"});
  for (const Queue& queue : spec.queues) {
    page.Row({fmt::format("`{}`", queue.name), spec.units[queue.from].name, spec.units[queue.to].name,
              fmt::format("{}", queue.capacity)});
  }
}

void WriteFormat(const Spec& spec, const InstructionFormat& format, MarkdownPage& page) {
  page.Line("\n### {}\n", format.name);
  page.Line("{} Runs on `{}`.\n", MarkdownText(format.doc), spec.units[format.unit].name);
  if (format.intrinsic) page.Line("    {}\n", CommentText(format.intrinsic->text));
  page.Header({"bits", "field", "type", "meaning"});
  for (size_t f = 0; f < format.fields.size(); ++f) {
    const Field& field = format.fields[f];
    page.Row({BitsText(field), fmt::format("`{}`", field.name), TypeText(field.type),
              RoleText(spec, format, static_cast<int>(f))});
  }
}

void WriteAluOp(const Spec& spec, const AluOp& op, MarkdownPage& page) {
  page.Line("\n### {} (code {})\n", op.name, op.code);
  std::vector<std::string> operands;
  for (const Operand& operand : op.operands) {
    operands.push_back(fmt::format("`{}` = `{}`", operand.name, OperandText(spec, operand)));
  }
  page.Line("{} {}{}writes `{}`.\n", MarkdownText(op.doc), fmt::join(operands, ", "),
            operands.empty() ? "Only " : "; ", OperandText(spec, op.result));
  for (const std::string& line : op.body) page.Line("    {}", CommentText(line));
  page.Line("\nA step takes {} cycle{}; an element written is readable {} step{} later.{}",
            op.initiation_interval, op.initiation_interval == 1 ? "" : "s", op.min_distance,
            op.min_distance == 1 ? "" : "s",
            op.available ? "" : fmt::format(" Not available here: {}.", MarkdownText(op.unavailable)));
}

}  // namespace

std::string DescribeMarkdown(const Spec& spec) {
  MarkdownPage page;
  page.Line("# {} with {}\n", MarkdownText(spec.isa), MarkdownText(spec.config));
  page.Line("{}{}{}\n", MarkdownText(spec.doc), spec.doc.empty() || spec.config_doc.empty() ? "" : " ",
            MarkdownText(spec.config_doc));
  page.Line("Instruction words of {} bits. {} multiply-accumulates a cycle at {} MHz. Fingerprint {}.\n",
            spec.word_bits, spec.MacsPerCycle(), spec.clock_mhz, spec.FingerprintText());
  page.Line(
      "Memory ports: {} of {} bits, bursts of at most {} beats, {} in flight in each direction; read latency "
      "{} "
      "cycles, "
      "write latency {}.",
      spec.ports, spec.dram.port_bits, spec.dram.burst_beats, spec.dram.outstanding, spec.dram.latency,
      spec.dram.write_latency);
  WriteParameters(spec, page);
  WriteMemories(spec, page);
  WriteUnits(spec, page);
  page.Line("\n## Instructions");
  for (const InstructionFormat& format : spec.formats) WriteFormat(spec, format, page);
  if (!spec.alu_ops.empty()) page.Line("\n## ALU ops");
  for (const AluOp& op : spec.alu_ops) WriteAluOp(spec, op, page);
  return page.Take();
}

}  // namespace cosim::isa
