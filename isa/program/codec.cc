// SPDX-License-Identifier: Apache-2.0
// Packs instructions into words and unpacks them by the spec's bit positions.
#include "isa/program/codec.h"

#include <algorithm>

#include "isa/check.h"
#include "isa/program/microops.h"

namespace cosim::isa {
namespace {

std::string RangeText(ScalarType type) {
  if (type.is_signed) {
    const int64_t top = static_cast<int64_t>((uint64_t{1} << (type.width - 1)) - 1);
    return fmt::format("{}..{}", -top - 1, top);
  }
  return fmt::format("0..{}", static_cast<int64_t>((uint64_t{1} << type.width) - 1));
}

bool Matches(const InstructionFormat& format, std::span<const uint8_t> word) {
  return std::ranges::all_of(format.match, [&](const std::pair<int, int64_t>& fixed) {
    const Field& field = format.fields[fixed.first];
    return TakeValue(word, field.offset, field.type) == fixed.second;
  });
}

/// The lowest bit that is set but belongs to no field of the format, or -1.
int StrayBit(const InstructionFormat& format, std::span<const uint8_t> word) {
  std::vector<uint8_t> rest(word.begin(), word.end());
  for (const Field& field : format.fields) PutBits(rest, field.offset, field.type.width, 0);
  for (size_t i = 0; i < rest.size() * 8; ++i) {
    if (rest[i / 8] >> (i % 8) & 1) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

Instruction BlankInstruction(const Spec& spec, int format) {
  COSIM_CHECK(format >= 0 && static_cast<size_t>(format) < spec.formats.size(), "instruction format {}",
              format);
  Instruction instruction{format, std::vector<int64_t>(spec.formats[format].fields.size(), 0)};
  for (auto [field, value] : spec.formats[format].match) instruction.values[field] = value;
  return instruction;
}

std::vector<CodecError> CheckEncodable(const Spec& spec, const Instruction& instruction) {
  if (instruction.format < 0 || static_cast<size_t>(instruction.format) >= spec.formats.size()) {
    return {{.message = fmt::format("there is no instruction format {}", instruction.format)}};
  }
  const InstructionFormat& format = spec.formats[instruction.format];
  if (instruction.values.size() != format.fields.size()) {
    return {{.message = fmt::format("'{}' has {} fields, not {}", format.name, format.fields.size(),
                                    instruction.values.size())}};
  }
  std::vector<CodecError> errors;
  for (size_t i = 0; i < format.fields.size(); ++i) {
    const Field& field = format.fields[i];
    if (Fits(instruction.values[i], field.type)) continue;
    errors.push_back(
        {.field = static_cast<int>(i),
         .message = fmt::format("{} does not fit field '{}' of '{}', which holds {}", instruction.values[i],
                                field.name, format.name, RangeText(field.type))});
  }
  for (auto [field, value] : format.match) {
    if (instruction.values[field] == value) continue;
    errors.push_back(
        {.field = field,
         .message = fmt::format("field '{}' of '{}' is always {}, not {}", format.fields[field].name,
                                format.name, value, instruction.values[field])});
  }
  return errors;
}

std::optional<CodecError> EncodeWord(const Spec& spec, const Instruction& instruction,
                                     std::span<uint8_t> word) {
  COSIM_CHECK(word.size() == static_cast<size_t>(spec.word_bytes()), "a word of {} bytes", word.size());
  std::vector<CodecError> errors = CheckEncodable(spec, instruction);
  if (!errors.empty()) return errors.front();
  std::ranges::fill(word, 0);
  const InstructionFormat& format = spec.formats[instruction.format];
  for (size_t i = 0; i < format.fields.size(); ++i) {
    const Field& field = format.fields[i];
    PutBits(word, field.offset, field.type.width, static_cast<uint64_t>(instruction.values[i]));
  }
  return std::nullopt;
}

std::optional<CodecError> DecodeWord(const Spec& spec, std::span<const uint8_t> word,
                                     Instruction& instruction) {
  COSIM_CHECK(word.size() == static_cast<size_t>(spec.word_bytes()), "a word of {} bytes", word.size());
  const auto format = std::ranges::find_if(
      spec.formats, [&](const InstructionFormat& candidate) { return Matches(candidate, word); });
  if (format == spec.formats.end()) {
    return CodecError{.message = fmt::format("no instruction has opcode {} with these fixed fields",
                                             TakeBits(word, 0, spec.opcode_bits))};
  }
  if (const int bit = StrayBit(*format, word); bit >= 0) {
    return CodecError{.message =
                          fmt::format("bit {} is set, but no field of '{}' stands there", bit, format->name)};
  }
  instruction.format = static_cast<int>(format - spec.formats.begin());
  instruction.values.clear();
  for (const Field& field : format->fields)
    instruction.values.push_back(TakeValue(word, field.offset, field.type));
  return std::nullopt;
}

std::optional<Segment> EncodeProgram(const Spec& spec, const Program& program,
                                     std::vector<CodecError>& errors) {
  const size_t word_bytes = static_cast<size_t>(spec.word_bytes());
  Segment segment{
      .kind = Segment::Kind::kInstructions, .name = "instructions", .address = program.code_address};
  segment.bytes.resize(program.instructions.size() * word_bytes);
  const size_t errors_before = errors.size();
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const std::span<uint8_t> word = std::span(segment.bytes).subspan(i * word_bytes, word_bytes);
    if (std::optional<CodecError> error = EncodeWord(spec, program.instructions[i], word)) {
      error->instruction = static_cast<int64_t>(i);
      errors.push_back(std::move(*error));
    }
  }
  if (errors.size() != errors_before) return std::nullopt;
  return segment;
}

std::optional<std::vector<Instruction>> DecodeProgram(const Spec& spec, std::span<const uint8_t> bytes,
                                                      std::vector<CodecError>& errors) {
  const size_t word_bytes = static_cast<size_t>(spec.word_bytes());
  const size_t errors_before = errors.size();
  if (bytes.size() % word_bytes != 0) {
    errors.push_back({.message = fmt::format("{} bytes are not a whole number of {}-byte words", bytes.size(),
                                             word_bytes)});
    return std::nullopt;
  }
  std::vector<Instruction> instructions(bytes.size() / word_bytes);
  for (size_t i = 0; i < instructions.size(); ++i) {
    std::optional<CodecError> error =
        DecodeWord(spec, bytes.subspan(i * word_bytes, word_bytes), instructions[i]);
    if (!error) continue;
    error->instruction = static_cast<int64_t>(i);
    errors.push_back(std::move(*error));
  }
  if (errors.size() != errors_before) return std::nullopt;
  return instructions;
}

}  // namespace cosim::isa
