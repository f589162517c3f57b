// SPDX-License-Identifier: Apache-2.0
// Whether an operation such as a residual add or a max pool joins the convolution before it. In one kernel
// the sums stay on chip; in two the tiles of the convolution may be larger, as nothing else stands in their
// buffer and no windows overlap at their ends.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/network/lower_group.h"
#include "compiler/network/measure.h"

namespace cosim::network {

using runtime::Cycle;

namespace {

// What the tile model says is so far off at the worst, as measured over the zoo. Elsewhere nobody measures.
constexpr double kSurelyOne = 0.95;  // of the cycles of two kernels
constexpr double kSurelyFree =
    0.125;  // of the add's cycles, which one kernel takes more than the convolution

}  // namespace

double GroupLowering::Estimate(const Plan& plan) const {
  const auto ranking = Ranked(plan).ranking;
  return ranking->cheapest.empty() ? 0 : ranking->cheapest.front().cycles;
}

std::optional<Cycle> GroupLowering::MeasureGroups(std::span<const Group> groups, const Group* behind,
                                                  std::vector<Known>& known) const {
  GroupLowering trial = *this;
  trial.options_ = {.virtual_threads = options_.virtual_threads,
                    .timing_only = true,
                    .after_pass = {},
                    .cache = options_.cache};
  std::vector<const Group*> all;
  std::vector<AcceleratorGroup> lowered;
  std::string reason;
  for (const Group& group : groups) {
    auto made = trial.Lower(group, reason);
    if (!made) return std::nullopt;
    lowered.push_back(std::move(*made));
    all.push_back(&group);
  }
  if (behind) {
    if (auto made = trial.Lower(*behind, reason)) {
      lowered.push_back(std::move(*made));
      all.push_back(behind);
    }
  }
  known = std::move(trial.known_);

  AcceleratorGroup before;
  std::vector<const accel::Kernel*> row;
  if (before_) {
    before.kernel = before_->kernel;
    before.tile = before_->cost.tile;
    row.push_back(&before.kernel);
  }
  for (const AcceleratorGroup& group : lowered) row.push_back(&group.kernel);
  const auto cycles = CyclesInARow(spec_, row, options_.cache);
  if (!cycles) return std::nullopt;
  Cycle gain = 0;  // no group takes turns with two others
  for (size_t i = 1; i < lowered.size(); ++i) {
    if (lowered[i].input != lowered[i - 1].output) continue;
    const auto turns = trial.LowerByTurns({.first = all[i - 1],
                                           .a = &lowered[i - 1],
                                           .second = all[i],
                                           .b = &lowered[i],
                                           .before = i > 1     ? &lowered[i - 2]
                                                     : before_ ? &before
                                                               : nullptr,
                                           .behind = i + 1 < lowered.size() ? &lowered[i + 1] : nullptr});
    if (turns) gain = std::max(gain, turns->tiles.gain);
  }
  return *cycles - gain;
}

Cycle GroupLowering::GainApart(const Group& whole, const Plan& plan, std::span<const Group> parts,
                               const Group* behind) {
  Plan convolution_plan, add_plan;
  AcceleratorGroup out;
  std::string reason;
  if (!MakePlan(parts[0], out, convolution_plan, reason) || !MakePlan(parts[1], out, add_plan, reason))
    return 0;
  const double together = Estimate(plan), convolution = Estimate(convolution_plan), add = Estimate(add_plan);
  if (together == 0 || convolution == 0 || add == 0) return 0;
  const bool sure = together < kSurelyOne * (convolution + add) || together < convolution + kSurelyFree * add;
  if (sure && !plan.window.pool) return 0;

  std::vector<Known> by_one, by_two;
  const auto one = MeasureGroups({&whole, 1}, behind, by_one), two = MeasureGroups(parts, behind, by_two);
  if (!one || !two) return 0;
  known_ = std::move(*two < *one ? by_two : by_one);
  return *one - *two;
}

bool GroupLowering::QuickerApart(const Group& whole, std::span<const Group> parts, const Group* behind,
                                 std::string& why) {
  Plan plan;
  AcceleratorGroup out;
  std::string reason;
  if (!MakePlan(whole, out, plan, reason)) return false;
  Situation situation = SituationOf(plan, /*alone=*/false);
  if (Plan next; behind && MakePlan(*behind, out, next, reason)) situation.behind = RhythmOf(next);
  const auto known = std::ranges::find(fusions_, situation, &Fusion::situation);
  const Cycle gain = known == fusions_.end() ? GainApart(whole, plan, parts, behind) : known->gain;
  if (known == fusions_.end()) fusions_.push_back({situation, gain});
  const graph::Op& op = graph_.node(parts[1].anchor()).op;
  const std::string name = std::holds_alternative<graph::QAdd>(op) ? "add" : graph::DisplayName(op);
  if (gain > 0) why = fmt::format("the {} by itself: one kernel for both takes {} cycles more", name, gain);
  if (gain < 0)
    why = fmt::format("with the {}: a kernel of its own for it takes {} cycles more", name, -gain);
  return gain > 0;
}

}  // namespace cosim::network
