// SPDX-License-Identifier: Apache-2.0
// Two convolutions as one kernel: what the first one computes stays on chip, where the second one reads it.
// See lower_group.h.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/network/lower_group.h"
#include "compiler/network/measure.h"

namespace cosim::network {
namespace {

constexpr size_t kFedMeasured = 8;  // schedules of two convolutions, the tile model's favourites

}  // namespace

bool GroupLowering::CanFeed() const {
  if (!no_array_.empty() || !array_.HasParameters() || array_.block_in != array_.block_out ||
      array_.InElements() != array_.OutElements())
    return false;
  return std::ranges::any_of(spec_.alu_ops, [&](const isa::AluOp& op) {
    return op.result.memory == array_.activations && accel::Misfit(spec_, op).empty();
  });
}

bool GroupLowering::PlanFeeder(const Group& group, Plan& plan, std::string& reason) const {
  if (group.feeder.empty()) return true;
  auto feeder = std::make_shared<Feeder>();
  feeder->group = {GroupKind::kConvolution, graph_.node(group.feeder.front()).name, group.feeder, {}};
  if (!MakePlan(feeder->group, feeder->out, feeder->plan, reason)) return false;
  if (feeder->plan.kind->SumsChannels())
    return reason = "the convolution before sums over blocks of channels: its results have another layout",
           false;
  if (plan.window.pool) return reason = "a pool behind it shares sums among tiles", false;
  if (plan.window.spread) return reason = "its results stand apart", false;
  plan.window.fed = true;
  plan.feeder = std::move(feeder);
  return true;
}

std::optional<GroupLowering::Fed> GroupLowering::LowerFed(const TurnPair& pair) const {
  if (options_.keep_every_value || !CanFeed() || pair.b->output_layout.pixels != 0) return std::nullopt;
  const std::optional<Group> group = Feed(graph_, *pair.first, *pair.second);
  Fed fed;
  Plan plan;
  std::string reason;
  if (!group || !MakePlan(*group, fed.made, plan, reason)) return std::nullopt;
  GroupLowering there = *this;  // where the two stand
  there.cursor_ = pair.a->begins;
  const RankedTiles ranked = Ranked(plan);
  std::vector<Lowered> candidates =
      there.LowerTiles(*group, plan, ranked.ranking->cheapest, kFedMeasured, reason);

  const auto cycles_of = [&](std::initializer_list<const accel::Kernel*> kernels) {
    std::vector<const accel::Kernel*> row(kernels);
    if (pair.before) row.insert(row.begin(), &pair.before->kernel);
    if (pair.behind) row.push_back(&pair.behind->kernel);
    return CyclesInARow(spec_, row, options_.cache);
  };
  const auto apart = cycles_of({&pair.a->kernel, &pair.b->kernel});
  Lowered* best = nullptr;
  for (Lowered& candidate : candidates) {
    const auto together = cycles_of({&candidate.kernel});
    if (!apart || !together || *apart - *together <= fed.gain) continue;
    fed.gain = *apart - *together;
    best = &candidate;
  }
  if (best == nullptr) return std::nullopt;
  if (options_.explain) fed.made.knobs = KnobsOf(best->cost.tile, ranked.ranking->cheapest);
  fed.texts = std::move(best->texts);
  Complete(*group, plan, *best, fed.made);
  fed.group = *group;
  return fed;
}

std::vector<PackedConstant> GroupLowering::MakeFeederConstants(const Plan& plan) const {
  const Feeder& feeder = *plan.feeder;
  std::vector<PackedConstant> constants = MakeConstants(feeder.group, feeder.plan, feeder.out);
  for (PackedConstant& constant : constants)
    constant.role = constant.role == Role::kWeights ? Role::kFeederWeights : Role::kFeederParameters;
  return constants;
}

}  // namespace cosim::network
