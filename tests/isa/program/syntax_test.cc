// SPDX-License-Identifier: Apache-2.0
// The page of the assembler's language: its examples are of that language.
#include "isa/pages/syntax.h"

#include <gmock/gmock.h>

#include <set>
#include <sstream>

#include "isa/program/assembler.h"
#include "isa/program/disassembler.h"
#include "isa/spec/loader.h"

namespace cosim::isa {
namespace {

/// The lines between fences.
std::string ExamplesIn(const std::string& page) {
  std::istringstream lines(page);
  std::string examples;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "```")
      inside = !inside;
    else if (inside)
      examples += line + "\n";
  }
  return examples;
}

class Syntax : public ::testing::TestWithParam<const char*> {};

TEST_P(Syntax, EveryExampleAssemblesAndIsAsItIsPrinted) {
  Diagnostics diags;
  const auto spec = LoadSpec("pynq.yaml", GetParam(), {}, diags);
  ASSERT_TRUE(spec) << diags.Render();
  const std::string examples = ExamplesIn(DescribeSyntax(*spec));
  const auto assembly =
      Assemble(*spec, {"page", ".dram 0x10000\n.code 0x8000\n.instructions code 0x8000\n" + examples}, diags);
  ASSERT_TRUE(assembly) << diags.Render();
  std::set<int> formats;
  for (const Instruction& instruction : assembly->program.instructions) {
    formats.insert(instruction.format);
    EXPECT_THAT(examples, ::testing::HasSubstr(DisassembleInstruction(*spec, instruction) + "\n"));
  }
  EXPECT_EQ(formats.size(), spec->formats.size());
  size_t ops = 0;
  for (const AluOp& op : spec->alu_ops) ops += op.available;
  EXPECT_EQ(assembly->program.instructions.size(), spec->formats.size() + ops);
  EXPECT_EQ(assembly->program.segments.size(), 2u);  // instructions and micro-ops
}

INSTANTIATE_TEST_SUITE_P(Isas, Syntax, ::testing::Values("cosim", "vta", "isa/test/two_gemm.yaml"));

}  // namespace
}  // namespace cosim::isa
