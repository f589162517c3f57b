// SPDX-License-Identifier: Apache-2.0
// What goes wrong ends the run with its code, keeps AXI's rules (sim::RtlBench checks them), never hangs, and
// leaves nothing behind: the next start is clean without a reset.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/program/codec.h"
#include "isa/spec/registers.h"
#include "sim/cycle/timing_engine.h"
#include "sim/dram/flat_memory.h"
#include "tests/hw/lockstep.h"
#include "tests/hw/models.h"
#include "tests/isa/program/random_program.h"

namespace cosim::testing {
namespace {

namespace registers = isa::registers;
using isa::testing::RandomProgram;
using registers::ErrorCode;

constexpr uint32_t kLimit = 150;            ///< for the watchdog: more than memory ever takes
constexpr runtime::Cycle kEnough = 100000;  ///< cycles in which every run ends

class Errors : public ::testing::TestWithParam<std::string> {
 protected:
  Errors() { Use(RandomProgram(spec_, {.seed = 11, .instructions = 50})); }

  /// From now on this program, in a memory of its own, with all registers as after a reset.
  void Use(isa::Program program, int stall_percent = 0) {
    program_ = std::move(program);
    dram_ = DramOf(spec_, program_);
    memory_ = std::make_unique<sim::FlatMemory>(dram_);
    bench_ = std::make_unique<sim::RtlBench>(*model_, spec_, *memory_, timing_);
    if (stall_percent > 0) bench_->stall = [this, stall_percent] { return random_.Percent(stall_percent); };
    bench_->Reset();
    bench_->WriteRegister(registers::kWatchdog, kLimit);
  }

  ErrorCode Finish() {
    EXPECT_TRUE(bench_->WaitUntilIdle(kEnough)) << "hangs";
    EXPECT_TRUE(bench_->outputs().interrupt);
    EXPECT_TRUE(bench_->outputs().done);
    const auto code = static_cast<ErrorCode>(bench_->ReadRegister(registers::kError));
    EXPECT_EQ(bench_->ReadRegister(registers::kStatus),
              registers::kDone | registers::kInterrupt | (code != ErrorCode::kNone ? registers::kFailed : 0));
    return code;
  }
  ErrorCode Run() {
    bench_->Start(program_.code_address, program_.instructions.size());
    return Finish();
  }

  void Silence(bool silent) {
    for (int port = 0; port < bench_->ports(); ++port) bench_->bus(port).faults.silent = silent;
  }
  /// Whether something reads through a port.
  bool Reads(int port) const {
    return port == 0 || std::ranges::any_of(spec_.units, [&](const isa::Unit& unit) {
             return unit.reads_dram && unit.port == port;
           });
  }
  sim::MemoryBus& StoreBus() {
    const auto storing = std::ranges::find_if(spec_.units, &isa::Unit::writes_dram);
    return bench_->bus(storing != spec_.units.end() ? storing->port : 0);
  }

  void ExpectNextStartIsClean() {
    for (int port = 0; port < bench_->ports(); ++port) EXPECT_TRUE(bench_->bus(port).Quiet()) << port;
    const isa::Program next = RandomProgram(spec_, {.seed = 12, .instructions = 40});
    EXPECT_EQ(Compare(*model_, spec_, next, {.reset = false}).difference, "");
  }

  const isa::Spec& spec_ = SpecOf(GetParam());
  std::unique_ptr<sim::RtlModel> model_ = MakeModel(GetParam());
  sim::BuiltInMemory timing_{spec_.dram};
  isa::testing::Random random_{1};
  isa::Program program_;
  std::vector<uint8_t> dram_;
  std::unique_ptr<sim::FlatMemory> memory_;
  std::unique_ptr<sim::RtlBench> bench_;
};

TEST_P(Errors, AReadErrorEndsTheRunWhereverItComes) {
  for (int port = 0; port < spec_.ports; ++port) {
    for (int64_t beat : {0, 3, 40, 90}) {
      Use(program_, beat == 40 ? 50 : 0);
      bench_->bus(port).faults.read_error_beat = beat;
      const ErrorCode code = Run();
      const bool reads = bench_->bus(port).beats_given() > beat;
      EXPECT_EQ(code, reads ? ErrorCode::kBusError : ErrorCode::kNone) << "port " << port << " beat " << beat;
      EXPECT_TRUE(reads || port > 0) << "beat " << beat;
      EXPECT_TRUE(reads || beat > 3 || !Reads(port)) << "port " << port << " beat " << beat;
      ExpectNextStartIsClean();
    }
  }
}

TEST_P(Errors, AWriteErrorEndsTheRunWhereverItComes) {
  for (int64_t burst : {0, 2}) {
    Use(program_, burst == 2 ? 50 : 0);
    StoreBus().faults.write_error_burst = burst;
    const ErrorCode code = Run();
    const bool stores = StoreBus().responses_given() > burst;
    EXPECT_EQ(code, stores ? ErrorCode::kBusError : ErrorCode::kNone) << "burst " << burst;
    ExpectNextStartIsClean();
  }
}

TEST_P(Errors, AWordThatIsNoInstructionEndsTheRunAfterThoseBeforeIt) {
  const auto word_bytes = static_cast<size_t>(spec_.word_bytes());
  const size_t bad = program_.instructions.size() / 2;
  const auto word = std::span(dram_).subspan(program_.code_address + bad * word_bytes, word_bytes);
  isa::Instruction instruction;
  std::optional<isa::CodecError> error;
  for (int i = 0; i < 1000 && !(error && error->message.starts_with("no instruction")); ++i) {
    std::ranges::generate(word, [&] { return static_cast<uint8_t>(random_.Next()); });
    error = isa::DecodeWord(spec_, word, instruction);
  }
  if (!error || !error->message.starts_with("no instruction")) GTEST_SKIP() << "every word is an instruction";
  size_t issued = 0;
  bench_->observe = [&](runtime::Cycle, const sim::RtlOutputs& outputs) {
    issued += static_cast<size_t>(std::popcount(outputs.issue));
  };
  EXPECT_EQ(Run(), ErrorCode::kBadInstruction);
  EXPECT_LE(issued, bad);
  ExpectNextStartIsClean();
}

TEST_P(Errors, AProgramThatIsNotAlignedIsRefused) {
  bench_->Start(program_.code_address + 8, 5);
  EXPECT_EQ(Finish(), ErrorCode::kBadProgramAddress);
  ExpectNextStartIsClean();
}

/// The program with one token less pushed: the `skip`-th push of all; none left to take: unchanged.
isa::Program WithoutPush(const isa::Spec& spec, isa::Program program, int skip) {
  for (isa::Instruction& instruction : program.instructions) {
    const isa::InstructionFormat& format = spec.formats[instruction.format];
    for (size_t f = 0; f < format.fields.size(); ++f) {
      if (!format.fields[f].name.starts_with("push_") || instruction.values[f] == 0 || skip-- > 0) continue;
      instruction.values[f] = 0;
      std::vector<isa::CodecError> errors;
      isa::Segment code = *isa::EncodeProgram(spec, program, errors);
      for (isa::Segment& segment : program.segments) {
        if (segment.address == code.address) segment = code;
      }
      return program;
    }
  }
  return program;
}

TEST_P(Errors, ATokenThatNobodyPushesIsSeenExactlyWhenTheModelIsStuck) {
  int stuck = 0;
  for (int skip = 0; skip < 6; ++skip) {
    Use(WithoutPush(spec_, RandomProgram(spec_, {.seed = 20, .instructions = 40, .extra_tokens = 30}), skip));
    sim::TimingEngine engine(spec_);
    const bool completes = engine.Run(sim::DecodeAll(spec_, program_), program_.code_address).completed;
    stuck += completes ? 0 : 1;
    EXPECT_EQ(Run(), completes ? ErrorCode::kNone : ErrorCode::kStuck) << "without push " << skip;
    ExpectNextStartIsClean();
  }
  EXPECT_GE(stuck, 3);
}

TEST_P(Errors, MemoryThatFallsSilentEndsTheRunAndItsLateAnswersHarmNobody) {
  for (runtime::Cycle from : {1, 25, 120}) {
    Use(program_);
    bench_->observe = [&](runtime::Cycle now, const sim::RtlOutputs&) {
      if (now == from) Silence(true);
    };
    EXPECT_EQ(Run(), ErrorCode::kTimeout) << "from " << from;
    EXPECT_LT(bench_->now(), from + 3 * kLimit + 50);
    // Still silent: the next start waits, and fails as well.
    bench_->observe = {};
    EXPECT_EQ(Run(), ErrorCode::kTimeout) << "from " << from;
    // The answers come while the next start waits for them.
    Silence(false);
    EXPECT_EQ(Run(), ErrorCode::kNone) << "from " << from;
    ExpectNextStartIsClean();
  }
}

TEST_P(Errors, WithoutALimitMemoryIsWaitedFor) {
  bench_->WriteRegister(registers::kWatchdog, 0);
  bench_->Start(program_.code_address, program_.instructions.size());
  while (bench_->now() < 30) bench_->Clock();
  Silence(true);
  while (bench_->now() < 3000) bench_->Clock();
  EXPECT_EQ(bench_->ReadRegister(registers::kStatus), registers::kBusy);
  Silence(false);
  EXPECT_EQ(Finish(), ErrorCode::kNone);
}

TEST_P(Errors, OnePortThatFallsSilentEndsTheRun) {
  for (int port = 0; port < spec_.ports; ++port) {
    Use(program_);
    bench_->bus(port).faults.silent = true;
    EXPECT_EQ(Run(), ErrorCode::kTimeout) << "port " << port;
    bench_->bus(port).faults.silent = false;
    EXPECT_EQ(Run(), ErrorCode::kNone) << "port " << port;
    ExpectNextStartIsClean();
  }
}

TEST_P(Errors, AnAbortEndsTheRunWhereverItComes) {
  for (runtime::Cycle at : {0, 20, 150}) {
    Use(program_, at == 20 ? 50 : 0);
    bench_->Start(program_.code_address, program_.instructions.size());
    while (bench_->now() < at) bench_->Clock();
    bench_->WriteRegister(registers::kControl, registers::kAbort | registers::kInterruptEnable);
    EXPECT_EQ(Finish(), ErrorCode::kAborted) << "at " << at;
    ExpectNextStartIsClean();
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Errors, ::testing::ValuesIn(AllModels()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace cosim::testing
