// SPDX-License-Identifier: Apache-2.0
// `cosim isa gen`: words that a C program packs are those of the codec.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <random>
#include <regex>

#include "isa/program/codec.h"
#include "isa/program/microops.h"
#include "isa/spec/loader.h"
#include "tests/cli/command.h"

namespace cosim::cli {
namespace {

/// A value of the type, the extremes often.
int64_t Draw(std::mt19937_64& random, isa::ScalarType type) {
  std::vector<uint8_t> bytes(8);
  isa::PutBits(bytes, 0, type.width, random() % 3 == 0 ? ~uint64_t{0} : random());
  return isa::TakeValue(bytes, 0, type);
}

class CHeader : public testing::Command {
 protected:
  static std::string Hex(const std::vector<uint8_t>& bytes) {
    std::string text;
    for (const uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
    return text + "\n";
  }

  /// A call that packs `values` and prints the bytes.
  void Add(const std::string& name, const std::string& bytes, const std::string& values,
           const std::vector<uint8_t>& expected) {
    program_ += fmt::format(
        "  {{ struct cosim_{0} from = {{{2}}}; uint8_t to[{1}]; memset(to, 255, {1});\n"
        "    cosim_pack_{0}(to, &from); Print(to, {1}); }}\n",
        name, bytes, values, name);
    expected_ += Hex(expected);
  }

  void PacksAsTheCodec(const std::string& isa) {
    Diagnostics diags;
    const auto spec = isa::LoadSpec("tiny.yaml", isa, {}, diags);
    ASSERT_TRUE(spec) << diags.Render();
    std::mt19937_64 random(5);
    for (int format = 0; format < static_cast<int>(spec->formats.size()); ++format)
      for (int round = 0; round < 5; ++round) AddInstruction(*spec, format, random);
    for (const isa::Memory& memory : spec->memories)
      if (memory.is_micro_ops) AddMicroOp(memory, random);
    Good("isa gen --config=tiny.yaml --isa=" + isa + " -o accelerator.h");
    Write("main.c",
          "#include \"accelerator.h\"\n#include <stdio.h>\n"
          "static void Print(const uint8_t *bytes, int count) {\n"
          "  for (int i = 0; i < count; ++i) printf(\"%02x\", bytes[i]);\n  puts(\"\");\n}\n"
          "int main(void) {\n" +
              program_ +
              "  printf(\"%llx %x\\n\", (unsigned long long)COSIM_FINGERPRINT, COSIM_REG_LENGTH);\n}\n");
    const testing::Outcome built = Shell("cc -std=c99 -Wall -Wextra -pedantic -Werror -o main main.c");
    ASSERT_EQ(built.status, 0) << built.err;
    EXPECT_EQ(Shell("./main").out, expected_ + fmt::format("{:x} 20\n", spec->fingerprint));
  }

 private:
  void AddInstruction(const isa::Spec& spec, int number, std::mt19937_64& random) {
    const isa::InstructionFormat& format = spec.formats[number];
    isa::Instruction instruction = isa::BlankInstruction(spec, number);
    std::string values;
    for (size_t i = 0; i < format.fields.size(); ++i) {
      const auto fixed =
          std::ranges::find(format.match, static_cast<int>(i), &std::pair<int, int64_t>::first);
      if (fixed != format.match.end()) continue;
      instruction.values[i] = Draw(random, format.fields[i].type);
      values += fmt::format("{}{}", values.empty() ? "" : ", ", instruction.values[i]);
    }
    std::vector<uint8_t> word(static_cast<size_t>(spec.word_bytes()));
    ASSERT_FALSE(isa::EncodeWord(spec, instruction, word));
    Add(format.name, "COSIM_WORD_BYTES", values.empty() ? "0" : values, word);
  }

  void AddMicroOp(const isa::Memory& memory, std::mt19937_64& random) {
    std::vector<uint8_t> bytes(static_cast<size_t>(memory.stored_bytes));
    std::string values;
    for (const isa::Field& field : memory.fields) {
      const int64_t value = Draw(random, field.type);
      isa::PutBits(bytes, field.offset, field.type.width, static_cast<uint64_t>(value));
      values += fmt::format("{}{}", values.empty() ? "" : ", ", value);
    }
    Add(memory.name, fmt::format("{}", bytes.size()), values, bytes);
  }

  std::string program_, expected_;
};

TEST_F(CHeader, PacksWordsOfCosimAsTheCodec) { PacksAsTheCodec("cosim"); }
TEST_F(CHeader, PacksWordsOfVtaAsTheCodec) { PacksAsTheCodec("vta"); }

TEST_F(CHeader, NamesOfFieldsAreNoWordsOfC) {
  const std::string text = testing::ReadFile(COSIM_SOURCE_DIR "/isa/cosim.yaml");
  Write("mine.yaml", std::regex_replace(text, std::regex("\\bimm\\b"), "long"));
  Good("isa gen --config=tiny.yaml --isa=mine.yaml -o accelerator.h");
  Write("main.c",
        "#include \"accelerator.h\"\nint main(void) { struct cosim_alu alu = {.long_ = 1}; return alu.long_ "
        "!= 1; }\n");
  const testing::Outcome run = Shell(
      "cc -std=c99 -Wall -Wextra -pedantic -Werror -Wno-unused-function -Wno-missing-field-initializers -o "
      "main main.c && ./main");
  EXPECT_EQ(run.status, 0) << run.err;
}

}  // namespace
}  // namespace cosim::cli
