// SPDX-License-Identifier: Apache-2.0
#include "isa/program/codec.h"

#include <gmock/gmock.h>

#include "isa/program/microops.h"
#include "tests/isa/program/random_program.h"
#include "tests/isa/program/testing.h"

namespace cosim::isa::testing {
namespace {

using ::testing::HasSubstr;

std::vector<uint8_t> Encode(const Spec& spec, const Instruction& instruction) {
  std::vector<uint8_t> word(spec.word_bytes());
  const std::optional<CodecError> error = EncodeWord(spec, instruction, word);
  EXPECT_FALSE(error.has_value()) << error->message;
  return word;
}

TEST(Codec, OpcodeTakesTheLowestBits) {
  const Spec& spec = TinySpec();
  const std::vector<uint8_t> word = Encode(spec, BlankInstruction(spec, spec.FormatIndex("alu")));
  EXPECT_EQ(word.size(), 32u);
  EXPECT_EQ(word[0], 6);
}

TEST(Codec, EveryFieldStandsAloneAtItsPlace) {
  for (const char* isa : {"cosim", "vta"}) {
    const Spec spec = MakeSpec(isa);
    for (int f = 0; f < static_cast<int>(spec.formats.size()); ++f) {
      const InstructionFormat& format = spec.formats[f];
      const std::vector<uint8_t> blank = Encode(spec, BlankInstruction(spec, f));
      for (size_t i = 0; i < format.fields.size(); ++i) {
        Instruction instruction = BlankInstruction(spec, f);
        if (instruction.values[i] != 0 || i == 0) continue;
        bool fixed = false;
        for (auto [field, value] : format.match) fixed |= field == static_cast<int>(i);
        if (fixed) continue;
        const ScalarType type = format.fields[i].type;
        instruction.values[i] = type.is_signed ? -1 : type.Max();
        std::vector<uint8_t> expected = blank;
        PutBits(expected, format.fields[i].offset, type.width, ~uint64_t{0});
        EXPECT_EQ(Encode(spec, instruction), expected) << format.name << "." << format.fields[i].name;
      }
    }
  }
}

TEST(Codec, RandomProgramsSurviveEncodingAndDecoding) {
  for (const char* isa : {"cosim", "vta"}) {
    const Spec spec = MakeSpec(isa);
    const Program program = RandomProgram(spec, {.seed = 7, .instructions = 200});
    std::vector<CodecError> errors;
    const std::optional<Segment> segment = EncodeProgram(spec, program, errors);
    ASSERT_TRUE(segment.has_value());
    EXPECT_EQ(segment->bytes.size(), program.instructions.size() * spec.word_bytes());
    const auto decoded = DecodeProgram(spec, segment->bytes, errors);
    ASSERT_TRUE(decoded.has_value());
    ASSERT_EQ(decoded->size(), program.instructions.size());
    for (size_t i = 0; i < decoded->size(); ++i) {
      EXPECT_EQ((*decoded)[i].format, program.instructions[i].format);
      EXPECT_EQ((*decoded)[i].values, program.instructions[i].values);
    }
  }
}

TEST(Codec, RejectsAValueThatDoesNotFit) {
  const Spec& spec = TinySpec();
  Instruction load = BlankInstruction(spec, spec.FormatIndex("load_inp"));
  load.values[spec.formats[load.format].FieldIndex("pad_top")] = 64;
  load.values[spec.formats[load.format].FieldIndex("pad_value")] = -129;
  std::vector<uint8_t> word(spec.word_bytes(), 0xAA);
  const std::optional<CodecError> error = EncodeWord(spec, load, word);
  ASSERT_TRUE(error.has_value());
  EXPECT_THAT(error->message, HasSubstr("64 does not fit field 'pad_top' of 'load_inp', which holds 0..63"));
  EXPECT_EQ(word, std::vector<uint8_t>(spec.word_bytes(), 0xAA)) << "nothing may be written";
  const std::vector<CodecError> all = CheckEncodable(spec, load);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_THAT(all[1].message,
              HasSubstr("-129 does not fit field 'pad_value' of 'load_inp', which holds -128..127"));
}

TEST(Codec, RejectsAChangedOpcode) {
  const Spec& spec = TinySpec();
  Instruction sync = BlankInstruction(spec, spec.FormatIndex("sync_alu"));
  sync.values[0] = 3;
  const std::vector<CodecError> errors = CheckEncodable(spec, sync);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_THAT(errors[0].message, HasSubstr("field 'opcode' of 'sync_alu' is always 10, not 3"));
}

TEST(Codec, RejectsAnUnknownFormatAndAWrongNumberOfValues) {
  const Spec& spec = TinySpec();
  EXPECT_THAT(CheckEncodable(spec, {.format = 99}).at(0).message, HasSubstr("no instruction format 99"));
  Instruction sync = BlankInstruction(spec, spec.FormatIndex("sync_alu"));
  sync.values.pop_back();
  EXPECT_THAT(CheckEncodable(spec, sync).at(0).message, HasSubstr("'sync_alu' has"));
}

TEST(Codec, RejectsAWordThatNoFormatClaims) {
  const Spec& spec = TinySpec();
  std::vector<uint8_t> word(spec.word_bytes(), 0);
  word[0] = 31;
  Instruction instruction;
  const std::optional<CodecError> error = DecodeWord(spec, word, instruction);
  ASSERT_TRUE(error.has_value());
  EXPECT_THAT(error->message, HasSubstr("no instruction has opcode 31"));
}

TEST(Codec, RejectsBitsOutsideTheFields) {
  const Spec& spec = TinySpec();
  std::vector<uint8_t> word = Encode(spec, BlankInstruction(spec, spec.FormatIndex("sync_alu")));
  word[31] = 0x80;
  Instruction instruction;
  const std::optional<CodecError> error = DecodeWord(spec, word, instruction);
  ASSERT_TRUE(error.has_value());
  EXPECT_THAT(error->message, HasSubstr("bit 255 is set, but no field of 'sync_alu' stands there"));
}

TEST(Codec, ReportsEveryBadInstructionOfAProgram) {
  const Spec& spec = TinySpec();
  Program program;
  program.instructions.assign(3, BlankInstruction(spec, spec.FormatIndex("sync_alu")));
  program.instructions[0].values[0] = 1;
  program.instructions[2].values[0] = 1;
  std::vector<CodecError> errors;
  EXPECT_FALSE(EncodeProgram(spec, program, errors).has_value());
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[1].instruction, 2);

  errors.clear();
  const std::vector<uint8_t> bytes(spec.word_bytes() + 1, 0xFF);
  EXPECT_FALSE(DecodeProgram(spec, bytes, errors).has_value());
  EXPECT_THAT(errors.at(0).message, HasSubstr("33 bytes are not a whole number of 32-byte words"));
  errors.clear();
  EXPECT_FALSE(DecodeProgram(spec, std::span(bytes).first(32), errors).has_value());
  EXPECT_EQ(errors.size(), 1u);
}

TEST(Codec, FormatsThatShareAnOpcodeAreToldApartByTheirFixedFields) {
  const Spec spec = MakeSpec("vta");
  for (const char* name : {"load_inp", "load_wgt", "load_acc", "load_uop"}) {
    const int format = spec.FormatIndex(name);
    Instruction decoded;
    EXPECT_FALSE(DecodeWord(spec, Encode(spec, BlankInstruction(spec, format)), decoded).has_value());
    EXPECT_EQ(decoded.format, format) << name;
  }
}

}  // namespace
}  // namespace cosim::isa::testing
