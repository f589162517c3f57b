// SPDX-License-Identifier: Apache-2.0
// A whole network on the RTL: right outputs in every layer, and the cycles and ledger of the cycle device.
#include <gtest/gtest.h>

#include "compiler/session/session.h"
#include "sim/rtl/rtl_library.h"
#include "tests/isa/program/testing.h"

namespace cosim::session {
namespace {

std::optional<Result> RunOn(const isa::Spec& spec, const std::string& device, int runs) {
  std::string error;
  Options options;
  options.network = "small_cnn";
  options.device = device;
  options.check = Check::kLayers;
  options.runs = runs;
  options.poison = true;
  if (device != "cycle") {
    Diagnostics diags;
    const auto library = sim::BuildRtl(spec, {}, diags);
    EXPECT_TRUE(library) << diags.Render();
    if (!library) return std::nullopt;
    options.rtl_library = *library;
  }
  auto result = RunExperiment(spec, options, error);
  EXPECT_TRUE(result) << error;
  return result;
}

TEST(RtlNetwork, RunsWithTheCyclesOfTheCycleDevice) {
  for (const char* isa : {"cosim", "vta"}) {
    const isa::Spec spec = isa::testing::MakeSpec(isa);
    const auto cycle = RunOn(spec, "cycle", 1);
    ASSERT_TRUE(cycle);
    for (const char* device : {"rtl", "tlm-rtl"}) {
      const auto rtl = RunOn(spec, device, 2);  // one run after the other
      ASSERT_TRUE(rtl);
      EXPECT_GT(rtl->Values(), 0);
      EXPECT_EQ(rtl->Mismatches(), 0);
      EXPECT_EQ(rtl->run.cycles, cycle->run.cycles) << isa;
      EXPECT_EQ(rtl->run.model_cycles, cycle->run.cycles) << isa;
      EXPECT_EQ(rtl->run.outputs, cycle->run.outputs) << isa;
      ASSERT_EQ(rtl->run.ledger.size(), cycle->run.ledger.size());
      for (size_t u = 0; u < rtl->run.ledger.size(); ++u) {
        EXPECT_EQ(rtl->run.ledger[u].busy, cycle->run.ledger[u].busy)
            << isa << " " << rtl->run.ledger[u].unit;
        EXPECT_EQ(rtl->run.ledger[u].Total(), rtl->run.cycles);
      }
    }
  }
}

}  // namespace
}  // namespace cosim::session
