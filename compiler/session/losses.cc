// SPDX-License-Identifier: Apache-2.0
#include "compiler/session/losses.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

namespace cosim::session {
namespace {

/// Why steps of the layer's unit do less than the array could.
std::string WhyPartly(const LayerExplanation& layer) {
  if (layer.layer.macs == 0)
    return fmt::format("{} works for layers without multiply-accumulates", layer.unit);
  return fmt::format(
      "{} works with part of the multipliers: {}", layer.unit,
      layer.layer.op.starts_with("depthwise") ? "depthwise convolutions" : "channels do not fill the array");
}

class Ledger {
 public:
  void Add(const std::string& cause, const std::string& layer, runtime::Cycle cycles) {
    if (cycles == 0) return;
    auto loss = std::ranges::find(losses_, cause, &Loss::cause);
    if (loss == losses_.end()) loss = losses_.insert(losses_.end(), {cause});
    loss->cycles += cycles;
    loss->layers.push_back({layer, cycles});
  }
  std::vector<Loss> Ranked() && {
    std::erase_if(losses_, [](const Loss& loss) { return loss.cycles == 0; });
    std::ranges::stable_sort(losses_, std::greater(), &Loss::cycles);
    for (Loss& loss : losses_) std::ranges::stable_sort(loss.layers, std::greater(), &Loss::Share::cycles);
    return std::move(losses_);
  }

 private:
  std::vector<Loss> losses_;
};

}  // namespace

std::string WorksElsewhere(const std::string& unit) { return unit + " works for another layer"; }

std::vector<Loss> LossesOf(const std::vector<LayerExplanation>& layers) {
  Ledger ledger;
  std::map<std::string, runtime::Cycle> for_others;  // by unit, in layers that it computes
  for (const LayerExplanation& layer : layers) {
    for (const Stall& stall : layer.stalls)
      if (stall.reason == WorksElsewhere(layer.unit)) for_others[layer.unit] += stall.cycles;
  }
  for (const LayerExplanation& layer : layers) {
    // What the unit did for others in its window it did for it in theirs: no loss of the network.
    const runtime::Cycle returned = std::min(layer.elsewhere, for_others[layer.unit]);
    for_others[layer.unit] -= returned;
    ledger.Add(WhyPartly(layer), layer.layer.name, layer.busy + returned - layer.ideal);
    ledger.Add(WorksElsewhere(layer.unit), layer.layer.name, -returned);
    for (const Stall& stall : layer.stalls) ledger.Add(stall.reason, layer.layer.name, stall.cycles);
  }
  return std::move(ledger).Ranked();
}

}  // namespace cosim::session
