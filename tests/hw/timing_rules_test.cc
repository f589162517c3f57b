// SPDX-License-Identifier: Apache-2.0
// The RTL against cycles worked out by hand from docs/rationale/microarchitecture.md, rule by rule, so that
// RTL and timing engine cannot be wrong together. On the narrow model, whose words take four beats; ports on
// the one that has some, whose words take eight.
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>

#include "isa/program/codec.h"
#include "tests/hw/lockstep.h"
#include "tests/hw/models.h"

namespace cosim::testing {
namespace {

using runtime::Cycle;

class TimingRules : public ::testing::Test {
 protected:
  explicit TimingRules(const std::string& model = "narrow") : spec_(SpecOf(model)), model_(MakeModel(model)) {
    spec_.dram.latency = 12;
    spec_.dram.jitter = 0;
    spec_.dram.dram_bytes = 0;
    program_.code_address = 8192;
    program_.dram_bytes = 16384;
  }

  using Fields = std::initializer_list<std::pair<const char*, int64_t>>;

  void Add(const std::string& format, Fields fields = {}) {
    isa::Instruction instruction = isa::BlankInstruction(spec_, spec_.FormatIndex(format));
    for (auto [name, value] : fields) {
      const int field = spec_.formats[instruction.format].FieldIndex(name);
      ASSERT_GE(field, 0) << name;
      instruction.values[field] = value;
    }
    program_.instructions.push_back(std::move(instruction));
  }

  void Run() {
    std::vector<isa::CodecError> errors;
    std::optional<isa::Segment> code = isa::EncodeProgram(spec_, program_, errors);
    ASSERT_TRUE(code.has_value()) << errors.front().message;
    program_.segments = {std::move(*code)};
    sim::BuiltInMemory memory(spec_.dram);
    run_ = sim::RunRtl(*model_, spec_, program_, DramOf(spec_, program_), memory);
    ASSERT_TRUE(run_.done);
  }

  Cycle Issue(size_t instruction) const { return run_.instructions[instruction].issue; }
  Cycle Retire(size_t instruction) const { return run_.instructions[instruction].retire; }

  isa::Spec spec_;
  std::unique_ptr<sim::RtlModel> model_;
  isa::Program program_;
  sim::RtlRun run_;
};

TEST_F(TimingRules, AWordIsDispatchedAfterItsLastBeatAndIssuesOneCycleLater) {
  Add("sync_load");
  Run();
  // Asked for in 1, beats in 13 to 16, dispatched in 17, at the unit in 18. The writer takes cycle 19: E
  // = 20.
  EXPECT_EQ(Issue(0), 18);
  EXPECT_EQ(Retire(0), 21);
  EXPECT_EQ(run_.cycles, 22);
}

TEST_F(TimingRules, WordsFollowEachOtherAtTheRateOfTheBus) {
  for (int i = 0; i < 4; ++i) Add("sync_gemm");
  Run();
  // Bursts of three words: the second one is asked for as soon as the first was accepted, its data follow at
  // once.
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(Issue(i), 18 + 4 * i);
    EXPECT_EQ(Retire(i), 18 + 4 * i + 1 + 11);
  }
}

TEST_F(TimingRules, ALoadTakesACycleForEachElementOfItsBurst) {
  Add("load_inp", {{"rows", 1}, {"cols", 8}, {"stride", 8}});
  Run();
  // The burst stands in 21, its first of 4 beats comes in 33, the writer takes 8 elements from 34 on: E = 42.
  EXPECT_EQ(Issue(0), 18);
  EXPECT_EQ(Retire(0), 43);
}

TEST_F(TimingRules, ALoadOfWideElementsTakesACycleForEachBeat) {
  Add("load_wgt", {{"rows", 1}, {"cols", 3}, {"stride", 3}});
  Run();
  // Three elements of two beats: 34 to 39, E = 40.
  EXPECT_EQ(Retire(0), 41);
}

TEST_F(TimingRules, PaddingIsWrittenWhileTheDataAreOnTheirWay) {
  Add("load_inp", {{"rows", 1}, {"cols", 2}, {"stride", 2}, {"pad_top", 2}, {"pad_left", 1}});
  Run();
  // Seven pads in 19 to 25, then the burst that came in 33: two elements in 34 and 35.
  EXPECT_EQ(Retire(0), 37);
}

TEST_F(TimingRules, LoadsOverlapAndAreWrittenInOrder) {
  Add("load_inp", {{"rows", 1}, {"cols", 8}, {"stride", 8}});
  Add("load_inp", {{"rows", 1}, {"cols", 8}, {"stride", 8}});
  Run();
  // The second word comes 4 cycles later; its data come in 37, but the writer is busy until 42.
  EXPECT_EQ(Issue(1), 22);
  EXPECT_EQ(Retire(0), 43);
  EXPECT_EQ(Retire(1), 51);
}

TEST_F(TimingRules, ABurstWaitsForRoomInTheDataBuffer) {
  // Bursts of 16 beats (32 elements) each; the buffer has 24 beats, so the second waits for the first one's
  // end.
  Add("load_inp", {{"rows", 2}, {"cols", 32}, {"stride", 32}});
  Run();
  // First: asked for in 21, written 34 to 65. Second: asked for in 66, first beat in 78, written 79 to 110: E
  // = 111.
  EXPECT_EQ(Retire(0), 112);
}

TEST_F(TimingRules, APieceTakesACycleForEachBeatNotYetTakenAndAtLeastOne) {
  Add("gather_inp",
      {{"dram", 3}, {"rows", 1}, {"cols", 4}, {"row_bytes", 10}, {"piece_bytes", 4}, {"piece_step", 2}});
  Run();
  // Bytes 3 to 6, 5 to 8, 7 to 10, 9 to 12: beat 0, beat 1, none, none in 34 to 37.
  EXPECT_EQ(Retire(0), 39);
}

TEST_F(TimingRules, BeatsBetweenPiecesTakeACycleEach) {
  Add("gather_inp",
      {{"dram", 7}, {"rows", 1}, {"cols", 3}, {"row_bytes", 42}, {"piece_bytes", 2}, {"piece_step", 20}});
  Run();
  // Seven beats, each once: 34 to 40.
  EXPECT_EQ(Retire(0), 42);
}

TEST_F(TimingRules, RoomComesBackWhenABurstsLastBeatIsTaken) {
  // Element c ends with byte 4c + 9 of 25 beats, in bursts of 16 and 9; the buffer has 24 beats.
  Add("gather_inp",
      {{"dram", 6}, {"rows", 1}, {"cols", 48}, {"row_bytes", 192}, {"piece_bytes", 4}, {"piece_step", 4}});
  Run();
  // Beat 15 is taken for element 28 in 34 + 29, beat 16 needed for element 30. Second burst: asked for in 64,
  // first beat in 76, 18 elements from 77 on: E = 95.
  EXPECT_EQ(Retire(0), 96);
}

TEST_F(TimingRules, ABurstDoesNotCrossAPage) {
  // 8 beats, of which 2 are before the boundary: two bursts, the second accepted one cycle later. Data still
  // stream.
  Add("load_wgt", {{"dram", 4080}, {"rows", 1}, {"cols", 4}, {"stride", 4}});
  Run();
  EXPECT_EQ(Retire(0), 34 + 8 + 1);
}

TEST_F(TimingRules, GemmTakesACycleForEachStepAndOverlaps) {
  Add("gemm", {{"uop_end", 3}, {"iter_out", 2}, {"iter_in", 4}, {"lock_acc", 1}});
  Add("gemm", {{"uop_end", 1}, {"iter_out", 1}, {"iter_in", 1}, {"lock_acc", 1}});
  Run();
  // 24 steps: ready again at 18 + 24, though bank 0 is held: by itself.
  EXPECT_EQ(Issue(0), 18);
  EXPECT_EQ(Retire(0), 18 + 24 + 11);
  EXPECT_EQ(Issue(1), 42);
  EXPECT_EQ(Retire(1), 42 + 1 + 11);
}

TEST_F(TimingRules, ATokenIsThereOneCycleAfterTheRetirementThatGaveIt) {
  Add("load_inp", {{"rows", 1}, {"cols", 8}, {"stride", 8}, {"push_load_to_gemm", 1}});
  Add("sync_gemm", {{"pop_load_to_gemm", 1}});
  Run();
  EXPECT_EQ(Retire(0), 43);
  EXPECT_EQ(Issue(1), 44);
}

TEST_F(TimingRules, APlaceIsTakenAtIssueAndComesBackOneCycleAfterThePop) {
  // Capacity 2. The third push has to wait until the first pop, which waits for the first token.
  Add("load_inp", {{"rows", 1}, {"cols", 8}, {"stride", 8}, {"push_load_to_gemm", 1}});
  Add("sync_load", {{"push_load_to_gemm", 1}});
  Add("sync_load", {{"push_load_to_gemm", 1}});
  for (int i = 0; i < 3; ++i) Add("sync_gemm", {{"pop_load_to_gemm", 1}});
  Run();
  EXPECT_EQ(Issue(1), 22);
  EXPECT_EQ(Issue(3), Retire(0) + 1);
  EXPECT_EQ(Issue(2), Issue(3) + 1);
}

TEST_F(TimingRules, ABankIsFreeOneCycleAfterTheRetirementOfItsHolder) {
  Add("load_acc", {{"rows", 1}, {"cols", 2}, {"stride", 2}, {"lock_acc", 5}});
  Add("gemm", {{"uop_end", 1}, {"iter_out", 1}, {"iter_in", 1}, {"lock_acc", 2}});
  Add("gemm", {{"uop_end", 1}, {"iter_out", 1}, {"iter_in", 1}, {"lock_acc", 4}});
  Run();
  EXPECT_EQ(Issue(1), 22);   // another bank
  EXPECT_GT(Retire(0), 26);  // the third word is at its unit in 26, and waits
  EXPECT_EQ(Issue(2), Retire(0) + 1);
}

TEST_F(TimingRules, NoMoreThanTheCommandQueueHoldsIsInFlight) {
  // Without bursts nothing else keeps the load unit from issuing: three instructions at most, each 15 pads
  // long.
  for (int i = 0; i < 5; ++i) Add("load_inp", {{"rows", 1}, {"pad_left", 15}});
  Run();
  EXPECT_EQ(Retire(0), 18 + 1 + 15 + 1);
  EXPECT_EQ(Issue(2), 26);
  EXPECT_EQ(Issue(3), Retire(0) + 1);
  EXPECT_EQ(Issue(4), Retire(1) + 1);
}

TEST_F(TimingRules, ANestWithoutStepsTakesOneCycle) {
  Add("gemm", {{"uop_end", 0}, {"iter_out", 3}, {"iter_in", 3}});
  Add("gemm", {{"uop_end", 1}, {"iter_out", 0}, {"iter_in", 3}});
  Run();
  EXPECT_EQ(Retire(0), 18 + 1 + 11);
  EXPECT_EQ(Retire(1), 22 + 1 + 11);
}

class PortRules : public TimingRules {
 protected:
  PortRules() : TimingRules("ports") {}
};

TEST_F(PortRules, APortsBurstsWaitForNoOtherPorts) {
  Add("load_wgt", {{"rows", 1}, {"cols", 2}, {"stride", 2}});
  Add("load_inp", {{"rows", 1}, {"cols", 8}, {"stride", 8}});
  for (int i = 0; i < 4; ++i) Add("sync_gemm");
  Run();
  // Words come through port 0 in 13 to 20, 21 to 28, 29 to 36. The weights' burst of 8 beats stands in 25;
  // port 1 has nothing else, so they come in 37 to 44, at the same time as words, and two elements of 4 beats
  // take 38 to 45.
  EXPECT_EQ(Issue(0), 22);
  EXPECT_EQ(Retire(0), 47);
  // The activations stand in 31 at port 0, where three bursts of words are under way until 36. In 37 they are
  // accepted before fetch, which was served last, and come after the words in 45 to 52: in 53 to 60, elements
  // of a beat.
  EXPECT_EQ(Issue(1), 30);
  EXPECT_EQ(Retire(1), 63);
}

}  // namespace
}  // namespace cosim::testing
