// SPDX-License-Identifier: Apache-2.0
// Which neighbours are written by turns. See plan.h; what a pair gains says lower_by_turns.cc.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/network/plan.h"

namespace cosim::network {
namespace {

const AcceleratorGroup* OnAccelerator(const Plan& plan, size_t item) {
  if (item >= plan.items.size() || !plan.items[item].accelerator) return nullptr;
  return &*plan.items[item].accelerator;
}

/// What items `i` - 1 and `i` would be by turns; nothing where they cannot be, or gain nothing.
std::optional<GroupLowering::ByTurns> PairAt(const Plan& plan, GroupLowering& lowering, size_t i) {
  const Item &first = plan.items[i - 1], &second = plan.items[i];
  const AcceleratorGroup *a = OnAccelerator(plan, i - 1), *b = OnAccelerator(plan, i);
  if (!a || !b || second.reads[0] != first.writes) return std::nullopt;
  return lowering.LowerByTurns({.first = &first.group,
                                .a = a,
                                .second = &second.group,
                                .b = b,
                                .before = i > 1 ? OnAccelerator(plan, i - 2) : nullptr,
                                .behind = OnAccelerator(plan, i + 1)});
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
  first.by_turns = true;
}

}  // namespace

void TakeTurns(Plan& plan, GroupLowering& lowering) {
  const size_t items = plan.items.size();
  std::vector<std::optional<GroupLowering::ByTurns>> pairs(items + 1);  // by the second item
  std::vector<runtime::Cycle> gains(items + 1, 0);                      // of the first so many items
  for (size_t i = 1; i < items; ++i) {
    pairs[i] = PairAt(plan, lowering, i);
    gains[i + 1] = std::max(gains[i], gains[i - 1] + (pairs[i] ? pairs[i]->tiles.gain : 0));
  }
  for (size_t i = items; i >= 2;) {
    if (gains[i] == gains[i - 1]) {
      --i;
      continue;
    }
    PutTogether(plan, lowering, i - 1, std::move(*pairs[i - 1]));
    i -= 2;
  }
}

}  // namespace cosim::network
