// SPDX-License-Identifier: Apache-2.0
// Deadlocks and the watchdog: runs end, and say by name what got stuck.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/cycle/timing_engine.h"
#include "tests/sim/cycle/testing/spec_builder.h"

namespace cosim::sim::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

runtime::Counters RunProgram(const isa::Spec& spec, const std::vector<isa::Decoded>& program,
                             Cycle max_cycles = kNever) {
  return TimingEngine(spec).Run(
      program, 0, {.record_instructions = true, .max_cycles = max_cycles, .layer_of = [](size_t i) {
                     return i == 0 ? "conv1" : "";
                   }});
}

TEST(Deadlock, NamesTheQueueAndThatNobodyPushesIt) {
  const isa::Spec spec = CosimLike();
  const runtime::Counters counters =
      RunProgram(spec, {Pops(spec, Gemm(spec, 1, 4), "load_to_gemm"), Sync(spec, 0)});
  EXPECT_FALSE(counters.completed);
  EXPECT_THAT(counters.error,
              AllOf(HasSubstr("deadlock"), HasSubstr("1 of 2 instructions have not retired"),
                    HasSubstr("gemm: #0 gemm_gemm (layer conv1) waits for a token in queue "
                              "'load_to_gemm', which no further instruction of unit 'load' pushes")));
  EXPECT_TRUE(counters.ledger.empty());
  EXPECT_EQ(counters.instructions[0].issue, -1);
  EXPECT_GT(counters.instructions[1].retire, 0);
}

TEST(Deadlock, NamesBothInstructionsOfACycle) {
  const isa::Spec spec = CosimLike();
  const runtime::Counters counters =
      RunProgram(spec, {Pushes(spec, Pops(spec, Gemm(spec, 1, 4), "load_to_gemm"), "gemm_to_load"),
                        Pushes(spec, Pops(spec, Sync(spec, 0), "gemm_to_load"), "load_to_gemm")});
  EXPECT_THAT(counters.error,
              AllOf(HasSubstr("load: #1 sync_load waits for a token in queue 'gemm_to_load', which #0 "
                              "gemm_gemm (layer conv1) (not issued yet) would push"),
                    HasSubstr("gemm: #0 gemm_gemm (layer conv1) waits for a token in queue "
                              "'load_to_gemm', which #1 sync_load (not issued yet) would push"),
                    Not(HasSubstr("fetch:"))));
}

TEST(Deadlock, NamesAFullQueueAndWhoWouldPop) {
  const isa::Spec spec = CosimLike();  // queues of 4 tokens
  std::vector<isa::Decoded> program;
  for (int i = 0; i < 5; ++i) program.push_back(Pushes(spec, Sync(spec, 0), "load_to_gemm"));
  program.push_back(Pops(spec, Sync(spec, 1), "alu_to_gemm"));
  program.push_back(Pops(spec, Sync(spec, 1), "load_to_gemm"));
  EXPECT_THAT(
      RunProgram(spec, program).error,
      HasSubstr(
          "load: #4 sync_load waits for a place in queue 'load_to_gemm' (all 4 taken), which #6 sync_gemm "
          "(not issued yet) would pop"));
}

TEST(Deadlock, NamesTheFullCommandQueueThatHoldsUpFetch) {
  isa::Spec spec = CosimLike();
  spec.units[1].commands = 2;
  std::vector<isa::Decoded> program(3, Pops(spec, Gemm(spec, 1, 4), "load_to_gemm"));
  program.push_back(Pushes(spec, Sync(spec, 0), "load_to_gemm"));
  EXPECT_THAT(
      RunProgram(spec, program).error,
      AllOf(
          HasSubstr("which #3 sync_load (not fetched yet) would push"),
          HasSubstr("fetch: #2 gemm_gemm waits for room in the command queue of unit 'gemm' (all 2 taken)")));
}

TEST(Deadlock, NamesABurstThatNeverFits) {
  isa::Spec spec = CosimLike();
  spec.units[0].buffer_beats = 8;
  const runtime::Counters counters = RunProgram(spec, {Load(spec, 0, {.memory = 0, .rows = 1, .cols = 16})});
  EXPECT_THAT(counters.error,
              HasSubstr("load: #0 load_load (layer conv1) is in flight, its next burst has 16 beats (the "
                        "data buffer holds 8)"));
}

TEST(Deadlock, NamesAFetchBufferSmallerThanABeat) {
  isa::Spec spec = CosimLike();
  spec.fetch_words = 4;
  spec.dram.port_bits = 1024;
  EXPECT_THAT(RunProgram(spec, std::vector<isa::Decoded>(8, Sync(spec, 0))).error,
              HasSubstr("fetch: its buffer has no room"));
}

TEST(Watchdog, StopsARunThatTakesTooLong) {
  const isa::Spec spec = CosimLike();
  const std::vector<isa::Decoded> program(8, Gemm(spec, 1, 1000));
  EXPECT_TRUE(RunProgram(spec, program).completed);
  const runtime::Counters counters = RunProgram(spec, program, 3000);
  EXPECT_FALSE(counters.completed);
  EXPECT_THAT(counters.error, HasSubstr("watchdog"));
}

}  // namespace
}  // namespace cosim::sim::testing
