// SPDX-License-Identifier: Apache-2.0
#include "compiler/accel/pipeline.h"

#include <algorithm>
#include <array>

#include "compiler/accel/instruction_writer.h"
#include "compiler/accel/verify_kernel.h"
#include "isa/check.h"

namespace cosim::accel {
namespace {

// A schedule template has made the loops: nothing is left to do before the first pass.
Refusal Lowered(Draft&) { return {}; }

Refusal RunTensorize(Draft& draft) { return Tensorize(draft.function, draft.spec, draft.kernel); }

Refusal RunVirtualThreads(Draft& draft) {
  InterleaveVirtualThreads(draft.kernel);
  return {};
}

Refusal RunShareUnits(Draft& draft) {
  ShareUnits(draft.kernel, draft.spec, draft.units);
  return {};
}

Refusal RunStorage(Draft& draft) { return AssignStorage(draft.kernel, draft.spec, draft.cursor); }

Refusal RunInstructions(Draft& draft) { return CheckInstructions(draft.kernel, draft.spec); }

constexpr std::array kPasses = {
    Pass{"lower", "the schedule as loops", Lowered},
    Pass{"tensorize", "innermost nests become transfers, tensor intrinsics and ALU ops of the spec",
         RunTensorize},
    Pass{"virtual_threads", "leaves of several threads take turns", RunVirtualThreads},
    Pass{"share_units", "threads are dealt to all units whose instructions compute the same", RunShareUnits},
    Pass{"storage", "every on-chip buffer gets its place", RunStorage, true},
    Pass{"instructions", "the fields of all instructions hold what they have to", RunInstructions, true},
};

// Those before the first that looks at sizes.
constexpr size_t kUnplaced = std::ranges::find(kPasses, &RunStorage, &Pass::run) - kPasses.begin();

PipelineResult RunPasses(std::span<const Pass> passes, Draft& draft, const Watch& watch) {
  for (const Pass& pass : passes) {
    if (Refusal refusal = pass.run(draft)) return {std::move(refusal), pass.depends_on_tiles};
    const std::string wrong = VerifyKernel(draft.kernel, draft.spec);
    COSIM_CHECK(wrong.empty(), "{} after {}: {}", draft.function.name, pass.name, wrong);
    if (watch) watch(pass, draft);
  }
  return {};
}

}  // namespace

std::span<const Pass> Pipeline() { return kPasses; }

std::string PassNames() {
  std::string names;
  for (const Pass& pass : kPasses) names += fmt::format("{}{}", names.empty() ? "" : ", ", pass.name);
  return names;
}

PipelineResult MakeUnplaced(Draft& draft, const Watch& watch) {
  return RunPasses(std::span(kPasses).first(kUnplaced), draft, watch);
}

PipelineResult PlaceOnChip(Draft& draft, const Watch& watch) {
  return RunPasses(std::span(kPasses).subspan(kUnplaced), draft, watch);
}

PipelineResult RunPipeline(Draft& draft, const Watch& watch) { return RunPasses(kPasses, draft, watch); }

std::string TextAfter(const Pass& pass, const Draft& draft) {
  return pass.run == Lowered ? tir::ToString(draft.function) : ToString(draft.kernel);
}

}  // namespace cosim::accel
