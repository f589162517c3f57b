// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/detection.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/host/numeric.h"

namespace cosim::host {
namespace {

struct Box {
  float top, left, bottom, right;
};

std::vector<Box> Decoded(const Detection& a, const Tensor& boxes, const Tensor& anchors) {
  const auto count = static_cast<size_t>(boxes.shape()[1]), values = static_cast<size_t>(boxes.shape()[2]);
  std::vector<Box> result;
  for (size_t i = 0; i < count; ++i) {
    const auto box = boxes.data<float>().subspan(i * values, 4),
               anchor = anchors.data<float>().subspan(i * 4, 4);
    const auto scaled = [&](size_t k) {
      return static_cast<double>(box[k]) / static_cast<double>(a.scales[k]);
    };
    float centre[2], half[2];
    for (size_t d : {0, 1}) {
      const auto size = static_cast<double>(anchor[d + 2]);
      centre[d] = static_cast<float>(scaled(d) * size + static_cast<double>(anchor[d]));
      half[d] = static_cast<float>(0.5 * std::exp(scaled(d + 2)) * size);
    }
    result.push_back({centre[0] - half[0], centre[1] - half[1], centre[0] + half[0], centre[1] + half[1]});
  }
  return result;
}

float AreaOf(const Box& box) { return (box.bottom - box.top) * (box.right - box.left); }

/// The part of two boxes that both cover.
float Overlap(const Box& a, const Box& b) {
  const float one = AreaOf(a), other = AreaOf(b);
  if (one <= 0 || other <= 0) return 0;
  const float height = std::max(std::min(a.bottom, b.bottom) - std::max(a.top, b.top), 0.0f),
              width = std::max(std::min(a.right, b.right) - std::max(a.left, b.left), 0.0f);
  const float both = height * width;
  return both / (one + other - both);
}

/// The order of falling values; of numbers that are none too.
std::vector<size_t> Falling(const std::vector<float>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto key = [&](size_t i) { return std::isnan(values[i]) ? -INFINITY : values[i]; };
  std::stable_sort(order.begin(), order.end(), [&](size_t i, size_t j) { return key(i) > key(j); });
  return order;
}

/// The best boxes by `scores`, at most `most`, none of which overlaps a better one.
std::vector<size_t> Suppressed(const Detection& a, const std::vector<Box>& boxes,
                               const std::vector<float>& scores, size_t most) {
  std::vector<size_t> kept, selected;
  std::vector<float> values;
  for (size_t i = 0; i < scores.size(); ++i)
    if (scores[i] >= a.score_threshold) {
      kept.push_back(i);
      values.push_back(scores[i]);
    }
  const std::vector<size_t> order = Falling(values);
  std::vector<bool> active(order.size(), true);
  for (size_t i = 0; i < order.size() && selected.size() < most; ++i) {
    if (!active[i]) continue;
    selected.push_back(kept[order[i]]);
    for (size_t j = i + 1; j < order.size(); ++j)
      if (active[j] && Overlap(boxes[selected.back()], boxes[kept[order[j]]]) > a.overlap_threshold)
        active[j] = false;
  }
  return selected;
}

struct Found {
  size_t box = 0;
  size_t label = 0;
  float score = 0;
};

/// Class by class; what is found so far is cut to the best after each.
std::vector<Found> FindRegular(const Detection& a, const std::vector<Box>& boxes,
                               const std::vector<std::vector<float>>& scores) {
  std::vector<Found> found;
  for (size_t label = 0; label < static_cast<size_t>(a.classes); ++label) {
    std::vector<float> column;
    for (const auto& row : scores) column.push_back(row[label]);
    for (size_t box : Suppressed(a, boxes, column, static_cast<size_t>(a.detections_per_class)))
      found.push_back({box, label, column[box]});
    std::vector<float> values;
    for (const Found& one : found) values.push_back(one.score);
    std::vector<Found> best;
    for (size_t i : Falling(values))
      if (best.size() < static_cast<size_t>(a.most_detections)) best.push_back(found[i]);
    found = std::move(best);
  }
  return found;
}

void Write(const Found& one, const std::vector<Box>& boxes, size_t at, Results out) {
  const Box& box = boxes[one.box];
  const float corners[] = {box.top, box.left, box.bottom, box.right};
  std::ranges::copy(corners, out[0].mutable_data<float>().begin() + static_cast<std::ptrdiff_t>(4 * at));
  out[1].mutable_data<float>()[at] = static_cast<float>(one.label);
  out[2].mutable_data<float>()[at] = one.score;
}

void ComputeDetection(const Detection& a, Values in, Results out) {
  const std::vector<Box> boxes = Decoded(a, *in[0], *in[2]);
  const auto columns = static_cast<size_t>(in[1]->shape()[2]),
             first = columns - static_cast<size_t>(a.classes);
  std::vector<std::vector<float>> scores;
  for (size_t i = 0; i < boxes.size(); ++i) {
    const auto row = in[1]->data<float>().subspan(i * columns + first, static_cast<size_t>(a.classes));
    scores.emplace_back(row.begin(), row.end());
  }
  size_t count = 0;
  if (a.regular) {
    for (const Found& one : FindRegular(a, boxes, scores)) Write(one, boxes, count++, out);
  } else {
    std::vector<float> best;
    for (const auto& row : scores) best.push_back(row[Falling(row)[0]]);
    const auto each = static_cast<size_t>(std::min(a.classes_per_detection, a.classes));
    for (size_t box : Suppressed(a, boxes, best, static_cast<size_t>(a.most_detections))) {
      const auto order = Falling(scores[box]);
      for (size_t k = 0; k < each; ++k)
        Write({box, order[k], scores[box][order[k]]}, boxes,
              count * static_cast<size_t>(a.classes_per_detection) + k, out);
      ++count;
    }
  }
  out[3].mutable_data<float>()[0] = static_cast<float>(count);
}

Types InferDetection(const Detection& a, Operands in) {
  const Shape &boxes = in[0].type.shape, &scores = in[1].type.shape;
  for (const HostOperand& operand : in)
    if (operand.type.dtype != DType::kFloat32) return Refuse("operands must be float32");
  if (boxes.size() != 3 || boxes[0] != 1 || boxes[2] < 4) return Refuse("boxes {}", ToString(boxes));
  if (in[2].type.shape != Shape{boxes[1], 4}) return Refuse("anchors {}", ToString(in[2].type.shape));
  if (a.classes < 1 || scores.size() != 3 || scores[0] != 1 || scores[1] != boxes[1] ||
      (scores[2] != a.classes && scores[2] != a.classes + 1))
    return Refuse("scores {} for {} classes", ToString(scores), a.classes);
  if (a.most_detections < 1 || a.classes_per_detection < 1 || a.detections_per_class < 1)
    return Refuse("{} detections, {} classes for each and {} of each class", a.most_detections,
                  a.classes_per_detection, a.detections_per_class);
  if (!(a.overlap_threshold > 0) || a.overlap_threshold > 1)
    return Refuse("an overlap of {}", a.overlap_threshold);
  constexpr int64_t kMost = 1 << 20;
  if (a.most_detections > kMost || a.classes_per_detection > kMost / a.most_detections)
    return Refuse("the result is too large");
  const int64_t rows = a.most_detections * a.classes_per_detection;
  const auto real = [](Shape shape) { return TensorType{DType::kFloat32, std::move(shape)}; };
  return std::vector<TensorType>{real({1, rows, 4}), real({1, rows}), real({1, rows}), real({1})};
}

}  // namespace

HostOperatorPtr DetectionPostProcess(const Detection& attributes) {
  return Make(
      "tflite_detection_postprocess", 3, 3, [=](Operands in) { return InferDetection(attributes, in); },
      [=](Values in, Results out) { ComputeDetection(attributes, in, out); });
}

}  // namespace cosim::host
