// SPDX-License-Identifier: Apache-2.0
#include "isa/program/assembler.h"

#include <gmock/gmock.h>

#include "isa/program/disassembler.h"
#include "tests/isa/program/random_program.h"
#include "tests/isa/program/testing.h"

namespace cosim::isa::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

void ExpectSame(const Program& a, const Program& b) {
  EXPECT_EQ(a.fingerprint, b.fingerprint);
  EXPECT_EQ(a.code_address, b.code_address);
  EXPECT_EQ(a.dram_bytes, b.dram_bytes);
  ASSERT_EQ(a.instructions.size(), b.instructions.size());
  for (size_t i = 0; i < a.instructions.size(); ++i) {
    EXPECT_EQ(a.instructions[i].format, b.instructions[i].format);
    EXPECT_EQ(a.instructions[i].values, b.instructions[i].values);
  }
  ASSERT_EQ(a.segments.size(), b.segments.size());
  for (size_t i = 0; i < a.segments.size(); ++i) {
    EXPECT_EQ(a.segments[i].kind, b.segments[i].kind);
    EXPECT_EQ(a.segments[i].name, b.segments[i].name);
    EXPECT_EQ(a.segments[i].address, b.segments[i].address);
    EXPECT_EQ(a.segments[i].bytes, b.segments[i].bytes);
  }
}

const char kHeader[] = ".isa cosim\n.fingerprint 0123456789abcdef\n.dram 0x24000\n.code 0x20000\n";

/// Canonical text must come back letter by letter.
void ExpectCanonical(const std::string& body) {
  const std::string text = kHeader + body;
  EXPECT_EQ(Disassemble(TinySpec(), FromText(TinySpec(), text)), text);
}

TEST(Assembler, KeepsCanonicalInstructions) {
  ExpectCanonical(
      "load_inp sram=16 dram=0x4000 rows=3 cols=4 stride=5 pad_left=1 pad_value=-7 pop(gemm_to_load) "
      "push(load_to_gemm, load_to_alu)\n"
      "gemm overwrite=1 lock_acc=0b0011 uop=[0,144) iter_out=2 dst_in=1\n"
      "alu op=add uop=[0,1)\n"
      "alu op=requant lock_acc=0b1000 uop=[3,4) imm=-2147483648 shift=31 zero_point=-256 lo=-128 hi=127\n"
      "alu op=30\n"
      "store_out dram=0x8000 rows=1 cols=1\n"
      "sync_store push(store_to_load)\n");
}

TEST(Assembler, KeepsNamesThatATerminalWouldActOn) {
  ExpectCanonical(".constants \"r\\xffd \\x1b[31m\\x9b\" 0x2000 {\n  00\n}\n");
  ExpectCanonical(".constants \"größe 7\" 0x2000 {\n  00\n}\n");
  const Program program =
      FromText(TinySpec(), std::string(kHeader) + ".constants \"a\\x0ab\\x4\" 0x2000 {\n}\n");
  EXPECT_EQ(program.segments.at(0).name, "a\nbx4");
}

TEST(Assembler, LayersStayInTheirComments) {
  const Program program = FromText(TinySpec(), std::string(kHeader) + "sync_store push(store_to_load)\n");
  const std::string text = Disassemble(
      TinySpec(), program, {.layer = [](int64_t) { return "conv\nsync_store\x1b[2J"; }, .contents = true});
  EXPECT_THAT(text, HasSubstr("# conv\\nsync_store\\x1b[2J\n"));
  EXPECT_EQ(FromText(TinySpec(), text).instructions.size(), 1u);
}

TEST(Assembler, KeepsSegmentsAndTheirOrder) {
  ExpectCanonical(
      ".constants weights 0x2000 {\n"
      "  00 01 02 fe ff\n"
      "}\n"
      ".instructions \"code of \\\"net\\\" \\\\ 1\" 0x20000\n"
      ".constants empty 0x3000 {\n"
      "}\n"
      ".instructions stale 0x22000 {\n"
      "  12 34\n"
      "}\n"
      "sync_load\n");
}

TEST(Assembler, ShowsMicroOpsWhereLoadsTakeThemFrom) {
  ExpectCanonical(
      ".micro_ops u 0x1000 {\n"
      "  bytes 00 00 00 00\n"
      "  gemm_uop dst=1 src=2 wgt=3\n"
      "  gemm_uop\n"
      "  alu_uop aux=9\n"
      "  bytes ff ff ff ff 01\n"
      "}\n"
      "load_gemm_uop dram=0x1004 rows=1 cols=2\n"
      "load_alu_uop dram=0x100c rows=1 cols=2\n");
}

TEST(Assembler, RoundTripsRandomPrograms) {
  for (const char* isa : {"cosim", "vta"}) {
    const Spec spec = MakeSpec(isa);
    for (uint64_t seed = 0; seed < 8; ++seed) {
      const Program program = RandomProgram(spec, {.seed = seed, .instructions = 60});
      const std::string text = Disassemble(spec, program);
      ExpectSame(FromText(spec, text), program);
      EXPECT_EQ(Disassemble(spec, FromText(spec, text)), text);
    }
  }
}

TEST(Assembler, TakesFieldsInAnyOrderAndComments) {
  const Program a =
      FromText(TinySpec(), std::string(kHeader) +
                               "# nothing\n\n  gemm  uop_end=0x10 push( gemm_to_alu ) uop_begin=0b1 "
                               "iter_in = 3 # end\r\n");
  const Program b =
      FromText(TinySpec(), std::string(kHeader) + "gemm uop=[1,16) iter_in=3 push(gemm_to_alu)\n");
  ExpectSame(a, b);
}

TEST(Assembler, FillsTheInstructionSegmentInItsPlace) {
  const Program program = FromText(
      TinySpec(), std::string(kHeader) + ".instructions code 0x20000\n.constants c 0 {\n}\nsync_alu\n");
  ASSERT_EQ(program.segments.size(), 2u);
  EXPECT_EQ(program.segments[0].bytes.size(), 32u);
  EXPECT_EQ(program.segments[0].bytes[0], 10);
}

TEST(Assembler, TellsWhereEachInstructionStands) {
  Diagnostics diags;
  const SourceText source{"p.s", ".dram 0\n.code 0\n\n  sync_alu\nsync_load\n"};
  const auto assembly = Assemble(TinySpec(), source, diags);
  ASSERT_TRUE(assembly.has_value()) << diags.Render();
  ASSERT_EQ(assembly->locations.size(), 2u);
  EXPECT_EQ(assembly->locations[0].line, 4);
  EXPECT_EQ(assembly->locations[0].column, 3);
  EXPECT_EQ(assembly->locations[1].line, 5);
  EXPECT_EQ(assembly->program.fingerprint, TinySpec().fingerprint);
}

TEST(Disassembler, NamesLayersWhereTheyChange) {
  const Program program = FromText(TinySpec(), ".dram 0\n.code 0\nsync_load\nsync_load\nsync_alu\n");
  DisassembleOptions options;
  options.layer = [](int64_t i) { return std::string(i < 2 ? "conv1" : "pool1"); };
  EXPECT_THAT(Disassemble(TinySpec(), program, options),
              HasSubstr("# conv1\nsync_load\nsync_load\n# pool1\nsync_alu\n"));
}

TEST(Disassembler, CanLeaveContentsOut) {
  const Program program = FromText(TinySpec(), ".dram 0\n.code 0\n.constants c 0x10 {\n  aa bb\n}\n");
  const std::string text = Disassemble(TinySpec(), program, {.contents = false});
  EXPECT_THAT(text, HasSubstr("left out: 2 bytes"));
  EXPECT_THAT(text, Not(HasSubstr("aa bb")));
}

/// Assembles `line` as line 3 of a text that is otherwise fine, and gives what the terminal shows.
std::string ErrorsOf(const std::string& line) {
  Diagnostics diags;
  const SourceText source{"p.s", ".dram 0x100\n.code 0\n" + line + "\n"};
  EXPECT_FALSE(Assemble(TinySpec(), source, diags).has_value()) << line;
  return diags.Render();
}

struct Mistake {
  const char* line;
  const char* where_and_what;
};

class AssemblerMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(AssemblerMistake, IsReportedAtItsPlace) {
  EXPECT_THAT(ErrorsOf(GetParam().line), HasSubstr(GetParam().where_and_what));
}

const Mistake kMistakes[] = {
    {"gem uop=[0,1)", "p.s:3:1: error[E0603]: there is no instruction 'gem'"},
    {".drum 3", "p.s:3:1: error[E0602]: there is no directive '.drum'"},
    {".dram 3", "p.s:3:1: error[E0605]: '.dram' is given twice"},
    {"gemm rows=1", "p.s:3:6: error[E0604]: 'gemm' has no field 'rows' to set"},
    {"gemm opcode=5", "p.s:3:6: error[E0604]: 'gemm' has no field 'opcode' to set"},
    {"gemm pop_load_to_gemm=1", "p.s:3:6: error[E0604]: 'gemm' has no field 'pop_load_to_gemm' to set"},
    {"gemm dst_in=1 dst_in=1", "p.s:3:15: error[E0605]: 'dst_in' is given twice"},
    {"gemm uop=[0,1) uop_end=2", "p.s:3:16: error[E0605]: 'uop_end' is given twice"},
    {"gemm push(gemm_to_alu, gemm_to_alu)", "p.s:3:24: error[E0605]: 'gemm_to_alu' is given twice"},
    {"load_inp pad_top=64", "p.s:3:18: error[E0606]: 64 does not fit field 'pad_top'"},
    {"load_inp rows=99999999999999999999", "p.s:3:15: error[E0606]: 99999999999999999999 is beyond 64 bits"},
    {"gemm uop=[0,-1)", "p.s:3:13: error[E0606]: -1 does not fit field 'uop_end'"},
    {"gemm push(load_to_gemm)", "p.s:3:11: error[E0607]: unit 'gemm' cannot push a queue 'load_to_gemm'"},
    {"alu op=requent", "p.s:3:8: error[E0608]: there is no ALU op 'requent'"},
    {"gemm uop=[0;1)", "p.s:3:11: error[E0601]: '0;1' is not a number"},
    {"gemm uop=(0,1)", "p.s:3:10: error[E0601]: expected '[', found '('"},
    {"gemm dst_in=", "p.s:3:13: error[E0601]: expected a number, found the end of the line"},
    {"gemm dst_in=x", "p.s:3:13: error[E0601]: expected a number, found 'x'"},
    {"gemm 12", "p.s:3:6: error[E0601]: expected a field, pop(…) or push(…), found '12'"},
    {"gemm dst_in 1", "p.s:3:13: error[E0601]: expected '=', found '1'"},
    {"gemm pop(load_to_gemm", "p.s:3:22: error[E0601]: expected ')', found the end of the line"},
    {"gemm $", "p.s:3:6: error[E0601]: '$' is neither a name nor a number"},
    {"12 gemm", "p.s:3:1: error[E0601]: expected an instruction or a directive, found '12'"},
    {"load_inp dram=0xzz", "p.s:3:15: error[E0601]: '0xzz' is not a number"},
    {".constants \"c 0 {", "p.s:3:12: error[E0601]: a quoted name without its end"},
    {".constants c -1 {\n}", "p.s:3:14: error[E0606]: the segment's address cannot be negative"},
    {".constants c 1", "p.s:3:15: error[E0601]: expected '{', found the end of the line"},
    {".fingerprint 12", "p.s:3:14: error[E0601]: a fingerprint is 16 hexadecimal digits"},
    {".isa vta", "p.s:3:6: error[E0611]: the program is written for ISA 'vta', not 'cosim'"},
    {".constants c 0 {\n  00", "p.s:3:1: error[E0609]: this block is not closed"},
    {".constants c 0 {\n  00 0\n}", "p.s:4:6: error[E0612]: '0' is not a row of bytes"},
    {".constants c 0 {\n  left out: 7 bytes\n}",
     "p.s:4:3: error[E0613]: the segment's contents were left out"},
    {".micro_ops c 0 {\n  inp x=1\n}", "p.s:4:3: error[E0614]: 'inp' is no memory of micro-ops"},
    {".micro_ops c 0 {\n  gemm_uop x=1\n}", "p.s:4:12: error[E0604]: 'gemm_uop' has no field 'x'"},
    {".micro_ops c 0 {\n  gemm_uop dst=1 dst=1\n}", "p.s:4:18: error[E0605]: field 'dst' is given twice"},
    {".micro_ops c 0 {\n  gemm_uop dst=256\n}", "p.s:4:16: error[E0606]: 256 does not fit field 'dst'"},
    {".micro_ops c 0 {\n  = 3\n}",
     "p.s:4:3: error[E0601]: expected a micro-op memory, or 'bytes', found '='"},
};

INSTANTIATE_TEST_SUITE_P(All, AssemblerMistake, ::testing::ValuesIn(kMistakes));

TEST(Assembler, HintsAtWhatWasMeant) {
  EXPECT_THAT(ErrorsOf("alu op=requent"), HasSubstr("did you mean 'requant'?"));
  EXPECT_THAT(ErrorsOf("load_inp pad_top=64"), HasSubstr("it holds 0 to 63"));
}

TEST(Assembler, ReportsAllMistakesOfAText) {
  Diagnostics diags;
  const SourceText source{"p.s", "gem\ngemm x=1\n"};
  EXPECT_FALSE(Assemble(TinySpec(), source, diags).has_value());
  const std::string text = diags.Render();
  EXPECT_THAT(text, HasSubstr("p.s:1:1: error[E0603]"));
  EXPECT_THAT(text, HasSubstr("p.s:2:6: error[E0604]"));
  EXPECT_THAT(text, HasSubstr("p.s: error[E0610]: there is no '.dram'"));
  EXPECT_THAT(text, HasSubstr("p.s: error[E0610]: there is no '.code'"));
}

}  // namespace
}  // namespace cosim::isa::testing
