// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/ranking.h"

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

}  // namespace cosim::quantize
