// SPDX-License-Identifier: Apache-2.0
// What is to be done for a network, in order, before memory is planned and anything is written; and which of
// it turns out to be needless.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/cpu/host_group.h"
#include "compiler/network/convert.h"
#include "compiler/network/lower_group.h"
#include "runtime/network.h"

namespace cosim::network {

/// One thing to do: a group somewhere, or a conversion between two forms of a value.
struct Item {
  enum class Kind { kAccelerator, kCpu, kConvert } kind = Kind::kCpu;
  int layer = -1;
  std::optional<AcceleratorGroup> accelerator;
  size_t cpu_kernel = 0;  ///< kCpu: index of Plan::cpu_groups; kConvert: of Plan::conversions
  std::vector<FormKey> reads;
  FormKey writes;
  Group group;                              ///< kAccelerator: what it does
  std::optional<accel::TurnSize> by_turns;  ///< kAccelerator: with the item behind it
};

struct Plan {
  std::vector<Item> items;
  std::vector<cpu::HostGroup> cpu_groups;  ///< compiled together
  std::vector<tir::Function> conversions;
  std::vector<runtime::Layer> layers;
};

/// A group by its name, operations and multiply-accumulates.
runtime::Layer LayerOf(const graph::Graph& graph, const Group& group);
/// Its number. `reason` as runtime::Layer has it.
int AddLayer(Plan& plan, runtime::Layer layer, std::string reason, bool on_accelerator);

/// What a group on the accelerator reads: its input, unless that is constant, a residual, which stands as
/// `read`, and weights that are a value.
std::vector<FormKey> ReadsOf(const AcceleratorGroup& group, const Layout& read);

/// Inputs of the graph that come as rows of pixels: as which image, and how they stand.
using Images = std::map<graph::ValueId, std::pair<FormKey, runtime::ImageRows>>;

/// Takes out groups of the host whose results nobody reads, since those who did read what was there before.
void DropUnread(Plan& plan, const std::vector<FormKey>& results);

/// Takes out conversions of inputs that nobody reads but as rows of pixels, and that come as such: these go
/// one by one to where the accelerator gathers windows from, when a frame is handed over. With
/// `channels_last`, values [N, C, H, W] come as [N, H, W, C].
Images TakeImages(Plan& plan, const graph::Graph& graph, const Array& array,
                  const std::vector<FormKey>& results, bool channels_last);

/// Has groups of the host that elements' own pixels are enough for read and write the blocks of the
/// accelerator, and matrices made of such, in place of plain values and conversions around them.
void StayInBlocks(Plan& plan, const graph::Graph& graph, const Array& array,
                  const std::vector<FormKey>& results);

/// Takes out an item that is no longer to be done, with its layer.
void Erase(Plan& plan, size_t item);

/// Has neighbours on the accelerator written by turns (Item::by_turns), or makes one kernel of them, the
/// value between them on chip, where that is quicker: the pairs that gain most together, each item in one at
/// most.
void TakeTurns(Plan& plan, GroupLowering& lowering);

}  // namespace cosim::network
