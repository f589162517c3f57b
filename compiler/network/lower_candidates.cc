// SPDX-License-Identifier: Apache-2.0
// Which tile a group's kernel gets: the tile model's favourites, measured.
#include <algorithm>
#include <span>
#include <tuple>

#include "compiler/accel/instruction_writer.h"
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

/// Whether two kernels differ in numbers at most, not in what they do when.
template <typename Plan>
bool SamePlanTiming(const Plan& a, const Plan& b) {
  const auto steps = [](const EpilogueInfo& e) {
    return std::tuple(e.requantize, e.pure_shift, e.twice, e.add != nullptr, e.mul != nullptr,
                      e.rescale != nullptr, e.scaled_add);
  };
  return a.anchor == b.anchor && a.window == b.window && steps(a.epilogue) == steps(b.epilogue);
}

template <typename Known>
bool SameTiming(const Known& a, const Known& b) {
  if (a.alone != b.alone || !SamePlanTiming(a.plan, b.plan) || a.before.has_value() != b.before.has_value())
    return false;
  return !a.before || (SamePlanTiming(*a.before, *b.before) && a.before_tile == b.before_tile);
}

}  // namespace

GroupLowering::Known GroupLowering::KeyOf(const Plan& plan, bool alone) const {
  Known key{.alone = alone, .plan = plan};
  if (!alone && before_) key.before = before_->plan, key.before_tile = before_->cost.tile;
  return key;
}

std::vector<GroupLowering::Lowered> GroupLowering::LowerTiles(const Group& group, const Plan& plan,
                                                              std::span<const TileCost> ranked, size_t count,
                                                              std::string& reason) const {
  constexpr size_t kMostTries = 64;
  std::vector<Lowered> found;
  for (const TileCost& candidate : ranked.first(std::min(ranked.size(), kMostTries))) {
    if (found.size() == count) break;
    KernelTe te =
        BuildKernel(spec_, array_, group.name, plan.anchor, plan.window, plan.epilogue, candidate.tile);
    Lowered lowered{{}, std::move(te.roles), candidate, cursor_, {}};
    if (const auto refusal = accel::Tensorize(te.function, spec_, lowered.kernel)) {
      reason = refusal.reason;
      return {};
    }
    if (options_.after_pass) lowered.texts = {tir::ToString(te.function), accel::ToString(lowered.kernel)};
    accel::InterleaveVirtualThreads(lowered.kernel);
    if (options_.after_pass) lowered.texts.push_back(accel::ToString(lowered.kernel));
    auto refusal = accel::AssignStorage(lowered.kernel, spec_, lowered.cursor);
    if (!refusal) refusal = accel::CheckInstructions(lowered.kernel, spec_);
    // The model counts elements, not what alignment costs nor what fields hold: the next may fit.
    if (refusal)
      reason = refusal.reason;
    else
      found.push_back(std::move(lowered));
  }
  return found;
}

runtime::Cycle GroupLowering::Measure(const Lowered& lowered, bool alone) const {
  accel::Kernel again = lowered.kernel;
  std::vector<const accel::Kernel*> row = {&lowered.kernel};
  if (!alone) {
    accel::StorageCursor cursor = lowered.cursor;
    COSIM_CHECK(!accel::AssignStorage(again, spec_, cursor));
    row.push_back(&again);
    if (before_) row.insert(row.begin(), &before_->kernel);
  }
  return CyclesInARow(spec_, row).value_or(static_cast<runtime::Cycle>(lowered.cost.cycles));
}

std::vector<GroupLowering::Lowered> GroupLowering::LowerCandidates(const Group& group, const Plan& plan,
                                                                   const std::vector<TileCost>& ranked,
                                                                   std::string& reason) {
  if (ranked.empty()) return {};
  const double affordable =
      kMeasuredCycles / ((before_ ? before_->cost.cycles : 0) + 2 * ranked.front().cycles);
  const bool alone = affordable < kMeasuredAlone;
  const size_t least =
      ranked.front().steps > kMostStepsAlone || options_.virtual_threads == 1 ? 1 : kMeasuredAlone;
  const size_t measured = alone ? least : std::min(static_cast<size_t>(affordable), kMostMeasured);
  const Known key = KeyOf(plan, alone);
  if (const auto known = std::ranges::find_if(known_, [&](const Known& k) { return SameTiming(k, key); });
      known != known_.end() && !options_.explain)
    if (auto same = LowerTiles(group, plan, {&known->cost, 1}, 1, reason); !same.empty()) return same;
  auto candidates = LowerTiles(group, plan, ranked, measured, reason);
  const auto add = [&](std::vector<Lowered> more, auto wanted) {
    for (Lowered& lowered : more)
      if (wanted(lowered)) candidates.push_back(std::move(lowered));
  };
  if (measured > 1 && !candidates.empty()) {
    const auto single = std::ranges::find(ranked, 1, [](const TileCost& cost) { return cost.tile.threads; });
    const auto is_single = [](const Lowered& lowered) { return lowered.cost.tile.threads == 1; };
    if (single != ranked.end() && std::ranges::none_of(candidates, is_single))
      add(LowerTiles(group, plan, std::span(single, ranked.end()), 1, reason), is_single);
  }
  const auto choice = static_cast<std::ptrdiff_t>(candidates.size());
  if (options_.explain && choice <= static_cast<std::ptrdiff_t>(kAlternatives)) {
    const auto is_new = [&](const Lowered& lowered) {
      return std::ranges::none_of(candidates,
                                  [&](const Lowered& c) { return c.cost.tile == lowered.cost.tile; });
    };
    add(LowerTiles(group, plan, ranked, 1 + kAlternatives, reason), is_new);
  }
  if (candidates.size() < 2) return candidates;
  for (Lowered& lowered : candidates) lowered.measured = Measure(lowered, alone);
  std::ranges::stable_sort(candidates.begin(), candidates.begin() + choice, {}, &Lowered::measured);
  known_.push_back(key);
  known_.back().cost = candidates.front().cost;
  return candidates;
}

}  // namespace cosim::network
