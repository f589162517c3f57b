// SPDX-License-Identifier: Apache-2.0
// The RTL's registers as a processor sees them. Errors are errors_test.cc's, counters lockstep_test.cc's.
#include "isa/spec/registers.h"

#include <gtest/gtest.h>

#include <map>

#include "sim/dram/flat_memory.h"
#include "sim/rtl/rtl_memory.h"
#include "tests/hw/lockstep.h"
#include "tests/hw/models.h"
#include "tests/isa/program/random_program.h"

namespace cosim::testing {
namespace {

namespace registers = isa::registers;

class Registers : public ::testing::Test {
 protected:
  explicit Registers(const std::string& model = "tiny_cosim")
      : spec_(SpecOf(model)), model_(MakeModel(model)) {
    bench_.Reset();
  }

  uint32_t Get(uint32_t offset) { return bench_.ReadRegister(offset); }
  void Set(uint32_t offset, uint32_t value, uint32_t strobe = 0xF) {
    bench_.WriteRegister(offset, value, strobe);
  }
  void StartProgram() { bench_.Start(program_.code_address, program_.instructions.size()); }

  const isa::Spec& spec_;
  std::unique_ptr<sim::RtlModel> model_;
  isa::Program program_ = isa::testing::RandomProgram(spec_, {.seed = 3});
  std::vector<uint8_t> dram_ = DramOf(spec_, program_);
  sim::FlatMemory memory_{dram_};
  sim::BuiltInMemory timing_{spec_.dram};
  sim::RtlBench bench_{*model_, spec_, memory_, timing_};
};

TEST_F(Registers, SayWhatItIs) {
  EXPECT_EQ(Get(registers::kVersion), registers::kVersionValue);
  EXPECT_EQ(Get(registers::kFingerprint) | uint64_t{Get(registers::kFingerprint + 4)} << 32,
            spec_.fingerprint);
}

TEST_F(Registers, AreAsTheMapSaysAfterAReset) {
  for (uint32_t offset :
       {registers::kControl, registers::kStatus, registers::kError, registers::kProgram, registers::kLength,
        registers::kCycles, registers::kReadBytes, registers::kAluSteps})
    EXPECT_EQ(Get(offset), 0u) << offset;
  EXPECT_EQ(Get(registers::kWatchdog), registers::kWatchdogReset);
  for (uint32_t offset = registers::kLedger; offset < registers::kSize; offset += 4)
    ASSERT_EQ(Get(offset), 0u) << offset;
}

TEST_F(Registers, ObeyByteStrobes) {
  Set(registers::kProgram, 0x12345678);
  Set(registers::kProgram, 0xAABBCCDD, 0b0101);
  EXPECT_EQ(Get(registers::kProgram), 0x12BB56DDu);
  Set(registers::kControl, registers::kInterruptEnable, 0b1110);
  EXPECT_EQ(Get(registers::kControl), 0u);
  Set(registers::kControl, registers::kStart, 0b1110);
  EXPECT_EQ(Get(registers::kStatus), 0u);
}

TEST_F(Registers, IgnoreWritesWhereNothingCanBeWritten) {
  const uint32_t version = Get(registers::kVersion), fingerprint = Get(registers::kFingerprint);
  for (uint32_t offset = registers::kError; offset < registers::kProgram; offset += 4) Set(offset, ~0u);
  for (uint32_t offset = registers::kCycles; offset < 0x80; offset += 4) Set(offset, ~0u);
  for (uint32_t offset : {0x4Cu + 4, 0x400u, registers::kLedger, registers::kSize - 4}) {
    Set(offset, ~0u);
    EXPECT_EQ(Get(offset), 0u) << offset;
  }
  EXPECT_EQ(Get(registers::kVersion), version);
  EXPECT_EQ(Get(registers::kFingerprint), fingerprint);
  EXPECT_EQ(Get(registers::kStatus), 0u);
}

TEST_F(Registers, TakeAddressAndDataInAnyOrder) {
  isa::testing::Random random(8);
  bench_.stall = [&] { return random.Percent(60); };
  std::map<uint32_t, uint32_t> held = {{registers::kProgram, 0},
                                       {registers::kBase, 0},
                                       {registers::kLength, 0},
                                       {registers::kWatchdog, registers::kWatchdogReset}};
  for (int i = 0; i < 300; ++i) {
    auto& [offset, value] = *std::next(held.begin(), random.Uniform(0, 3));
    if (random.Percent(50)) {
      value = static_cast<uint32_t>(random.Next());
      bench_.WriteRegister(offset, value);
    } else {
      ASSERT_EQ(bench_.ReadRegister(offset), value) << "access " << i;
    }
  }
}

TEST_F(Registers, RaiseTheInterruptUntilItIsCleared) {
  StartProgram();
  EXPECT_EQ(Get(registers::kStatus), registers::kBusy);
  EXPECT_FALSE(bench_.outputs().interrupt);
  ASSERT_TRUE(bench_.WaitUntilIdle(100000));
  EXPECT_TRUE(bench_.outputs().interrupt);
  EXPECT_EQ(Get(registers::kStatus), registers::kDone | registers::kInterrupt);
  Set(registers::kStatus, registers::kInterrupt);
  EXPECT_FALSE(bench_.outputs().interrupt);
  EXPECT_EQ(Get(registers::kStatus), registers::kDone);
}

TEST_F(Registers, KeepTheInterruptToThemselvesWhenItIsOff) {
  Set(registers::kControl, registers::kStart);
  ASSERT_TRUE(bench_.WaitUntilIdle(100));
  EXPECT_EQ(Get(registers::kStatus), registers::kDone | registers::kInterrupt);
  EXPECT_FALSE(bench_.outputs().interrupt);
  Set(registers::kControl, registers::kInterruptEnable);
  EXPECT_TRUE(bench_.outputs().interrupt);
}

TEST_F(Registers, CountOneCycleForAProgramWithoutInstructions) {
  bench_.Start(0, 0);
  ASSERT_TRUE(bench_.WaitUntilIdle(100));
  EXPECT_EQ(Get(registers::kCycles), 1u);
  EXPECT_EQ(Get(registers::kReadBytes), 0u);
  EXPECT_EQ(Get(registers::LedgerOffset(spec_, 0, registers::LedgerColumns(spec_) - 1)), 1u);
}

TEST_F(Registers, KeepNoHighWordButACounters) {
  ASSERT_EQ(Compare(*model_, spec_, program_).difference, "");
  const auto high = static_cast<uint32_t>(spec_.fingerprint >> 32);
  ASSERT_NE(high, 0u);
  Get(registers::kCycles);
  Get(registers::kFingerprint);
  EXPECT_EQ(Get(registers::kCycles + 4), 0u);
  EXPECT_EQ(Get(registers::kFingerprint + 4), high);
  EXPECT_EQ(Get(registers::kAluSteps + 8 + 4), 0u) << "no register";
}

TEST_F(Registers, KeepWhatRunsWhileBusy) {
  ASSERT_EQ(Compare(*model_, spec_, program_).difference, "");
  const uint32_t cycles = Get(registers::kCycles), watchdog = Get(registers::kWatchdog);
  StartProgram();
  bench_.Start(0x123, 0);
  Set(registers::kWatchdog, 1);
  ASSERT_TRUE(bench_.WaitUntilIdle(100000));
  EXPECT_EQ(Get(registers::kError), 0u);
  EXPECT_EQ(Get(registers::kCycles), cycles);
  EXPECT_EQ(Get(registers::kProgram), program_.code_address);
  EXPECT_EQ(Get(registers::kLength), program_.instructions.size());
  EXPECT_EQ(Get(registers::kWatchdog), watchdog);
}

TEST_F(Registers, ForgetTheRunBeforeAtEachStart) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const isa::Program program = isa::testing::RandomProgram(spec_, {.seed = seed});
    ASSERT_EQ(Compare(*model_, spec_, program, {.seed = seed, .reset = false}).difference, "")
        << "seed " << seed;
  }
}

TEST_F(Registers, AddBaseToEveryAddress) {
  constexpr uint32_t kBase = 0x1234'5000;
  std::vector<uint64_t> plain, based;
  const auto run = [&](std::vector<uint64_t>& addresses) {
    bench_.observe = [&](runtime::Cycle, const sim::RtlOutputs& outputs) {
      if (outputs.ports[0].ar_valid) addresses.push_back(outputs.ports[0].ar.address);
      if (outputs.ports[0].aw_valid) addresses.push_back(outputs.ports[0].aw.address);
    };
    StartProgram();
    ASSERT_TRUE(bench_.WaitUntilIdle(100000));
  };
  run(plain);
  EXPECT_EQ(Get(registers::kError), 0u);
  // Nothing is there, which the bus says as late as it says everything: the first burst goes out, and more.
  Set(registers::kBase, kBase);
  run(based);
  EXPECT_EQ(static_cast<registers::ErrorCode>(Get(registers::kError)), registers::ErrorCode::kBusError);
  ASSERT_FALSE(based.empty());
  for (size_t i = 0; i < based.size(); ++i) ASSERT_EQ(based[i], plain[i] + kBase) << i;
  Set(registers::kBase, kBase + 4);
  StartProgram();
  ASSERT_TRUE(bench_.WaitUntilIdle(100));
  EXPECT_EQ(static_cast<registers::ErrorCode>(Get(registers::kError)),
            registers::ErrorCode::kBadProgramAddress);
}

/// With several memory ports.
class PortRegisters : public Registers {
 protected:
  PortRegisters() : Registers("ports") {}

  /// All addresses and data that a run offers, port by port and cycle by cycle.
  std::vector<std::vector<uint64_t>> Run(sim::RtlBench& bench) {
    std::vector<std::vector<uint64_t>> offered(spec_.ports);
    bench.observe = [&](runtime::Cycle, const sim::RtlOutputs& outputs) {
      for (int port = 0; port < spec_.ports; ++port) {
        const sim::RtlPortOutputs& pins = outputs.ports[port];
        if (pins.ar_valid) offered[port].push_back(pins.ar.address);
        if (pins.aw_valid) offered[port].push_back(pins.aw.address);
      }
    };
    sim::PoisonOnChip(*model_, spec_, 1);
    bench.Start(program_.code_address, program_.instructions.size());
    EXPECT_TRUE(bench.WaitUntilIdle(100000));
    EXPECT_EQ(bench.ReadRegister(registers::kError), 0u);
    bench.observe = {};
    return offered;
  }
};

TEST_F(PortRegisters, AddBaseToTheAddressesOfEveryPort) {
  constexpr uint32_t kBase = 0x5000;
  const std::vector<std::vector<uint64_t>> plain = Run(bench_);
  std::vector<uint8_t> moved = DramOf(spec_, program_);
  moved.insert(moved.begin(), kBase, 0);
  sim::FlatMemory memory(moved);
  sim::RtlBench bench(*model_, spec_, memory, timing_);
  bench.Reset();
  bench.WriteRegister(registers::kBase, kBase);
  const std::vector<std::vector<uint64_t>> based = Run(bench);
  for (int port = 0; port < spec_.ports; ++port) {
    EXPECT_FALSE(plain[port].empty()) << "port " << port;
    ASSERT_EQ(based[port].size(), plain[port].size());
    for (size_t i = 0; i < based[port].size(); ++i) ASSERT_EQ(based[port][i], plain[port][i] + kBase) << i;
  }
  EXPECT_EQ(std::vector(moved.begin() + kBase, moved.end()), dram_);
}

TEST_F(PortRegisters, CountTheBeatsOfPortsThatReadAtOnce) {
  StartProgram();
  std::vector<int64_t> before(spec_.ports, 0);
  int64_t at_once = 0, beats = 0, written = 0;
  bench_.observe = [&](runtime::Cycle, const sim::RtlOutputs& outputs) {
    int reading = 0;
    for (int port = 0; port < spec_.ports; ++port) {
      const int64_t now = bench_.bus(port).beats_given();
      reading += now > before[port] ? 1 : 0;
      before[port] = now;
      written += outputs.ports[port].w_valid ? 1 : 0;
    }
    at_once += reading > 1 ? 1 : 0;
    beats += reading;
  };
  ASSERT_TRUE(bench_.WaitUntilIdle(100000));
  EXPECT_GT(at_once, 0);
  EXPECT_GT(written, 0);
  EXPECT_EQ(Get(registers::kReadBytes), beats * spec_.dram.beat_bytes());
  EXPECT_EQ(Get(registers::kWriteBytes), written * spec_.dram.beat_bytes());
}

}  // namespace
}  // namespace cosim::testing
