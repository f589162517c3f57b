// SPDX-License-Identifier: Apache-2.0
// A whole network on the platform: right outputs, and the cycles of the cycle device.
#include <gtest/gtest.h>

#include "compiler/session/session.h"
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
  auto result = RunExperiment(spec, options, error);
  EXPECT_TRUE(result) << error;
  return result;
}

TEST(TlmNetwork, RunsWithTheCyclesOfTheCycleDevice) {
  for (const char* isa : {"cosim", "vta"}) {
    const isa::Spec spec = isa::testing::MakeSpec(isa);
    const auto cycle = RunOn(spec, "cycle", 1);
    ASSERT_TRUE(cycle);
    for (int i = 0; i < 2; ++i) {  // a platform anew, and one run after the other on each
      const auto tlm = RunOn(spec, "tlm", 2);
      ASSERT_TRUE(tlm);
      EXPECT_GT(tlm->Values(), 0);
      EXPECT_EQ(tlm->Mismatches(), 0);
      EXPECT_EQ(tlm->run.cycles, cycle->run.cycles) << isa;
      EXPECT_EQ(tlm->run.outputs, cycle->run.outputs) << isa;
    }
  }
}

}  // namespace
}  // namespace cosim::session
