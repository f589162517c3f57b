// SPDX-License-Identifier: Apache-2.0
// The driver on simulated hardware: results and cycles of the cycle device, and each fault its diagnostic,
// after which the next run is clean.
#include "driver/board_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/spec/registers.h"
#include "sim/cycle/cycle_device.h"
#include "sim/rtl/rtl_memory.h"
#include "tests/driver/simulated_board.h"
#include "tests/isa/program/random_program.h"
#include "tests/isa/program/testing.h"

namespace cosim::driver {
namespace {

using isa::testing::TinySpec;
using runtime::Counters;
using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr uint64_t kBusAddress = 0x1000'0000, kMemoryBytes = 1 << 20, kSeed = 5;

class BoardDeviceTest : public ::testing::Test {
 protected:
  Counters Run(const isa::Program& program) {
    runtime::LoadSegments(device_, program);
    return device_.Execute(program, {.record_instructions = true});
  }

  void ExpectClean(const isa::Program& program) {
    sim::CycleDevice model(TinySpec());
    runtime::LoadSegments(model, program);
    model.PoisonOnChip(kSeed);
    const Counters want = model.Execute(program, {});
    // As for the model: nothing is left of a run before.
    device_.Reserve(program.dram_bytes);
    device_.Write(0, std::vector<uint8_t>(program.dram_bytes));
    sim::PoisonOnChip(*board_.model, TinySpec(), kSeed);
    const Counters is = Run(program);
    ASSERT_TRUE(is.completed) << is.error;
    EXPECT_EQ(is.cycles, want.cycles);
    EXPECT_EQ(is.dram_read_bytes, want.dram_read_bytes);
    EXPECT_EQ(is.dram_write_bytes, want.dram_write_bytes);
    EXPECT_EQ(is.gemm_steps, want.gemm_steps);
    ASSERT_EQ(is.ledger.size(), want.ledger.size());
    for (size_t u = 0; u < is.ledger.size(); ++u) {
      EXPECT_EQ(is.ledger[u].busy, want.ledger[u].busy) << is.ledger[u].unit;
      EXPECT_EQ(is.ledger[u].Total(), is.cycles) << is.ledger[u].unit;
    }
    EXPECT_TRUE(Dram(device_, program) == Dram(model, program));
  }

  static std::vector<uint8_t> Dram(runtime::Device& device, const isa::Program& program) {
    std::vector<uint8_t> bytes(program.dram_bytes);
    device.Read(0, bytes);
    return bytes;
  }

  static isa::Program Written(uint64_t seed) {
    return isa::testing::RandomProgram(TinySpec(), {.seed = seed});
  }

  testing::SimulatedBoard board_{TinySpec(), kBusAddress, kMemoryBytes};
  BoardDevice device_{TinySpec(), board_.registers, board_.memory, {.timeout = milliseconds{1'000}}};
  isa::Program program_ = Written(1);
};

TEST_F(BoardDeviceTest, DoesWhatTheCycleDeviceDoes) {
  Diagnostics diags;
  ASSERT_TRUE(device_.Check(program_.dram_bytes, diags)) << diags.Render();
  ExpectClean(program_);
}

// Hardware does not keep them, and a zero would be a time.
TEST_F(BoardDeviceTest, HasNoTimesOfInstructions) { EXPECT_TRUE(Run(program_).instructions.empty()); }

TEST_F(BoardDeviceTest, GivesZerosWhereNothingWasWritten) {
  std::ranges::fill(board_.bus.bytes, 0xA5);
  device_.Reserve(10'000);
  std::vector<uint8_t> bytes(10'000, 1);
  device_.Read(0, bytes);
  EXPECT_THAT(bytes, ::testing::Each(0));
}

TEST_F(BoardDeviceTest, SaysThatTheBaseIsWrongAsABusError) {
  board_.registers.loses_base = true;
  const Counters counters = Run(program_);
  EXPECT_FALSE(counters.completed);
  EXPECT_THAT(counters.error, HasSubstr("memory answered a read or write with an error"));
  board_.registers.loses_base = false;
  ExpectClean(program_);
}

TEST_F(BoardDeviceTest, RefusesHardwareOfAnotherSpec) {
  const isa::Spec other = isa::testing::MakeSpec("vta");
  BoardDevice device(other, board_.registers, board_.memory);
  Diagnostics diags;
  EXPECT_FALSE(device.Check(0, diags));
  EXPECT_THAT(diags.Render(), AllOf(HasSubstr("error[E0808]"), HasSubstr(TinySpec().FingerprintText()),
                                    HasSubstr(other.FingerprintText())));
  isa::Program program = program_;
  program.fingerprint = other.fingerprint;
  const Counters counters = device.Execute(program, {});
  EXPECT_FALSE(counters.completed);
  EXPECT_THAT(counters.error, HasSubstr("made for spec " + TinySpec().FingerprintText()));
}

TEST_F(BoardDeviceTest, RefusesAnotherRegisterMapButNotANewerOne) {
  board_.registers.version_change = 1;
  Diagnostics diags;
  EXPECT_TRUE(device_.Check(0, diags)) << diags.Render();
  board_.registers.version_change = 0x1'0000;
  EXPECT_FALSE(device_.Check(0, diags));
  EXPECT_THAT(diags.Render(), AllOf(HasSubstr("error[E0808]"), HasSubstr("0x00030000")));
}

TEST_F(BoardDeviceTest, SaysHowMuchMemoryToAskFor) {
  Diagnostics diags;
  EXPECT_TRUE(device_.Check(kMemoryBytes, diags));
  EXPECT_FALSE(device_.Check(3 * kMemoryBytes, diags));
  EXPECT_THAT(
      diags.Render(),
      AllOf(HasSubstr("error[E0807]: 3145728 bytes of memory are needed, and cached memory has 1048576"),
            HasSubstr("reserve 4 MiB"), HasSubstr("cma=8M")));
}

TEST_F(BoardDeviceTest, RefusesAClockThatIsNotTheConfigurations) {
  const auto checked = [&](double mhz) {
    Diagnostics diags;
    BoardDevice device(TinySpec(), board_.registers, board_.memory, {.clock_mhz = mhz});
    return device.Check(0, diags) ? "" : diags.Render();
  };
  EXPECT_EQ(checked(100), "");
  EXPECT_EQ(checked(98.1), "");
  EXPECT_THAT(checked(50), HasSubstr("error[E0813]: the clock for the logic is 50 MHz, and tiny is for 100"));
  EXPECT_THAT(checked(111.111), HasSubstr("hint: `cosim flash` sets it"));
}

TEST_F(BoardDeviceTest, KnowsWhereAClockManagerMakesTheClock) {
  isa::Spec spec = TinySpec();
  spec.board = "ultra96";
  spec.clock_mhz = 200;
  Diagnostics diags;
  EXPECT_TRUE(BoardDevice(spec, board_.registers, board_.memory, {.clock_mhz = 100}).Check(0, diags))
      << diags.Render();
  EXPECT_FALSE(BoardDevice(spec, board_.registers, board_.memory, {.clock_mhz = 200}).Check(0, diags));
  EXPECT_THAT(diags.Render(), HasSubstr("the clock for the logic is 200 MHz, and tiny is for 100"));
}

TEST_F(BoardDeviceTest, RefusesMemoryWhereTheBusDoesNotReach) {
  for (const uint64_t address : {uint64_t{0xFFF8'0000}, uint64_t{0x1'0000'0000}, uint64_t{0x1000'0800}}) {
    testing::BusMemory bus(address, kMemoryBytes);
    testing::CachedMemory memory(bus);
    BoardDevice device(TinySpec(), board_.registers, memory);
    Diagnostics diags;
    EXPECT_FALSE(device.Check(0, diags));
    EXPECT_THAT(diags.Render(), AllOf(HasSubstr("error[E0807]"), HasSubstr("does not reach"))) << address;
  }
}

TEST_F(BoardDeviceTest, SaysThatMemoryAnsweredWithAnError) {
  board_.bench.bus().faults.read_error_beat = board_.bench.bus().beats_given() + 20;
  EXPECT_THAT(Run(program_).error, HasSubstr("memory answered a read or write with an error"));
  board_.bench.bus().faults = {};
  ExpectClean(program_);
}

TEST_F(BoardDeviceTest, SaysThatMemoryIsSilent) {
  board_.registers.most_watchdog = 2'000;
  board_.bench.bus().faults.silent = true;
  EXPECT_THAT(Run(program_).error, HasSubstr("memory owed an answer for Watchdog cycles"));
  board_.bench.bus().faults = {};
  ExpectClean(program_);
}

TEST_F(BoardDeviceTest, SaysWhatEachUnitWaitsForWhenARunHangs) {
  board_.registers.most_watchdog = 5'000;
  board_.registers.cycles_a_millisecond = 1'000;
  const isa::Program program = Written(2);
  BoardDevice device(TinySpec(), board_.registers, board_.memory, {.timeout = milliseconds{2}});
  runtime::LoadSegments(device, program);
  const int load = TinySpec().UnitIndex("load");
  bool has_issued = false;  // instructions arrive, data do not
  board_.bench.observe = [&](runtime::Cycle, const sim::RtlOutputs& outputs) {
    has_issued |= (outputs.issue >> load & 1) != 0;
    if (has_issued) board_.bench.bus().faults.silent = true;
  };
  const Counters counters = device.Execute(program, {});
  EXPECT_FALSE(counters.completed);
  EXPECT_THAT(counters.error,
              AllOf(HasSubstr("did not end within 2 ms: "), HasSubstr("load waits for memory"),
                    HasSubstr("alu "), HasSubstr("store ")));
  EXPECT_THAT(counters.error, ::testing::Not(HasSubstr("anew")));
  board_.bench.observe = nullptr;
  board_.bench.bus().faults = {};
  ExpectClean(program_);
}

TEST_F(BoardDeviceTest, SaysThatTheInterruptWasLost) {
  board_.registers.loses_interrupt = true;
  EXPECT_THAT(Run(program_).error, AllOf(HasSubstr("the program ended, but its interrupt did not come"),
                                         HasSubstr("device tree")));
  board_.registers.loses_interrupt = false;
  ExpectClean(program_);
}

TEST_F(BoardDeviceTest, WaitsOnWhenAnInterruptIsAnothers) {
  board_.registers.stale_interrupts = 3;
  ExpectClean(program_);
}

// A run that nobody waited for leaves its interrupt pending.
TEST_F(BoardDeviceTest, DoesNotTakeTheInterruptOfTheRunBefore) {
  runtime::LoadSegments(device_, program_);
  board_.bench.Start(kBusAddress, 0);
  for (int i = 0; i < 1'000; ++i) board_.bench.Clock();
  ASSERT_TRUE(board_.bench.outputs().interrupt);
  ExpectClean(program_);
}

TEST_F(BoardDeviceTest, EndsARunThatAnotherProcessLeft) {
  ExpectClean(program_);
  board_.registers.Write(isa::registers::kControl, isa::registers::kStart);
  ASSERT_NE(board_.registers.Read(isa::registers::kStatus) & isa::registers::kBusy, 0U);
  ExpectClean(Written(3));
}

// The tests above would not notice a sync too many; these show that they notice one too few.
TEST_F(BoardDeviceTest, NeedsWhatItWritesSynced) {
  const runtime::Cycle cycles = Run(program_).cycles;
  std::ranges::fill(board_.bus.bytes, 0);
  board_.memory.loses_sync_for_device = true;
  EXPECT_NE(Run(program_).cycles, cycles);  // of zeros instead of a program
}

TEST_F(BoardDeviceTest, NeedsWhatItReadsSynced) {
  std::vector<uint8_t> before(program_.dram_bytes);
  runtime::LoadSegments(device_, program_);
  device_.Read(0, before);
  board_.memory.loses_sync_for_cpu = true;
  ASSERT_TRUE(device_.Execute(program_, {}).completed);
  const auto stale = Dram(device_, program_);
  board_.memory.loses_sync_for_cpu = false;
  EXPECT_EQ(stale, before);
  EXPECT_NE(Dram(device_, program_), before);
}

}  // namespace
}  // namespace cosim::driver
