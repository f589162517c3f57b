// SPDX-License-Identifier: Apache-2.0
// What is wrong with a configuration or a --set. Each test pins the whole text that a user sees.
#include <gtest/gtest.h>

#include "tests/isa/spec/testing.h"

namespace cosim::isa {
namespace {

using testing::Complaints;
using testing::ComplaintsOfConfig;
using testing::ComplaintsOfIsa;
using testing::kConfig;
using testing::kIsa;
using testing::Replace;

TEST(ConfigDiagnostics, RejectsMisspeltKeys) {
  EXPECT_EQ(ComplaintsOfConfig("latency: 12", "latncy: 12"),
            R"~(config.yaml:8:3: error[E0005]: unknown key 'latncy' in 'memory'
    8 |   latncy: 12
      |   ^~~~~~
  hint: did you mean 'latency'?
)~");
}

TEST(ConfigDiagnostics, RejectsProcessorsThatNothingIsKnownOf) {
  const std::string text = ComplaintsOfConfig("memory:", "host: {cpu: cortex-a35, clock_mhz: 1000}\nmemory:");
  EXPECT_NE(text.find("error[E0009]: nothing is known of the processor 'cortex-a35'"), std::string::npos)
      << text;
  EXPECT_NE(text.find("hint: did you mean 'cortex-a53'?"), std::string::npos) << text;
  EXPECT_NE(ComplaintsOfConfig("memory:", "host: {cpu: cortex-a9}\nmemory:")
                .find("error[E0007]: 'host' lacks the key 'clock_mhz'"),
            std::string::npos);
}

TEST(ConfigDiagnostics, RejectsUnknownParameters) {
  EXPECT_EQ(ComplaintsOfConfig("block: 4", "blck: 4"),
            R"~(config.yaml:4:3: error[E0501]: the ISA has no parameter 'blck'
    4 |   blck: 4
      |   ^~~~
  hint: did you mean 'block'?
)~");
}

TEST(ConfigDiagnostics, RejectsParametersThatAreNoIntegers) {
  EXPECT_EQ(ComplaintsOfConfig("block: 4", "block: four"),
            R"~(config.yaml:4:10: error[E0008]: parameter 'block' has to be an integer, not 'four'
    4 |   block: four
      |          ^~~~
)~");
}

TEST(ConfigDiagnostics, RejectsParametersOutOfRange) {
  EXPECT_EQ(ComplaintsOfConfig("block: 4", "block: 17"),
            R"~(config.yaml:4:10: error[E0206]: parameter 'block' is 17, but has to be 1 to 16
    4 |   block: 17
      |          ^~
  note: it is declared at isa.yaml:4:3
)~");
}

TEST(ConfigDiagnostics, RejectsBlocksThatDoNotDivide) {
  EXPECT_EQ(ComplaintsOfConfig("block: 4", "block: 3"),
            R"~(isa.yaml:10:61: error[E0204]: 8192 is not divisible by 96
   10 |   acc: {lanes: [block], type: int(32), depth: acc_bytes * 8 / (block * 32), banks: 2}
      |                                                             ^
  hint: floor_div(x, y) rounds down, ceil_div(x, y) up
  note: 'block' is 3, from config.yaml:4:10
)~");
}

std::string ComplaintsOfDepth(const std::string& depth, const std::string& acc_bytes) {
  const std::string isa =
      Replace(kIsa, "depth: acc_bytes * 8 / (block * 32), banks: 2", "depth: \"" + depth + "\", banks: 2");
  return Complaints(Replace(isa, "acc_bytes: {default: 1024}", "acc_bytes: {default: " + acc_bytes + "}"),
                    kConfig);
}

TEST(ConfigDiagnostics, SaysHowMuchAMemoryIsTooSmall) {
  EXPECT_EQ(
      ComplaintsOfDepth("floor_div(acc_bytes * 8, acc.bits * acc.banks) * acc.banks", "27"),
      R"~(isa.yaml:10:47: error[E0010]: memory 'acc' holds no element: one in each of 2 banks takes 32 bytes, 5 more than it has
   10 |   acc: {lanes: [block], type: int(32), depth: "floor_div(acc_bytes * 8, acc.bits * acc.banks) * acc.banks", banks: 2}
      |                                               ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  note: 'block' is 4, from config.yaml:4:10
)~");
  EXPECT_EQ(ComplaintsOfDepth("floor_div(acc_bytes, 40)", "27"),
            R"~(isa.yaml:10:47: error[E0010]: memory 'acc' holds no element: it has 27 of 40, 13 too few
   10 |   acc: {lanes: [block], type: int(32), depth: "floor_div(acc_bytes, 40)", banks: 2}
      |                                               ^~~~~~~~~~~~~~~~~~~~~~~~~~
)~");
}

TEST(ConfigDiagnostics, TakesBlocksThatDoNotDivideWhereTheDepthIsRoundedDown) {
  EXPECT_EQ(ComplaintsOfDepth("floor_div(acc_bytes * 8, acc.bits * acc.banks) * acc.banks", "1030"), "");
}

TEST(ConfigDiagnostics, RejectsAPortThatIsNoPowerOfTwo) {
  EXPECT_EQ(ComplaintsOfConfig("port_bits: 64", "port_bits: 96"),
            R"~(config.yaml:6:14: error[E0010]: 'port_bits' of 'memory' is 96, but has to be a power of two
    6 |   port_bits: 96
      |              ^~
)~");
}

TEST(ConfigDiagnostics, RejectsAPortTooWide) {
  EXPECT_EQ(ComplaintsOfConfig("port_bits: 64", "port_bits: 1024"),
            R"~(config.yaml:6:14: error[E0010]: 'port_bits' of 'memory' is 1024, but has to be 32 to 512
    6 |   port_bits: 1024
      |              ^~~~
)~");
}

TEST(ConfigDiagnostics, RejectsBurstsTooLong) {
  EXPECT_EQ(ComplaintsOfConfig("burst_beats: 16", "burst_beats: 257"),
            R"~(config.yaml:7:16: error[E0010]: 'burst_beats' of 'memory' is 257, but has to be 1 to 256
    7 |   burst_beats: 257
      |                ^~~
)~");
}

TEST(ConfigDiagnostics, RejectsBurstsLongerThanABuffer) {
  EXPECT_EQ(
      ComplaintsOfConfig("burst_beats: 16", "burst_beats: 32"),
      R"~(isa.yaml:14:64: error[E0502]: the data buffer of unit 'load' holds 16 beats, but a burst has up to 32
   14 |   load: {commands: 4, overlap: true, latency: 2, buffer_beats: 16}
      |                                                                ^~
  note: bursts get their length from config.yaml:7:16
)~");
}

TEST(ConfigDiagnostics, RejectsThreeMacsInADsp) {
  EXPECT_EQ(ComplaintsOfConfig("clock_mhz: 100", "clock_mhz: 100\nhardware: {macs_per_dsp: 3}"),
            R"~(config.yaml:3:26: error[E0010]: 'macs_per_dsp' of 'hardware' is 3, but has to be 1 to 2
    3 | hardware: {macs_per_dsp: 3}
      |                          ^
)~");
}

TEST(ConfigDiagnostics, RejectsAWideProductOfTwoDsps) {
  EXPECT_EQ(ComplaintsOfConfig("clock_mhz: 100", "clock_mhz: 100\nhardware: {wide_product_dsps: 2}"),
            R"~(config.yaml:3:31: error[E0010]: 'wide_product_dsps' of 'hardware' is 2, but has to be 3 to 4
    3 | hardware: {wide_product_dsps: 2}
      |                               ^
)~");
}

TEST(ConfigDiagnostics, RejectsAClockOfZero) {
  EXPECT_EQ(
      ComplaintsOfConfig("clock_mhz: 100", "clock_mhz: 0"),
      R"~(config.yaml:2:12: error[E0010]: 'clock_mhz' of the configuration is 0, but has to be above 0 and at most 100000
    2 | clock_mhz: 0
      |            ^
)~");
}

TEST(ConfigDiagnostics, RejectsAClockThatIsNoNumber) {
  EXPECT_EQ(
      ComplaintsOfConfig("clock_mhz: 100", "clock_mhz: fast"),
      R"~(config.yaml:2:12: error[E0008]: 'clock_mhz' of the configuration has to be a number, not 'fast'
    2 | clock_mhz: fast
      |            ^~~~
)~");
}

TEST(ConfigDiagnostics, RejectsAMissingMemorySystem) {
  EXPECT_EQ(ComplaintsOfConfig("memory:\n  port_bits: 64\n  burst_beats: 16\n  latency: 12\n  write_latency: "
                               "6\n  outstanding: 4\n",
                               ""),
            R"~(config.yaml:1:1: error[E0007]: the configuration lacks the key 'memory'
    1 | isa: mini
      | ^
)~");
}

TEST(ConfigDiagnostics, RejectsAMissingLatency) {
  EXPECT_EQ(ComplaintsOfConfig("  latency: 12\n", ""),
            R"~(config.yaml:5:1: error[E0007]: 'memory' lacks the key 'latency'
    5 | memory:
      | ^~~~~~
)~");
}

TEST(ConfigDiagnostics, RejectsAWrongTypeOfParameters) {
  EXPECT_EQ(
      ComplaintsOfConfig("parameters:\n  block: 4", "parameters: [4]"),
      R"~(config.yaml:3:13: error[E0008]: 'parameters' of the configuration has to be a map of keys, not a list
    3 | parameters: [4]
      |             ^
)~");
}

TEST(ConfigDiagnostics, RejectsASmallFetchBuffer) {
  EXPECT_EQ(
      Complaints(kIsa, kConfig, {{"parameters.fetch_words", "1"}}),
      R"~(isa.yaml:3:1: error[E0502]: half of a fetch buffer of 1 x 128 bits is less than a beat of 64 bits
    3 | parameters:
      | ^~~~~~~~~~
  note: 'fetch_words' is 1, from --set parameters.fetch_words=1
)~");
}

TEST(ConfigDiagnostics, SaysWhichParameterBreaksARole) {
  EXPECT_EQ(
      Complaints(kIsa, kConfig, {{"parameters.acc_bytes", "2048"}}),
      R"~(isa.yaml:11:24: error[E0103]: field 'dst' of memory 'guop' has 6 bits, but memory 'acc' has 128 elements and needs 7
   11 |   guop: {fields: {dst: uint(6), src: uint(6), wgt: uint(5)}, depth: 64}
      |                        ^~~~~~~
  hint: uint(index_bits(acc.depth)) always fits
  note: 'acc' gets its depth from --set parameters.acc_bytes=2048
isa.yaml:12:24: error[E0103]: field 'dst' of memory 'auop' has 6 bits, but memory 'acc' has 128 elements and needs 7
   12 |   auop: {fields: {dst: uint(6), src: uint(6)}, depth: 64}
      |                        ^~~~~~~
  hint: uint(index_bits(acc.depth)) always fits
  note: 'acc' gets its depth from --set parameters.acc_bytes=2048
isa.yaml:12:38: error[E0103]: field 'src' of memory 'auop' has 6 bits, but memory 'acc' has 128 elements and needs 7
   12 |   auop: {fields: {dst: uint(6), src: uint(6)}, depth: 64}
      |                                      ^~~~~~~
  hint: uint(index_bits(acc.depth)) always fits
  note: 'acc' gets its depth from --set parameters.acc_bytes=2048
isa.yaml:91:47: error[E0103]: field 'sram' has 6 bits, but memory 'acc' has 128 elements and needs 7
   91 |     fields: {lock_acc: uint(acc.banks), sram: uint(6), dram: uint(32), rows: uint(8), cols: uint(8), stride: uint(8)}
      |                                               ^~~~~~~
  hint: uint(index_bits(acc.depth)) always fits
  note: 'acc' gets its depth from --set parameters.acc_bytes=2048
)~");
}

TEST(ConfigDiagnostics, RejectsMissingFetchWords) {
  EXPECT_EQ(
      ComplaintsOfIsa("  fetch_words: {default: 8}\n", ""),
      R"~(isa.yaml:3:1: error[E0007]: the ISA lacks the parameter 'fetch_words': the instructions that the fetch buffer holds
    3 | parameters:
      | ^~~~~~~~~~
)~");
}

TEST(ConfigDiagnostics, RejectsSettingAnUnknownKey) {
  EXPECT_EQ(Complaints(kIsa, kConfig, {{"memory.latncy", "80"}}),
            R"~(--set memory.latncy=80: error[E0005]: unknown key 'latncy' in 'memory'
  hint: did you mean 'latency'?
)~");
}

TEST(ConfigDiagnostics, RejectsSettingAnUnknownParameter) {
  EXPECT_EQ(Complaints(kIsa, kConfig, {{"parameters.blok", "8"}}),
            R"~(--set parameters.blok=8: error[E0501]: the ISA has no parameter 'blok'
  hint: did you mean 'block'?
)~");
}

TEST(ConfigDiagnostics, RejectsSettingAnUnknownSection) {
  EXPECT_EQ(Complaints(kIsa, kConfig, {{"memry.latency", "80"}}),
            R"~(--set memry.latency=80: error[E0005]: unknown key 'memry' in the configuration
  hint: did you mean 'memory'?
)~");
}

TEST(ConfigDiagnostics, RejectsSettingAWrongType) {
  EXPECT_EQ(
      Complaints(kIsa, kConfig, {{"memory.latency", "fast"}}),
      R"~(--set memory.latency=fast: error[E0008]: 'latency' of 'memory' has to be an integer, not 'fast'
)~");
}

TEST(ConfigDiagnostics, RejectsSettingOutOfRange) {
  EXPECT_EQ(Complaints(kIsa, kConfig, {{"memory.latency", "0"}}),
            R"~(--set memory.latency=0: error[E0010]: 'latency' of 'memory' is 0, but has to be 1 to 1000000
)~");
}

TEST(ConfigDiagnostics, RejectsSettingBelowAValue) {
  EXPECT_EQ(Complaints(kIsa, kConfig, {{"clock_mhz.x", "1"}}),
            R"~(--set clock_mhz.x=1: error[E0012]: part of 'clock_mhz.x' is a value and has no keys
)~");
}

TEST(ConfigDiagnostics, RejectsSettingAWholeSection) {
  EXPECT_EQ(Complaints(kIsa, kConfig, {{"memory", "1"}}),
            R"~(--set memory=1: error[E0012]: 'memory' holds several keys, name one of them
)~");
}

TEST(ConfigDiagnostics, RejectsSettingAMap) {
  EXPECT_EQ(Complaints(kIsa, kConfig, {{"memory.latency", "{a: 1}"}}),
            R"~(--set memory.latency={a: 1}: error[E0012]: '{a: 1}' is not a single value
)~");
}

TEST(ConfigDiagnostics, RejectsSettingWithoutAKey) {
  EXPECT_EQ(Complaints(kIsa, kConfig, {{"", "1"}}), R"~(--set =1: error[E0012]: a key is missing
  hint: write --set key=value, like memory.latency=80
)~");
}

TEST(ConfigDiagnostics, ExplainsDerivedErrorsBySet) {
  EXPECT_EQ(Complaints(kIsa, kConfig, {{"parameters.block", "3"}}),
            R"~(isa.yaml:10:61: error[E0204]: 8192 is not divisible by 96
   10 |   acc: {lanes: [block], type: int(32), depth: acc_bytes * 8 / (block * 32), banks: 2}
      |                                                             ^
  hint: floor_div(x, y) rounds down, ceil_div(x, y) up
  note: 'block' is 3, from --set parameters.block=3
)~");
}

}  // namespace
}  // namespace cosim::isa
