// SPDX-License-Identifier: Apache-2.0
// That drawn ISAs and configurations are legal, but for a few,
// and that programs for them verify.
#include "tests/isa/program/random_isa.h"

#include <gtest/gtest.h>

#include <string>

#include "isa/sv/generate.h"
#include "isa/verify/verify.h"
#include "tests/isa/program/random_program.h"
#include "tests/isa/program/testing.h"

namespace cosim::isa::testing {
namespace {

/// How many of `wanted` drawn pairs are legal and have RTL. Each of those gets a program, which has to
/// verify. `written`: the ISA to configure; null: draw that, too.
int Drawn(uint64_t seed, int wanted, const SourceText* written) {
  int legal = 0;
  Random random(seed);
  for (int drawn = 0; drawn < wanted; ++drawn) {
    const SourceText isa = written ? *written : RandomIsa(random);
    const SourceText config = RandomConfig(isa, random);
    Diagnostics diags;
    const std::optional<Spec> spec = Elaborate(isa, config, {}, diags);
    if (!spec) continue;
    CheckSv(*spec, diags);
    if (diags.HasErrors()) continue;
    ++legal;
    const Program program = RandomProgram(*spec, {.seed = random.Next(), .instructions = 40});
    const VerifyResult result = Verify(*spec, program, OnWrittenMemories());
    EXPECT_TRUE(result.ok()) << isa.text << config.text << result.Render();
  }
  return legal;
}

// Of products along rows a few have no RTL, such as those of odd groups where two products share a DSP; which
// ones are drawn is another with another compiler, which evaluates arguments in another order.
TEST(RandomIsa, IsLegal) { EXPECT_GE(Drawn(1, 60, nullptr), 50); }

TEST(RandomIsa, IsNeverTheSameTwice) {
  Random random(3);
  EXPECT_NE(RandomIsa(random).text, RandomIsa(random).text);
}

TEST(RandomConfig, FitsTheWrittenIsas) {
  for (const char* name : {"cosim", "vta"}) {
    Diagnostics diags;
    const SourceText isa = *ReadSource(*FindFile(name, "isa", diags), diags);
    EXPECT_GE(Drawn(2, 20, &isa), 18) << name;
  }
}

}  // namespace
}  // namespace cosim::isa::testing
