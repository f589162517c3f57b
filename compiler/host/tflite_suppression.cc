// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/tflite_suppression.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <vector>

namespace cosim::host {
namespace {

/// As many boxes are compared with so many.
constexpr int64_t kMostPairs = int64_t{1} << 28;

struct Candidate {
  int64_t box = 0;
  float score = 0;
  size_t compared = 0;  ///< with how many of those chosen

  bool operator<(const Candidate& other) const {
    return score < other.score || (score == other.score && box > other.box);
  }
};

/// The area that two boxes share, over that which either has.
float SharedArea(const float* a, const float* b) {
  const auto [top_a, bottom_a] = std::minmax(a[0], a[2]);
  const auto [left_a, right_a] = std::minmax(a[1], a[3]);
  const auto [top_b, bottom_b] = std::minmax(b[0], b[2]);
  const auto [left_b, right_b] = std::minmax(b[1], b[3]);
  const float area_a = (bottom_a - top_a) * (right_a - left_a),
              area_b = (bottom_b - top_b) * (right_b - left_b);
  if (area_a <= 0 || area_b <= 0) return 0;
  const float height = std::max(std::min(bottom_a, bottom_b) - std::max(top_a, top_b), 0.0f),
              width = std::max(std::min(right_a, right_b) - std::max(left_a, left_b), 0.0f);
  const float both = height * width, either = area_a + area_b - both;
  return either == 0 ? 0 : both / either;
}

std::vector<Candidate> Chosen(const float* boxes, std::span<const float> scores, float overlap, float least,
                              float sigma, size_t most) {
  std::priority_queue<Candidate> waiting;
  for (size_t i = 0; i < scores.size(); ++i)
    if (scores[i] > least) waiting.push({static_cast<int64_t>(i), scores[i]});
  most = std::min(most, waiting.size());
  const float slope = sigma > 0 ? -0.5f / sigma : 0;
  std::vector<Candidate> chosen;
  while (chosen.size() < most && !waiting.empty()) {
    Candidate next = waiting.top();
    waiting.pop();
    const float before = next.score;
    bool out = false;
    for (size_t j = chosen.size(); j > next.compared && !out; --j) {
      const float shared = SharedArea(boxes + 4 * next.box, boxes + 4 * chosen[j - 1].box);
      out = shared >= overlap;
      if (!out && sigma > 0) next.score *= std::exp(slope * shared * shared);
      if (next.score <= least) break;
    }
    next.compared = chosen.size();
    if (out) continue;
    if (next.score == before) chosen.push_back(next);
    if (next.score > least) waiting.push(next);
  }
  return chosen;
}

Types Infer(int64_t most, Operands in) {
  const Shape& boxes = in[0].type.shape;
  for (size_t i = 0; i < in.size(); ++i)
    if (!in[i].absent && in[i].type.dtype != DType::kFloat32)
      return Refuse("operand {} is {}, not float32", i, ToString(in[i].type));
  if (boxes.size() != 2 || boxes[1] != 4 || in[1].type.shape != Shape{boxes[0]})
    return Refuse("boxes {} with scores {}", ToString(boxes), ToString(in[1].type.shape));
  for (size_t i = 2; i < in.size(); ++i)
    if (!in[i].absent && graph::NumElements(in[i].type.shape) != 1)
      return Refuse("operand {} must be one number", i);
  if (most < 1 || most > kMostPairs || boxes[0] > kMostPairs / std::clamp<int64_t>(boxes[0], 1, most))
    return Refuse("{} of {} boxes", most, boxes[0]);
  return std::vector<TensorType>{{DType::kInt32, {most}}, {DType::kFloat32, {most}}, {DType::kInt32, {}}};
}

void Compute(int64_t most, Values in, Results out) {
  const auto number = [&](size_t i) { return in[i] ? in[i]->data<float>()[0] : 0; };
  const auto chosen = Chosen(in[0]->data<float>().data(), in[1]->data<float>(), number(2), number(3),
                             number(4), static_cast<size_t>(most));
  const auto places = out[0].mutable_data<int32_t>();
  const auto scores = out[1].mutable_data<float>();
  for (size_t i = 0; i < chosen.size(); ++i) {
    places[i] = static_cast<int32_t>(chosen[i].box);
    scores[i] = chosen[i].score;
  }
  out[2].mutable_data<int32_t>()[0] = static_cast<int32_t>(chosen.size());
}

}  // namespace

HostOperatorPtr TfliteNonMaxSuppression(int64_t most) {
  return Make(
      "tflite_non_max_suppression", 4, 5, [=](Operands in) { return Infer(most, in); },
      [=](Values in, Results out) { Compute(most, in, out); });
}

}  // namespace cosim::host
