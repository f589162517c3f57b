// SPDX-License-Identifier: Apache-2.0
// The generated manual.
#include "isa/pages/describe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/isa/spec/testing.h"

namespace cosim::isa {
namespace {

using ::testing::HasSubstr;

std::string Describe(const std::string& config, const std::string& isa,
                     const std::vector<Override>& overrides = {}) {
  Diagnostics diags;
  const std::optional<Spec> spec = LoadSpec(config, isa, overrides, diags);
  EXPECT_TRUE(spec) << diags.Render();
  return spec ? DescribeMarkdown(*spec) : "";
}

TEST(Describe, NamesEverythingInTheSpec) {
  for (const char* isa : {"cosim", "vta"}) {
    Diagnostics diags;
    const std::optional<Spec> spec = LoadSpec("pynq", isa, {}, diags);
    ASSERT_TRUE(spec);
    const std::string text = DescribeMarkdown(*spec);
    for (const Parameter& it : spec->parameters) EXPECT_THAT(text, HasSubstr("| `" + it.name + "` | "));
    for (const Memory& it : spec->memories) EXPECT_THAT(text, HasSubstr("| `" + it.name + "` | "));
    for (const Queue& it : spec->queues) EXPECT_THAT(text, HasSubstr("| `" + it.name + "` | "));
    for (const InstructionFormat& it : spec->formats) EXPECT_THAT(text, HasSubstr("\n### " + it.name + "\n"));
    for (const AluOp& it : spec->alu_ops) EXPECT_THAT(text, HasSubstr("\n### " + it.name + " (code "));
    EXPECT_THAT(text, HasSubstr("256 multiply-accumulates a cycle at 100 MHz. Fingerprint " +
                                spec->FingerprintText()));
  }
}

TEST(Describe, GivesFieldsTheirBitsAndMeaning) {
  const std::string text = Describe("pynq", "cosim");
  EXPECT_THAT(
      text,
      HasSubstr("| 4:0 | `opcode` | uint5 | always 5 |\n"
                "| 5 | `pop_load_to_gemm` | uint1 | takes a token of `load_to_gemm` before it starts |\n"));
  EXPECT_THAT(text,
              HasSubstr("| 13:10 | `lock_acc` | uint4 | banks of `acc` that it uses, one bit each |\n"));
  EXPECT_THAT(text, HasSubstr("| `dst_out` | uint11 | added to `dst` for each step of the outer loop |\n"));
  EXPECT_THAT(text, HasSubstr("| `zero_point` | int9 | immediate of the ALU op |\n"));
  EXPECT_THAT(text, HasSubstr("| `dram` | uint32 | byte address in DRAM, a multiple of 8 |\n"));
}

TEST(Describe, GivesOpsTheirExpressionAndTiming) {
  const std::string text = Describe("pynq", "cosim");
  EXPECT_THAT(text,
              HasSubstr("### mac_inp (code 9)\n\n"
                        "Multiplies an activation by a parameter and accumulates (depthwise convolution). "
                        "`a` = `acc[dst]`, "
                        "`x` = `inp[src]`, `p` = `par[aux]`; writes `acc[dst]`.\n\n"
                        "    product = x * p.mult\n    stage\n    stage\n    stage\n    stage\n    wrap(a + "
                        "product, acc_bits)\n\n"
                        "A step takes 1 cycle; an element written is readable 18 steps later.\n"));
}

TEST(Describe, SaysWhyAnOpIsNotAvailable) {
  EXPECT_THAT(
      Describe("pynq", "cosim", {{"parameters.block_in", "32"}}),
      HasSubstr("Not available here: an element of 'inp' has 1x32 lanes, but one of 'acc' has 1x16."));
}

}  // namespace
}  // namespace cosim::isa
