// SPDX-License-Identifier: Apache-2.0
#include "compiler/explore/search/search_space.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace cosim::explore {
namespace {

constexpr int64_t kStepsOfRange = 1000;  // of numbers that are not whole

/// Ascending where all values are numbers; each once.
bool PutInOrder(Axis& axis) {
  std::vector<std::string> values;
  const auto numbers = NumbersOf(axis);
  if (numbers) {
    std::vector<size_t> order(numbers->size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, {}, [&](size_t i) { return (*numbers)[i]; });
    for (size_t i = 0; i < order.size(); ++i)
      if (i == 0 || (*numbers)[order[i]] != (*numbers)[order[i - 1]]) values.push_back(axis.values[order[i]]);
  } else {
    for (const std::string& value : axis.values)
      if (std::ranges::count(values, value) == 0) values.push_back(value);
  }
  axis.values = std::move(values);
  return numbers.has_value();
}

Gene GeneOf(Axis& axis) {
  if (!axis.range) {
    const bool ordered = PutInOrder(axis);
    return {static_cast<int64_t>(axis.values.size()), ordered};
  }
  const auto [from, to, whole] = *axis.range;
  if (from == to) return {1, true};
  return {whole ? static_cast<int64_t>(to - from) + 1 : kStepsOfRange + 1, true};
}

}  // namespace

SearchSpace::SearchSpace(const Plan& plan) : plan_(plan) {
  if (plan_.variants.empty()) plan_.variants.emplace_back();
  for (const size_t count : {plan_.configs.size(), plan_.variants.size(), plan_.virtual_threads.size()})
    genes_.push_back({static_cast<int64_t>(count), false});
  for (Axis& axis : plan_.axes) genes_.push_back(GeneOf(axis));
}

int64_t SearchSpace::Size(int64_t most) const {
  int64_t size = 1;
  for (const Gene& gene : genes_) {
    if (gene.count > most / size) return most + 1;
    size *= gene.count;
  }
  return size;
}

std::string SearchSpace::ValueOf(size_t key, int64_t number) const {
  const Axis& axis = plan_.axes[key];
  if (!axis.range) return axis.values[static_cast<size_t>(number)];
  const auto [from, to, whole] = *axis.range;
  const auto n = static_cast<double>(number);
  return whole ? NumberText(from + n, true) : NumberText(from + n * (to - from) / kStepsOfRange, false);
}

std::optional<int64_t> SearchSpace::NumberOf(size_t key, const std::string& value) const {
  constexpr int64_t kMostToLookAt = 1'000'000;
  const int64_t count = genes_[kFirstKey + key].count;
  for (int64_t number = 0; number < std::min(count, kMostToLookAt); ++number)
    if (ValueOf(key, number) == value) return number;
  return std::nullopt;
}

Point SearchSpace::PointOf(const Genome& genome, const std::string& network) const {
  const Variant& variant = plan_.variants[static_cast<size_t>(genome[1])];
  Point point{.network = network, .config = plan_.configs[static_cast<size_t>(genome[0])], .isa = plan_.isa};
  point.virtual_threads = plan_.virtual_threads[static_cast<size_t>(genome[2])];
  point.seed = plan_.seed;
  point.accuracy = plan_.accuracy;
  point.name = variant.name;
  point.settings = plan_.set;
  point.settings.insert(point.settings.end(), variant.settings.begin(), variant.settings.end());
  for (size_t key = 0; key < plan_.axes.size(); ++key)
    point.settings.push_back({plan_.axes[key].key, ValueOf(key, genome[kFirstKey + key])});
  return point;
}

}  // namespace cosim::explore
