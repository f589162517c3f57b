// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedules/accel/fed_tiles.h"

#include <algorithm>
#include <map>

#include "compiler/schedules/accel/tile_sizes.h"
#include "compiler/tir/rounding.h"

namespace cosim::kernels {
namespace {

// The feeder's part of a tile: what one step of the sums behind it reads.
Tile OfFeeder(const Tile& tile) {
  return {.co = tile.ci,
          .y = tile.y,
          .x = tile.x,
          .threads = tile.threads,
          .thread_axis = tile.thread_axis,
          .weights_resident = true};
}

class FedModel {
 public:
  FedModel(const isa::Spec& spec, const Array& array, const Computation& feeder, const Computation& what)
      : spec_(spec),
        array_(array),
        feeder_(feeder),
        what_(what),
        resident_(ParametersResident(spec, array, what.window, &feeder.window)) {}

  std::optional<TileTerms> TermsOf(const Tile& t) const {
    const auto feeder = WorkOf(spec_, array_, *feeder_.kind, feeder_.window, feeder_.epilogue, OfFeeder(t));
    const auto what = WorkOf(spec_, array_, *what_.kind, what_.window, what_.epilogue, t);
    if (!feeder || !what || !Fit(*feeder, *what)) return std::nullopt;
    const double load = feeder->load + what->load, compute = feeder->compute + what->compute,
                 alu = feeder->alu + what->alu, store = what->store;
    TileTerms terms{.tile = t};
    terms.steps = static_cast<double>(tir::CeilDiv(what_.window.ci, t.ci)) * what->rounds;
    terms.first = feeder->first + what->first - 2 * static_cast<double>(spec_.dram.latency);
    terms.last = what->last - static_cast<double>(spec_.dram.write_latency);
    if (t.threads > 1) {
      terms.most = std::max({compute, (load + compute) / t.threads, load, alu, store}) +
                   kOfOthers * (load + compute + alu + store);
    } else {
      terms.most = load + compute + alu;
      terms.rounds = what->rounds;
    }
    return terms;
  }

 private:
  // The value between the two takes what the window of the sums behind takes.
  bool Fit(const TileWork& feeder, const TileWork& what) const {
    std::map<int, int64_t> elements;
    for (const auto& [memory, count] : what.elements) elements[memory] += count;
    for (const auto& [memory, count] : feeder.elements)
      if (memory != array_.results) elements[memory] += count;
    if (resident_) elements[array_.parameters.memory] = 0;  // both fit: that is why they stay
    return std::ranges::all_of(elements,
                               [&](const auto& of) { return of.second <= spec_.memories[of.first].depth; });
  }

  const isa::Spec& spec_;
  const Array& array_;
  const Computation& feeder_;
  const Computation& what_;
  const bool resident_;
};

}  // namespace

TileSpace FedTiles(const isa::Spec& spec, const Array& array, const Computation& feeder,
                   const Computation& what, int threads) {
  const FedModel model(spec, array, feeder, what);
  const Window& w = what.window;
  TileSpace space;
  const auto try_tiles = [&](int t, int64_t x) {
    for (const int64_t y : PartSizes(w.OutRows()))
      for (const int64_t ci : PartSizes(w.ci))
        for (const bool resident : {true, false}) {
          if (t > 1 && tir::CeilDiv(w.OutRows(), y) < 2) continue;
          const Tile tile{.co = w.co, .ci = ci, .y = y, .x = x, .threads = t, .weights_resident = resident};
          if (const auto terms = model.TermsOf(tile)) space.tiles.push_back(*terms);
        }
  };
  for (const int t : threads > 1 ? std::vector<int>{threads, 1} : std::vector<int>{1})
    for (const int64_t x : PartSizes(w.OutCols())) try_tiles(t, x);
  return space;
}

std::optional<TileCost> FedCostOf(const isa::Spec& spec, const Array& array, const Computation& feeder,
                                  const Computation& what, const Tile& tile) {
  const Window& w = what.window;
  if (tile.co != w.co || tile.ci > w.ci || tile.y > w.OutRows() || tile.x > w.OutCols() || tile.g != 1 ||
      tile.ky > 0 || tile.kx > 0 || tile.thread_axis != Tile::ThreadAxis::kY)
    return std::nullopt;
  const auto terms = FedModel(spec, array, feeder, what).TermsOf(tile);
  return terms ? std::optional(terms->CostWith(spec.dram)) : std::nullopt;
}

}  // namespace cosim::kernels
