// SPDX-License-Identifier: Apache-2.0
// Which tile a group's kernel gets: the tile model's favourites, measured.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <utility>

#include "compiler/accel/pipeline.h"
#include "compiler/network/lower_group.h"
#include "compiler/network/measure.h"
#include "compiler/schedules/accel/fed_tiles.h"
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
// Tiles that are tried until as many fit as are wanted.
constexpr size_t kMostTries = 64;

std::string TextOf(const std::optional<kernels::Spread>& spread) {
  if (!spread) return "";
  return fmt::format(" spread {},{}{}", spread->rows, spread->cols, spread->phases ? " by phases" : "");
}

}  // namespace

GroupLowering::Rhythm GroupLowering::RhythmOf(const Plan& plan) {
  return {plan.kind, plan.window, plan.epilogue.Rhythm(), plan.feeder ? KeyOf(plan.feeder->plan) : ""};
}

GroupLowering::Situation GroupLowering::SituationOf(const Plan& plan, bool alone) const {
  Situation situation{
      .rhythm = RhythmOf(plan), .alone = alone, .before = {}, .behind = {}, .before_tile = {}};
  if (!alone && before_) situation.before = before_->rhythm, situation.before_tile = before_->cost.tile;
  return situation;
}

std::shared_ptr<const UnplacedKernel> GroupLowering::MakeUnplaced(const Group& group, const Plan& plan,
                                                                  const Tile& tile,
                                                                  const accel::Watch& watch) const {
  kernels::KernelTe te =
      BuildKernel(spec_, array_, group.name, plan, tile, plan.feeder ? &plan.feeder->plan : nullptr);
  accel::Draft draft{spec_, std::move(te.function), {}, {}, tile.units};
  if (plan.gathered) {
    draft.kernel.gathered = plan.gathered;
    draft.kernel.gathered->param =
        static_cast<int>(std::ranges::find(te.roles, Role::kInput) - te.roles.begin());
  }
  auto made = std::make_shared<UnplacedKernel>();
  made->result = accel::MakeUnplaced(draft, watch);
  made->name = draft.function.name;
  made->kernel = std::move(draft.kernel);
  made->roles = std::move(te.roles);
  return made;
}

std::shared_ptr<const UnplacedKernel> GroupLowering::UnplacedOf(const Group& group, const Plan& plan,
                                                                const Tile& tile,
                                                                const accel::Watch& watch) const {
  if (options_.cache == nullptr || !options_.cache->kernels || watch)
    return MakeUnplaced(group, plan, tile, watch);
  KernelCache& kernels = *options_.cache->kernels;
  const bool resident =
      ParametersResident(spec_, array_, plan.window, plan.feeder ? &plan.feeder->plan.window : nullptr);
  const std::string key = fmt::format("{} {} {}{}{}{}", options_.cache->scope, KeyOf(group, plan),
                                      KeyOf(tile), plan.gathered ? " gathered" : "",
                                      plan.window.pool ? " pool" : "", resident ? " resident" : "");
  auto known = kernels.Find(key);
  if (!known) kernels.Put(key, known = MakeUnplaced(group, plan, tile, watch));
  return known;
}

LoweredTile GroupLowering::MakeTile(const Group& group, const Plan& plan, const Tile& tile) const {
  LoweredTile lowered;
  accel::Watch watch;
  if (options_.after_pass)
    watch = [&](const accel::Pass& pass, const accel::Draft& now) {
      lowered.texts.push_back(accel::TextAfter(pass, now));
    };
  const auto unplaced = UnplacedOf(group, plan, tile, watch);
  accel::Draft draft{spec_, {}, {}, cursor_, tile.units};
  accel::PipelineResult result = unplaced->result;
  if (!result.refusal) {
    draft.function.name = unplaced->name;
    draft.kernel = unplaced->kernel;
    result = accel::PlaceOnChip(draft, watch);
  }
  lowered.refusal = result.refusal.reason;
  lowered.another_tile_may_pass = result.another_tile_may_pass;
  if (result.refusal) return lowered;
  lowered.kernel = std::move(draft.kernel);
  lowered.roles = unplaced->roles;
  lowered.cursor = std::move(draft.cursor);
  return lowered;
}

std::string GroupLowering::WorkloadOf(const Plan& plan) {
  const Window& w = plan.window;
  std::string text = plan.feeder ? WorkloadOf(plan.feeder->plan) + " feeds " : "";
  text += fmt::format("{} n{} g{} {}x{}x{} by {}x{}x{} to {}x{}x{}", plan.kind->Name(), w.n, w.g, w.ci, w.h,
                      w.w, w.kh, w.kw, w.co, w.co, w.oh, w.ow);
  text += fmt::format(" stride {},{} dilation {},{} pad {},{},{},{}", w.sh, w.sw, w.dh, w.dw, w.top, w.left,
                      w.bottom, w.right);
  if (w.edge) text += " edge";
  if (w.parts > 1) text += fmt::format(" parts {}", w.parts);
  if (w.gather > 0) text += " gathered";
  if (w.pool)
    for (const kernels::PoolAxis& axis : {w.pool->rows, w.pool->cols})
      text += fmt::format(" pool {} every {} from -{} to {}", axis.taps, axis.step, axis.before, axis.out);
  text += TextOf(w.spread);
  for (const std::string_view stage : plan.epilogue.Rhythm()) text += fmt::format(" {}", stage);
  return text;
}

std::string GroupLowering::WorkloadOf(const Group& group) const {
  AcceleratorGroup out;
  Plan plan;
  std::string reason;
  return MakePlan(group, out, plan, reason) ? WorkloadOf(plan) : "";
}

kernels::AllLegal GroupLowering::SpaceOf(const Group& group, int most_threads, size_t most) const {
  AcceleratorGroup out;
  Plan plan;
  std::string reason;
  if (!MakePlan(group, out, plan, reason)) return {};
  if (plan.feeder) {
    std::vector<TileCost> tiles = Ranked(plan).ranking->cheapest;
    tiles.resize(std::min(tiles.size(), most));
    return {std::ssize(tiles), std::move(tiles)};
  }
  return AllTiles(spec_, array_, *plan.kind, plan.window, plan.epilogue, most_threads, most);
}

LoweredTile GroupLowering::LowerAs(const Group& group, const Tile& tile) const {
  AcceleratorGroup out;
  Plan plan;
  LoweredTile lowered;
  if (!MakePlan(group, out, plan, lowered.refusal)) return lowered;
  return MakeTile(group, plan, tile);
}

std::vector<GroupLowering::Lowered> GroupLowering::LowerTuned(const Group& group, const Plan& plan) const {
  if (options_.tuned == nullptr) return {};
  const auto found = options_.tuned->find({group.name, WorkloadOf(plan)});
  if (found == options_.tuned->end()) return {};
  const auto cost = CostOf(plan, found->second);
  std::string reason;
  return cost ? LowerTiles(group, plan, {&*cost, 1}, 1, reason) : std::vector<Lowered>{};
}

std::string GroupLowering::SpaceKeyOf(const Plan& plan) const {
  const Window& w = plan.window;
  std::string key = fmt::format("{} {} {} {}", KeyOf(plan), w.gather, plan.epilogue.HasResidual(),
                                plan.epilogue.HasOtherWork());
  if (w.pool)
    for (const kernels::PoolAxis& axis : {w.pool->rows, w.pool->cols})
      key += fmt::format(" pool {} {} {} {}", axis.taps, axis.step, axis.before, axis.out);
  for (const isa::Unit& unit : spec_.units) key += fmt::format(" {}", unit.lanes);
  return key;
}

std::optional<TileCost> GroupLowering::CostOf(const Plan& plan, const Tile& tile) const {
  if (plan.feeder) return FedCostOf(spec_, array_, plan.feeder->plan, plan, tile);
  return kernels::CostOf(spec_, array_, *plan.kind, plan.window, plan.epilogue, tile);
}

RankedTiles GroupLowering::Ranked(const Plan& plan) const {
  const auto legal = [&] {
    if (plan.feeder)
      return std::make_shared<const kernels::TileSpace>(
          FedTiles(spec_, array_, plan.feeder->plan, plan, options_.virtual_threads));
    return std::make_shared<const kernels::TileSpace>(
        LegalTiles(spec_, array_, *plan.kind, plan.window, plan.epilogue, options_.virtual_threads));
  };
  const auto rank = [&](const kernels::TileSpace& space) {
    return std::make_shared<const kernels::Ranking>(Rank(space, spec_.dram, kMostTries));
  };
  constexpr size_t kMostCached = 200;  // spaces of some thousand tiles, often some hundred kilobytes
  if (options_.cache != nullptr && options_.cache->ranked.size() >= kMostCached)
    options_.cache->ranked.clear();
  RankedTiles own, &ranked = options_.cache == nullptr ? own : options_.cache->ranked[SpaceKeyOf(plan)];
  if (!ranked.space) ranked.space = legal();
  if (!ranked.ranking || ranked.latency != spec_.dram.latency ||
      ranked.write_latency != spec_.dram.write_latency)
    ranked = {ranked.space, spec_.dram.latency, spec_.dram.write_latency, rank(*ranked.space)};
  return ranked;
}

// Of a group's nodes the plan may take another template and window, by the memory's times too.
std::string GroupLowering::KeyOf(const Group& group, const Plan& plan) const {
  return fmt::format("{} {}", fmt::join(group.nodes, ","), KeyOf(plan));
}

std::string GroupLowering::KeyOf(const Plan& plan) {
  const Window& w = plan.window;
  return fmt::format("{}{} {} {}{}", plan.feeder ? KeyOf(plan.feeder->plan) + " feeds " : "",
                     fmt::ptr(plan.kind),
                     fmt::join({w.n,   w.ci,   w.h,      w.w,     w.co,        w.oh,          w.ow,   w.g,
                                w.si,  w.so,   w.kh,     w.kw,    w.sh,        w.sw,          w.dh,   w.dw,
                                w.top, w.left, w.bottom, w.right, w.pad_value, w.rows_stored, w.parts},
                               ","),
                     fmt::join(plan.epilogue.Rhythm(), ","),
                     (w.edge ? " edge" : "") + std::string(w.weights_in_blocks ? " weights in blocks" : "") +
                         TextOf(w.spread));
}

std::string GroupLowering::KeyOf(const Tile& tile) {
  return fmt::format(
      "{}", fmt::join({tile.co, tile.ci, tile.y, tile.x, int64_t{tile.threads},
                       static_cast<int64_t>(tile.thread_axis), int64_t{tile.weights_resident}, tile.g,
                       int64_t{tile.units}, tile.ky, tile.kx, int64_t{tile.rows_first}},
                      ","));
}

LoweredTile GroupLowering::LowerTile(const Group& group, const Plan& plan, const Tile& tile) const {
  if (options_.cache == nullptr || options_.after_pass) return MakeTile(group, plan, tile);
  const std::string key =
      fmt::format("{} {} at {}", KeyOf(group, plan), KeyOf(tile), fmt::join(cursor_.next, ","));
  const auto [known, is_new] = options_.cache->tiles.try_emplace(key);
  if (is_new) {
    known->second = MakeTile(group, plan, tile);
    known->second.kernel.identity = options_.cache->IdentityOf(key);
  }
  return known->second;
}

std::vector<GroupLowering::Lowered> GroupLowering::LowerTiles(const Group& group, const Plan& plan,
                                                              std::span<const TileCost> ranked, size_t count,
                                                              std::string& reason) const {
  std::vector<Lowered> found;
  for (const TileCost& candidate : ranked.first(std::min(ranked.size(), kMostTries))) {
    if (found.size() == count) break;
    LoweredTile result = LowerTile(group, plan, candidate.tile);
    if (result.refusal.empty()) {
      found.push_back({std::move(result.kernel), std::move(result.roles), candidate, std::move(result.cursor),
                       std::move(result.texts)});
      continue;
    }
    reason = result.refusal;
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
                                                     accel::StorageCursor cursor, bool alone,
                                                     runtime::Cycle limit) const {
  std::vector<const accel::Kernel*> row;
  if (!alone && before_) row.push_back(&before_->kernel);
  for (const accel::Kernel& kernel : kernels) row.push_back(&kernel);
  std::vector<accel::Kernel> again;
  if (!alone) again.assign(kernels.begin(), kernels.end());
  for (accel::Kernel& kernel : again) {
    if (kernel.identity != 0)
      kernel.identity =
          options_.cache->IdentityOf(fmt::format("{} at {}", kernel.identity, fmt::join(cursor.next, ",")));
    COSIM_CHECK(!accel::AssignStorage(kernel, spec_, cursor));
    row.push_back(&kernel);
  }
  return CyclesInARow(spec_, row, options_.cache, limit);
}

std::vector<GroupLowering::Lowered> GroupLowering::LowerCandidates(const Group& group, const Plan& plan,
                                                                   const kernels::Ranking& ranking,
                                                                   std::string& reason) {
  const std::vector<TileCost>& ranked = ranking.cheapest;
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
  if (measured > 1 && !candidates.empty() && ranking.single &&
      std::ranges::none_of(candidates, is_single, &Lowered::cost))
    add({&*ranking.single, 1}, 1);
  const size_t choice = candidates.size();
  if (options_.explain && choice <= kAlternatives) add(ranked, 1 + kAlternatives);
  if (candidates.size() < 2) return candidates;

  runtime::Cycle shortest = sim::kNever;  // by how much others take more is for who wants it explained
  for (Lowered& lowered : candidates) {
    lowered.measured =
        Measure({&lowered.kernel, 1}, lowered.cursor, alone, options_.explain ? sim::kNever : shortest)
            .value_or(static_cast<runtime::Cycle>(lowered.cost.cycles));
    shortest = std::min(shortest, lowered.measured);
  }
  const size_t first = decided ? 1 : 0;  // what run takes stays in front
  std::ranges::stable_sort(std::span(candidates).subspan(first, choice - first), {}, &Lowered::measured);
  if (!decided && choice > 1) known_.push_back({situation, candidates.front().cost});
  return candidates;
}

}  // namespace cosim::network
