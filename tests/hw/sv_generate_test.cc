// SPDX-License-Identifier: Apache-2.0
// What the generator refuses, and that it always prints the same. That what it prints is right, lockstep
// shows.
#include "isa/sv_generate.h"

#include <gmock/gmock.h>

#include <optional>
#include <string>

#include "isa/loader.h"
#include "tests/hw/models.h"

namespace cosim::testing {
namespace {

using ::testing::HasSubstr;

constexpr char kFolder[] = COSIM_SOURCE_DIR "/tests/hw/";

/// load_gemm.yaml under narrow.yaml, with one text of the ISA replaced, and overrides of the configuration.
isa::Spec Load(const std::string& from, const std::string& to, const std::vector<isa::Override>& overrides) {
  Diagnostics diags;
  std::optional<isa::SourceText> isa = isa::ReadSource(std::string(kFolder) + "load_gemm.yaml", diags);
  const std::optional<isa::SourceText> config = isa::ReadSource(std::string(kFolder) + "narrow.yaml", diags);
  if (!from.empty()) {
    const size_t at = isa->text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    isa->text.replace(at, from.size(), to);
  }
  std::optional<isa::Spec> spec = isa::Elaborate(*isa, *config, overrides, diags);
  EXPECT_TRUE(spec.has_value()) << diags.Render();
  return std::move(*spec);
}

std::string Refusal(const isa::Spec& spec) {
  Diagnostics diags;
  isa::CheckSv(spec, diags);
  return diags.HasErrors() ? diags.Render() : "";
}

TEST(GenerateSv, IsTheSameEveryTime) {
  const isa::Spec& spec = SpecOf("odd");
  const std::vector<isa::SvFile> first = isa::GenerateSv(spec), second = isa::GenerateSv(spec);
  ASSERT_EQ(first.size(), second.size());
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].name, second[i].name);
    EXPECT_EQ(first[i].text, second[i].text);
  }
}

TEST(CheckSv, AcceptsTheModelsUnderTest) {
  for (const ModelUnderTest& model : AllModels()) EXPECT_EQ(Refusal(SpecOf(model.name)), "");
}

TEST(CheckSv, RefusesAGemmLatencyBelowThePipelinesDepth) {
  const isa::Spec spec = Load("9 + log2ceil(block_in) + gemm_slack", "10 + gemm_slack", {});
  EXPECT_THAT(Refusal(spec), HasSubstr("unit 'gemm' has a latency of 10"));
  EXPECT_THAT(Refusal(spec), HasSubstr("at least 11, the depth of its pipeline"));
}

TEST(CheckSv, RefusesAMemoryFasterThanTheAddressRegister) {
  EXPECT_THAT(Refusal(Load("", "", {{"memory.latency", "1"}})), HasSubstr("memory.latency is 1"));
}

TEST(CheckSv, RefusesAProductOfAnotherShape) {
  const isa::Spec spec = Load("wgt[wgt][o, k]", "wgt[wgt][k, o]", {});
  EXPECT_THAT(Refusal(spec), HasSubstr("a product of two matrices"));
}

}  // namespace
}  // namespace cosim::testing
