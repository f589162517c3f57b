// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/interpolation.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <ranges>

namespace cosim::import::tflite {
namespace {

/// Eight times as many take 64 to 81 taps for each pixel of the result (docs/rationale/import.md).
constexpr int64_t kMostScale = 4;

/// How often a pixel is repeated; 0: not each as often.
int64_t ScaleOf(const host::TfliteGrid& grid) {
  if (grid.from == grid.to) return 1;
  const int64_t steps = grid.align_corners ? grid.from - 1 : grid.from,
                places = grid.align_corners ? grid.to - 1 : grid.to;
  return steps > 0 && places % steps == 0 ? places / steps : 0;
}

/// The filter for a grid, if there is one.
Interpolation FilterOf(const host::TfliteGrid& grid, int64_t scale) {
  Interpolation filter{.scale = scale};
  if (scale == 1) return filter;
  if (grid.half_pixel_centers) {  // around the middle of a pixel
    filter.taps.assign(static_cast<size_t>(scale + 1), 2);
    filter.taps.front() = filter.taps.back() = 1;
    filter.before = filter.after = scale / 2;
  } else {  // from the begin of a pixel
    filter.taps.assign(static_cast<size_t>(scale), 1);
    filter.after = grid.align_corners ? 0 : scale - 1;
  }
  // Arrays that multiply along rows take three weights of each.
  if (filter.taps.size() == 2) {
    filter.taps.insert(filter.taps.begin(), 0);
    ++filter.before;
  }
  filter.total = std::accumulate(filter.taps.begin(), filter.taps.end(), int64_t{0});
  return filter;
}

/// What each pixel counts in result `i`, in parts of the filter's total; those that do not are not there.
std::map<int64_t, int64_t> CountsOf(const Interpolation& filter, int64_t i, int64_t pixels) {
  std::map<int64_t, int64_t> counts;
  for (int64_t t = 0; t < std::ssize(filter.taps); ++t) {
    const int64_t at = std::clamp<int64_t>(i + t - filter.before, 0, pixels * filter.scale - 1);
    counts[at / filter.scale] += filter.taps[static_cast<size_t>(t)];
  }
  std::erase_if(counts, [](const auto& count) { return count.second == 0; });
  return counts;
}

/// The same as the reference has it.
std::map<int64_t, int64_t> CountsOf(const host::BilinearPlaces& places, size_t i, int64_t total) {
  const double share = places.real.empty() ? places.fraction[i] / 1024.0 : double{places.real[i]};
  std::map<int64_t, double> shares;
  shares[places.lower[i]] += 1 - share;
  shares[places.upper[i]] += share;
  std::map<int64_t, int64_t> counts;
  for (const auto& [pixel, of_one] : shares) {
    const double count = of_one * static_cast<double>(total);
    if (count != static_cast<double>(static_cast<int64_t>(count))) return {};
    if (count != 0) counts[pixel] = static_cast<int64_t>(count);
  }
  return counts;
}

}  // namespace

std::optional<Interpolation> InterpolationOf(const host::TfliteGrid& grid,
                                             host::BilinearArithmetic arithmetic) {
  const int64_t scale = ScaleOf(grid);
  if (scale != 1 && scale != 2 && scale != kMostScale) return std::nullopt;
  const auto places = host::PlacesBetween(grid, arithmetic);
  const Interpolation filter = FilterOf(grid, scale);
  const int64_t results = grid.from * scale + filter.before + filter.after - std::ssize(filter.taps) + 1;
  if (!places || results != grid.to) return std::nullopt;
  for (int64_t i = 0; i < grid.to; ++i)
    if (CountsOf(filter, i, grid.from) != CountsOf(*places, static_cast<size_t>(i), filter.total))
      return std::nullopt;
  return filter;
}

}  // namespace cosim::import::tflite
