// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/tile_text.h"

#include <charconv>
#include <sstream>

namespace cosim::tune {

std::optional<kernels::Tile> ParseTile(const std::string& text) {
  kernels::Tile tile;
  std::istringstream words(text);
  int64_t threads = tile.threads, units = tile.units;
  for (std::string word; words >> word;) {
    const size_t equals = word.find('=');
    if (equals == word.npos) {
      if (word == "co") tile.thread_axis = kernels::Tile::ThreadAxis::kCo;
      if (word == "x") tile.thread_axis = kernels::Tile::ThreadAxis::kX;
      if (word == "resident") tile.weights_resident = true;
      if (word == "rows") tile.rows_first = true;
      continue;
    }
    int64_t value = 0;
    std::from_chars(word.data() + equals + 1, word.data() + word.size(), value);
    const std::string knob = word.substr(0, equals);
    for (const auto& [name, field] : {std::pair<const char*, int64_t*>{"g", &tile.g},
                                      {"co", &tile.co},
                                      {"ci", &tile.ci},
                                      {"y", &tile.y},
                                      {"x", &tile.x},
                                      {"ky", &tile.ky},
                                      {"kx", &tile.kx},
                                      {"threads", &threads},
                                      {"units", &units}})
      if (knob == name) *field = value;
  }
  constexpr int64_t kMostThreads = 1024;
  if (threads < 1 || threads > kMostThreads || units < 1 || units > kMostThreads) return std::nullopt;
  tile.threads = static_cast<int>(threads);
  tile.units = static_cast<int>(units);
  if (ToString(tile) != text) return std::nullopt;
  return tile;
}

}  // namespace cosim::tune
