// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/cpu/no_code.h"
#include "compiler/network/measure.h"
#include "compiler/network/rearranged.h"
#include "isa/check.h"
#include "sim/cycle/timing_engine.h"

namespace cosim::tune {

using kernels::Tile;
using runtime::Cycle;

Chain::Chain(const isa::Spec& spec, const graph::Graph& graph, int virtual_threads)
    : spec_(spec),
      graph_(network::Rearranged(graph, spec)),
      virtual_threads_(virtual_threads),
      lowering_(spec, graph_, {.virtual_threads = virtual_threads, .timing_only = true, .after_pass = {}}) {
  auto whole = Compile(nullptr);
  COSIM_CHECK(whole);
  layers_ = std::move(whole->layers);
  cycles_ = whole->cycles;
  for (const Layer& layer : layers_) tuned_[{layer.group.name, layer.workload}] = layer.tile;
}

std::optional<Chain::Whole> Chain::Compile(const network::TunedTiles* tuned) {
  Whole whole;
  cpu::NoCodeCompiler no_code;
  const runtime::Network network =
      network::Compile(graph_, spec_,
                       {.virtual_threads = virtual_threads_,
                        .timing_only = true,
                        .after_pass = {},
                        .cache = &cache_,
                        .tuned = tuned,
                        .placed = [&](const network::Group& group,
                                      const Tile& tile) { whole.layers.push_back({group, {}, tile, {}}); }},
                       no_code);
  for (const auto& step : network.steps) {
    const auto* accelerator = std::get_if<runtime::AcceleratorStep>(&step);
    if (accelerator == nullptr) continue;
    const auto counters = sim::TimingEngine(spec_).Run(sim::DecodeAll(spec_, accelerator->program),
                                                       accelerator->program.code_address);
    if (!counters.completed) return std::nullopt;
    whole.cycles += counters.cycles;
  }
  for (size_t i = 0; i < whole.layers.size(); ++i) {
    Layer& layer = whole.layers[i];
    const bool known = i < layers_.size() && layers_[i].group.name == layer.group.name;
    layer.workload = known ? layers_[i].workload : lowering_.WorkloadOf(layer.group);
    layer.kernel = known && layers_[i].tile == layer.tile ? layers_[i].kernel
                                                          : lowering_.LowerAs(layer.group, layer.tile).kernel;
  }
  return whole;
}

kernels::AllLegal Chain::SpaceOf(size_t layer, int most_threads, size_t most) const {
  return lowering_.SpaceOf(layers_[layer].group, most_threads, most);
}

std::string Chain::Describe(size_t layer) const {
  return layer < layers_.size()
             ? fmt::format("{} by {}", layers_[layer].workload, ToString(layers_[layer].tile))
             : "nothing";
}

std::string Chain::ContextOf(size_t layer) const {
  return fmt::format("{}; behind {}; before {}", layers_[layer].workload, Describe(layer - 1),
                     Describe(layer + 1));
}

std::optional<Cycle> Chain::Measure(size_t layer, const Tile& tile) const {
  network::LoweredTile lowered = lowering_.LowerAs(layers_[layer].group, tile);
  if (!lowered.refusal.empty()) return std::nullopt;
  std::vector<accel::Kernel> row;
  if (layer > 0) row.push_back(layers_[layer - 1].kernel);
  row.push_back(std::move(lowered.kernel));
  if (layer + 1 < layers_.size()) row.push_back(layers_[layer + 1].kernel);
  accel::StorageCursor cursor;
  std::vector<const accel::Kernel*> kernels;
  for (accel::Kernel& kernel : row) {
    if (AssignStorage(kernel, spec_, cursor)) return std::nullopt;
    kernels.push_back(&kernel);
  }
  return network::CyclesInARow(spec_, kernels);
}

std::vector<Tile> Chain::Tiles() const {
  std::vector<Tile> tiles;
  for (const Layer& layer : layers_) tiles.push_back(layer.tile);
  return tiles;
}

bool Chain::TakeAll(network::TunedTiles tuned, const std::vector<Tile>& tiles) {
  auto whole = Compile(&tuned);
  if (!whole || whole->cycles >= cycles_ || whole->layers.size() != layers_.size()) return false;
  for (size_t i = 0; i < layers_.size(); ++i)  // what is fused with what depends on schedules too
    if (whole->layers[i].group.name != layers_[i].group.name || whole->layers[i].tile != tiles[i])
      return false;
  layers_ = std::move(whole->layers);
  cycles_ = whole->cycles;
  tuned_ = std::move(tuned);
  return true;
}

bool Chain::Take(size_t layer, const Tile& tile) {
  network::TunedTiles tuned = tuned_;
  tuned[{layers_[layer].group.name, layers_[layer].workload}] = tile;
  std::vector<Tile> tiles = Tiles();
  tiles[layer] = tile;
  return TakeAll(std::move(tuned), tiles);
}

network::TurnCandidates Chain::TurnSpaceOf(size_t layer, size_t most) const {
  const network::Group &first = layers_[layer].group, &second = layers_[layer + 1].group;
  const graph::Node& reader = graph_.node(second.nodes.front());
  const bool follows = lowering_.LookThroughViews(reader.inputs[0]) == first.nodes.back();
  if (!follows) return {};
  return lowering_.TurnSpaceOf(first, second, {layers_[layer].tile, layers_[layer + 1].tile}, most);
}

std::string Chain::TurnContextOf(size_t layer) const {
  return fmt::format("{} by turns with {}; behind {}; before {}", layers_[layer].workload,
                     layers_[layer + 1].workload, Describe(layer - 1), Describe(layer + 2));
}

std::optional<Cycle> Chain::MeasureTurns(size_t layer, const std::optional<network::TurnTiles>& tiles) const {
  std::vector<accel::Kernel> row;
  const auto add = [&](size_t i) {
    accel::Kernel kernel = layers_[i].kernel;
    accel::StorageCursor cursor;
    row.push_back(std::move(kernel));
    return !AssignStorage(row.back(), spec_, cursor);
  };
  if (layer > 0 && !add(layer - 1)) return std::nullopt;
  const size_t at = row.size();
  if (tiles) {
    auto both = lowering_.LowerTurns(layers_[layer].group, layers_[layer + 1].group, *tiles);
    if (!both) return std::nullopt;
    row.push_back(std::move(both->first.kernel));
    row.push_back(std::move(both->second.kernel));
  } else if (!add(layer) || !add(layer + 1)) {
    return std::nullopt;
  }
  if (layer + 2 < layers_.size() && !add(layer + 2)) return std::nullopt;
  std::vector<const accel::Kernel*> kernels;
  for (const accel::Kernel& kernel : row) kernels.push_back(&kernel);
  return tiles ? network::CyclesByTurns(spec_, kernels, at, network::SizeOf(*tiles))
               : network::CyclesInARow(spec_, kernels);
}

std::pair<Chain::LayerKey, Chain::LayerKey> Chain::TurnKeysOf(size_t layer) const {
  const Layer &first = layers_[layer], &second = layers_[layer + 1];
  return {network::TurnKey(first.group.name, first.workload, second.group.name),
          network::TurnKey(second.group.name, second.workload, first.group.name)};
}

bool Chain::TakeTurns(size_t layer, const network::TurnTiles& tiles) {
  network::TunedTiles tuned = tuned_;
  const auto [first, second] = TurnKeysOf(layer);
  tuned[first] = tiles.first;
  tuned[second] = tiles.second;
  return TakeAll(std::move(tuned), Tiles());
}

}  // namespace cosim::tune
