// SPDX-License-Identifier: Apache-2.0
// Sessions share no mutable state: several at once give what each gives alone.
#include <gmock/gmock.h>

#include <thread>

#include "compiler/session/session.h"
#include "isa/spec/loader.h"

namespace cosim::session {
namespace {

struct Case {
  std::string config, isa;
};

std::string Summary(const Case& c) {
  Diagnostics diags;
  const auto spec = isa::LoadSpec(c.config, c.isa, {}, diags);
  if (!spec) return diags.Render();
  std::string error;
  const auto result = RunExperiment(*spec, {.network = "small_cnn", .check = Check::kOutputs}, error);
  if (!result) return error;
  return c.config + " " + c.isa + " " + std::to_string(result->run.cycles) + " cycles, " +
         std::to_string(result->Mismatches()) + " mismatches, first output " +
         std::to_string(result->run.outputs[0][0]);
}

TEST(Sessions, RunSideBySide) {
  const std::vector<Case> cases = {
      {"tiny.yaml", "cosim"}, {"pynq.yaml", "cosim"}, {"tiny.yaml", "vta"}, {"pynq.yaml", "vta"}};
  std::vector<std::string> alone, together(cases.size());
  for (const Case& c : cases) alone.push_back(Summary(c));
  std::vector<std::thread> threads;
  for (size_t i = 0; i < cases.size(); ++i) threads.emplace_back([&, i] { together[i] = Summary(cases[i]); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(together, alone);
  EXPECT_THAT(alone, ::testing::Each(::testing::HasSubstr(" 0 mismatches")));
}

}  // namespace
}  // namespace cosim::session
