// SPDX-License-Identifier: Apache-2.0
// --set of keys of the ISA: what it changes, what it takes out, what it refuses.
#include "isa/spec/overrides.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "isa/spec/loader.h"

namespace cosim::isa {
namespace {

using ::testing::HasSubstr;

std::optional<Spec> Load(const std::vector<Override>& overrides, std::string& errors) {
  Diagnostics diags;
  auto spec = LoadSpec("tiny.yaml", "", overrides, diags);
  errors = diags.Render();
  return spec;
}

Spec Good(const std::vector<Override>& overrides) {
  std::string errors;
  const auto spec = Load(overrides, errors);
  EXPECT_TRUE(spec) << errors;
  return spec.value_or(Spec{});
}

std::string ErrorOf(const std::vector<Override>& overrides) {
  std::string errors;
  EXPECT_FALSE(Load(overrides, errors));
  return errors;
}

TEST(IsaOverrides, SetAValueThatStandsInTheIsa) {
  const Spec plain = Good({});
  EXPECT_NE(plain.units[plain.UnitIndex("load")].commands, 3);
  const Spec spec = Good({{"isa.units.load.commands", "3"}, {"isa.queues.load_to_gemm.capacity", "2 + 3"}});
  EXPECT_EQ(spec.units[spec.UnitIndex("load")].commands, 3);
  EXPECT_EQ(spec.queues[spec.QueueIndex("load_to_gemm")].capacity, 5);
}

TEST(IsaOverrides, OffTakesOutWhatIsNamed) {
  EXPECT_GE(Good({}).AluOpIndex("max_inp"), 0);
  EXPECT_EQ(Good({{"isa.alu_ops.max_inp", "off"}}).AluOpIndex("max_inp"), -1);
  EXPECT_EQ(Good({{"isa.queues.store_to_load", "off"}}).QueueIndex("store_to_load"), -1);
}

TEST(IsaOverrides, AUnitGoesWithItsInstructionsAndQueues) {
  const Spec spec = Good({{"isa.units.store", "off"}});
  EXPECT_EQ(spec.UnitIndex("store"), -1);
  EXPECT_TRUE(std::ranges::none_of(spec.formats, [](const auto& f) { return f.kind == Kind::kStore; }));
  EXPECT_EQ(spec.QueueIndex("alu_to_store"), -1);
  EXPECT_EQ(spec.QueueIndex("store_to_alu"), -1);
  EXPECT_GE(spec.QueueIndex("load_to_gemm"), 0);
}

TEST(IsaOverrides, AnEditedIsaSaysSoAndHasAFingerprintOfItsOwn) {
  const Spec plain = Good({}), edited = Good({{"isa.alu_ops.max_inp", "off"}});
  EXPECT_EQ(plain.isa, "cosim");
  EXPECT_EQ(edited.isa, "cosim (edited)");
  EXPECT_NE(plain.fingerprint, edited.fingerprint);
}

TEST(IsaOverrides, MistakesAreReportedByTheirOption) {
  EXPECT_THAT(ErrorOf({{"isa.units.sotre", "off"}}),
              HasSubstr("--set isa.units.sotre=off: error[E0012]: the ISA has no 'sotre' there\n"
                        "  hint: did you mean 'store'?"));
  EXPECT_THAT(ErrorOf({{"isa.unit.store", "off"}}), HasSubstr("the ISA has no keys in 'unit'"));
  EXPECT_THAT(ErrorOf({{"isa.units.load", "1"}}), HasSubstr("or take it out: isa.units.load=off"));
  EXPECT_THAT(ErrorOf({{"isa.units.load.comands", "1"}}), HasSubstr("unknown key 'comands' in unit 'load'"));
  EXPECT_THAT(ErrorOf({{"isa.units.load.commands", "x"}}), HasSubstr("--set isa.units.load.commands=x"));
  EXPECT_THAT(ErrorOf({{"isa..x", "1"}}), HasSubstr("a key is missing"));
  EXPECT_THAT(ErrorOf({{"isa.memories.acc", "off"}}), HasSubstr("error["));
}

}  // namespace
}  // namespace cosim::isa
