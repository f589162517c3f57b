// SPDX-License-Identifier: Apache-2.0
// Draws what combines or chooses elements: reductions, running sums, places, rows that belong together.
#include <algorithm>

#include "tests/network_fuzz/file_maker.h"

namespace cosim::testing {
namespace {

/// `shape` without the dimensions that are reduced, or with ones there.
struct DrawnReduction {
  int axes = FileMaker::kNone;
  Shape result;
  tflite::ReduceOptions options;
};

DrawnReduction DrawAxes(FileMaker& m, const Shape& shape) {
  DrawnReduction drawn;
  drawn.options.keep_dimensions = m.Chance(2);
  std::vector<int32_t> axes;
  const auto rank = static_cast<int32_t>(shape.size());
  const bool pixels = rank == 4 && m.Chance(3);
  for (int32_t d = 0; d < rank; ++d) {
    const bool over = pixels ? d == 1 || d == 2 : m.Chance(2);
    if (over) axes.push_back(m.Chance(3) ? d - rank : d);
    if (!over) drawn.result.push_back(shape[static_cast<size_t>(d)]);
    if (over && drawn.options.keep_dimensions) drawn.result.push_back(1);
  }
  if (axes.empty() && rank > 0) {
    axes = {rank - 1};
    drawn.result.pop_back();
    if (drawn.options.keep_dimensions) drawn.result.push_back(1);
  }
  drawn.axes = m.List(axes);
  return drawn;
}

int DrawReduction(FileMaker& m, const std::string& op) {
  const bool extremes = op == "REDUCE_MAX" || op == "REDUCE_MIN",
             logic = op == "REDUCE_ANY" || op == "REDUCE_ALL";
  const int x = logic                 ? m.Truth()
                : op == "REDUCE_PROD" ? (m.Chance(2) ? m.Real() : m.Among({DType::kInt8, DType::kInt16}))
                                      : m.Any("qqqfi");
  if (x < 0) return x;
  const DrawnReduction drawn = DrawAxes(m, m.ShapeOf(x));
  TensorInfo y = extremes || logic ? m.Like(x, drawn.result) : m.NewLike(x, drawn.result);
  // The reference defines products by scales that are not far smaller than the operand's.
  if (op == "REDUCE_PROD" && !y.scales.empty()) y.scales = {std::max(y.scales[0], m.Info(x).scales[0])};
  return m.Emit(op, {x, drawn.axes}, y, drawn.options);
}

int DrawPlace(FileMaker& m, const std::string& op) {
  const int x = m.AnyExact("qqfi");
  if (x < 0 || m.ShapeOf(x).empty()) return FileMaker::kNone;
  Shape shape = m.ShapeOf(x);
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t axis = m.Pick(0, rank - 1);
  shape.erase(shape.begin() + axis);
  return m.Emit(op, {x, m.Scalar(static_cast<int32_t>(m.Chance(2) ? axis : axis - rank))},
                m.Plain(m.Chance(2) ? DType::kInt32 : DType::kInt64, shape));
}

int DrawRunningSum(FileMaker& m, const std::string& op) {
  const int x = m.Any("fi");
  if (x < 0 || m.ShapeOf(x).empty()) return FileMaker::kNone;
  const int64_t axis = m.Pick(0, std::ssize(m.ShapeOf(x)) - 1);
  return m.Emit(op, {x, m.Scalar(static_cast<int32_t>(axis))}, m.Like(x, m.ShapeOf(x)),
                tflite::CumulativeOptions{m.Chance(2), m.Chance(2)});
}

int DrawNeighbours(FileMaker& m, const std::string& op) {
  const int x = m.OfRank(m.Real(), 4);
  if (x < 0) return x;
  return m.Emit(op, {x}, m.Like(x, m.ShapeOf(x)),
                tflite::LocalResponseOptions{m.Pick(0, 3), 1, 0.01f, m.Chance(2) ? 0.5f : 0.75f});
}

int DrawLargest(FileMaker& m, const std::string& op) {
  const int x = m.AnyExact("qqfi");
  if (x < 0 || m.ShapeOf(x).empty()) return FileMaker::kNone;
  Shape shape = m.ShapeOf(x);
  shape.back() = m.Pick(1, shape.back());
  const auto made = m.EmitAll(op, {x, m.Scalar(static_cast<int32_t>(shape.back()))},
                              {m.Like(x, shape), m.Plain(DType::kInt32, shape)});
  return made.empty() ? FileMaker::kNone : m.OneOf(made);
}

int DrawOneHot(FileMaker& m, const std::string& op) {
  const int x = m.AnyExact("qf");
  if (x < 0 || m.ShapeOf(x).empty()) return FileMaker::kNone;
  Shape shape = m.ShapeOf(x);
  shape.pop_back();
  const int places = m.Emit("ARG_MIN", {x, m.Scalar(-1)}, m.Plain(DType::kInt32, shape));
  if (places < 0) return places;
  const int64_t depth = m.Pick(1, 9), axis = m.Pick(0, std::ssize(shape));
  shape.insert(shape.begin() + axis, depth);
  const TensorInfo y = m.Chance(2) ? m.Scaled(m.type(), shape) : m.Plain(DType::kFloat32, shape);
  TensorInfo one = y;
  one.shape = {};
  return m.Emit(op, {places, m.Scalar(static_cast<int32_t>(depth)), m.Constant(one), m.Constant(one)}, y,
                tflite::AxisOptions{.axis = axis == std::ssize(shape) - 1 && m.Chance(2) ? -1 : axis});
}

/// Places [count, depth] within `shape`.
int DrawPlaces(FileMaker& m, const Shape& shape, int64_t count, bool different) {
  std::vector<int32_t> list;
  for (int64_t i = 0; i < count; ++i)
    for (size_t d = 0; d < shape.size(); ++d) {
      const bool ordered = different && d == 0;
      list.push_back(static_cast<int32_t>(ordered ? i : m.Pick(0, shape[d] - 1)));
    }
  TensorInfo info = m.Plain(DType::kInt32, {count, std::ssize(shape)});
  info.data = std::make_shared<const graph::Tensor>(info.shape, list);
  return m.Add(std::move(info));
}

int DrawScatter(FileMaker& m, const std::string& op) {
  const int x = m.OfRank(m.Any(m.type() == DType::kInt16 ? "fib" : "qqfib"), 2);
  if (x < 0) return x;
  const Shape shape = m.ShapeOf(x);
  const Shape outer = {m.Pick(1, 4), m.Pick(1, 4)};
  const Shape result = {outer[0], outer[1], shape[1]};
  // Sums of floats depend on their order.
  const bool real = m.TypeOf(x) == DType::kFloat32;
  if (real && shape[0] > outer[0]) return FileMaker::kNone;
  return m.Emit(op, {DrawPlaces(m, outer, shape[0], real), x, m.List({result.begin(), result.end()})},
                m.Like(x, result));
}

int DrawSparse(FileMaker& m, const std::string& op) {
  const int x = m.OfRank(m.Any("qqfib"), 1);
  if (x < 0) return x;
  const int64_t count = m.ShapeOf(x)[0], columns = m.Pick(1, 4);
  const Shape result = {count + m.Pick(0, 3), columns};
  return m.Emit(op,
                {DrawPlaces(m, result, count, true), m.List({result.begin(), result.end()}), x,
                 m.Constant(m.Like(x, {}))},
                m.Like(x, result));
}

int DrawSegments(FileMaker& m, const std::string& op) {
  const int x = m.Any("fi");
  if (x < 0 || m.ShapeOf(x).empty()) return FileMaker::kNone;
  Shape shape = m.ShapeOf(x);
  std::vector<int32_t> list;
  const bool ordered = op == "SEGMENT_SUM";
  int32_t most = 0;
  for (int64_t i = 0; i < shape[0]; ++i) {
    const int32_t next = i > 0 && m.Chance(2) ? most + 1 : most;
    list.push_back(ordered ? most = next : static_cast<int32_t>(m.Pick(-1, 4)));
  }
  if (!ordered) most = *std::ranges::max_element(list) + static_cast<int32_t>(m.Pick(0, 2));
  shape[0] = std::max<int64_t>(most + 1, 1);
  std::vector<int> operands = {x, m.List(list)};
  if (!ordered) operands.push_back(m.Scalar(static_cast<int32_t>(shape[0])));
  return m.Emit(op, operands, m.Like(x, shape));
}

}  // namespace

std::span<const FileStep> ReductionSteps() {
  static constexpr FileStep kSteps[] = {{"MEAN", DrawReduction},
                                        {"SUM", DrawReduction},
                                        {"REDUCE_MAX", DrawReduction},
                                        {"REDUCE_MIN", DrawReduction},
                                        {"REDUCE_PROD", DrawReduction},
                                        {"REDUCE_ANY", DrawReduction},
                                        {"REDUCE_ALL", DrawReduction},
                                        {"ARG_MAX", DrawPlace},
                                        {"ARG_MIN", DrawPlace},
                                        {"CUMSUM", DrawRunningSum},
                                        {"LOCAL_RESPONSE_NORMALIZATION", DrawNeighbours},
                                        {"TOPK_V2", DrawLargest},
                                        {"ONE_HOT", DrawOneHot},
                                        {"SCATTER_ND", DrawScatter},
                                        {"SPARSE_TO_DENSE", DrawSparse},
                                        {"SEGMENT_SUM", DrawSegments},
                                        {"UNSORTED_SEGMENT_MAX", DrawSegments},
                                        {"UNSORTED_SEGMENT_MIN", DrawSegments},
                                        {"UNSORTED_SEGMENT_PROD", DrawSegments},
                                        {"UNSORTED_SEGMENT_SUM", DrawSegments}};
  return kSteps;
}

}  // namespace cosim::testing
