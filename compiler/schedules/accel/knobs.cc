// SPDX-License-Identifier: Apache-2.0
// A schedule's knobs as text. See rank_tiles.h.
#include <algorithm>
#include <set>

#include "compiler/schedules/accel/rank_tiles.h"

namespace cosim::kernels {

std::vector<runtime::Knob> KnobsOf(const Tile& tile, const std::vector<TileCost>& legal) {
  std::vector<runtime::Knob> knobs;
  const auto add = [&](const char* name, auto value, auto text) {
    std::set<int64_t> values;
    for (const TileCost& cost : legal) values.insert(static_cast<int64_t>(value(cost.tile)));
    runtime::Knob& knob = knobs.emplace_back(name, text(static_cast<int64_t>(value(tile))));
    for (const int64_t v : values) knob.legal.push_back(text(v));
  };
  const auto number = [](int64_t v) { return std::to_string(v); };
  add("g", [](const Tile& t) { return t.g; }, number);
  add("co", [](const Tile& t) { return t.co; }, number);
  add("ci", [](const Tile& t) { return t.ci; }, number);
  add("y", [](const Tile& t) { return t.y; }, number);
  add("x", [](const Tile& t) { return t.x; }, number);
  if (std::ranges::any_of(legal, [](const TileCost& cost) { return cost.tile.ky > 0 || cost.tile.kx > 0; })) {
    const auto taps = [](int64_t v) { return v > 0 ? std::to_string(v) : std::string("all"); };
    add("ky", [](const Tile& t) { return t.ky; }, taps);
    add("kx", [](const Tile& t) { return t.kx; }, taps);
  }
  add("threads", [](const Tile& t) { return t.threads; }, number);
  if (std::ranges::any_of(legal, [](const TileCost& cost) { return cost.tile.rows_first; }))
    add(
        "rows_first", [](const Tile& t) { return t.rows_first; },
        [](int64_t v) { return v != 0 ? "yes" : "no"; });
  if (std::ranges::any_of(legal, [](const TileCost& cost) { return cost.tile.units > 1; }))
    add("units", [](const Tile& t) { return t.units; }, number);
  add(
      "thread_axis", [](const Tile& t) { return static_cast<int>(t.thread_axis); },
      [](int64_t v) { return std::string(ToString(static_cast<Tile::ThreadAxis>(v))); });
  add(
      "weights_resident", [](const Tile& t) { return t.weights_resident; },
      [](int64_t v) { return v != 0 ? "yes" : "no"; });
  return knobs;
}

}  // namespace cosim::kernels
