// SPDX-License-Identifier: Apache-2.0
// The least that hardware takes, held against what Yosys made of it (docs/how-to/fit-a-board.md).
#include "sim/synth/fit.h"

#include <gmock/gmock.h>

#include "isa/spec/loader.h"

namespace cosim::synth {
namespace {

isa::Spec SpecOf(const char* config, const std::vector<isa::Override>& overrides = {}) {
  Diagnostics diags;
  auto spec = isa::LoadSpec(config, "", overrides, diags);
  EXPECT_TRUE(spec) << diags.Render();
  return *spec;
}

TEST(Fit, DspsAndBlockRamsAreThoseOfYosys) {
  struct Mapped {
    const char* config;
    Resources resources;
  };
  for (const auto& [config, mapped] : {Mapped{"pynq.yaml", {.dsp = 208, .ramb18 = 251}},
                                       Mapped{"pynq-max.yaml", {.dsp = 192, .ramb18 = 240}},
                                       Mapped{"ultra96.yaml", {.dsp = 353, .ramb18 = 424}}}) {
    const Resources least = LeastResources(SpecOf(config));
    EXPECT_EQ(least.dsp, mapped.dsp) << config;
    EXPECT_EQ(least.ramb18, mapped.ramb18) << config;
  }
}

TEST(Fit, SaysWhatIsTooMuch) {
  const Fit products = FitOf(SpecOf("pynq.yaml", {{"hardware.macs_per_dsp", "1"}}));
  EXPECT_EQ(products.fits, false);
  EXPECT_EQ(products.text, "does not fit pynq: 320 of 220 DSP");
  const Fit weights = FitOf(SpecOf("pynq.yaml", {{"parameters.wgt_bytes", "524288"}}));
  EXPECT_EQ(weights.fits, false);
  EXPECT_THAT(weights.text, ::testing::MatchesRegex("does not fit pynq: 1[0-9.]+ of 140 RAMB36"));
  EXPECT_EQ(FitOf(SpecOf("ultra96.yaml", {{"memory.port_bits", "128"}})).fits, std::nullopt);
  EXPECT_EQ(FitOf(SpecOf("pynq.yaml", {{"memory.port_bits", "128"}})).text,
            "does not fit pynq: its memory ports have 64 bits");
}

TEST(Fit, PromisesNothingThatOnlySynthesisKnows) {
  const Fit pynq = FitOf(SpecOf("pynq.yaml"));
  EXPECT_EQ(pynq.fits, std::nullopt);
  EXPECT_THAT(pynq.text, ::testing::StartsWith("may fit pynq: 208 of 220 DSP, 125.5 of 140 RAMB36, about "));
  EXPECT_THAT(pynq.text, ::testing::EndsWith(" of 53200 LUT"));
}

TEST(Fit, WithoutABoardThereIsNothingToFit) {
  const Fit fit = FitOf(SpecOf("tiny.yaml"));
  EXPECT_EQ(fit.fits, std::nullopt);
  EXPECT_EQ(fit.text, "");
}

}  // namespace
}  // namespace cosim::synth
