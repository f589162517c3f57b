// SPDX-License-Identifier: Apache-2.0
// Hazards of programs that nobody verified, as one run meets them.
#include "sim/cycle/hazard_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/verify/verify.h"
#include "sim/cycle/cycle_device.h"
#include "tests/isa/program/random_program.h"
#include "tests/isa/program/testing.h"

namespace cosim::sim {
namespace {

using isa::testing::FromText;
using isa::testing::MakeSpec;
using isa::testing::Replace;
using ::testing::HasSubstr;

/// An activation goes through gemm and alu to memory and back.
constexpr const char* kOrdered = R"(.dram 0x9000
.code 0x8000
.micro_ops uops 0x1000 {
  gemm_uop
  gemm_uop
  alu_uop
  alu_uop
}
.constants data 0x2000 {
  01 02 03 04 05 06 07 08
}
load_gemm_uop dram=0x1000 rows=1 cols=2
load_alu_uop dram=0x1008 rows=1 cols=2
load_inp dram=0x2000 rows=1 cols=2 push(load_to_gemm)
gemm overwrite=1 lock_acc=0b0001 lock_inp=0b0001 uop=[0,1) iter_out=1 iter_in=4 dst_in=1 pop(load_to_gemm) push(gemm_to_alu)
alu op=narrow lock_acc=0b0001 uop=[0,1) iter_out=1 iter_in=4 dst_in=1 src_in=1 lo=-128 hi=127 pop(gemm_to_alu) push(alu_to_store)
store_out dram=0x3000 rows=1 cols=4 pop(alu_to_store) push(store_to_load)
load_inp dram=0x3000 sram=64 rows=1 cols=4 pop(store_to_load)
)";

runtime::Counters Watch(const isa::Spec& spec, const isa::Program& program) {
  CycleDevice device(spec);
  runtime::LoadSegments(device, program);
  return device.Execute(program, {.watch_hazards = true,
                                  .layer_of = [](size_t i) { return i == 3 ? std::string("conv3") : ""; }});
}

TEST(HazardWatch, PassesAnOrderedProgram) {
  const runtime::Counters counters =
      Watch(isa::testing::TinySpec(), FromText(isa::testing::TinySpec(), kOrdered));
  EXPECT_TRUE(counters.completed) << counters.error;
}

TEST(HazardWatch, NamesALoadAndAGemmThatNeedAToken) {
  std::string text = Replace(kOrdered, " push(load_to_gemm)", "");
  text = Replace(text, " pop(load_to_gemm)", "");
  const runtime::Counters counters =
      Watch(isa::testing::TinySpec(), FromText(isa::testing::TinySpec(), text));
  EXPECT_FALSE(counters.completed);
  EXPECT_THAT(counters.error,
              HasSubstr("hazard: #0 load_gemm_uop and #3 gemm (layer conv3) are in flight together"));
  EXPECT_THAT(counters.error, HasSubstr("touch the same part of gemm_uop"));
}

TEST(HazardWatch, NamesAStoreAndALoadOfTheSameBytes) {
  std::string text = Replace(kOrdered, " push(store_to_load)", "");
  text = Replace(text, "load_inp dram=0x3000 sram=64 rows=1 cols=4 pop(store_to_load)",
                 "load_inp dram=0x3004 sram=64 rows=1 cols=1 pop(alu_to_load)");
  text = Replace(text, "push(alu_to_store)", "push(alu_to_store, alu_to_load)");
  const runtime::Counters counters =
      Watch(isa::testing::TinySpec(), FromText(isa::testing::TinySpec(), text));
  EXPECT_FALSE(counters.completed);
  EXPECT_THAT(counters.error, HasSubstr("store_out and #6 load_inp"));
  EXPECT_THAT(counters.error, HasSubstr("touch the same part of DRAM"));
}

TEST(HazardWatch, SaysNothingThatTheVerifierDoesNot) {
  int hazards = 0;
  for (const char* name : {"cosim", "vta"}) {
    const isa::Spec spec = MakeSpec(name);
    for (uint64_t seed = 1; seed <= 40; ++seed) {
      isa::Program program = isa::testing::RandomProgram(spec, {.seed = seed});
      EXPECT_TRUE(Watch(spec, program).completed) << name << " seed " << seed;
      // Without any tokens, what was ordered by them may meet.
      for (isa::Instruction& instruction : program.instructions) {
        const isa::InstructionFormat& format = spec.formats[static_cast<size_t>(instruction.format)];
        for (const auto& flags : {format.pops, format.pushes}) {
          for (const auto& [queue, field] : flags) instruction.values[static_cast<size_t>(field)] = 0;
        }
      }
      const runtime::Counters counters = Watch(spec, program);
      if (counters.completed) continue;
      hazards += counters.error.starts_with("hazard: #") ? 1 : 0;  // others used micro-ops before they came
      EXPECT_FALSE(isa::Verify(spec, program, isa::testing::OnWrittenMemories()).ok()) << counters.error;
    }
  }
  EXPECT_GT(hazards, 20);
}

}  // namespace
}  // namespace cosim::sim
