// SPDX-License-Identifier: Apache-2.0
// The area model against what Yosys made of designs (area_designs.json, by scripts/fit-area): those it was
// fitted to, and those held out.
#include "sim/synth/area_model.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "isa/spec/loader.h"
#include "sim/synth/ram_mapping.h"

namespace cosim::synth {
namespace {

constexpr int kHeldOut = 22, kLanesHeldOut = 2;

struct Design {
  std::string name, only;  ///< a kind of block; empty: the whole accelerator
  bool held_out = false;
  Resources mapped;
  isa::Spec spec;
};

const std::vector<Design>& Designs() {
  static const auto kDesigns = [] {
    std::ifstream file(COSIM_SOURCE_DIR "/tests/sim/synth/area_designs.json");
    const auto table = nlohmann::json::parse(file);
    std::vector<Design> designs;
    for (const auto& design : table["designs"]) {
      if (!design.contains("total")) continue;  // drawn, not mapped yet
      std::vector<isa::Override> overrides;
      for (const auto& [key, value] : design["set"].items())
        overrides.push_back({key, value.is_string() ? value.get<std::string>() : value.dump()});
      Diagnostics diags;
      const auto spec = isa::LoadSpec(design["config"], design["isa"], overrides, diags);
      EXPECT_TRUE(spec) << diags.Render();
      const std::vector<int> total = design["total"];
      designs.push_back({design["name"],
                         design.value("only", ""),
                         design["held_out"],
                         {.lut = total[0], .ff = total[1], .dsp = total[2], .ramb18 = total[3]},
                         *spec});
    }
    return designs;
  }();
  return kDesigns;
}

Resources EstimateOf(const std::vector<isa::Override>& overrides) {
  Diagnostics diags;
  const auto spec = isa::LoadSpec("tiny.yaml", "", overrides, diags);
  EXPECT_TRUE(spec) << diags.Render();
  return EstimateArea(*spec);
}

/// %, of LUTs and of flip-flops.
std::pair<double, double> ErrorsOf(const Design& design) {
  BlockArea estimate;
  for (const AreaBlock& block : AreaBlocks(design.spec)) {
    if (!design.only.empty() && block.kind != design.only) continue;
    const BlockArea area = AreaOfBlock(block);
    estimate.lut += area.lut;
    estimate.ff += area.ff;
  }
  return {100 * std::abs(estimate.lut / design.mapped.lut - 1),
          100 * std::abs(estimate.ff / design.mapped.ff - 1)};
}

TEST(AreaModel, CountsDspsAndBlockRamsAsYosysMapsThem) {
  ASSERT_FALSE(Designs().empty());
  for (const Design& design : Designs()) {
    if (!design.only.empty()) continue;
    const Resources estimate = EstimateArea(design.spec);
    EXPECT_EQ(estimate.dsp, design.mapped.dsp) << design.name;
    EXPECT_EQ(estimate.ramb18, design.mapped.ramb18) << design.name;
  }
}

// Also of lanes with other ops.
TEST(AreaModel, IsNearForDesignsThatItWasNotFittedTo) {
  constexpr double kMean = 5, kWorst = 12;  // %
  double lut = 0, ff = 0;
  int count = 0, lanes = 0;
  for (const Design& design : Designs()) {
    const auto [lut_error, ff_error] = ErrorsOf(design);
    EXPECT_LE(lut_error, kWorst) << design.name;
    EXPECT_LE(ff_error, kWorst) << design.name;
    if (!design.held_out) continue;
    (design.only.empty() ? count : lanes) += 1;
    lut += lut_error;
    ff += ff_error;
  }
  EXPECT_GE(count, kHeldOut);
  EXPECT_GE(lanes, kLanesHeldOut);
  EXPECT_LE(lut / (count + lanes), kMean);
  EXPECT_LE(ff / (count + lanes), kMean);
}

TEST(AreaModel, APartTakesWhatItsBlocksTake) {
  Diagnostics diags;
  const auto spec = isa::LoadSpec("tiny.yaml", "", {}, diags);
  ASSERT_TRUE(spec);
  const Resources all = EstimateArea(*spec);
  int lut = 0, parts = 0;
  for (const PartArea& part : EstimateParts(*spec)) {
    lut += part.resources.lut;
    ++parts;
  }
  EXPECT_NEAR(lut, all.lut, parts);
}

TEST(AreaModel, ShallowMemoriesShowInLuts) {
  // 64 elements a bank and fewer are no block RAM, and not free.
  const Resources shallow = EstimateOf({{"parameters.wgt_bytes", "1024"}});
  const Resources deep = EstimateOf({{"parameters.wgt_bytes", "4096"}});
  EXPECT_LT(shallow.ramb18, deep.ramb18);
  EXPECT_GT(shallow.lut, deep.lut);
}

TEST(AreaModel, AnOpLessIsALaneWithLess) {
  const Resources all = EstimateOf({});
  const Resources fewer = EstimateOf({{"isa.alu_ops.requant_twice", "off"}});
  EXPECT_LT(fewer.lut, all.lut);
}

TEST(RamMapping, IsAsYosysMapsIt) {
  struct Case {
    int bits, depth, slice_bits, ramb18, lut;
  };
  for (const auto& [bits, depth, slice_bits, ramb18, lut] :
       {Case{64, 32, 64, 0, 44}, Case{280, 64, 280, 0, 376}, Case{1120, 64, 1120, 0, 1496},
        Case{64, 128, 64, 2, 0}, Case{25, 512, 25, 1, 0}, Case{32, 1024, 8, 2, 0}, Case{33, 2048, 33, 4, 0},
        Case{39, 256, 39, 2, 0}, Case{64, 8192, 8, 32, 0}, Case{128, 2048, 128, 15, 0},
        Case{128, 4096, 128, 30, 0}, Case{256, 128, 32, 8, 0}, Case{256, 8192, 256, 116, 0},
        Case{2048, 1024, 2048, 114, 0}}) {
    const RamMapping mapped = MapRam(bits, depth, slice_bits);
    EXPECT_EQ(mapped.ramb18, ramb18) << bits << " x " << depth << " by " << slice_bits;
    EXPECT_EQ(mapped.lut, lut) << bits << " x " << depth << " by " << slice_bits;
  }
}

}  // namespace
}  // namespace cosim::synth
