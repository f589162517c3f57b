// SPDX-License-Identifier: Apache-2.0
// Looks for the schedule of fewest cycles among those of one kernel, by so many measurements. Knows nothing
// of kernels: a space, and a function that measures some of its points.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/tune/space.h"
#include "runtime/profile.h"

namespace cosim::tune {

enum class Method {
  kRanker,    ///< evolution by what boosted trees say, with a share of random points
  kGenetic,   ///< evolution by what was measured
  kAnalytic,  ///< in the order of the tile model
  kRandom
};
std::optional<Method> ParseMethod(const std::string& name);
/// "ranker, genetic, analytic, random".
std::string MethodNames();

/// Cycles of each point; nothing for one that cannot be made into a program.
using MeasureBatch = std::function<std::vector<std::optional<runtime::Cycle>>(std::span<const size_t>)>;

struct Found {
  size_t point = 0;
  runtime::Cycle cycles = 0;
  int trials = 0;  ///< that were made, `starts` among them
  /// The trials at which something better was found, from the first on, and its cycles.
  std::vector<std::pair<int, runtime::Cycle>> curve;
};

/// From `starts`, which are measured first, in this order, each once; at most `trials` points, all when there
/// are fewer. The same for the same seed. Nothing when not one can be made.
std::optional<Found> Search(const Space& space, const std::vector<size_t>& starts, Method method, int trials,
                            uint64_t seed, const MeasureBatch& measure);

}  // namespace cosim::tune
