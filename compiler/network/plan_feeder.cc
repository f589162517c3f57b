// SPDX-License-Identifier: Apache-2.0
// Two convolutions as one kernel: what the first one computes stays on chip, where the second one reads it.
// See lower_group.h.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/network/lower_group.h"

namespace cosim::network {

bool GroupLowering::CanFeed() const {
  if (!no_array_.empty() || !array_.HasParameters() || array_.block_in != array_.block_out ||
      array_.InElements() != array_.OutElements())
    return false;
  return std::ranges::any_of(spec_.alu_ops, [&](const isa::AluOp& op) {
    return op.result.memory == array_.activations && accel::Misfit(spec_, op).empty();
  });
}

std::vector<Group> GroupLowering::Groups(const FuseOptions& options) const {
  std::vector<Group> groups = Fuse(graph_, options);
  return options.keep_every_value || !CanFeed() ? groups : WithFeeders(graph_, std::move(groups));
}

bool GroupLowering::PlanFeeder(const Group& group, Plan& plan, std::string& reason) const {
  if (group.feeder.empty()) return true;
  auto feeder = std::make_shared<Feeder>();
  feeder->group = Split(graph_, group).front();
  if (!MakePlan(feeder->group, feeder->out, feeder->plan, reason)) return false;
  if (feeder->plan.kind->SumsChannels())
    return reason = "the convolution before sums over blocks of channels: its results have another layout",
           false;
  if (plan.window.g > 1 || plan.window.pool || plan.gathered)
    return reason = "only a plain 1x1 convolution reads what stays on chip", false;
  plan.window.fed = true;
  plan.feeder = std::move(feeder);
  return true;
}

std::vector<PackedConstant> GroupLowering::MakeFeederConstants(const Plan& plan) const {
  const Feeder& feeder = *plan.feeder;
  std::vector<PackedConstant> constants = MakeConstants(feeder.group, feeder.plan, feeder.out);
  for (PackedConstant& constant : constants)
    constant.role = constant.role == Role::kWeights ? Role::kFeederWeights : Role::kFeederParameters;
  return constants;
}

}  // namespace cosim::network
