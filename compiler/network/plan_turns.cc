// SPDX-License-Identifier: Apache-2.0
// Which neighbours are written by turns, or are one kernel. See plan.h; what a pair gains say
// lower_by_turns.cc and plan_feeder.cc.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/network/plan.h"

namespace cosim::network {
namespace {

const AcceleratorGroup* OnAccelerator(const Plan& plan, size_t item) {
  if (item >= plan.items.size() || !plan.items[item].accelerator) return nullptr;
  return &*plan.items[item].accelerator;
}

/// What items `i` - 1 and `i` would be together; neither where that gains nothing.
struct Pair {
  std::optional<GroupLowering::ByTurns> turns;
  std::optional<GroupLowering::Fed> fed;
  runtime::Cycle gain() const { return turns ? turns->tiles.gain : fed ? fed->gain : 0; }
};
Pair PairAt(const Plan& plan, GroupLowering& lowering, size_t i) {
  const Item &first = plan.items[i - 1], &second = plan.items[i];
  const AcceleratorGroup *a = OnAccelerator(plan, i - 1), *b = OnAccelerator(plan, i);
  if (!a || !b || b->input < 0 || second.reads[0] != first.writes) return {};
  const GroupLowering::TurnPair neighbours{.first = &first.group,
                                           .a = a,
                                           .second = &second.group,
                                           .b = b,
                                           .before = i > 1 ? OnAccelerator(plan, i - 2) : nullptr,
                                           .behind = OnAccelerator(plan, i + 1)};
  Pair pair{lowering.LowerByTurns(neighbours), lowering.LowerFed(neighbours)};
  if (pair.turns && pair.fed) pair.turns->tiles.gain < pair.fed->gain ? pair.turns.reset() : pair.fed.reset();
  return pair;
}

struct NewKernel {
  LoweredTile& lowered;
  const Tile& tile;
  std::vector<runtime::Knob>& knobs;
};

/// `turns`: with whom, in words.
void Replace(Plan& plan, const GroupLowering& lowering, Item& item, const NewKernel& made,
             const std::string& turns) {
  lowering.Report(item.group, made.lowered.texts);
  item.accelerator->kernel = std::move(made.lowered.kernel);
  item.accelerator->roles = std::move(made.lowered.roles);
  item.accelerator->tile = made.tile;
  runtime::Layer& layer = plan.layers[item.layer];
  layer.schedule = fmt::format("{}, by turns with {}", ToString(made.tile), turns);
  layer.knobs = std::move(made.knobs);
  layer.alternatives.clear();
}

void PutTogether(Plan& plan, const GroupLowering& lowering, size_t i, GroupLowering::ByTurns made) {
  Item &first = plan.items[i - 1], &second = plan.items[i];
  Replace(plan, lowering, first, {made.first, made.tiles.first, made.first_knobs},
          plan.layers[second.layer].name + " behind it");
  Replace(plan, lowering, second, {made.second, made.tiles.second, made.second_knobs},
          plan.layers[first.layer].name + " before it");
  first.by_turns = SizeOf(made.tiles);
}

/// Item `i` goes into the one before it.
void MakeOne(Plan& plan, const GroupLowering& lowering, size_t i, GroupLowering::Fed made) {
  Item &first = plan.items[i - 1], &second = plan.items[i];
  lowering.Report(made.group, made.texts);
  runtime::Layer &layer = plan.layers[first.layer], &other = plan.layers[second.layer];
  layer.name = made.group.name;
  layer.op += "+" + other.op;
  layer.macs += other.macs;
  layer.reason = fmt::format("the value between its convolutions stays on chip: {} cycles fewer", made.gain);
  layer.schedule = ToString(made.made.tile);
  layer.knobs = std::move(made.made.knobs);
  layer.alternatives.clear();
  first.reads.resize(1);
  first.reads.insert(first.reads.end(), second.reads.begin() + 1, second.reads.end());
  first.writes = second.writes;
  first.group = std::move(made.group);
  first.accelerator = std::move(made.made);
  Erase(plan, i);
}

}  // namespace

void TakeTurns(Plan& plan, GroupLowering& lowering) {
  const size_t items = plan.items.size();
  std::vector<Pair> pairs(items + 1);               // by the second item
  std::vector<runtime::Cycle> gains(items + 1, 0);  // of the first so many items
  for (size_t i = 1; i < items; ++i) {
    pairs[i] = PairAt(plan, lowering, i);
    gains[i + 1] = std::max(gains[i], gains[i - 1] + pairs[i].gain());
  }
  for (size_t i = items; i >= 2;) {
    if (gains[i] == gains[i - 1]) {
      --i;
      continue;
    }
    Pair& pair = pairs[i - 1];
    pair.turns ? PutTogether(plan, lowering, i - 1, std::move(*pair.turns))
               : MakeOne(plan, lowering, i - 1, std::move(*pair.fed));
    i -= 2;
  }
}

}  // namespace cosim::network
