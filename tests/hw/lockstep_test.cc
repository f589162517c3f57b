// SPDX-License-Identifier: Apache-2.0
// RTL against models on random programs: every issue and retirement to the cycle, every element on chip to
// the bit.
#include "tests/hw/lockstep.h"

#include <gtest/gtest.h>

#include "isa/program/assembler.h"
#include "isa/program/disassembler.h"
#include "isa/spec/loader.h"
#include "isa/verify/verify.h"
#include "sim/rtl/rtl_library.h"
#include "tests/hw/isolate.h"
#include "tests/hw/lockstep_pair.h"
#include "tests/hw/lockstep_sweep.h"
#include "tests/hw/models.h"
#include "tests/isa/program/random_program.h"

namespace cosim::testing {
namespace {

class Lockstep : public ::testing::TestWithParam<std::string> {
 protected:
  std::string Difference(const isa::Program& program, const LockstepOptions& options) {
    return Compare(*model_, spec_, program, options).difference;
  }

  isa::Spec spec_ = SpecOf(GetParam());
  std::unique_ptr<sim::RtlModel> model_ = MakeModel(GetParam());
};

TEST_P(Lockstep, AgreesWithTheModels) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const isa::Program program = isa::testing::RandomProgram(spec_, {.seed = seed});
    ASSERT_EQ(Difference(program, {.seed = seed}), "") << "seed " << seed;
  }
}

TEST_P(Lockstep, AgreesWhateverTheLatencies) {
  for (uint64_t seed = 101; seed <= 140; ++seed) {
    const isa::Program program = DrawProgram(spec_, seed);
    ASSERT_EQ(Difference(program, {.seed = seed}), "") << "seed " << seed;
  }
}

TEST_P(Lockstep, ComputesTheSameWhenTheBusStalls) {
  for (uint64_t seed = 301; seed <= 315; ++seed) {
    const isa::Program program = DrawProgram(spec_, seed);
    ASSERT_EQ(Difference(program, {.seed = seed, .stall_percent = 50}), "") << "seed " << seed;
  }
}

TEST_P(Lockstep, StartsCleanAfterAResetInMidProgram) {
  for (uint64_t seed = 401; seed <= 410; ++seed) {
    const isa::Program broken_off = DrawProgram(spec_, seed);
    sim::BuiltInMemory memory(spec_.dram);
    const sim::RtlRunOptions reset{.reset_at = static_cast<runtime::Cycle>(seed * 37 % 400)};
    sim::RunRtl(*model_, spec_, broken_off, DramOf(spec_, broken_off), memory, reset);
    const isa::Program program = DrawProgram(spec_, seed + 50);
    ASSERT_EQ(Difference(program, {.seed = seed}), "") << "seed " << seed;
  }
}

TEST_P(Lockstep, DoesNotDependOnWhatRegistersHeldBeforeTheReset) {
  const isa::Program program = DrawProgram(spec_, 500);
  for (int seed = 2; seed <= 5; ++seed) {
    const std::unique_ptr<sim::RtlModel> other = MakeModel(GetParam(), seed);
    ASSERT_EQ(Compare(*other, spec_, program).difference, "") << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Lockstep, ::testing::ValuesIn(AllModels()),
                         [](const auto& info) { return info.param; });

/// The two units work at the same time; the one that resets names no banks of inp.
constexpr char kResetText[] = R"(.dram 0x4000
.code 0x3000
.instructions code 0x3000
.micro_ops alu_uops 0x1000 {
  alu_uop dst=0 src=0 aux=0
}
.micro_ops gemm_uops 0x2000 {
  gemm_uop dst=0 src=0 wgt=0
}
load_alu_uop dram=0x1000 rows=1 cols=1 stride=1 push(load_to_alu)
load_gemm_uop dram=0x2000 rows=1 cols=1 stride=1 push(load_to_gemm)
alu op=widen lock_acc=0b0001 lock_inp=1 uop=[0,1) iter_out=1 iter_in=60 dst_in=1 src_in=1 pop(load_to_alu)
gemm reset=1 lock_acc=0b0010 uop=[0,1) iter_out=1 iter_in=60 dst_base=64 dst_in=1 pop(load_to_gemm)
)";

TEST(Lockstep, GemmThatResetsReadsNoTiles) {
  Diagnostics diags;
  isa::SourceText isa = *isa::ReadSource(COSIM_SOURCE_DIR "/isa/cosim.yaml", diags);
  const isa::SourceText config = *isa::ReadSource(COSIM_SOURCE_DIR "/configs/tiny.yaml", diags);
  isa.text.insert(isa.text.find("      overwrite: uint(1) "), "      reset: uint(1)\n");
  const std::optional<isa::Spec> spec = isa::Elaborate(isa, config, {{"parameters.inp_banks", "1"}}, diags);
  ASSERT_TRUE(spec.has_value()) << diags.Render();
  const auto library = sim::BuildRtl(*spec, {.assertions = true, .mutants = {}, .progress = {}}, diags);
  ASSERT_TRUE(library.has_value()) << diags.Render();
  const auto assembly = isa::Assemble(*spec, {"reset.s", kResetText}, diags);
  ASSERT_TRUE(assembly.has_value()) << diags.Render();
  ASSERT_TRUE(isa::Verify(*spec, assembly->program, isa::testing::OnWrittenMemories()).ok());
  EXPECT_EQ(CompareIsolated(*sim::MakeRtlModel(*library), *spec, assembly->program).difference, "");
}

TEST(Lockstep, AnAluMayReadNothing) {
  Diagnostics diags;
  isa::SourceText isa = *isa::ReadSource(COSIM_SOURCE_DIR "/tests/hw/every_op.yaml", diags);
  const isa::SourceText config = *isa::ReadSource(COSIM_SOURCE_DIR "/tests/hw/every.yaml", diags);
  isa.text.erase(isa.text.find("alu_ops:\n") + sizeof("alu_ops:"));
  isa.text +=
      R"yaml(  set: {code: 0, doc: Reads nothing., operands: {}, result: "out[dst]", body: ["sat(imm, 9)"]})yaml";
  std::optional<isa::Spec> spec = isa::Elaborate(isa, config, {}, diags);
  ASSERT_TRUE(spec.has_value()) << diags.Render();
  const auto library = sim::BuildRtl(*spec, {.assertions = true, .quick = true, .progress = {}}, diags);
  ASSERT_TRUE(library.has_value()) << diags.Render();
  const std::unique_ptr<sim::RtlModel> model = sim::MakeRtlModel(*library);
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const isa::Program program = DrawProgram(*spec, seed);
    EXPECT_EQ(Compare(*model, *spec, program, {.seed = seed}).difference, "") << "seed " << seed;
  }
}

TEST(LockstepFailure, IsSavedAndLoaded) {
  isa::testing::Random random(8);
  std::optional<LockstepPair> pair = DrawPair(random);
  ASSERT_TRUE(pair.has_value());
  const isa::Program program = DrawProgram(pair->spec, 9);
  const std::string folder = ::testing::TempDir() + "lockstep_failure";
  SaveFailure(folder, {*pair, program, {.seed = 7, .stall_percent = 20}});
  Diagnostics diags;
  const std::optional<LockstepFailure> loaded = LoadFailure(folder, diags);
  ASSERT_TRUE(loaded.has_value()) << diags.Render();
  EXPECT_EQ(loaded->pair.spec.fingerprint, pair->spec.fingerprint);
  EXPECT_EQ(loaded->pair.spec.dram.latency, pair->spec.dram.latency);
  EXPECT_EQ(loaded->pair.spec.dram.seed, pair->spec.dram.seed);
  EXPECT_EQ(isa::Disassemble(loaded->pair.spec, loaded->program), isa::Disassemble(pair->spec, program));
  EXPECT_EQ(loaded->options.seed, 7u);
  EXPECT_EQ(loaded->options.stall_percent, 20);
}

TEST(Sweep, AgreesOnHardwareNobodyWrote) {
  const SweepResult result = Sweep({.seed = 3, .minutes = 30, .configurations = 2, .programs = 30});
  EXPECT_EQ(result.programs, 60);
  EXPECT_EQ(result.differences, 0);
}

}  // namespace
}  // namespace cosim::testing
