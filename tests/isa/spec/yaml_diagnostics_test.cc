// SPDX-License-Identifier: Apache-2.0
// What is wrong with the YAML itself, its keys and the types of values. Each test pins the whole text that a
// user sees.
#include <gtest/gtest.h>

#include "tests/isa/spec/testing.h"

namespace cosim::isa {
namespace {

using testing::Complaints;
using testing::ComplaintsOfConfig;
using testing::ComplaintsOfIsa;
using testing::kIsa;

TEST(YamlDiagnostics, RejectsSyntaxErrors) {
  EXPECT_EQ(ComplaintsOfIsa("  block: {default: 4, min: 1, max: 16}", "  block: {default: 4, min: 1"),
            R"~(isa.yaml:5:12: error[E0002]: not YAML: end of map flow not found
    5 |   acc_bytes: {default: 1024}
      |            ^
)~");
}

TEST(YamlDiagnostics, RejectsTabsAsIndentation) {
  EXPECT_EQ(ComplaintsOfIsa("  block: {default", "\t block: {default"),
            R"~(isa.yaml:4:8: error[E0002]: not YAML: illegal map value
    4 | 	 block: {default: 4, min: 1, max: 16}
      | 	      ^
)~");
}

TEST(YamlDiagnostics, RejectsAnchors) {
  EXPECT_EQ(ComplaintsOfIsa("isa: mini", "isa: &name mini"),
            R"~(isa.yaml:1:6: error[E0003]: an anchor has no place in a spec
    1 | isa: &name mini
      |      ^
)~");
}

TEST(YamlDiagnostics, RejectsAliases) {
  EXPECT_EQ(ComplaintsOfIsa("isa: mini", "isa: *name"),
            R"~(isa.yaml:1:6: error[E0002]: not YAML: the referenced anchor is not defined
    1 | isa: *name
      |      ^
)~");
}

TEST(YamlDiagnostics, RejectsStructuredKeys) {
  EXPECT_EQ(ComplaintsOfIsa("isa: mini", "[isa]: mini"),
            R"~(isa.yaml:1:1: error[E0003]: a key that is not a name has no place in a spec
    1 | [isa]: mini
      | ^
)~");
}

TEST(YamlDiagnostics, RejectsSeveralDocuments) {
  EXPECT_EQ(ComplaintsOfConfig("isa: mini", "isa: mini\n---"),
            R"~(config.yaml: error[E0003]: the file holds several documents, one is expected
)~");
}

TEST(YamlDiagnostics, RejectsUnknownKeysWithAGuess) {
  EXPECT_EQ(ComplaintsOfIsa("commands: 4", "comands: 4"),
            R"~(isa.yaml:14:10: error[E0005]: unknown key 'comands' in unit 'load'
   14 |   load: {comands: 4, overlap: true, latency: 2, buffer_beats: 16}
      |          ^~~~~~~
  hint: did you mean 'commands'?
)~");
}

TEST(YamlDiagnostics, RejectsUnknownKeysWithAList) {
  EXPECT_EQ(ComplaintsOfIsa("word_bits: 128", "word_bits: 128\nxyzzy: 1"),
            R"~(isa.yaml:3:1: error[E0005]: unknown key 'xyzzy' in the ISA
    3 | xyzzy: 1
      | ^~~~~
  hint: known here: isa, doc, word_bits, parameters, memories, units, queues, opcode_bits, instructions, alu_ops
)~");
}

TEST(YamlDiagnostics, SuggestsQuotesAroundCommas) {
  EXPECT_EQ(ComplaintsOfIsa("  inp: {lanes: [block],", "  inp: {doc: One, two, lanes: [block],"),
            R"~(isa.yaml:8:19: error[E0005]: unknown key 'two' in memory 'inp'
    8 |   inp: {doc: One, two, lanes: [block], type: int(8), depth: 64}
      |                   ^~~
  hint: inside { }, a value with a comma has to stand in quotes
)~");
}

TEST(YamlDiagnostics, RejectsDuplicateKeys) {
  EXPECT_EQ(ComplaintsOfIsa("word_bits: 128", "word_bits: 128\nword_bits: 64"),
            R"~(isa.yaml:3:1: error[E0006]: key 'word_bits' is given twice
    3 | word_bits: 64
      | ^~~~~~~~~
  note: the first one is at isa.yaml:2:1
)~");
}

TEST(YamlDiagnostics, RejectsDuplicateNames) {
  EXPECT_EQ(ComplaintsOfIsa("  wgt: {lanes: [block, block]", "  inp: {lanes: [block, block]"),
            R"~(isa.yaml:9:3: error[E0006]: key 'inp' is given twice
    9 |   inp: {lanes: [block, block], type: int(8), depth: 32}
      |   ^~~
  note: the first one is at isa.yaml:8:3
)~");
}

TEST(YamlDiagnostics, RejectsMissingKeys) {
  EXPECT_EQ(ComplaintsOfIsa("    kind: load\n    memory: inp", "    kind: load"),
            R"~(isa.yaml:23:3: error[E0007]: instruction 'load_inp' lacks the key 'memory'
   23 |   load_inp:
      |   ^~~~~~~~
)~");
}

TEST(YamlDiagnostics, RejectsScalarsWhereMapsBelong) {
  EXPECT_EQ(ComplaintsOfIsa("{from: load, to: gemm, capacity: 4}", "4"),
            R"~(isa.yaml:19:17: error[E0008]: queue 'load_to_gemm' has to be a map of keys, not a single value
   19 |   load_to_gemm: 4
      |                 ^
)~");
}

TEST(YamlDiagnostics, RejectsMapsWhereScalarsBelong) {
  EXPECT_EQ(
      ComplaintsOfIsa("unit: load", "unit: {load: 1}"),
      R"~(isa.yaml:25:11: error[E0008]: 'unit' of instruction 'load_inp' has to be a name or a list of names, not a map of keys
   25 |     unit: {load: 1}
      |           ^
)~");
}

TEST(YamlDiagnostics, RejectsAMissingKind) {
  EXPECT_EQ(ComplaintsOfIsa("    kind: load\n", ""),
            R"~(isa.yaml:23:3: error[E0007]: instruction 'load_inp' lacks the key 'kind'
   23 |   load_inp:
      |   ^~~~~~~~
)~");
}

TEST(YamlDiagnostics, RejectsUnknownKinds) {
  EXPECT_EQ(ComplaintsOfIsa("kind: store", "kind: stor"),
            R"~(isa.yaml:89:11: error[E0008]: 'stor' is no kind of instruction
   89 |     kind: stor
      |           ^~~~
  hint: did you mean 'store'?
)~");
}

TEST(YamlDiagnostics, RejectsBooleansOfTheWrongType) {
  EXPECT_EQ(ComplaintsOfIsa("overlap: true", "overlap: yes"),
            R"~(isa.yaml:14:32: error[E0008]: 'overlap' of unit 'load' has to be true or false, not 'yes'
   14 |   load: {commands: 4, overlap: yes, latency: 2, buffer_beats: 16}
      |                                ^~~
)~");
}

TEST(YamlDiagnostics, RejectsBadNames) {
  EXPECT_EQ(ComplaintsOfIsa("  inp: {lanes", "  2inp: {lanes"),
            R"~(isa.yaml:8:3: error[E0011]: '2inp' cannot be the name of a memory
    8 |   2inp: {lanes: [block], type: int(8), depth: 64}
      |   ^~~~
  hint: names are letters, digits and underscores, a letter first, at most 64; 'stage', 'alu_stages' and 'instruction_bits' are taken
)~");
}

TEST(YamlDiagnostics, RejectsReservedNames) {
  EXPECT_EQ(ComplaintsOfIsa("  acc_bytes: {default", "  stage: {default"),
            R"~(isa.yaml:5:3: error[E0011]: 'stage' cannot be the name of a parameter
    5 |   stage: {default: 1024}
      |   ^~~~~
  hint: names are letters, digits and underscores, a letter first, at most 64; 'stage', 'alu_stages' and 'instruction_bits' are taken
isa.yaml:10:47: error[E0202]: 'acc_bytes' is no parameter and no property of a memory
   10 |   acc: {lanes: [block], type: int(32), depth: acc_bytes * 8 / (block * 32), banks: 2}
      |                                               ^~~~~~~~~
  hint: did you mean 'acc.bits'?
)~");
}

TEST(YamlDiagnostics, RejectsEmptyFiles) {
  EXPECT_EQ(Complaints(kIsa, ""),
            R"~(config.yaml:1:1: error[E0008]: the configuration has to be a map of keys, not nothing
)~");
}

TEST(YamlDiagnostics, RejectsListsAsFiles) {
  EXPECT_EQ(Complaints(kIsa, "[1, 2]"),
            R"~(config.yaml:1:1: error[E0008]: the configuration has to be a map of keys, not a list
    1 | [1, 2]
      | ^
)~");
}

}  // namespace
}  // namespace cosim::isa
