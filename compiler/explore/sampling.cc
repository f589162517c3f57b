// SPDX-License-Identifier: Apache-2.0
#include "compiler/explore/sampling.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "compiler/graph/zoo/random.h"
#include "isa/check.h"

namespace cosim::explore {
namespace {

using graph::zoo::Random;

/// In [0, 1), in steps of 2^-53.
double Fraction(Random& random) { return static_cast<double>(random.Bits() >> 11) * 0x1p-53; }

std::vector<Sample> Grid(const std::vector<Axis>& axes) {
  std::vector<Sample> samples = {{}};
  for (const Axis& axis : axes) {
    COSIM_CHECK(!axis.range, "a grid over the range of '{}'", axis.key);
    std::vector<Sample> longer;
    longer.reserve(samples.size() * axis.values.size());
    for (const Sample& sample : samples)
      for (const std::string& value : axis.values) {
        longer.push_back(sample);
        longer.back().push_back(value);
      }
    samples = std::move(longer);
  }
  return samples;
}

/// 0 to count - 1 in an order of their own.
std::vector<int64_t> Shuffled(int64_t count, Random& random) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (int64_t i = count - 1; i > 0; --i)
    std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(random.Below(i + 1))]);
  return order;
}

}  // namespace

int64_t GridSize(const std::vector<Axis>& axes, int64_t most) {
  int64_t size = 1;
  for (const Axis& axis : axes) {
    size *= static_cast<int64_t>(axis.values.size());
    if (size > most) return most + 1;
  }
  return size;
}

std::vector<Sample> SamplesOf(const std::vector<Axis>& axes, Sampling sampling, int64_t points,
                              uint64_t seed) {
  if (axes.empty()) return {{}};
  if (sampling == Sampling::kGrid) return Grid(axes);
  // A stream for each axis: another axis behind leaves the values of those before it.
  Random seeds(seed);
  std::vector<Sample> samples(static_cast<size_t>(points));
  for (const Axis& axis : axes) {
    Random random(seeds.Bits());
    std::vector<int64_t> parts;
    if (sampling == Sampling::kLatin) parts = Shuffled(points, random);
    for (size_t i = 0; i < samples.size(); ++i) {
      const double within = Fraction(random);
      const double at =
          parts.empty() ? within : (static_cast<double>(parts[i]) + within) / static_cast<double>(points);
      samples[i].push_back(ValueAt(axis, std::min(at, 1 - 0x1p-53)));
    }
  }
  return samples;
}

}  // namespace cosim::explore
