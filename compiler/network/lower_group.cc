// SPDX-License-Identifier: Apache-2.0
// See lower_group.h. Windows and epilogues in plan_group.cc, schedules in compiler/schedules/accel, bytes in
// pack.cc.
#include "compiler/network/lower_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "compiler/accel/pipeline.h"
#include "compiler/accel/tokens.h"
#include "compiler/network/geometry.h"
#include "compiler/network/pack.h"
#include "compiler/tir/rounding.h"
#include "isa/check.h"

namespace cosim::network {

using graph::ValueId;

GroupLowering::GroupLowering(const isa::Spec& spec, const graph::Graph& graph, const LowerOptions& options)
    : spec_(spec),
      graph_(graph),
      users_(graph.Users()),
      options_(options),
      array_(kernels::FindArray(spec, no_array_)) {
  if (options.cache != nullptr) ++options.cache->compilation;
  if (!options.host_only.empty())
    no_array_ = options.host_only;
  else if (array_.gemm >= 0)
    no_array_ = accel::MissingOrder(spec);
}

ValueId GroupLowering::LookThroughViews(ValueId id) const {
  while (graph_.node(id).As<graph::Flatten>()) id = graph_.node(id).inputs[0];
  return id;
}

void GroupLowering::PackConstants(const Group& group, const Plan& plan, AcceleratorGroup& out) const {
  if (options_.timing_only) {
    for (const Role role : {Role::kInput, Role::kWeights, Role::kParameters, Role::kBias, Role::kTable,
                            Role::kFeederWeights, Role::kFeederParameters})
      out.constants.push_back({role, "", {}});
    return;
  }
  if (options_.cache == nullptr || options_.blank_constants) {
    out.constants = MakeConstants(group, plan, out);
    return;
  }
  const auto [known, is_new] = options_.cache->constants.try_emplace(
      fmt::format("{} {}", KeyOf(group, plan), static_cast<int>(out.input_layout.kind)));
  if (is_new) known->second = MakeConstants(group, plan, out);
  out.constants = known->second;
}

std::vector<PackedConstant> GroupLowering::MakeConstants(const Group& group, const Plan& plan,
                                                         const AcceleratorGroup& out) const {
  if (out.input < 0)
    return {{Role::kInput, group.name, PackIdentity(spec_.memories[array_.activations], array_.block_in)}};
  std::vector<PackedConstant> constants;
  const bool blank = options_.blank_constants;
  ChannelParameters parameters = ParametersOf(group, out, plan, !blank);
  if (const auto layout = plan.kind->Weights(plan.window, array_); layout && out.weights < 0) {
    const isa::Memory& memory = spec_.memories[plan.kind->WeightMemory(array_)];
    constants.push_back(
        {Role::kWeights, group.name + ".weights",
         blank ? std::vector<uint8_t>(WeightBytes(memory, *layout))
               : PackWeights(memory, *layout, ViewOf(graph_, group, out.input), OrderOf(group, plan, out))});
  }
  if (plan.feeder) std::ranges::move(MakeFeederConstants(plan), std::back_inserter(constants));
  if (const auto* op = plan.epilogue.Find<graph::Table>())
    constants.push_back({Role::kTable, group.name + ".table", PackTable(spec_, array_, op->table)});
  if (!plan.epilogue.HasParameters()) return constants;
  const int64_t channels = std::ssize(parameters.bias);
  if (array_.HasParameters()) {
    constants.push_back({Role::kParameters, group.name + ".parameters",
                         blank ? std::vector<uint8_t>(ParameterBytes(spec_, array_, channels))
                               : PackParameters(spec_, array_, parameters, channels)});
  } else {
    const int32_t shift = plan.epilogue.requantize()->shift[0];
    for (int32_t& bias : parameters.bias)
      if (shift > 0) bias += int32_t{1} << (shift - 1);
    constants.push_back({Role::kBias, group.name + ".bias",
                         blank ? std::vector<uint8_t>(BiasBytes(spec_, array_, channels))
                               : PackBias(spec_, array_, parameters.bias)});
  }
  return constants;
}

WeightOrder GroupLowering::OrderOf(const Group& group, const Plan& plan, const AcceleratorGroup& out) const {
  const ConvView view = ViewOf(graph_, group, out.input);
  WeightOrder order{.parts = plan.window.parts};
  if (plan.kind->SumsChannels()) order.together = GroupingOf(view, array_).together;
  if (plan.kind == &kernels::Rows()) order.together = array_.rows.group / view.i;
  order.unrolled = out.input_layout.kind == Layout::Kind::kPatches || plan.gathered;
  return order;
}

std::optional<AcceleratorGroup> GroupLowering::Lower(const Group& group, std::string& reason) {
  AcceleratorGroup out;
  Plan plan;
  reason.clear();
  if (!MakePlan(group, out, plan, reason) || !LowerPlan(group, plan, out, reason)) return std::nullopt;
  if (out.output_layout.pixels != 0) in_tiles_.insert(out.output);
  return out;
}

bool GroupLowering::LowerPlan(const Group& group, const Plan& plan, AcceleratorGroup& out,
                              std::string& reason) {
  const RankedTiles ranked = Ranked(plan);
  if (!ranked.space->misfit.empty()) reason = ranked.space->misfit;
  auto candidates = LowerTuned(group, plan);
  if (candidates.empty()) candidates = LowerCandidates(group, plan, *ranked.ranking, reason);
  if (candidates.empty()) return false;
  Lowered& best = candidates.front();
  if (options_.explain) {
    out.knobs = KnobsOf(best.cost.tile, Rank(*ranked.space, spec_.dram).cheapest);
    for (const Lowered& other :
         std::span(candidates).subspan(1).first(std::min(kAlternatives, candidates.size() - 1)))
      out.alternatives.push_back({ToString(other.cost.tile), other.measured - best.measured});
  }
  Report(group, best.texts);
  out.begins = std::exchange(cursor_, best.cursor);
  before_ = Before{best.kernel, RhythmOf(plan), best.cost};
  Complete(group, plan, best, out);
  reason.clear();  // candidates that were refused left theirs
  return true;
}

void GroupLowering::Complete(const Group& group, const Plan& plan, Lowered& kernel,
                             AcceleratorGroup& out) const {
  out.output = group.result();
  out.output_layout.kind = Layout::Kind::kBlocked;
  out.output_layout.block = array_.layout_out;
  out.kernel = std::move(kernel.kernel);
  out.roles = std::move(kernel.roles);
  out.tile = kernel.cost.tile;
  PackConstants(group, plan, out);
  if (!plan.feeder) return;
  out.input = plan.feeder->out.input;
  out.input_layout = plan.feeder->out.input_layout;
}

void GroupLowering::Report(const Group& group, const std::vector<std::string>& texts) const {
  if (!options_.after_pass) return;
  const auto passes = accel::Pipeline();
  for (size_t p = 0; p < passes.size(); ++p) {
    const bool changed = p == 0 || texts[p] != texts[p - 1];
    options_.after_pass(std::string(passes[p].name), group.name, changed ? texts[p] : "(unchanged)\n");
  }
}

}  // namespace cosim::network
