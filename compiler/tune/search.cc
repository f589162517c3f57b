// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/search.h"

#include <algorithm>
#include <set>

#include "compiler/tune/ranker.h"

namespace cosim::tune {
namespace {

using runtime::Cycle;

constexpr std::pair<const char*, Method> kMethods[] = {{"ranker", Method::kRanker},
                                                       {"genetic", Method::kGenetic},
                                                       {"analytic", Method::kAnalytic},
                                                       {"random", Method::kRandom}};

constexpr size_t kBatch = 16;
constexpr size_t kRandomShare = 4;   // of a batch
constexpr size_t kPopulation = 128;  // that the trees look at, for some generations
constexpr int kGenerations = 6;
constexpr size_t kParents = 32;

class Searcher {
 public:
  Searcher(const Space& space, Method method, uint64_t seed, const MeasureBatch& measure)
      : space_(space), method_(method), random_(seed), measure_(measure) {}

  std::optional<Found> Run(const std::vector<size_t>& starts, size_t trials) {
    trials = std::min(trials, space_.size());
    std::vector<size_t> first;
    for (const size_t start : starts)
      if (first.size() < trials && std::ranges::count(first, start) == 0) first.push_back(start);
    Measure(first);
    while (tried_.size() < trials) Measure(Propose(std::min(kBatch, trials - tried_.size())));
    if (found_.curve.empty()) return std::nullopt;
    found_.trials = static_cast<int>(tried_.size());
    return found_;
  }

 private:
  struct Measured {
    size_t point;
    Cycle cycles;
  };

  void Measure(const std::vector<size_t>& points) {
    const auto cycles = measure_(points);
    for (size_t i = 0; i < points.size(); ++i) {
      tried_.insert(points[i]);
      if (!cycles[i]) continue;
      measured_.push_back({points[i], *cycles[i]});
      if (!found_.curve.empty() && *cycles[i] >= found_.cycles) continue;
      found_.point = points[i];
      found_.cycles = *cycles[i];
      found_.curve.emplace_back(static_cast<int>(tried_.size()), *cycles[i]);
    }
    std::ranges::stable_sort(measured_, {}, &Measured::cycles);
  }

  /// So many points that were not tried, of which there are enough.
  std::vector<size_t> Propose(size_t count) {
    std::vector<size_t> batch;
    std::set<size_t> taken = tried_;
    const auto take = [&](size_t point) {
      if (batch.size() < count && taken.insert(point).second) batch.push_back(point);
    };
    const bool learns = method_ == Method::kRanker || method_ == Method::kGenetic;
    if (method_ == Method::kAnalytic || (learns && measured_.size() < kBatch)) {
      const size_t guided = method_ == Method::kAnalytic ? count : count - std::min(count, kRandomShare);
      for (size_t i = 0; i < space_.size() && batch.size() < guided; ++i) take(i);
    } else if (learns) {
      for (const size_t point : method_ == Method::kRanker ? ByTrees() : Children()) {
        if (batch.size() + kRandomShare >= count) break;
        take(point);
      }
    }
    while (batch.size() < count) {
      constexpr int kTries = 200;
      for (int t = 0; t < kTries && batch.size() < count; ++t) take(random_.Below(space_.size()));
      for (size_t i = 0; i < space_.size() && batch.size() < count; ++i) take(i);
    }
    return batch;
  }

  size_t Parent() { return measured_[random_.Below(std::min(kParents, measured_.size()))].point; }

  std::vector<size_t> Children() {
    std::vector<size_t> children;
    for (size_t i = 0; i < 8 * kBatch; ++i)
      children.push_back(random_.Below(2) == 0 ? space_.Mutate(Parent(), random_)
                                               : space_.Cross(Parent(), Parent(), random_));
    return children;
  }

  /// Best first by what the trees say of points that descend from the best so far.
  std::vector<size_t> ByTrees() {
    std::vector<std::vector<float>> rows;
    std::vector<double> cycles;
    for (const Measured& each : measured_) {
      rows.push_back(space_.Features(each.point));
      cycles.push_back(static_cast<double>(each.cycles));
    }
    ranker_.Train(rows, cycles);
    std::set<size_t> population;
    for (size_t i = 0; i < std::min(kParents, measured_.size()); ++i) population.insert(measured_[i].point);
    for (size_t i = 0; i < kParents; ++i) population.insert(random_.Below(space_.size()));
    std::vector<size_t> ranked = Ranked(population);
    for (int generation = 0; generation < kGenerations; ++generation) {
      ranked.resize(std::min(ranked.size(), kPopulation / 2));
      population = {ranked.begin(), ranked.end()};
      const size_t parents = ranked.size();
      for (size_t i = 0; i < kPopulation; ++i) {
        const size_t a = ranked[random_.Below(parents)], b = ranked[random_.Below(parents)];
        population.insert(random_.Below(2) == 0 ? space_.Mutate(a, random_) : space_.Cross(a, b, random_));
      }
      ranked = Ranked(population);
    }
    return ranked;
  }

  std::vector<size_t> Ranked(const std::set<size_t>& points) const {
    std::vector<std::vector<float>> rows;
    for (const size_t point : points) rows.push_back(space_.Features(point));
    const std::vector<float> scores = ranker_.Score(rows);
    std::vector<std::pair<float, size_t>> order;
    for (const size_t point : points) order.emplace_back(-scores[order.size()], point);
    std::ranges::sort(order);
    std::vector<size_t> ranked;
    for (const auto& [score, point] : order) ranked.push_back(point);
    return ranked;
  }

  const Space& space_;
  Method method_;
  Random random_;
  const MeasureBatch& measure_;
  Ranker ranker_;
  std::set<size_t> tried_;
  std::vector<Measured> measured_;  ///< fewest cycles first
  Found found_;
};

}  // namespace

std::optional<Method> ParseMethod(const std::string& name) {
  for (const auto& [known, method] : kMethods)
    if (name == known) return method;
  return std::nullopt;
}

std::string MethodNames() {
  std::string names;
  for (const auto& [name, method] : kMethods) names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

std::optional<Found> Search(const Space& space, const std::vector<size_t>& starts, Method method, int trials,
                            uint64_t seed, const MeasureBatch& measure) {
  return Searcher(space, method, seed, measure).Run(starts, static_cast<size_t>(trials));
}

}  // namespace cosim::tune
