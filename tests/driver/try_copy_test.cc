// SPDX-License-Identifier: Apache-2.0
// A pattern through load and store units: right on every spec there is, and each fault between accelerator
// and memory said with its byte.
#include "driver/try_copy.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/copy_program.h"
#include "sim/functional/functional_device.h"
#include "tests/driver/simulated_board.h"
#include "tests/isa/program/testing.h"

namespace cosim::driver {
namespace {

using isa::testing::TinySpec;
using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr uint64_t kCopyAddress = 0x1000'0000, kCopyBytes = 1 << 20;
constexpr char kWay[] = "load_inp, alu widen, alu narrow, store_out";

class TryCopyTest : public ::testing::Test {
 protected:
  std::string Problem() {
    return TryCopy(TinySpec(), board_.registers, board_.memory, {.timeout = milliseconds{1'000}}).problem;
  }
  /// Of a wrong byte `at` of those that are stored.
  std::string WrongByte(uint64_t at) const {
    return fmt::format("byte {:#x} (on the bus {:#x}) is {:#04x} instead of {:#04x} after {}; 1 of ",
                       copy_.to + at, kCopyAddress + copy_.to + at, copy_.expected[at] ^ 1,
                       copy_.expected[at], kWay);
  }

  testing::SimulatedBoard board_{TinySpec(), kCopyAddress, kCopyBytes};
  const CopyProgram copy_ = MakeCopyProgram(TinySpec(), 1).value();
};

TEST_F(TryCopyTest, BringsThePatternThrough) {
  const CopyTrial trial = TryCopy(TinySpec(), board_.registers, board_.memory);
  EXPECT_EQ(trial.problem, "");
  EXPECT_EQ(trial.text, fmt::format("{} bytes by {}", 2 * copy_.expected.size(), kWay));
  EXPECT_GE(copy_.expected.size(), 1024u);
}

TEST_F(TryCopyTest, NamesAByteThatIsLoadedWrong) {
  board_.bus.wrong_read = kCopyAddress + copy_.from + 77;
  EXPECT_THAT(Problem(), StartsWith(WrongByte(77)));
  board_.bus.wrong_read = testing::BusMemory::kNowhere;
  EXPECT_EQ(Problem(), "");
}

TEST_F(TryCopyTest, NamesAByteThatIsStoredWrong) {
  board_.bus.wrong_write = kCopyAddress + copy_.to + copy_.expected.size() - 1;
  EXPECT_THAT(Problem(), StartsWith(WrongByte(copy_.expected.size() - 1)));
}

TEST_F(TryCopyTest, LooksAtTheEndOfMemoryToo) {
  board_.bus.wrong_write = kCopyAddress + kCopyBytes - copy_.program.dram_bytes + copy_.to;
  EXPECT_THAT(Problem(),
              AllOf(StartsWith(fmt::format("byte {:#x} (on the bus {:#x}) is",
                                           board_.bus.wrong_write - kCopyAddress, board_.bus.wrong_write)),
                    HasSubstr("; 1 of ")));
}

TEST_F(TryCopyTest, SaysThatNothingIsStored) {
  board_.bus.loses_writes = true;
  EXPECT_THAT(Problem(), AllOf(StartsWith(fmt::format("byte {:#x} ", copy_.to)),
                               HasSubstr(fmt::format("; {} of ", copy_.expected.size())),
                               EndsWith(" differ: nothing was stored there")));
}

TEST_F(TryCopyTest, SeesWritesThatLandBesideTheirPlace) {
  board_.bus.write_shift = -8;
  EXPECT_THAT(Problem(), AllOf(StartsWith(fmt::format("byte {:#x} ", copy_.to - 8)),
                               EndsWith(", this one beside those that were stored")));
}

TEST_F(TryCopyTest, SaysWhatTheAcceleratorReports) {
  board_.registers.loses_base = true;
  EXPECT_THAT(Problem(), AllOf(StartsWith(kWay), HasSubstr("memory answered a read or write with an error")));
}

TEST_F(TryCopyTest, NeedsMemory) {
  testing::SimulatedBoard small(TinySpec(), kCopyAddress, copy_.program.dram_bytes - kBaseAlignment);
  EXPECT_EQ(TryCopy(TinySpec(), small.registers, small.memory).problem,
            fmt::format("{} bytes of memory are needed, and cached memory has {}", copy_.program.dram_bytes,
                        copy_.program.dram_bytes - kBaseAlignment));
}

TEST(CopyProgram, LoadsWholeElementsWhateverLoadComesFirst) {
  isa::Spec spec = TinySpec();
  std::swap(spec.formats[spec.FormatIndex("load_inp")], spec.formats[spec.FormatIndex("gather_inp")]);
  const auto copy = MakeCopyProgram(spec, 1);
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->way, kWay);
}

/// Configurations with their own ISAs: one with bits that differ, one with parts, one that mirrors.
class EverySpec : public ::testing::TestWithParam<const char*> {};

TEST_P(EverySpec, HasAWayAcross) {
  const isa::Spec spec = isa::testing::MakeSpec("", GetParam());
  const auto copy = MakeCopyProgram(spec, 7);
  ASSERT_TRUE(copy);
  sim::FunctionalDevice device(spec);
  runtime::LoadSegments(device, copy->program);
  device.Write(copy->from, copy->pattern);
  device.PoisonOnChip(3);
  const runtime::Counters counters = device.Execute(copy->program, {});
  ASSERT_TRUE(counters.completed) << counters.error;
  std::vector<uint8_t> bytes(copy->expected.size());
  device.Read(copy->to, bytes);
  EXPECT_EQ(bytes, copy->expected) << copy->way;
  EXPECT_NE(copy->expected, MakeCopyProgram(spec, 8)->expected);
}

INSTANTIATE_TEST_SUITE_P(Configs, EverySpec,
                         ::testing::Values("tiny", "pynq", "pynq-max", "ultra96", "test/blocks", "test/gaps",
                                           "test/int4", "test/lanes16", "test/merged", "test/rows",
                                           "test/split", "test/wide"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase_if(name, [](char c) { return c == '/' || c == '-'; });
                           return name;
                         });

}  // namespace
}  // namespace cosim::driver
