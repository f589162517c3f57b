// SPDX-License-Identifier: Apache-2.0
// Points with neighbours: what a search walks over, and what a ranker is told of each of them.
#pragma once

#include <algorithm>
#include <array>
#include <boost/functional/hash.hpp>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <unordered_map>
#include <vector>

namespace cosim::tune {

/// The same numbers on every machine, unlike the standard library's distributions.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  /// Below `count`, which is at least 1.
  size_t Below(size_t count) { return static_cast<size_t>(engine_() % count); }

 private:
  std::mt19937_64 engine_;
};

class Space {
 public:
  virtual ~Space() = default;

  /// Points are numbers below that, in the order of a model: 0 is its favourite.
  virtual size_t size() const = 0;
  /// A point that differs in one knob, which goes to a neighbouring value or any other.
  virtual size_t Mutate(size_t point, Random& random) const = 0;
  /// A point whose knobs are each those of one of two, if such a mixture is legal; else the first, mutated.
  virtual size_t Cross(size_t a, size_t b, Random& random) const = 0;
  /// What a ranker sees of a point; as many numbers of each.
  virtual std::vector<float> Features(size_t point) const = 0;
};

/// Points that differ in the values of so many knobs.
template <size_t kKnobs>
class KnobSpace : public Space {
 public:
  using Knobs = std::array<int64_t, kKnobs>;

  size_t Mutate(size_t point, Random& random) const override {
    constexpr int kTries = 40;
    const Knobs knobs = KnobsAt(point);
    for (int t = 0; t < kTries; ++t) {
      Knobs changed = knobs;
      const size_t k = random.Below(kKnobs);
      const auto& values = values_[k];
      if (values.size() < 2) continue;
      const auto at = static_cast<size_t>(std::ranges::find(values, knobs[k]) - values.begin());
      const size_t step = random.Below(3);  // down, up, anywhere
      const size_t to = step == 0   ? (at == 0 ? at + 1 : at - 1)
                        : step == 1 ? std::min(at + 1, values.size() - 1)
                                    : random.Below(values.size());
      changed[k] = values[to];
      const auto found = PointWith(changed);
      if (found && *found != point) return *found;
    }
    return random.Below(size());
  }

  size_t Cross(size_t a, size_t b, Random& random) const override {
    const Knobs second = KnobsAt(b);
    Knobs mixed = KnobsAt(a);
    for (size_t k = 0; k < kKnobs; ++k)
      if (random.Below(2) == 0) mixed[k] = second[k];
    const auto found = PointWith(mixed);
    return found && *found != a ? *found : Mutate(a, random);
  }

 protected:
  virtual Knobs KnobsAt(size_t point) const = 0;

  /// Once, when all points are there.
  void Index() {
    std::array<std::set<int64_t>, kKnobs> values;
    for (size_t i = 0; i < size(); ++i) {
      const Knobs knobs = KnobsAt(i);
      point_of_.emplace(knobs, i);
      for (size_t k = 0; k < kKnobs; ++k) values[k].insert(knobs[k]);
    }
    for (size_t k = 0; k < kKnobs; ++k) values_[k].assign(values[k].begin(), values[k].end());
  }

  std::optional<size_t> PointWith(const Knobs& knobs) const {
    const auto found = point_of_.find(knobs);
    return found == point_of_.end() ? std::nullopt : std::optional(found->second);
  }
  /// That a knob takes, ascending.
  const std::vector<int64_t>& ValuesOf(size_t knob) const { return values_[knob]; }

 private:
  struct Hash {
    size_t operator()(const Knobs& knobs) const { return boost::hash_range(knobs.begin(), knobs.end()); }
  };
  std::unordered_map<Knobs, size_t, Hash> point_of_;
  std::array<std::vector<int64_t>, kKnobs> values_;
};

}  // namespace cosim::tune
