// SPDX-License-Identifier: Apache-2.0
// Examples are instructions that the disassembler prints, so that they are in its canonical form.
#include "isa/pages/syntax.h"

#include <algorithm>
#include <string_view>

#include "isa/pages/markdown_page.h"
#include "isa/program/disassembler.h"
#include "isa/program/program.h"

namespace cosim::isa {
namespace {

constexpr int64_t kExampleAddress = 4096;

constexpr std::string_view kDirectives =
    R"(A program is read line by line; `#` starts a comment. Numbers are decimal, `0x…` or `0b…`, with a minus sign if negative.
Names that are no identifiers stand in double quotes.

| line | meaning |
| --- | --- |
| `.isa NAME` | checked against the ISA; may be left out |
| `.fingerprint HEX` | of the specification that the program was made for; may be left out |
| `.dram BYTES` | that the program may touch; required |
| `.code ADDRESS` | where the instructions stand; required |
| `.instructions NAME ADDRESS` | a segment that holds the encoded instructions |
| `.micro_ops NAME ADDRESS {` … `}` | a segment of micro-ops, one a line, or `bytes` and hexadecimal ones |
| `.constants NAME ADDRESS {` … `}` | a segment of hexadecimal bytes |

An instruction is its name, its fields in any order (those left out are 0), and the queues that it pops and pushes:
`pop(QUEUE, …)`, `push(QUEUE, …)`. `uop=[BEGIN,END)` stands for `uop_begin=BEGIN uop_end=END`; `op=` takes an ALU op's
name or code.)";

int64_t Least(ScalarType type) { return type.is_signed ? -(int64_t{1} << (type.width - 1)) : 0; }
int64_t Most(ScalarType type) { return (int64_t{1} << (type.width - (type.is_signed ? 1 : 0))) - 1; }

bool IsFlag(const InstructionFormat& format, int field) {
  const auto names_it = [&](const auto& flag) { return flag.second == field; };
  return std::ranges::any_of(format.pops, names_it) || std::ranges::any_of(format.pushes, names_it);
}

bool IsFixed(const InstructionFormat& format, int field) {
  return std::ranges::any_of(format.match, [&](const auto& match) { return match.first == field; });
}

/// Every field that it has is 1, or as near as its type allows; an alu instruction's op is that given.
Instruction ExampleOf(const Spec& spec, int number, const AluOp* op) {
  const InstructionFormat& format = spec.formats[number];
  Instruction instruction{.format = number, .values = {}};
  for (const Field& field : format.fields) {
    int64_t value = field.name == "dram" ? kExampleAddress : field.name == "uop_begin" ? 0 : 1;
    if (field.name == "op" && op != nullptr) value = op->code;
    instruction.values.push_back(std::min(value, Most(field.type)));
  }
  for (const auto& [field, value] : format.match) instruction.values[field] = value;
  return instruction;
}

/// What an op needs, and nothing else: no tokens, no immediates that it does not read.
Instruction ExampleOf(const Spec& spec, const AluOp& op) {
  const InstructionFormat& format = spec.formats[op.format];
  Instruction instruction = ExampleOf(spec, op.format, &op);
  for (size_t f = 0; f < format.fields.size(); ++f) {
    const std::string& name = format.fields[f].name;
    const bool is_read = std::ranges::any_of(op.program.inputs, [&](const ScalarInput& input) {
      return input.kind == ScalarInput::Kind::kImmediate && input.instruction_field == static_cast<int>(f);
    });
    const bool is_loop = name == "op" || name == "uop_end" || name == "iter_out" || name == "iter_in";
    if (!is_read && !is_loop && !IsFixed(format, static_cast<int>(f))) instruction.values[f] = 0;
  }
  return instruction;
}

const AluOp* FirstOp(const Spec& spec, int format) {
  const auto op = std::ranges::find_if(
      spec.alu_ops, [&](const AluOp& each) { return each.format == format && each.available; });
  return op == spec.alu_ops.end() ? nullptr : &*op;
}

std::string QueueNames(const Spec& spec, const std::vector<std::pair<int, int>>& flags) {
  std::string names;
  for (const auto& [queue, field] : flags)
    names += (names.empty() ? "`" : ", `") + spec.queues[queue].name + "`";
  return names;
}

bool HasOwnFields(const InstructionFormat& format) {
  for (int f = 0; f < static_cast<int>(format.fields.size()); ++f)
    if (!IsFlag(format, f) && !IsFixed(format, f)) return true;
  return false;
}

void DescribeInstruction(const Spec& spec, int number, MarkdownPage& page) {
  const InstructionFormat& format = spec.formats[number];
  page.Line("\n### {}\n\n{}\n", format.name, format.doc);
  page.Line("```\n{}\n```\n", DisassembleInstruction(spec, ExampleOf(spec, number, FirstOp(spec, number))));
  if (HasOwnFields(format)) page.Header({"field", "values"});
  for (size_t f = 0; f < format.fields.size(); ++f) {
    const Field& field = format.fields[f];
    if (IsFlag(format, static_cast<int>(f)) || IsFixed(format, static_cast<int>(f))) continue;
    page.Row({"`" + field.name + "`", fmt::format("{} to {}", Least(field.type), Most(field.type))});
  }
  const std::string pops = QueueNames(spec, format.pops), pushes = QueueNames(spec, format.pushes);
  if (!pops.empty()) page.Line("\nPops: {}.", pops);
  if (!pushes.empty()) page.Line("\nPushes: {}.", pushes);
}

void DescribeMicroOps(const Spec& spec, MarkdownPage& page) {
  page.Line(
      "\n## Micro-ops\n\nA line of a `.micro_ops` segment: the memory that it is for, and its "
      "fields.\n\n```");
  page.Line(".micro_ops uops 0x{:x} {{", kExampleAddress);
  for (const Memory& memory : spec.memories) {
    if (!memory.is_micro_ops) continue;
    std::string line = "  " + memory.name;
    for (const Field& field : memory.fields)
      line += fmt::format(" {}={}", field.name, std::min<int64_t>(1, Most(field.type)));
    page.Line("{}", line);
  }
  page.Line("}}\n```");
}

}  // namespace

std::string DescribeSyntax(const Spec& spec) {
  MarkdownPage page;
  page.Line("# The assembler's language: {} with {}\n\n{}", spec.isa, spec.config, kDirectives);
  page.Line(
      "\n`cosim asm` assembles it, `cosim check` looks for races and missing tokens, `cosim disasm` prints a "
      "network's.");
  page.Line("\n## Instructions\n\nIn the examples every field is written that there is.");
  for (size_t f = 0; f < spec.formats.size(); ++f) DescribeInstruction(spec, static_cast<int>(f), page);
  DescribeMicroOps(spec, page);
  page.Line("\n## ALU ops\n\nWith the immediates that each reads.");
  for (const AluOp& op : spec.alu_ops) {
    if (!op.available) continue;
    page.Line("\n{}\n\n```\n{}\n```", op.doc, DisassembleInstruction(spec, ExampleOf(spec, op)));
  }
  return page.Take();
}

}  // namespace cosim::isa
