// SPDX-License-Identifier: Apache-2.0
// ALU ops that isa/cosim.yaml does not have: written into its YAML, they are used by networks that have the
// operation; without them it stays on the host, with the reason.
#include "tests/network_fuzz/alu_op_testing.h"

namespace cosim::testing {
namespace {

constexpr const char* kLeakyRelu = R"(
  leaky_relu:
    code: 20
    doc: Scales negative numbers by one immediate and others by another.
    operands: {a: "acc[src]"}
    result: acc[dst]
    body:
      - centred = wrap(a - zero_point, acc_bits)
      - stage
      - up = wrap(round_shift(centred * imm, shift), acc_bits)
      - down = wrap(round_shift(centred * imm2, shift2), acc_bits)
      - stage
      - "centred < 0 ? down : up"
)";

constexpr const char* kHardSwish = R"(
  hard_swish:
    code: 21
    doc: Multiplies a number by itself and a bound, cut off at zero and twice the bound.
    operands: {a: "acc[src]"}
    result: acc[dst]
    body:
      - centred = wrap(a - zero_point, 12)
      - gate = clamp(centred + imm2, 0, imm3)
      - stage
      - product = centred * wrap(gate, 12) * imm
      - stage
      - wrap(round_shift(product, shift), acc_bits)
)";

TEST(NewOps, ALeakyReluInTheIsaIsUsed) {
  ExpectUsed(graph::QLeakyRelu{-7, 1 << 30, 30, 1 << 27, 30, 4}, kLeakyRelu);
}

TEST(NewOps, AHardSwishInTheIsaIsUsed) { ExpectUsed(graph::QHardSwish{-7, 48, 1 << 24, 31, 4}, kHardSwish); }

}  // namespace
}  // namespace cosim::testing
