// SPDX-License-Identifier: Apache-2.0
// Which neighbours' kernels are written by turns: a layer that waits for memory, as a depthwise convolution
// does, beside one that computes. See lower_group.h.
//
// The second can follow a little behind the first in two ways: where both go through all channels of some
// rows before other rows; or, where it computes each channel for itself, through all rows of some channels
// before other channels.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "compiler/accel/instruction_writer.h"
#include "compiler/network/lower_group.h"
#include "compiler/network/measure.h"

namespace cosim::network {

using kernels::TileWork;
using runtime::Cycle;

namespace {

// Of the cycles of both, one behind the other, by the model: what it says of two by turns, which is often too
// much, and what the unit with the most work takes for both, which is the least that can be.
constexpr double kWorthTrying = 1.2, kBusiest = 0.99;
constexpr double kComputing = 0.985;  // of the cycles of both, one behind the other, by the timing engine
constexpr size_t kPairsMeasured = 12, kPairsTried = 60;
// Pairs that take so much more than the best so far; behind so many, no other is measured.
constexpr double kHopeless = 1.05;
constexpr size_t kMostHopeless = 6;

struct Pair {
  const TileWork* first;
  const TileWork* second;
  double cycles;
};

double Longest(const TileWork& w) { return std::max({w.load, w.compute, w.alu, w.store}); }
double Busiest(const TileWork& a, const TileWork& b) {
  return std::max({a.load + b.load, a.compute + b.compute, a.alu + b.alu, a.store + b.store});
}

/// Whether the second can begin before the first has ended.
bool GoAlike(const Tile& first, const Tile& second, bool second_sums) {
  return first.rows_first == second.rows_first && (first.rows_first || !second_sums);
}

/// Units add up the work of both: leaf by leaf, one has always work of the other beside it, but for what the
/// second does with the channels of the first's last sweep.
double CyclesByLeaves(const TileWork& a, const TileWork& b) {
  return Busiest(a, b) + a.first + b.last + Longest(b) / std::min(a.sweeps, b.rounds);
}

/// Units add up the work of both. A kernel loads a round ahead of what it computes: of several rounds of one
/// between two of the other, only the first has that one's work beside it. A round or two of each have
/// nothing beside them.
double CyclesByRounds(const TileWork& a, const TileWork& b) {
  const TileWork &more = a.rounds > b.rounds ? a : b, &fewer = a.rounds > b.rounds ? b : a;
  const double by_itself = 1 - fewer.rounds / more.rounds;  // of the rounds of `more`
  const double both =
      std::max(fewer.load + (1 - by_itself) * more.load, fewer.compute + (1 - by_itself) * more.compute);
  return std::max({both + by_itself * std::max(more.load, more.compute), a.alu + b.alu, a.store + b.store}) +
         a.first + b.last + 2 * Longest(a) / a.rounds + Longest(b) / b.rounds;
}

int64_t ElementsOf(const TileWork& work, int memory) {
  const auto of = std::ranges::find(work.elements, memory, &std::pair<int, int64_t>::first);
  return of == work.elements.end() ? 0 : of->second;
}

/// Whether the sums of each thread of both stand in banks that no other thread's do
/// (accel::AssignStorageOfBoth): else the array waits while the ALU has them.
bool ShareBanks(const isa::Memory& sums, int memory, const TileWork& a, const TileWork& b) {
  const int threads = a.tile.threads;
  if (threads == 1 || b.tile.threads != threads || sums.banks < threads) return false;
  const int64_t span = sums.depth / sums.banks * (sums.banks / threads);
  return (ElementsOf(a, memory) + ElementsOf(b, memory)) / threads <= span;
}

double CyclesOf(const isa::Spec& spec, const Array& array, const TileWork& a, const TileWork& b) {
  const bool banks = ShareBanks(spec.memories[array.accumulators], array.accumulators, a, b);
  const double both = a.compute + b.compute + (banks ? 0 : a.alu + b.alu);
  return std::max(both, a.tile.rows_first ? CyclesByRounds(a, b) : CyclesByLeaves(a, b));
}

bool Fit(const isa::Spec& spec, const TileWork& a, const TileWork& b) {
  return std::ranges::all_of(a.elements, [&](const auto& one) {
    return one.second + ElementsOf(b, one.first) <= spec.memories[one.first].depth;
  });
}

std::vector<Pair> BestPairs(const isa::Spec& spec, const Array& array, const std::vector<TileWork>& first,
                            const std::vector<TileWork>& second, bool second_sums, double apart) {
  std::vector<Pair> pairs;
  for (const TileWork& a : first)
    for (const TileWork& b : second)
      if (GoAlike(a.tile, b.tile, second_sums) && Busiest(a, b) < kBusiest * apart)
        if (const double cycles = CyclesOf(spec, array, a, b);
            cycles < kWorthTrying * apart && Fit(spec, a, b))
          pairs.push_back({&a, &b, cycles});
  std::ranges::stable_sort(pairs, {}, &Pair::cycles);
  if (pairs.size() > kPairsTried) pairs.resize(kPairsTried);
  return pairs;
}

}  // namespace

accel::TurnSize SizeOf(const TurnTiles& tiles) {
  const bool rows = tiles.first.rows_first || tiles.second.rows_first;
  return rows ? accel::TurnSize::kRound : accel::TurnSize::kLeaf;
}

std::pair<std::string, std::string> TurnKey(const std::string& layer, const std::string& workload,
                                            const std::string& partner) {
  return {layer, fmt::format("{} by turns with {}", workload, partner)};
}

TurnCandidates GroupLowering::TurnSpaceOf(const Group& first, const Group& second, const TurnTiles& apart,
                                          size_t most) const {
  AcceleratorGroup out;
  Plan plans[2];
  std::string reason;
  TurnCandidates found;
  if (options_.virtual_threads < 2 || !MakePlan(first, out, plans[0], reason) ||
      !MakePlan(second, out, plans[1], reason))
    return found;
  found.first = TurnTilesOf(plans[0]);
  found.second = TurnTilesOf(plans[1]);
  const double cycles_apart = Alone(plans[0], apart.first) + Alone(plans[1], apart.second);
  std::vector<std::tuple<double, uint32_t, uint32_t>> order;
  for (uint32_t a = 0; a < found.first.size(); ++a)
    for (uint32_t b = 0; b < found.second.size(); ++b)
      if (GoAlike(found.first[a].tile, found.second[b].tile, plans[1].kind->SumsChannels()) &&
          Busiest(found.first[a], found.second[b]) < cycles_apart &&
          Fit(spec_, found.first[a], found.second[b]))
        order.emplace_back(CyclesOf(spec_, array_, found.first[a], found.second[b]), a, b);
  std::ranges::sort(order);
  if (order.size() > most) order.resize(most);
  for (const auto& [cycles, a, b] : order) found.pairs.emplace_back(a, b);
  return found;
}

std::optional<LoweredPair> GroupLowering::LowerTurns(const Group& first, const Group& second,
                                                     const TurnTiles& tiles) const {
  AcceleratorGroup out;
  Plan plans[2];
  std::string reason;
  if (!MakePlan(first, out, plans[0], reason) || !MakePlan(second, out, plans[1], reason))
    return std::nullopt;
  return PlaceByTurns({.first = &first, .second = &second}, plans[0], plans[1], tiles);
}

std::vector<TileWork> GroupLowering::TurnTilesOf(const Plan& plan) const {
  if (plan.feeder) return {};  // its two convolutions take turns as it is
  // Others have other rows.
  if (plan.window.rows_stored || plan.window.spread) return {};
  std::vector<TileWork> found;
  for (const bool rows_first : {true, false}) {
    auto some = kernels::TilesInOrder(spec_, array_, *plan.kind, plan.window, plan.epilogue, rows_first,
                                      options_.virtual_threads);
    found.insert(found.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
  }
  return found;
}

std::vector<runtime::Knob> GroupLowering::TurnKnobs(const Plan& plan, const Tile& tile) const {
  std::vector<TileCost> legal;
  for (const TileWork& work : TurnTilesOf(plan)) legal.push_back({.tile = work.tile});
  return KnobsOf(tile, legal);
}

std::optional<LoweredPair> GroupLowering::PlaceByTurns(const TurnPair& pair, const Plan& first_plan,
                                                       const Plan& second_plan,
                                                       const TurnTiles& tiles) const {
  LoweredPair made{MakeTile(*pair.first, first_plan, tiles.first),
                   MakeTile(*pair.second, second_plan, tiles.second)};
  if (!made.first.refusal.empty() || !made.second.refusal.empty() ||
      accel::AssignStorageOfBoth(made.first.kernel, made.second.kernel, spec_))
    return std::nullopt;
  return made;
}

std::optional<LoweredPair> GroupLowering::PairByTurns(const TurnPair& pair, const Plan& first_plan,
                                                      const Plan& second_plan, const TurnTiles& tiles) const {
  constexpr size_t kMostCached = 400;  // of some ten kilobytes each
  if (options_.cache == nullptr || options_.after_pass)
    return PlaceByTurns(pair, first_plan, second_plan, tiles);
  // Not by where the kernels before it ended: both get places of their own.
  const std::string key =
      fmt::format("{} {} by turns with {} {}", KeyOf(*pair.first, first_plan), KeyOf(tiles.first),
                  KeyOf(*pair.second, second_plan), KeyOf(tiles.second));
  auto& pairs = options_.cache->pairs;
  if (pairs.size() >= kMostCached) pairs.clear();
  const auto [known, is_new] = pairs.try_emplace(key);
  if (is_new) {
    known->second = PlaceByTurns(pair, first_plan, second_plan, tiles);
    if (known->second) {
      known->second->first.kernel.identity = options_.cache->IdentityOf("first of " + key);
      known->second->second.kernel.identity = options_.cache->IdentityOf("second of " + key);
    }
  }
  return known->second;
}

std::optional<GroupLowering::ByTurns> GroupLowering::MakeByTurns(const TurnPair& pair, const Plan& first_plan,
                                                                 const Plan& second_plan,
                                                                 const TurnTiles& tiles) const {
  auto both = PairByTurns(pair, first_plan, second_plan, tiles);
  if (!both) return std::nullopt;
  ByTurns made{.first = std::move(both->first), .second = std::move(both->second), .tiles = tiles};
  if (options_.explain) {
    made.first_knobs = TurnKnobs(first_plan, tiles.first);
    made.second_knobs = TurnKnobs(second_plan, tiles.second);
  }
  return made;
}

std::optional<TurnTiles> GroupLowering::TilesByTurns(const TurnPair& pair, const Plan& first_plan,
                                                     const Plan& second_plan, double apart) const {
  const std::vector<TileWork> firsts = TurnTilesOf(first_plan), seconds = TurnTilesOf(second_plan);
  std::vector<Pair> pairs =
      BestPairs(spec_, array_, firsts, seconds, second_plan.kind->SumsChannels(), apart);
  if (pairs.empty()) return std::nullopt;
  const accel::Kernel* const in_a_row[] = {&pair.a->kernel, &pair.b->kernel};
  auto least = CyclesInARow(spec_, in_a_row, options_.cache);
  if (!least) return std::nullopt;
  std::erase_if(pairs, [&](const Pair& tiles) {
    return tiles.first->compute + tiles.second->compute >= kComputing * static_cast<double>(*least);
  });
  std::optional<ByTurns> best;
  size_t measured = 0, hopeless = 0;
  for (const Pair& tiles : pairs) {
    auto made = MakeByTurns(pair, first_plan, second_plan, {tiles.first->tile, tiles.second->tile});
    if (!made) continue;
    const accel::Kernel* const kernels[] = {&made->first.kernel, &made->second.kernel};
    const auto limit = static_cast<Cycle>(kHopeless * static_cast<double>(*least)) + 1;
    const auto cycles = CyclesByTurns(spec_, kernels, 0, SizeOf(made->tiles), options_.cache, limit);
    hopeless += !cycles || static_cast<double>(*cycles) > kHopeless * static_cast<double>(*least);
    if (cycles && *cycles < *least) {
      least = cycles;
      best = std::move(made);
    }
    if (++measured == kPairsMeasured || hopeless == kMostHopeless) break;
  }
  if (!best) return std::nullopt;
  best->tiles.gain = GainOf(pair, *best);
  return best->tiles.gain > 0 ? std::optional(best->tiles) : std::nullopt;
}

std::optional<TurnTiles> GroupLowering::TunedTurns(const TurnPair& pair, const Plan& first_plan,
                                                   const Plan& second_plan) const {
  if (options_.tuned == nullptr) return std::nullopt;
  const auto first =
      options_.tuned->find(TurnKey(pair.first->name, WorkloadOf(first_plan), pair.second->name));
  const auto second =
      options_.tuned->find(TurnKey(pair.second->name, WorkloadOf(second_plan), pair.first->name));
  if (first == options_.tuned->end() || second == options_.tuned->end()) return std::nullopt;
  const auto made = MakeByTurns(pair, first_plan, second_plan, {first->second, second->second});
  if (!made) return std::nullopt;
  const Cycle gain = GainOf(pair, *made);
  return gain > 0 ? std::optional(TurnTiles{first->second, second->second, gain}) : std::nullopt;
}

// What kernels hide of their ends depends on their neighbours.
Cycle GroupLowering::GainOf(const TurnPair& pair, const ByTurns& made) const {
  std::vector<const accel::Kernel*> row, turns;
  const auto add = [&](const accel::Kernel& apart, const accel::Kernel& by_turns) {
    row.push_back(&apart);
    turns.push_back(&by_turns);
  };
  if (pair.before) add(pair.before->kernel, pair.before->kernel);
  add(pair.a->kernel, made.first.kernel);
  add(pair.b->kernel, made.second.kernel);
  if (pair.behind) add(pair.behind->kernel, pair.behind->kernel);
  const auto apart = CyclesInARow(spec_, row, options_.cache),
             together = CyclesByTurns(spec_, turns, pair.before ? 1 : 0, SizeOf(made.tiles), options_.cache);
  return apart && together ? *apart - *together : 0;
}

double GroupLowering::Alone(const Plan& plan, const Tile& tile) const {
  const auto cost = CostOf(plan, tile);
  const auto work = WorkOf(spec_, array_, *plan.kind, plan.window, plan.epilogue, tile);
  return cost && work ? std::max(cost->cycles, work->alu + work->first + work->last) : 0;
}

std::optional<GroupLowering::ByTurns> GroupLowering::LowerByTurns(const TurnPair& pair) {
  if (options_.virtual_threads < 2) return std::nullopt;
  Plan plans[2];
  AcceleratorGroup out;
  std::string reason, key;
  if (!MakePlan(*pair.first, out, plans[0], reason) || !MakePlan(*pair.second, out, plans[1], reason))
    return std::nullopt;
  const double apart = Alone(plans[0], pair.a->tile) + Alone(plans[1], pair.b->tile);
  for (size_t k = 0; k < 2; ++k)
    key += fmt::format("{} {} ", WorkloadOf(plans[k]), ToString((k == 0 ? pair.a : pair.b)->tile));
  for (const AcceleratorGroup* neighbour : {pair.before, pair.behind})
    if (neighbour) key += fmt::format("{} ", ToString(neighbour->tile));
  const auto [known, is_new] = by_turns_.try_emplace(key);
  if (is_new) known->second = TilesByTurns(pair, plans[0], plans[1], apart);
  std::optional<TurnTiles> tiles = known->second;
  if (const auto tuned = TunedTurns(pair, plans[0], plans[1]); tuned && (!tiles || tuned->gain > tiles->gain))
    tiles = tuned;
  if (!tiles) return std::nullopt;
  return MakeByTurns(pair, plans[0], plans[1], *tiles);
}

}  // namespace cosim::network
