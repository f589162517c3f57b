// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/selection.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "compiler/host/numeric.h"

namespace cosim::host {
namespace {

/// Which of the different slices each is, and where each of these is first.
struct Groups {
  std::vector<int64_t> first, of, counts;
};

/// Floats compare as numbers, NaN behind all and equal to itself.
template <typename T>
int OrderOf(T a, T b) {
  if (a != a || b != b) return static_cast<int>(a != a) - static_cast<int>(b != b);
  return static_cast<int>(a > b) - static_cast<int>(a < b);
}

Groups GroupsOf(const Tensor& x, const AroundAxis& view, bool sorted) {
  Groups groups;
  Dispatch(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto values = x.data<T>();
    const auto order = [&](int64_t a, int64_t b) {
      for (int64_t o = 0; o < view.outer; ++o)
        for (int64_t i = 0; i < view.inner; ++i) {
          const auto at = [&](int64_t k) { return values[(o * view.extent + k) * view.inner + i]; };
          if (const int sign = OrderOf(at(a), at(b))) return sign;
        }
      return 0;
    };
    std::vector<int64_t> slices(static_cast<size_t>(view.extent));
    std::iota(slices.begin(), slices.end(), int64_t{0});
    std::stable_sort(slices.begin(), slices.end(), [&](int64_t a, int64_t b) { return order(a, b) < 0; });
    groups.of.resize(slices.size());
    for (size_t i = 0; i < slices.size(); ++i) {
      if (i == 0 || order(slices[i - 1], slices[i]) != 0) {
        groups.first.push_back(slices[i]);
        groups.counts.push_back(0);
      }
      groups.of[static_cast<size_t>(slices[i])] = static_cast<int64_t>(groups.first.size()) - 1;
      ++groups.counts.back();
    }
  });
  if (sorted) return groups;
  std::vector<int64_t> order(groups.first.size()), rank(order.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::ranges::sort(order, {}, [&](int64_t g) { return groups.first[static_cast<size_t>(g)]; });
  Groups by_place;
  for (size_t i = 0; i < order.size(); ++i) {
    rank[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
    by_place.first.push_back(groups.first[static_cast<size_t>(order[i])]);
    by_place.counts.push_back(groups.counts[static_cast<size_t>(order[i])]);
  }
  for (int64_t g : groups.of) by_place.of.push_back(rank[static_cast<size_t>(g)]);
  return by_place;
}

struct SliceGroups {
  Tensor x;  ///< of float32 where it was float16
  size_t axis = 0;
  Groups groups;
};

SliceGroups SliceGroupsOf(const Tensor& x, std::optional<int64_t> axis, bool sorted) {
  SliceGroups slices{x.dtype() == DType::kFloat16 ? ConvertTo(x, DType::kFloat32) : x, 0, {}};
  if (!axis) slices.x = slices.x.Reshaped({x.size()});
  if (axis) slices.axis = *AxisOf(*axis, x.shape().size());
  slices.groups = GroupsOf(slices.x, AroundAxis(slices.x.shape(), slices.axis), sorted);
  return slices;
}

/// The list as a map from its sequences to their places in it.
std::map<std::vector<int64_t>, size_t> PlacesOf(const NgramAttributes& a) {
  std::map<std::vector<int64_t>, size_t> places;
  size_t place = 0;
  for (size_t k = 0; k < a.starts.size(); ++k) {
    const auto length = static_cast<int64_t>(k) + 1;
    const auto end = k + 1 < a.starts.size() ? a.starts[k + 1] : static_cast<int64_t>(a.list.size());
    for (int64_t at = a.starts[k]; at < end; at += length)
      places.emplace(std::vector<int64_t>(a.list.begin() + at, a.list.begin() + at + length), place++);
  }
  return places;
}

int64_t ColumnsOf(const NgramAttributes& a) {
  return a.columns.empty() ? 0 : *std::ranges::max_element(a.columns) + 1;
}

void CountRow(const NgramAttributes& a, const std::map<std::vector<int64_t>, size_t>& places,
              const int64_t* row, int64_t width, float* to) {
  std::vector<int64_t> found(a.columns.size(), 0);
  for (int64_t length = a.least_length; length <= a.most_length; ++length)
    for (int64_t step = 1; step <= (length == 1 ? 1 : a.most_skipped + 1); ++step)
      for (int64_t start = 0; start + (length - 1) * step < width; ++start) {
        std::vector<int64_t> ngram;
        for (int64_t k = 0; k < length; ++k) ngram.push_back(row[start + k * step]);
        if (const auto at = places.find(ngram); at != places.end()) ++found[at->second];
      }
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i] == 0) continue;
    const float count = a.counts ? static_cast<float>(found[i]) : 1;
    to[a.columns[i]] = a.weights.empty() ? count : count * a.weights[i];
  }
}

}  // namespace

HostOperatorPtr Unique(std::optional<int64_t> axis, bool sorted) {
  return Make(
      "unique", 1, 1,
      [=](Operands in) {
        if (!in[0].value) return Refuse("how many elements differ is only known of a constant");
        if (axis && !AxisOf(*axis, in[0].type.shape.size()))
          return Refuse("axis {} of {}", *axis, ToString(in[0].type.shape));
        const SliceGroups slices = SliceGroupsOf(*in[0].value, axis, sorted);
        const auto count = static_cast<int64_t>(slices.groups.first.size());
        Shape shape = slices.x.shape();
        shape[slices.axis] = count;
        return Types{std::vector<TensorType>{{in[0].type.dtype, shape},
                                             {DType::kInt64, {count}},
                                             {DType::kInt64, {slices.x.shape()[slices.axis]}},
                                             {DType::kInt64, {count}}}};
      },
      [=](Values in, Results out) {
        const SliceGroups slices = SliceGroupsOf(*in[0], axis, sorted);
        const AroundAxis view(slices.x.shape(), slices.axis);
        const auto size = static_cast<int64_t>(graph::SizeOf(in[0]->dtype())) * view.inner;
        const auto from = in[0]->bytes();
        const auto to = out[0].mutable_bytes();
        int64_t target = 0;
        for (int64_t o = 0; o < view.outer; ++o)
          for (int64_t k : slices.groups.first) {
            const auto part =
                from.subspan(static_cast<size_t>((o * view.extent + k) * size), static_cast<size_t>(size));
            std::ranges::copy(part, to.begin() + target);
            target += size;
          }
        std::ranges::copy(slices.groups.first, out[1].mutable_data<int64_t>().begin());
        std::ranges::copy(slices.groups.of, out[2].mutable_data<int64_t>().begin());
        std::ranges::copy(slices.groups.counts, out[3].mutable_data<int64_t>().begin());
      });
}

std::string NgramFault(const NgramAttributes& a) {
  constexpr int64_t kLongest = 64, kMostSkipped = 1 << 16, kMostColumns = 1 << 26;
  if (a.least_length < 1 || a.most_length < a.least_length || a.most_length > kLongest ||
      a.most_skipped < 0 || a.most_skipped > kMostSkipped)
    return fmt::format("lengths of {} to {} with {} skipped", a.least_length, a.most_length, a.most_skipped);
  const auto size = static_cast<int64_t>(a.list.size());
  int64_t count = 0;
  for (size_t k = 0; k < a.starts.size(); ++k) {
    const int64_t end = k + 1 < a.starts.size() ? a.starts[k + 1] : size,
                  length = static_cast<int64_t>(k) + 1;
    if (a.starts[k] < 0 || end < a.starts[k] || end > size || (end - a.starts[k]) % length != 0)
      return "its list is not of the lengths that it says";
    count += (end - a.starts[k]) / length;
  }
  if (count != static_cast<int64_t>(a.columns.size()) ||
      (!a.weights.empty() && a.weights.size() != a.columns.size()))
    return "its list, columns and weights have different lengths";
  for (int64_t column : a.columns)
    if (column < 0 || column >= kMostColumns) return fmt::format("column {}", column);
  return "";
}

HostOperatorPtr CountNgrams(NgramAttributes a) {
  auto places = PlacesOf(a);
  const int64_t columns = ColumnsOf(a);
  return Make(
      "count_ngrams", 1, 1,
      [=](Operands in) {
        const TensorType& x = in[0].type;
        if ((x.dtype != DType::kInt32 && x.dtype != DType::kInt64) || x.shape.empty() || x.shape.size() > 2)
          return Refuse("input is {}", ToString(x));
        Shape shape = {columns};
        if (x.shape.size() == 2) shape.insert(shape.begin(), x.shape[0]);
        constexpr double kMostTests = 1 << 28;
        const auto span = static_cast<double>(a.most_length);
        if (static_cast<double>(graph::NumElements(x.shape)) * span * span *
                static_cast<double>(a.most_skipped + 1) >
            kMostTests)
          return Refuse("there is too much to look for");
        return IsReasonable(shape) ? One(DType::kFloat32, shape) : Refuse("the result is too large");
      },
      [=](Values in, Results out) {
        const auto values = Integers(*in[0]);
        const int64_t width = in[0]->shape().back(),
                      rows = in[0]->shape().size() == 2 ? in[0]->shape()[0] : 1;
        float* to = out[0].mutable_data<float>().data();
        for (int64_t r = 0; r < rows; ++r)
          CountRow(a, places, values.data() + r * width, width, to + r * columns);
      });
}

}  // namespace cosim::host
