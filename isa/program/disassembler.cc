// SPDX-License-Identifier: Apache-2.0
// Writes program text. Which bytes of a segment are micro-ops, and of which memory, follows from the
// program's loads.
#include "isa/program/disassembler.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "isa/program/codec.h"
#include "isa/program/decode.h"
#include "isa/program/microops.h"
#include "isa/text_escape.h"

namespace cosim::isa {
namespace {

constexpr size_t kBytesPerLine = 32;

bool IsPlainName(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  return std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string NameText(const std::string& name) {
  if (IsPlainName(name)) return name;
  const bool printable = OneLine(name) == name;
  std::string text = "\"";
  for (char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    if (c == '\n') {
      text += "\\n";
    } else if (!printable && (c < 0x20 || c > 0x7e)) {
      text += fmt::format("\\x{:02x}", static_cast<uint8_t>(c));
    } else {
      text += c;
    }
  }
  return text + '"';
}

void AppendBytes(std::span<const uint8_t> bytes, std::string_view indent, std::string& text) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (size_t first = 0; first < bytes.size(); first += kBytesPerLine) {
    text += indent;
    for (uint8_t byte : bytes.subspan(first, std::min(kBytesPerLine, bytes.size() - first))) {
      text += ' ';
      text += kDigits[byte >> 4];
      text += kDigits[byte & 15];
    }
    text += '\n';
  }
}

/// A stretch of a segment that a load takes to a micro-op memory.
struct MicroOpRun {
  uint64_t begin = 0, end = 0;
  int memory = -1;
};

std::vector<MicroOpRun> FindMicroOps(const Spec& spec, const Program& program) {
  std::vector<MicroOpRun> runs;
  const Decoder decoder(spec);
  for (const Instruction& instruction : program.instructions) {
    const InstructionFormat& format = spec.formats[instruction.format];
    if (format.kind != Kind::kLoad || !spec.memories[format.memory].is_micro_ops) continue;
    const Decoded decoded = decoder(instruction);
    const auto& load = std::get<Transfer>(decoded.body);
    const uint64_t element = spec.memories[load.memory].stored_bytes;
    for (int64_t row = 0; row < load.rows; ++row) {
      const uint64_t begin = load.dram + static_cast<uint64_t>(row * load.stride) * element;
      runs.push_back({begin, begin + static_cast<uint64_t>(load.cols) * element, load.memory});
    }
  }
  std::ranges::sort(runs, {}, &MicroOpRun::begin);
  return runs;
}

/// The element's line, if it can be written as one: no bits set outside the fields.
std::optional<std::string> MicroOpText(const Memory& memory, std::span<const uint8_t> bytes) {
  if (ValuesPerElement(memory) != static_cast<int64_t>(memory.fields.size())) return std::nullopt;
  std::vector<int64_t> values(memory.fields.size());
  UnpackElements(memory, bytes, values);
  std::vector<uint8_t> again(bytes.size());
  PackElements(memory, values, again);
  if (!std::ranges::equal(bytes, again)) return std::nullopt;
  std::string text = "  " + memory.name;
  for (size_t f = 0; f < values.size(); ++f) {
    if (values[f] == 0) continue;
    if (memory.fields[f].name.empty()) return std::nullopt;
    fmt::format_to(std::back_inserter(text), " {}={}", memory.fields[f].name, values[f]);
  }
  return text + '\n';
}

void AppendMicroOps(const Spec& spec, const Segment& segment, std::span<const MicroOpRun> runs,
                    std::string& text) {
  const std::span<const uint8_t> bytes = segment.bytes;
  size_t plain = 0, at = 0;  // [plain, at) is still to be written as bytes
  auto run = runs.begin();
  while (at < bytes.size()) {
    const uint64_t address = segment.address + at;
    while (run != runs.end() && run->end <= address) ++run;
    if (run == runs.end() || run->begin > address) {
      const uint64_t next = run == runs.end() ? segment.address + bytes.size() : run->begin;
      at = std::min<uint64_t>(next - segment.address, bytes.size());
      continue;
    }
    const Memory& memory = spec.memories[run->memory];
    const size_t size = static_cast<size_t>(memory.stored_bytes);
    std::optional<std::string> line;
    const bool whole = (address - run->begin) % size == 0 && at + size <= bytes.size();
    if (whole) line = MicroOpText(memory, bytes.subspan(at, size));
    if (!line) {
      ++at;
      continue;
    }
    AppendBytes(bytes.subspan(plain, at - plain), "  bytes", text);
    text += *line;
    plain = at += size;
  }
  AppendBytes(bytes.subspan(plain), "  bytes", text);
}

bool HoldsInstructions(const Spec& spec, const Program& program, const Segment& segment) {
  if (segment.kind != Segment::Kind::kInstructions || segment.address != program.code_address) return false;
  std::vector<CodecError> errors;
  const std::optional<Segment> code = EncodeProgram(spec, program, errors);
  return code && code->bytes == segment.bytes;
}

void AppendSegment(const Spec& spec, const Program& program, const Segment& segment, bool contents,
                   std::span<const MicroOpRun> runs, std::string& text) {
  const std::string_view directive = segment.kind == Segment::Kind::kInstructions ? ".instructions"
                                     : segment.kind == Segment::Kind::kMicroOps   ? ".micro_ops"
                                                                                  : ".constants";
  text += fmt::format("{} {} {:#x}", directive, NameText(segment.name), segment.address);
  if (HoldsInstructions(spec, program, segment)) {
    text += '\n';
    return;
  }
  text += " {\n";
  if (!contents) {
    text += fmt::format("  left out: {} bytes\n", segment.bytes.size());
  } else if (segment.kind == Segment::Kind::kMicroOps) {
    AppendMicroOps(spec, segment, runs, text);
  } else {
    AppendBytes(segment.bytes, " ", text);
  }
  text += "}\n";
}

std::string ValueText(const Spec& spec, int format, const Field& field, int64_t value) {
  if (field.name == "op" && spec.formats[format].kind == Kind::kAlu) {
    for (const AluOp& op : spec.alu_ops) {
      if (op.format == format && op.code == value) return op.name;
    }
  }
  if (field.name.starts_with("lock_") && value >= 0)
    return fmt::format("{:#0{}b}", value, field.type.width + 2);
  if (field.name == "dram" && value >= 0) return fmt::format("{:#x}", value);
  return fmt::format("{}", value);
}

std::string FlagText(const Spec& spec, const Instruction& instruction,
                     const std::vector<std::pair<int, int>>& flags, std::string_view word) {
  std::string names;
  for (auto [queue, field] : flags) {
    if (instruction.values[field] == 0) continue;
    names += (names.empty() ? "" : ", ") + spec.queues[queue].name;
  }
  return names.empty() ? "" : fmt::format(" {}({})", word, names);
}

}  // namespace

std::string DisassembleInstruction(const Spec& spec, const Instruction& instruction) {
  const InstructionFormat& format = spec.formats[instruction.format];
  const std::vector<int64_t>& values = instruction.values;
  const int uop_begin = format.FieldIndex("uop_begin"), uop_end = format.FieldIndex("uop_end");
  std::string text = format.name;
  const size_t flags = 1 + format.pops.size() + format.pushes.size();
  for (size_t f = flags; f < format.fields.size(); ++f) {
    const int field = static_cast<int>(f);
    const Field& what = format.fields[f];
    if (std::ranges::find(format.match, field, &std::pair<int, int64_t>::first) != format.match.end())
      continue;
    if (field == uop_begin && uop_end >= 0) {
      if (values[uop_begin] != 0 || values[uop_end] != 0) {
        fmt::format_to(std::back_inserter(text), " uop=[{},{})", values[uop_begin], values[uop_end]);
      }
      continue;
    }
    if (field == uop_end && uop_begin >= 0) continue;
    if (values[f] == 0 && !(what.name == "op" && format.kind == Kind::kAlu)) continue;
    text += ' ';
    text += what.name;
    text += '=';
    text += ValueText(spec, instruction.format, what, values[f]);
  }
  text += FlagText(spec, instruction, format.pops, "pop");
  text += FlagText(spec, instruction, format.pushes, "push");
  return text;
}

std::string Disassemble(const Spec& spec, const Program& program, const DisassembleOptions& options) {
  std::string text =
      fmt::format(".isa {}\n.fingerprint {:016x}\n.dram {:#x}\n.code {:#x}\n", NameText(spec.isa),
                  program.fingerprint, program.dram_bytes, program.code_address);
  const std::vector<MicroOpRun> runs = FindMicroOps(spec, program);
  for (const Segment& segment : program.segments) {
    AppendSegment(spec, program, segment, options.contents, runs, text);
  }
  std::string layer;
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    if (options.layer) {
      std::string now = options.layer(static_cast<int64_t>(i));
      if (now != layer) {
        text += fmt::format("# {}\n", OneLine(now));
      }
      layer = std::move(now);
    }
    text += DisassembleInstruction(spec, program.instructions[i]);
    text += '\n';
  }
  return text;
}

}  // namespace cosim::isa
