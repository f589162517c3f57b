// SPDX-License-Identifier: Apache-2.0
// Draw, build, compare; on a difference shrink and save.
#include "tests/hw/lockstep_sweep.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>

#include "isa/check.h"
#include "isa/program/disassembler.h"
#include "isa/verify/verify.h"
#include "sim/rtl/rtl_library.h"
#include "tests/hw/isolate.h"
#include "tests/hw/lockstep.h"
#include "tests/hw/lockstep_pair.h"
#include "tests/isa/program/random_program.h"
#include "tests/isa/program/shrink.h"

namespace cosim::testing {
namespace {

using isa::testing::Random;

constexpr int kStallPercents[] = {20, 50, 80};

double Seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::unique_ptr<sim::RtlModel> Build(const isa::Spec& spec) {
  Diagnostics diags;
  const auto library = sim::BuildRtl(spec, {.assertions = true, .quick = true, .progress = {}}, diags);
  COSIM_CHECK(library.has_value(), "{}", diags.Render());
  return sim::MakeRtlModel(*library);
}

class Sweeper {
 public:
  explicit Sweeper(const SweepOptions& options) : options_(options) {}

  SweepResult Run() {
    const double end = Seconds() + options_.minutes * 60;
    for (Random random(options_.seed); result_.configurations < options_.configurations && Seconds() < end;) {
      ++result_.drawn;
      Random own(random.Next());
      std::optional<LockstepPair> pair = DrawPair(own, options_.isa);
      if (!pair) continue;
      ++result_.configurations;
      RunPair(*pair, own);
    }
    return std::move(result_);
  }

 private:
  void RunPair(LockstepPair& pair, Random& random) {
    const double start = Seconds();
    model_ = Build(pair.spec);
    const double built = Seconds();
    const int64_t cycles_before = result_.cycles;
    int program_number = 0;
    for (bool equal = true; equal && program_number < options_.programs; ++program_number) {
      const isa::Program program = DrawProgram(pair.spec, random.Next());
      const auto verified = isa::Verify(pair.spec, program, isa::testing::OnWrittenMemories());
      COSIM_CHECK(verified.ok(), "a drawn program is not legal: {}", verified.Render());
      result_.coverage.Add(pair.spec, program);
      equal = RunProgram(pair, program, {.seed = random.Next()});
      ++result_.programs;
      if (!equal || program_number % 4 != 0) continue;
      equal = RunProgram(pair, program,
                         {.seed = random.Next(), .stall_percent = kStallPercents[program_number % 3]});
      ++result_.stalled;
    }
    const double ran = Seconds();
    result_.build_seconds += built - start;
    result_.run_seconds += ran - built;
    fmt::print("{:4} {}: built in {:.0f} s, {} programs, {} cycles in {:.1f} s\n", result_.configurations,
               pair.Summary(), built - start, program_number, result_.cycles - cycles_before, ran - built);
    std::fflush(stdout);
  }

  bool RunProgram(const LockstepPair& pair, const isa::Program& program, const LockstepOptions& options) {
    const LockstepResult result = CompareIsolated(*model_, pair.spec, program, options);
    result_.cycles += result.cycles;
    if (result.difference.empty()) return true;
    ++result_.differences;
    const auto difference = [&](const isa::Program& candidate) {
      return CompareIsolated(*model_, pair.spec, candidate, options).difference;
    };
    const isa::Program small = isa::testing::Shrink(
        pair.spec, program, [&](const isa::Program& candidate) { return !difference(candidate).empty(); });
    const std::filesystem::path folder =
        options_.failures / fmt::format("{}-{}", options_.seed, result_.configurations);
    SaveFailure(folder, {pair, small, options});
    fmt::print("DIFFERENCE in a program of {} instructions\n{}shrunk to {}:\n{}", program.instructions.size(),
               result.difference, small.instructions.size(), difference(small));
    for (const isa::Instruction& instruction : small.instructions)
      fmt::print("  {}\n", isa::DisassembleInstruction(pair.spec, instruction));
    fmt::print("saved; again with: scripts/lockstep --reproduce={}\n", folder.string());
    return false;
  }

  const SweepOptions& options_;
  SweepResult result_;
  std::unique_ptr<sim::RtlModel> model_;
};

}  // namespace

SweepResult Sweep(const SweepOptions& options) { return Sweeper(options).Run(); }

bool Reproduce(const std::filesystem::path& folder) {
  Diagnostics diags;
  const std::optional<LockstepFailure> failure = LoadFailure(folder, diags);
  if (!failure) {
    std::fputs(diags.Render().c_str(), stderr);
    return false;
  }
  const std::unique_ptr<sim::RtlModel> model = Build(failure->pair.spec);
  const std::string difference =
      CompareIsolated(*model, failure->pair.spec, failure->program, failure->options).difference;
  fmt::print("{}", difference.empty() ? "no difference\n" : difference);
  return difference.empty();
}

}  // namespace cosim::testing
