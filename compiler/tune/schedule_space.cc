// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/schedule_space.h"

#include <algorithm>
#include <cmath>

namespace cosim::tune {

using kernels::Tile;
using kernels::TileCost;
using kernels::TileWork;

// `units` follows from the others.
ScheduleSpace::Knobs ScheduleSpace::KnobsOf(const Tile& t) {
  return {t.g,
          t.co,
          t.ci,
          t.y,
          t.x,
          t.ky,
          t.kx,
          t.threads,
          static_cast<int64_t>(t.thread_axis),
          t.weights_resident};
}

ScheduleSpace::ScheduleSpace(kernels::AllLegal all) : tiles_(std::move(all.tiles)), legal_(all.legal) {
  std::ranges::stable_sort(tiles_, {}, &TileCost::cycles);
  Index();
}

std::vector<float> ScheduleSpace::Features(size_t point) const {
  const TileCost& cost = tiles_[point];
  std::vector<float> features;
  for (const int64_t knob : KnobsOf(cost.tile)) features.push_back(static_cast<float>(knob));
  const Tile& t = cost.tile;
  const auto log = [](double x) { return static_cast<float>(std::log2(x + 1)); };
  features.push_back(log(cost.cycles));
  features.push_back(log(cost.steps));
  features.push_back(log(static_cast<double>(t.g * t.co * t.y * t.x)));
  features.push_back(log(static_cast<double>(t.g * t.ci * t.y * t.x)));
  features.push_back(log(static_cast<double>(t.co * t.ci)));
  features.push_back(
      static_cast<float>(ValuesOf(3).back() % t.y));  // of rows and columns, what the last tile has
  features.push_back(static_cast<float>(ValuesOf(4).back() % t.x));
  return features;
}

TurnSpace::TurnSpace(network::TurnCandidates candidates) : candidates_(std::move(candidates)) { Index(); }

const TileWork& TurnSpace::first(size_t point) const {
  return candidates_.first[candidates_.pairs[point].first];
}

const TileWork& TurnSpace::second(size_t point) const {
  return candidates_.second[candidates_.pairs[point].second];
}

network::TurnTiles TurnSpace::tiles(size_t point) const { return {first(point).tile, second(point).tile}; }

// Such tiles have all taps on chip.
TurnSpace::Knobs TurnSpace::KnobsOf(const Tile& first, const Tile& second) {
  Knobs knobs{};
  size_t next = 0;
  for (const Tile& t : {first, second})
    for (const int64_t knob :
         {t.g, t.co, t.ci, t.y, t.x, int64_t{t.threads}, static_cast<int64_t>(t.thread_axis),
          int64_t{t.weights_resident}, int64_t{t.rows_first}})
      knobs[next++] = knob;
  return knobs;
}

std::vector<float> TurnSpace::Features(size_t point) const {
  std::vector<float> features;
  for (const int64_t knob : KnobsAt(point)) features.push_back(static_cast<float>(knob));
  const auto log = [&](double x) { features.push_back(static_cast<float>(std::log2(x + 1))); };
  for (const TileWork& work : {first(point), second(point)}) {
    log(std::max({work.load, work.compute, work.alu, work.store}));
    log(work.load);
    log(work.compute);
    log(work.rounds);
    log(work.first + work.last);
  }
  log(first(point).load + second(point).load);
  log(first(point).compute + second(point).compute);
  return features;
}

}  // namespace cosim::tune
