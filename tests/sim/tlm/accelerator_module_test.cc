// SPDX-License-Identifier: Apache-2.0
// The accelerator module as driver code sees it: registers, start, done, interrupt, errors.
#include "sim/tlm/accelerator_module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/tlm/example_platform.h"
#include "sim/tlm/tlm_device.h"
#include "tests/isa/program/random_program.h"
#include "tests/isa/program/testing.h"
#include "tests/sim/tlm/testing.h"

namespace cosim::sim {
namespace {

using isa::testing::TinySpec;
using registers::ErrorCode;
using testing::WithWords;

class AcceleratorModuleTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string error;
    device_ = TlmDevice::Make(TinySpec(), BestSimdLevel(), error);
    ASSERT_TRUE(device_) << error;
  }
  ProcessorModule& processor() { return device_->platform().processor; }

  // On the processor; false when the platform comes to rest before `code` ends.
  bool Run(std::function<void()> code) { return processor().Run(std::move(code)); }
  uint32_t Get(uint32_t offset) { return processor().ReadWord(ExamplePlatform::kRegisterBase + offset); }
  void Set(uint32_t offset, uint32_t value) {
    processor().WriteWord(ExamplePlatform::kRegisterBase + offset, value);
  }
  void Start(uint32_t address, uint32_t length) {
    Set(registers::kProgram, address);
    Set(registers::kLength, length);
    Set(registers::kControl, registers::kStart | registers::kInterruptEnable);
  }
  // Starts what stands in memory, waits for the interrupt, and expects this error.
  void ExpectFailure(uint32_t address, uint32_t length, ErrorCode code) {
    EXPECT_TRUE(Run([&] {
      Start(address, length);
      processor().WaitForInterrupt(true);
      EXPECT_EQ(Get(registers::kStatus), registers::kDone | registers::kFailed | registers::kInterrupt);
      EXPECT_EQ(Get(registers::kError), static_cast<uint32_t>(code));
      Set(registers::kStatus, registers::kInterrupt);
      processor().WaitForInterrupt(false);
    })) << "hangs";
  }
  ::tlm::tlm_response_status Access(uint64_t offset, unsigned bytes, uint8_t* byte_enable = nullptr) {
    std::vector<uint8_t> data(bytes);
    ::tlm::tlm_generic_payload payload;
    payload.set_read();
    payload.set_address(ExamplePlatform::kRegisterBase + offset);
    payload.set_data_ptr(data.data());
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    payload.set_byte_enable_ptr(byte_enable);
    EXPECT_TRUE(Run([&] {
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      processor().bus->b_transport(payload, delay);
    }));
    return payload.get_response_status();
  }

  std::unique_ptr<TlmDevice> device_;
};

TEST_F(AcceleratorModuleTest, ReadsBackWhatIsWritten) {
  EXPECT_TRUE(Run([&] {
    Set(registers::kProgram, 0x12345000);
    Set(registers::kLength, 77);
    Set(registers::kWatchdog, 99);
    Set(registers::kControl, registers::kInterruptEnable);
    EXPECT_EQ(Get(registers::kProgram), 0x12345000u);
    EXPECT_EQ(Get(registers::kLength), 77u);
    EXPECT_EQ(Get(registers::kWatchdog), 99u);
    EXPECT_EQ(Get(registers::kControl), registers::kInterruptEnable);
    EXPECT_EQ(Get(registers::kStatus), 0u);
  }));
}

TEST_F(AcceleratorModuleTest, SaysWhatItIs) {
  EXPECT_TRUE(Run([&] {
    Set(registers::kVersion, 0);
    Set(registers::kFingerprint, 0);
    EXPECT_EQ(Get(registers::kVersion), registers::kVersionValue);
    EXPECT_EQ(Get(registers::kFingerprint) | uint64_t{Get(registers::kFingerprint + 4)} << 32,
              TinySpec().fingerprint);
  }));
}

TEST_F(AcceleratorModuleTest, RefusesAccessesThatAreNoWords) {
  uint8_t enable[4] = {TLM_BYTE_ENABLED, 0, 0, 0};
  EXPECT_EQ(Access(registers::kStatus, 4), ::tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(Access(registers::kStatus, 8), ::tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(Access(registers::kStatus + 2, 4), ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(Access(registers::kSize, 4), ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(Access(registers::kStatus, 4, enable), ::tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
}

TEST_F(AcceleratorModuleTest, IsBusyFromStartToTheInterrupt) {
  const isa::Program program = isa::testing::RandomProgram(TinySpec(), {.seed = 3});
  runtime::LoadSegments(*device_, program);
  EXPECT_TRUE(Run([&] {
    Start(program.code_address, static_cast<uint32_t>(program.instructions.size()));
    EXPECT_EQ(Get(registers::kStatus), registers::kBusy);
    EXPECT_FALSE(processor().interrupt.read());
    processor().WaitForInterrupt(true);
    EXPECT_EQ(Get(registers::kStatus), registers::kDone | registers::kInterrupt);
    EXPECT_GT(Get(registers::kCycles), program.instructions.size());
    Set(registers::kStatus, registers::kInterrupt);
    processor().WaitForInterrupt(false);
    EXPECT_EQ(Get(registers::kStatus), registers::kDone);
  }));
}

TEST_F(AcceleratorModuleTest, KeepsTheInterruptToItselfWhenItIsOff) {
  EXPECT_TRUE(Run([&] {
    Set(registers::kLength, 0);
    Set(registers::kControl, registers::kStart);
    while ((Get(registers::kStatus) & registers::kBusy) != 0) sc_core::wait(1, sc_core::SC_US);
    sc_core::wait(1, sc_core::SC_US);
    EXPECT_EQ(Get(registers::kStatus), registers::kDone | registers::kInterrupt);
    EXPECT_FALSE(processor().interrupt.read());
    Set(registers::kControl, registers::kInterruptEnable);
    processor().WaitForInterrupt(true);
  }));
}

TEST_F(AcceleratorModuleTest, IgnoresAStartWhileBusy) {
  const isa::Program program = isa::testing::RandomProgram(TinySpec(), {.seed = 4});
  runtime::LoadSegments(*device_, program);
  const runtime::Counters alone = device_->Execute(program, {});
  EXPECT_TRUE(Run([&] {
    Start(program.code_address, static_cast<uint32_t>(program.instructions.size()));
    sc_core::wait(1, sc_core::SC_NS);
    Start(0x123, 0);
    processor().WaitForInterrupt(true);
    EXPECT_EQ(Get(registers::kError), 0u);
    EXPECT_EQ(Get(registers::kCycles), static_cast<uint32_t>(alone.cycles));
  }));
}

TEST_F(AcceleratorModuleTest, FailsOnAProgramThatIsNotAligned) {
  ExpectFailure(0x8010, 1, ErrorCode::kBadProgramAddress);
}

TEST_F(AcceleratorModuleTest, FailsOnAProgramWhereNothingIs) {
  ExpectFailure(static_cast<uint32_t>(ExamplePlatform::kMemoryBytes - 4096), 0xFFFF'FFFF,
                ErrorCode::kBusError);
}

TEST_F(AcceleratorModuleTest, FailsOnWordsThatAreNoInstructions) {
  device_->Write(0x8000, std::vector<uint8_t>(static_cast<size_t>(TinySpec().word_bytes()), 0xFF));
  ExpectFailure(0x8000, 1, ErrorCode::kBadInstruction);
}

TEST_F(AcceleratorModuleTest, FailsOnALoadBeyondMemory) {
  // The last row begins in the highest elements and ends behind them, where the registers are.
  const isa::Program program = WithWords(R"(.dram 0x9000
.code 0x8000
load_inp dram=0xFFFFFFF8 rows=1 cols=100
)");
  runtime::LoadSegments(*device_, program);
  ExpectFailure(0x8000, 1, ErrorCode::kBusError);
}

TEST_F(AcceleratorModuleTest, FailsOnALoadBeyondItsBuffer) {
  const isa::Program program = WithWords(R"(.dram 0x9000
.code 0x8000
load_inp rows=511 cols=511 stride=511
)");
  runtime::LoadSegments(*device_, program);
  ExpectFailure(0x8000, 1, ErrorCode::kBadAccess);
}

TEST_F(AcceleratorModuleTest, IsStuckWithoutHanging) {
  const isa::Program program = WithWords(R"(.dram 0x9000
.code 0x8000
sync_store pop(alu_to_store)
)");
  runtime::LoadSegments(*device_, program);
  ExpectFailure(0x8000, 1, ErrorCode::kStuck);
}

TEST_F(AcceleratorModuleTest, EndsARunThatIsAborted) {
  const isa::Program program = isa::testing::RandomProgram(TinySpec(), {.seed = 4});
  runtime::LoadSegments(*device_, program);
  const runtime::Counters whole = device_->Execute(program, {});
  EXPECT_TRUE(Run([&] {
    Start(program.code_address, static_cast<uint32_t>(program.instructions.size()));
    sc_core::wait(100, sc_core::SC_NS);
    Set(registers::kControl, registers::kAbort | registers::kInterruptEnable);
    processor().WaitForInterrupt(true);
    EXPECT_EQ(Get(registers::kError), static_cast<uint32_t>(ErrorCode::kAborted));
    EXPECT_LT(Get(registers::kCycles), static_cast<uint32_t>(whole.cycles));
    Set(registers::kStatus, registers::kInterrupt);
    processor().WaitForInterrupt(false);
  }));
  EXPECT_EQ(device_->Execute(program, {}).cycles, whole.cycles);
}

TEST_F(AcceleratorModuleTest, KeepsTheHighWordOfTheCounterThatWasReadLast) {
  const isa::Program program = WithWords(R"(.dram 0x9000
.code 0x8000
load_inp dram=0x9000 rows=1 cols=1
alu op=addi lock_acc=0b0001 uop=[0,32) iter_out=16383 iter_in=16383
)");
  constexpr uint64_t kSteps = uint64_t{32} * 16383 * 16383;
  runtime::LoadSegments(*device_, program);
  EXPECT_TRUE(Run([&] {
    Start(0x8000, 2);
    sc_core::wait(100, sc_core::SC_NS);  // the load's data are not there yet
    EXPECT_EQ(Get(registers::kAluSteps + 4), 0u) << "nothing is kept yet";
    EXPECT_EQ(Get(registers::kAluSteps), static_cast<uint32_t>(kSteps));
    EXPECT_EQ(Get(registers::kFingerprint), static_cast<uint32_t>(TinySpec().fingerprint));
    EXPECT_EQ(Get(registers::kVersion), registers::kVersionValue);
    EXPECT_EQ(Get(registers::kAluSteps + 4), kSteps >> 32) << "no counter was read in between";
    EXPECT_EQ(Get(registers::kAluSteps + 8 + 4), 0u) << "no register";
    EXPECT_EQ(Get(registers::kGemmSteps), 0u);
    EXPECT_EQ(Get(registers::kAluSteps + 4), 0u) << "kept of gemm steps";
    Set(registers::kControl, registers::kAbort | registers::kInterruptEnable);
    processor().WaitForInterrupt(true);
    Set(registers::kStatus, registers::kInterrupt);
    processor().WaitForInterrupt(false);
  }));
}

TEST_F(AcceleratorModuleTest, AddsTheBaseToEveryAddress) {
  constexpr uint32_t kBase = 0x30'0000;
  isa::Program program = isa::testing::RandomProgram(TinySpec(), {.seed = 5});
  runtime::LoadSegments(*device_, program);
  device_->PoisonOnChip(1);
  EXPECT_TRUE(device_->Execute(program, {}).completed);
  std::vector<uint8_t> expected(program.dram_bytes), seen(program.dram_bytes);
  device_->Read(0, expected);
  for (const isa::Segment& segment : program.segments) device_->Write(kBase + segment.address, segment.bytes);
  device_->PoisonOnChip(1);
  EXPECT_TRUE(Run([&] {
    Set(registers::kBase, kBase);
    Start(program.code_address, static_cast<uint32_t>(program.instructions.size()));
    processor().WaitForInterrupt(true);
    EXPECT_EQ(Get(registers::kError), 0u);
    Set(registers::kStatus, registers::kInterrupt);
    processor().WaitForInterrupt(false);
    Set(registers::kBase, 0);
  }));
  device_->Read(kBase, seen);
  EXPECT_EQ(seen, expected);
}

}  // namespace
}  // namespace cosim::sim
