// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/cpu/no_code.h"
#include "compiler/graph/passes/pool_before_concat.h"
#include "compiler/network/measure.h"
#include "isa/check.h"
#include "sim/cycle/timing_engine.h"

namespace cosim::tune {

using kernels::Tile;
using runtime::Cycle;

Chain::Chain(const isa::Spec& spec, const graph::Graph& graph, int virtual_threads)
    : spec_(spec),
      graph_(graph::PoolBeforeConcat(graph)),
      virtual_threads_(virtual_threads),
      lowering_(spec, graph_, {.virtual_threads = virtual_threads, .timing_only = true, .after_pass = {}}) {
  auto whole = Compile(nullptr);
  COSIM_CHECK(whole);
  layers_ = std::move(whole->layers);
  cycles_ = whole->cycles;
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

std::vector<kernels::TileCost> Chain::SpaceOf(size_t layer, int most_threads) const {
  return lowering_.SpaceOf(layers_[layer].group, most_threads);
}

std::string Chain::ContextOf(size_t layer) const {
  const auto describe = [&](size_t i) {
    return i < layers_.size() ? fmt::format("{} by {}", layers_[i].workload, ToString(layers_[i].tile))
                              : "nothing";
  };
  return fmt::format("{}; behind {}; before {}", layers_[layer].workload,
                     layer == 0 ? "nothing" : describe(layer - 1), describe(layer + 1));
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

bool Chain::Take(size_t layer, const Tile& tile) {
  network::TunedTiles tuned;
  for (size_t i = 0; i < layers_.size(); ++i)
    tuned[{layers_[i].group.name, layers_[i].workload}] = i == layer ? tile : layers_[i].tile;
  auto whole = Compile(&tuned);
  if (!whole || whole->cycles >= cycles_ || whole->layers.size() != layers_.size()) return false;
  for (size_t i = 0; i < layers_.size(); ++i)  // what is fused with what depends on schedules too
    if (whole->layers[i].group.name != layers_[i].group.name ||
        whole->layers[i].tile != (i == layer ? tile : layers_[i].tile))
      return false;
  layers_ = std::move(whole->layers);
  cycles_ = whole->cycles;
  return true;
}

}  // namespace cosim::tune
