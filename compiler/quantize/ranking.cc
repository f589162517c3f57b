// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/ranking.h"

#include <algorithm>
#include <type_traits>

namespace cosim::quantize {
namespace {

/// Calls f(i, score) for every class.
template <typename F>
void ForEachScore(const graph::Tensor& scores, F f) {
  graph::WithElementType(scores.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using Score = std::conditional_t<std::is_same_v<T, graph::Half>, float, T>;
    int64_t i = 0;
    for (const T& v : scores.data<T>()) f(i++, static_cast<Score>(v));
  });
}

std::vector<double> RealNumbers(const graph::Tensor& tensor,
                                const std::optional<graph::Quantization>& quantization) {
  std::vector<double> numbers;
  const double scale = quantization ? static_cast<double>(quantization->scales[0]) : 1;
  const int32_t zero = quantization ? quantization->zero_point : 0;
  ForEachScore(tensor, [&](int64_t, auto v) { numbers.push_back((static_cast<double>(v) - zero) * scale); });
  return numbers;
}

}  // namespace

std::optional<int64_t> RankOf(const graph::Tensor& scores, int64_t label) {
  if (label < 0 || label >= scores.size()) return std::nullopt;
  double own = 0;
  ForEachScore(scores, [&](int64_t i, auto v) {
    if (i == label) own = static_cast<double>(v);
  });
  int64_t rank = 0;
  ForEachScore(scores, [&](int64_t i, auto v) {
    const auto score = static_cast<double>(v);
    rank += score > own || (score == own && i < label);
  });
  return rank;
}

int64_t TopClass(const graph::Tensor& scores) {
  int64_t top = -1;
  double best = 0;
  ForEachScore(scores, [&](int64_t i, auto v) {
    const auto score = static_cast<double>(v);
    if (top >= 0 && !(score > best)) return;
    top = i;
    best = score;
  });
  return top;
}

std::optional<double> AreaUnderCurve(std::vector<std::pair<double, bool>> samples) {
  std::ranges::sort(samples);
  const auto positives =
      static_cast<double>(std::ranges::count_if(samples, [](const auto& sample) { return sample.second; }));
  const auto negatives = static_cast<double>(samples.size()) - positives;
  if (positives == 0 || negatives == 0) return std::nullopt;
  double pairs = 0, below = 0;  // negatives of smaller scores
  for (size_t begin = 0, end = 0; begin < samples.size(); begin = end) {
    double here[2] = {0, 0};
    for (; end < samples.size() && samples[end].first == samples[begin].first; ++end)
      ++here[samples[end].second ? 1 : 0];
    pairs += here[1] * (below + here[0] / 2);
    below += here[0];
  }
  return pairs / (positives * negatives);
}

double MeanSquaredError(const graph::Tensor& a, const std::optional<graph::Quantization>& of_a,
                        const graph::Tensor& b, const std::optional<graph::Quantization>& of_b) {
  const auto x = RealNumbers(a, of_a), y = RealNumbers(b, of_b);
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return x.empty() ? 0 : sum / static_cast<double>(x.size());
}

}  // namespace cosim::quantize
