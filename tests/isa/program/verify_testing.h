// SPDX-License-Identifier: Apache-2.0
// What the verifier's tests share: a small clean program to break, and how to look for a finding.
#pragma once

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "isa/verify/verify.h"
#include "tests/isa/program/testing.h"

namespace cosim::isa::testing {

/// Loads, multiplies, narrows and stores four elements.
inline constexpr char kClean[] = R"(.dram 0x10000
.code 0x8000
.instructions code 0x8000
.micro_ops uops 0x1000 {
  gemm_uop
  gemm_uop dst=1
  alu_uop
  alu_uop dst=1 src=1
}
.constants weights 0x2000 {
  00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f
}
load_gemm_uop dram=0x1000 rows=1 cols=2
load_alu_uop dram=0x1008 rows=1 cols=2 push(load_to_alu)
load_wgt dram=0x2000 rows=1 cols=1
load_inp dram=0x4000 rows=1 cols=4 push(load_to_gemm) lock_inp=0b00010000
gemm overwrite=1 lock_acc=0b0001 lock_inp=0b0001 uop=[0,1) iter_out=1 iter_in=4 dst_in=1 src_in=1 pop(load_to_gemm) push(gemm_to_alu)
alu op=narrow lock_acc=0b0001 uop=[0,1) iter_out=1 iter_in=4 dst_in=1 src_in=1 lo=-128 hi=127 pop(load_to_alu, gemm_to_alu) push(alu_to_store)
store_out dram=0x6000 rows=1 cols=4 pop(alu_to_store)
)";

inline VerifyResult VerifyText(const std::string& text) {
  return Verify(TinySpec(), FromText(TinySpec(), text));
}

inline VerifyResult VerifyChanged(const std::string& from, const std::string& to) {
  return VerifyText(Replace(kClean, from, to));
}

/// Expects one finding of the kind, with a message that has `message` in it, for instructions `instructions`.
inline void ExpectFinding(const VerifyResult& result, FindingKind kind, const std::string& message,
                          const std::vector<int64_t>& instructions) {
  for (const Finding& finding : result.findings) {
    if (finding.kind != kind || finding.message.find(message) == std::string::npos) continue;
    EXPECT_EQ(finding.instructions, instructions);
    return;
  }
  ADD_FAILURE() << "no " << FindingKindName(kind) << " with '" << message << "' in\n" << result.Render();
}

}  // namespace cosim::isa::testing
