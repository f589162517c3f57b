// SPDX-License-Identifier: Apache-2.0
// Each rule of the AXI checker, by cycles that keep it and one that breaks it.
#include "sim/rtl/axi_checker.h"

#include <gmock/gmock.h>

#include <array>

namespace cosim::sim {
namespace {

using ::testing::HasSubstr;

constexpr int kBeats = 4, kOutstanding = 2;

isa::Spec SmallSpec() {
  isa::Spec spec;
  spec.dram.port_bits = 64;
  spec.dram.burst_beats = kBeats;
  spec.dram.outstanding = kOutstanding;
  return spec;
}

/// A bus of 8 bytes a beat, and the cycle that is being made.
class AxiChecker : public ::testing::Test {
 protected:
  AxiChecker() { Idle(); }

  void Idle() {
    inputs_ = {};
    is_ = {.r_ready = true, .w_data = data_.data(), .b_ready = true};
  }
  static RtlAddress Burst(uint64_t address, int beats) { return {address, beats, 3, 1, 3, 0}; }
  void Read(const RtlAddress& address) { is_.ar_valid = true, is_.ar = address; }
  void Write(const RtlAddress& address) { is_.aw_valid = true, is_.aw = address; }
  void Beat(bool last) { is_.w_valid = true, is_.w_last = last, is_.w_strobe = 0xFF; }
  void Data(bool last) { inputs_.r_data = data_.data(), inputs_.r_last = last; }
  void Answer() { inputs_.b_valid = true; }
  /// The cycle; then an idle one is begun.
  std::string Cycle() {
    std::string broken = checker_.Check(inputs_, is_);
    Idle();
    return broken;
  }

  std::array<uint8_t, 8> data_ = {};
  AxiPortChecker checker_{SmallSpec()};
  RtlPortInputs inputs_;
  RtlPortOutputs is_;
};

TEST_F(AxiChecker, TakesReadsAndWrites) {
  Read(Burst(0xFE0, 4));
  Write(Burst(0x1000, 2));
  EXPECT_EQ(Cycle(), "");
  for (const bool last : {false, true}) {
    Data(false);
    Beat(last);
    EXPECT_EQ(Cycle(), "");
  }
  Answer();
  Data(false);
  EXPECT_EQ(Cycle(), "");
  Data(true);
  EXPECT_EQ(Cycle(), "");
}

TEST_F(AxiChecker, TakesBeatsBeforeTheirAddress) {
  Beat(false);
  EXPECT_EQ(Cycle(), "");
  Beat(true);
  EXPECT_EQ(Cycle(), "");
  Write(Burst(0, 2));
  EXPECT_EQ(Cycle(), "");
  Answer();
  EXPECT_EQ(Cycle(), "");
}

TEST_F(AxiChecker, WantsBurstsAsTheyAreAllowed) {
  const std::pair<RtlAddress, const char*> bad[] = {
      {Burst(0xFE8, 4), "crosses 4 KiB"},       {Burst(0, 5), "has 5 beats of 4"},
      {Burst(4, 1), "begins within a beat"},    {{0, 1, 2, 1, 3, 0}, "not of whole beats"},
      {{0, 1, 3, 0, 3, 0}, "not incrementing"}, {{0, 1, 3, 1, 8, 0}, "reserved"},
  };
  for (const auto& [burst, what] : bad) {
    Read(burst);
    EXPECT_THAT(Cycle(), HasSubstr(what));
    Write(burst);
    EXPECT_THAT(Cycle(), HasSubstr(what));
    checker_.Reset();
  }
}

TEST_F(AxiChecker, WantsWhatIsOfferedToStand) {
  const auto broken = [&](const auto& first, const auto& second) {
    checker_.Reset();
    first();
    inputs_.ar_ready = inputs_.aw_ready = inputs_.w_ready = false;
    EXPECT_EQ(Cycle(), "");
    second();
    return Cycle();
  };
  const auto read = [&](int beats) { return [this, beats] { Read(Burst(0, beats)); }; };
  const auto write = [&](int beats) { return [this, beats] { Write(Burst(0, beats)); }; };
  const auto beat = [&](uint64_t strobe) { return [this, strobe] { Beat(true), is_.w_strobe = strobe; }; };
  const auto nothing = [] {};
  EXPECT_EQ(broken(read(1), read(1)), "");
  EXPECT_THAT(broken(read(1), nothing), HasSubstr("a read address does not stand"));
  EXPECT_THAT(broken(read(1), read(2)), HasSubstr("a read address does not stand"));
  EXPECT_THAT(broken(write(1), nothing), HasSubstr("a write address does not stand"));
  EXPECT_THAT(broken(beat(1), nothing), HasSubstr("a beat does not stand"));
  EXPECT_THAT(broken(beat(1), beat(3)), HasSubstr("a beat does not stand"));
  EXPECT_THAT(broken(beat(1),
                     [&] {
                       Beat(true), is_.w_strobe = 1;
                       data_[3] = 1;
                     }),
              HasSubstr("a beat does not stand"));
}

TEST_F(AxiChecker, WantsTheLastBeatMarked) {
  Write(Burst(0, 2));
  Beat(true);
  EXPECT_THAT(Cycle(), HasSubstr("marked wrongly"));
  checker_.Reset();
  Write(Burst(0, 1));
  Beat(false);
  EXPECT_THAT(Cycle(), HasSubstr("marked wrongly"));
}

TEST_F(AxiChecker, WantsStrobesOfBytesThatThereAre) {
  Beat(true);
  is_.w_strobe = 0x1FF;
  EXPECT_THAT(Cycle(), HasSubstr("strobe"));
}

TEST_F(AxiChecker, CountsWhatIsUnderWay) {
  for (int burst = 0; burst < kOutstanding; ++burst) {
    Read(Burst(0, 1));
    Write(Burst(0, 1));
    EXPECT_EQ(Cycle(), "");
  }
  Write(Burst(0, 1));
  EXPECT_THAT(Cycle(), HasSubstr("more write bursts"));
  Read(Burst(0, 1));
  EXPECT_THAT(Cycle(), HasSubstr("more read bursts"));
}

TEST_F(AxiChecker, WantsTheBenchToKeepTheOrder) {
  Data(true);
  EXPECT_THAT(Cycle(), HasSubstr("nobody asked for"));
  Read(Burst(0, 2));
  EXPECT_EQ(Cycle(), "");
  Data(true);
  EXPECT_THAT(Cycle(), HasSubstr("marks the last beat"));
  Write(Burst(0, 1));
  EXPECT_EQ(Cycle(), "");
  Answer();
  EXPECT_THAT(Cycle(), HasSubstr("before all data"));
}

TEST_F(AxiChecker, WantsSilenceInAReset) {
  EXPECT_EQ(checker_.CheckReset(is_), "");
  Beat(true);
  EXPECT_NE(checker_.CheckReset(is_), "");
}

TEST(AxiLite, WantsAnswersBehindWhatTheyAnswer) {
  AxiLiteChecker checker;
  RtlInputs inputs;
  RtlOutputs is{.s_aw_ready = true, .s_w_ready = true, .s_ar_ready = true};
  inputs.s_aw_valid = inputs.s_b_ready = true;
  EXPECT_EQ(checker.Check(inputs, is), "");
  inputs.s_aw_valid = false;
  is.s_b_valid = true;
  EXPECT_THAT(checker.Check(inputs, is), HasSubstr("before its address and data"));
  is.s_b_valid = false;
  inputs.s_w_valid = true;
  EXPECT_EQ(checker.Check(inputs, is), "");
  inputs.s_w_valid = inputs.s_b_ready = false;
  is.s_b_valid = true;
  EXPECT_EQ(checker.Check(inputs, is), "");
  is.s_b_valid = false;
  EXPECT_THAT(checker.Check(inputs, is), HasSubstr("does not stand"));
  checker.Reset();
  is.s_r_valid = true;
  EXPECT_THAT(checker.Check(inputs, is), HasSubstr("before its address"));
}

}  // namespace
}  // namespace cosim::sim
