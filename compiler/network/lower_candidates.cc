// SPDX-License-Identifier: Apache-2.0
// Which tile a group's kernel gets: the tile model's favourites, measured.
#include <algorithm>
#include <span>

#include "compiler/accel/pipeline.h"
#include "compiler/network/lower_group.h"
#include "compiler/network/measure.h"
#include "isa/check.h"

namespace cosim::network {

namespace {

// The tile model is too coarse for what remains of a wait at the ends of small kernels, and for threads that
// do not pay. So the timing engine decides between its favourites, as many as it can run in so many simulated
// cycles: that bounds what a group adds to the time of compilation.
constexpr double kMeasuredCycles = 500'000;
constexpr size_t kMostMeasured = 8;
// Of large kernels with fewer steps than kMostStepsAlone, so many by themselves: their ends matter little.
constexpr size_t kMeasuredAlone = 3;
constexpr double kMostStepsAlone = 4'000;

}  // namespace

GroupLowering::Rhythm GroupLowering::RhythmOf(const Plan& plan) {
  return {plan.kind, plan.window, plan.epilogue.Rhythm()};
}

GroupLowering::Situation GroupLowering::SituationOf(const Plan& plan, bool alone) const {
  Situation situation{.rhythm = RhythmOf(plan), .alone = alone, .before = {}, .before_tile = {}};
  if (!alone && before_) situation.before = before_->rhythm, situation.before_tile = before_->cost.tile;
  return situation;
}

std::vector<GroupLowering::Lowered> GroupLowering::LowerTiles(const Group& group, const Plan& plan,
                                                              std::span<const TileCost> ranked, size_t count,
                                                              std::string& reason) const {
  constexpr size_t kMostTries = 64;
  std::vector<Lowered> found;
  for (const TileCost& candidate : ranked.first(std::min(ranked.size(), kMostTries))) {
    if (found.size() == count) break;
    kernels::KernelTe te =
        BuildKernel(spec_, array_, group.name, *plan.kind, plan.window, plan.epilogue, candidate.tile);
    accel::Draft draft{spec_, std::move(te.function), {}, cursor_, candidate.tile.units};
    std::vector<std::string> texts;
    accel::Watch watch;
    if (options_.after_pass)
      watch = [&](const accel::Pass& pass, const accel::Draft& now) {
        texts.push_back(accel::TextAfter(pass, now));
      };
    const accel::PipelineResult result = RunPipeline(draft, watch);
    if (!result.refusal) {
      found.push_back({std::move(draft.kernel), std::move(te.roles), candidate, std::move(draft.cursor),
                       std::move(texts)});
      continue;
    }
    reason = result.refusal.reason;
    // The model counts elements, not what alignment costs nor what fields hold: the next may fit.
    if (!result.another_tile_may_pass) return {};
  }
  return found;
}

double GroupLowering::Affordable(double cycles) const {
  return kMeasuredCycles / ((before_ ? before_->cost.cycles : 0) + 2 * cycles);
}

bool GroupLowering::MeasuredAlone(double cycles) const { return Affordable(cycles) < kMeasuredAlone; }

std::optional<runtime::Cycle> GroupLowering::Measure(std::span<const accel::Kernel> kernels,
                                                     accel::StorageCursor cursor, bool alone) const {
  std::vector<const accel::Kernel*> row;
  if (!alone && before_) row.push_back(&before_->kernel);
  for (const accel::Kernel& kernel : kernels) row.push_back(&kernel);
  std::vector<accel::Kernel> again;
  if (!alone) again.assign(kernels.begin(), kernels.end());
  for (accel::Kernel& kernel : again) {
    COSIM_CHECK(!accel::AssignStorage(kernel, spec_, cursor));
    row.push_back(&kernel);
  }
  return CyclesInARow(spec_, row);
}

std::vector<GroupLowering::Lowered> GroupLowering::LowerCandidates(const Group& group, const Plan& plan,
                                                                   const std::vector<TileCost>& ranked,
                                                                   std::string& reason) {
  if (ranked.empty()) return {};
  const double affordable = Affordable(ranked.front().cycles);
  const bool alone = MeasuredAlone(ranked.front().cycles);
  const size_t least =
      ranked.front().steps > kMostStepsAlone || options_.virtual_threads == 1 ? 1 : kMeasuredAlone;
  const size_t measured = alone ? least : std::min(static_cast<size_t>(affordable), kMostMeasured);
  const Situation situation = SituationOf(plan, alone);
  const auto known = std::ranges::find(known_, situation, &Known::situation);
  std::vector<Lowered> candidates;
  if (known != known_.end()) candidates = LowerTiles(group, plan, {&known->cost, 1}, 1, reason);
  const bool decided = !candidates.empty();
  if (decided && !options_.explain) return candidates;

  const auto add = [&](std::span<const TileCost> tiles, size_t count) {
    for (Lowered& lowered : LowerTiles(group, plan, tiles, count, reason))
      if (std::ranges::none_of(candidates,
                               [&](const Lowered& c) { return c.cost.tile == lowered.cost.tile; }))
        candidates.push_back(std::move(lowered));
  };
  add(ranked, measured);
  const auto is_single = [](const TileCost& cost) { return cost.tile.threads == 1; };
  if (measured > 1 && !candidates.empty() && std::ranges::none_of(candidates, is_single, &Lowered::cost)) {
    const auto single = std::ranges::find_if(ranked, is_single);
    if (single != ranked.end()) add({single, 1}, 1);
  }
  const size_t choice = candidates.size();
  if (options_.explain && choice <= kAlternatives) add(ranked, 1 + kAlternatives);
  if (candidates.size() < 2) return candidates;

  for (Lowered& lowered : candidates)
    lowered.measured = Measure({&lowered.kernel, 1}, lowered.cursor, alone)
                           .value_or(static_cast<runtime::Cycle>(lowered.cost.cycles));
  const size_t first = decided ? 1 : 0;  // what run takes stays in front
  std::ranges::stable_sort(std::span(candidates).subspan(first, choice - first), {}, &Lowered::measured);
  if (!decided && choice > 1) known_.push_back({situation, candidates.front().cost});
  return candidates;
}

}  // namespace cosim::network
