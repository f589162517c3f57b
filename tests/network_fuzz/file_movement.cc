// SPDX-License-Identifier: Apache-2.0
// Draws what only moves elements: cuts, joins, turns, blocks, places, and resizing.
#include <algorithm>
#include <numeric>

#include "tests/network_fuzz/file_maker.h"

namespace cosim::testing {
namespace {

/// A value to be moved, of any rank from 1 on.
int Movable(FileMaker& m, const std::string& of = "qqqqfib") {
  const int x = m.Any(of);
  return x >= 0 && m.ShapeOf(x).empty() ? m.InShape(x, {1}) : x;
}

std::vector<int32_t> Narrow(const Shape& shape) { return {shape.begin(), shape.end()}; }

/// An axis, at times counted from the end.
int64_t Spelled(FileMaker& m, size_t axis, size_t rank) {
  const auto at = static_cast<int64_t>(axis);
  return m.Chance(3) ? at - static_cast<int64_t>(rank) : at;
}

size_t DrawAxis(FileMaker& m, size_t rank) {
  return static_cast<size_t>(m.Pick(0, static_cast<int64_t>(rank) - 1));
}

int DrawSlice(FileMaker& m, const std::string& op) {
  const int x = Movable(m);
  if (x < 0) return x;
  const Shape shape = m.ShapeOf(x);
  std::vector<int32_t> begin, size;
  Shape result;
  for (int64_t extent : shape) {
    const int64_t first = m.Chance(2) ? 0 : m.Pick(0, extent - 1), length = m.Pick(1, extent - first);
    begin.push_back(static_cast<int32_t>(first));
    const bool rest = length == extent - first && m.Chance(2);
    size.push_back(rest ? -1 : static_cast<int32_t>(length));
    result.push_back(length);
  }
  return m.Emit(op, {x, m.List(begin), m.List(size)}, m.Like(x, result));
}

int DrawStridedSlice(FileMaker& m, const std::string& op) {
  const int x = Movable(m);
  if (x < 0) return x;
  const Shape shape = m.ShapeOf(x);
  std::vector<int32_t> begin, end, step;
  Shape result;
  tflite::SliceOptions options;
  const auto bound = [&](int64_t first, int64_t last, int64_t by) {
    begin.push_back(static_cast<int32_t>(first));
    end.push_back(static_cast<int32_t>(last));
    step.push_back(static_cast<int32_t>(by));
    return uint32_t{1} << (begin.size() - 1);
  };
  for (int64_t extent : shape) {
    if (begin.size() < 6 && m.Chance(8)) {
      options.new_axis |= bound(0, 0, 1);
      result.push_back(1);
    }
    const int64_t first = m.Pick(0, extent - 1), by = m.Pick(1, 3);
    if (m.Chance(6)) {
      options.shrink_axis |= bound(m.Chance(2) ? first : first - extent, first + 1, 1);
    } else if (m.Chance(3)) {  // backwards
      const int64_t last = m.Pick(-1, first - 1), length = (first - last - 1) / by + 1;
      const uint32_t bit = bound(first, last < 0 ? 0 : last, -by);
      if (last < 0) options.end |= bit;
      result.push_back(length);
    } else {
      const int64_t last = m.Pick(first + 1, extent);
      bound(m.Chance(3) ? first - extent : first, last, by);
      result.push_back((last - first - 1) / by + 1);
    }
  }
  return m.Emit(op, {x, m.List(begin), m.List(end), m.List(step)}, m.Like(x, result), options);
}

int DrawParts(FileMaker& m, const std::string& op) {
  const int x = Movable(m);
  if (x < 0) return x;
  const Shape shape = m.ShapeOf(x);
  const size_t axis = DrawAxis(m, shape.size());
  const int64_t extent = shape[axis];
  const int at = m.Scalar(static_cast<int32_t>(Spelled(m, axis, shape.size())));
  std::vector<int64_t> lengths;
  if (op == "SPLIT") {
    const int64_t parts = extent % 3 == 0 ? 3 : extent % 2 == 0 ? 2 : 1;
    lengths.assign(static_cast<size_t>(parts), extent / parts);
  } else {
    lengths = {m.Pick(1, extent)};
    if (lengths[0] < extent) lengths.push_back(extent - lengths[0]);
  }
  std::vector<TensorInfo> results;
  for (int64_t length : lengths) {
    Shape part = shape;
    part[axis] = length;
    results.push_back(m.Like(x, part));
  }
  const auto made = op == "SPLIT" ? m.EmitAll(op, {at, x}, results)
                                  : m.EmitAll(op, {x, m.List(Narrow(lengths)), at}, results);
  return made.empty() ? FileMaker::kNone : m.OneOf(made);
}

int DrawUnpack(FileMaker& m, const std::string& op) {
  const int x = Movable(m);
  if (x < 0) return x;
  Shape shape = m.ShapeOf(x);
  const size_t axis = DrawAxis(m, shape.size());
  const auto count = static_cast<size_t>(shape[axis]);
  const tflite::AxisOptions options{.axis = Spelled(m, axis, shape.size())};
  if (count > 6) return FileMaker::kNone;
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  const auto made = m.EmitAll(op, {x}, std::vector<TensorInfo>(count, m.Like(x, shape)), options);
  return made.empty() ? FileMaker::kNone : m.OneOf(made);
}

int DrawPack(FileMaker& m, const std::string& op) {
  const int x = Movable(m);
  if (x < 0) return x;
  Shape shape = m.ShapeOf(x);
  const auto axis = static_cast<size_t>(m.Pick(0, std::ssize(shape)));
  const int64_t count = m.Pick(1, 3);
  const tflite::AxisOptions options{.axis = Spelled(m, axis, shape.size() + 1)};
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), count);
  std::vector<int> operands = {x};
  while (std::ssize(operands) < count) operands.push_back(m.Constant(m.Like(x, m.ShapeOf(x))));
  return m.Emit(op, operands, m.Like(x, shape), options);
}

int DrawConcatenation(FileMaker& m, const std::string& op) {
  const int x = Movable(m);
  if (x < 0) return x;
  Shape shape = m.ShapeOf(x);
  const size_t axis = m.Chance(2) ? shape.size() - 1 : DrawAxis(m, shape.size());
  const tflite::ConcatOptions options{.axis = Spelled(m, axis, shape.size())};
  Shape other = shape;
  other[axis] = m.Pick(1, 3);
  // uint8 is scaled to the result.
  TensorInfo y = m.TypeOf(x) == DType::kUint8 && m.Chance(2) ? m.NewLike(x, shape) : m.Like(x, shape);
  const bool twice = m.Chance(2);
  y.shape[axis] += twice ? shape[axis] : other[axis];
  const int second = twice ? x : m.Constant(m.Like(x, other));
  return m.Emit(op, m.Chance(2) ? std::vector{x, second} : std::vector{second, x}, y, options);
}

int DrawTranspose(FileMaker& m, const std::string& op) {
  const int x = Movable(m);
  if (x < 0) return x;
  const Shape shape = m.ShapeOf(x);
  std::vector<int32_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  if (order.size() == 4 && m.Chance(3)) {
    order = m.Chance(2) ? std::vector<int32_t>{0, 3, 1, 2} : std::vector<int32_t>{0, 2, 3, 1};
  } else {
    for (size_t i = order.size(); i-- > 1;)
      std::swap(order[i], order[static_cast<size_t>(m.Pick(0, static_cast<int64_t>(i)))]);
  }
  Shape result;
  for (int32_t d : order) result.push_back(shape[static_cast<size_t>(d)]);
  return m.Emit(op, {x, m.List(order)}, m.Like(x, result));
}

int DrawReshape(FileMaker& m, const std::string& op) {
  const int x = Movable(m);
  if (x < 0) return x;
  Shape shape = m.ShapeOf(x);
  if (op == "SQUEEZE") {
    std::erase(shape, 1);
    return m.Emit(op, {x}, m.Like(x, shape));
  }
  const auto at = m.Pick(0, std::ssize(shape));
  if (op == "EXPAND_DIMS") {
    shape.insert(shape.begin() + at, 1);
    return m.Emit(op, {x, m.Scalar(static_cast<int32_t>(at))}, m.Like(x, shape));
  }
  return m.OfRank(x, static_cast<size_t>(m.Pick(1, 5)));
}

int DrawTile(FileMaker& m, const std::string& op) {
  const int x = Movable(m);
  if (x < 0) return x;
  Shape shape = m.ShapeOf(x);
  std::vector<int32_t> repeats(shape.size(), 1);
  const size_t axis = DrawAxis(m, shape.size());
  repeats[axis] = static_cast<int32_t>(m.Pick(1, 3));
  shape[axis] *= repeats[axis];
  return m.Emit(op, {x, m.List(repeats)}, m.Like(x, shape));
}

int DrawBroadcast(FileMaker& m, const std::string& op) {
  const int x = Movable(m);
  if (x < 0) return x;
  Shape shape = m.ShapeOf(x);
  for (int64_t& extent : shape)
    if (extent == 1) extent = m.Pick(1, 3);
  if (shape.size() < 4 && m.Chance(2)) shape.insert(shape.begin(), m.Pick(1, 3));
  return m.Emit(op, {x, m.List(Narrow(shape))}, m.Like(x, shape));
}

int DrawPad(FileMaker& m, const std::string& op) {
  const int x = Movable(m, op == "PAD" ? "qqqqfi" : "qqqqfib");
  if (x < 0) return x;
  Shape shape = m.ShapeOf(x);
  const tflite::MirrorOptions mirror{.symmetric = m.Chance(2)};
  std::vector<int32_t> pads;
  for (size_t d = 0; d < shape.size(); ++d) {
    const bool pixels = shape.size() == 4 && (d == 1 || d == 2);
    const int64_t most = op != "MIRROR_PAD" ? 2 : std::min<int64_t>(3, shape[d] - (mirror.symmetric ? 0 : 1));
    for (int side = 0; side < 2; ++side)
      pads.push_back(pixels || m.Chance(3) ? static_cast<int32_t>(m.Pick(0, most)) : 0);
  }
  for (size_t d = 0; d < shape.size(); ++d) shape[d] += pads[2 * d] + pads[2 * d + 1];
  TensorInfo list = m.Plain(DType::kInt32, {std::ssize(pads) / 2, 2});
  list.data = std::make_shared<const graph::Tensor>(list.shape, pads);
  std::vector<int> operands = {x, m.Add(std::move(list))};
  if (op == "PADV2") operands.push_back(m.Constant(m.Like(x, {})));
  if (op == "MIRROR_PAD") return m.Emit(op, operands, m.Like(x, shape), mirror);
  return m.Emit(op, operands, m.Like(x, shape));
}

int DrawSpaceDepth(FileMaker& m, const std::string& op) {
  const bool spread = op == "DEPTH_TO_SPACE";
  int x = m.OfRank(m.Any("qqqqfi"), 4);
  if (x < 0) return x;
  Shape shape = m.ShapeOf(x);
  if (spread && shape[3] % 4 != 0) {  // channels that come in squares
    x = m.Emit("TILE", {x, m.List({1, 1, 1, 4})}, m.Like(x, {shape[0], shape[1], shape[2], 4 * shape[3]}));
  } else if (!spread && (shape[1] % 2 != 0 || shape[2] % 2 != 0)) {
    const Shape even = {shape[0], shape[1] * 2, shape[2] * 2, shape[3]};
    x = m.Emit("TILE", {x, m.List({1, 2, 2, 1})}, m.Like(x, even));
  }
  if (x < 0) return x;
  shape = m.ShapeOf(x);
  const Shape result = spread ? Shape{shape[0], shape[1] * 2, shape[2] * 2, shape[3] / 4}
                              : Shape{shape[0], shape[1] / 2, shape[2] / 2, shape[3] * 4};
  return m.Emit(op, {x}, m.Like(x, result), tflite::BlockOptions{2});
}

int DrawSpaceBatch(FileMaker& m, const std::string& op) {
  int x = m.OfRank(m.Any("qqqqfi"), 4);
  if (x < 0) return x;
  Shape shape = m.ShapeOf(x), result = shape;
  const bool back = op == "BATCH_TO_SPACE_ND";
  std::vector<int32_t> blocks, edges;
  if (back) {
    x = m.Emit("TILE", {x, m.List({6, 1, 1, 1})}, m.Like(x, {shape[0] * 6, shape[1], shape[2], shape[3]}));
    blocks = m.Chance(2) ? std::vector{2, 3} : std::vector{3, 1};
    result[0] = shape[0] * 6 / (blocks[0] * blocks[1]);
  } else {
    blocks = {static_cast<int32_t>(m.Pick(1, 3)), static_cast<int32_t>(m.Pick(1, 3))};
    result[0] *= blocks[0] * blocks[1];
  }
  for (size_t d : {0, 1}) {
    const int64_t extent = shape[d + 1], block = blocks[d];
    if (back) {
      const int64_t crop = m.Pick(0, std::min<int64_t>(1, extent * block - 1));
      edges.insert(edges.end(), {static_cast<int32_t>(crop), 0});
      result[d + 1] = extent * block - crop;
    } else {
      const int64_t after = (block - extent % block) % block;
      edges.insert(edges.end(), {0, static_cast<int32_t>(after)});
      result[d + 1] = (extent + after) / block;
    }
  }
  TensorInfo list = m.Plain(DType::kInt32, {2, 2});
  list.data = std::make_shared<const graph::Tensor>(list.shape, edges);
  return m.Emit(op, {x, m.List(blocks), m.Add(std::move(list))}, m.Like(x, result));
}

int DrawGather(FileMaker& m, const std::string& op) {
  const int x = Movable(m);
  if (x < 0) return x;
  Shape shape = m.ShapeOf(x);
  const size_t axis = DrawAxis(m, shape.size());
  std::vector<int32_t> places;
  for (int64_t count = m.Pick(1, 4); count > 0; --count)
    places.push_back(static_cast<int32_t>(m.Pick(0, shape[axis] - 1)));
  const tflite::AxisOptions options{.axis = Spelled(m, axis, shape.size())};
  shape[axis] = std::ssize(places);
  return m.Emit(op, {x, m.List(places)}, m.Like(x, shape), options);
}

/// Rows, by the places of their first two dimensions.
int DrawGatherNd(FileMaker& m, const std::string& op) {
  const int x = m.OfRank(Movable(m), 3);
  if (x < 0) return x;
  const Shape shape = m.ShapeOf(x);
  const int64_t count = m.Pick(1, 5), deep = m.Pick(1, 2);
  std::vector<int32_t> places;
  for (int64_t i = 0; i < count * deep; ++i)
    places.push_back(static_cast<int32_t>(m.Pick(0, shape[static_cast<size_t>(i % deep)] - 1)));
  TensorInfo list = m.Plain(DType::kInt32, {count, deep});
  list.data = std::make_shared<const graph::Tensor>(list.shape, places);
  Shape result(shape.begin() + deep, shape.end());
  result.insert(result.begin(), count);
  return m.Emit(op, {x, m.Add(std::move(list))}, m.Like(x, result));
}

int DrawLookup(FileMaker& m, const std::string& op) {
  const int64_t rows = m.Pick(1, 6), width = m.Pick(1, 12);
  // Which row is largest says which row of the table.
  const int x = m.OfRank(m.AnyExact("qf"), 2);
  if (x < 0 || m.ShapeOf(x)[1] > rows * 40) return FileMaker::kNone;
  const int64_t count = m.ShapeOf(x)[0];
  const int places = m.Emit("ARG_MAX", {x, m.Scalar(1)}, m.Plain(DType::kInt32, {count}));
  const Shape table = {m.ShapeOf(x)[1], width};
  if (m.Chance(2))
    return m.Emit(op, {places, m.Constant(m.Scaled(m.type(), table, 0.125f, 0))},
                  m.Scaled(m.type(), {count, width}, 0.125f, 0));
  return m.Emit(op, {places, m.Constant(m.Scaled(DType::kInt8, table, 0.02f, 0))},
                m.Plain(DType::kFloat32, {count, width}));
}

int DrawReversed(FileMaker& m, const std::string& op) {
  const int x = Movable(m);
  if (x < 0) return x;
  const size_t rank = m.ShapeOf(x).size();
  const size_t axis = DrawAxis(m, rank);
  return m.Emit(op, {x, m.List({static_cast<int32_t>(Spelled(m, axis, rank))})}, m.Like(x, m.ShapeOf(x)));
}

int DrawReversedSequences(FileMaker& m, const std::string& op) {
  const int x = m.OfRank(Movable(m), 3);
  if (x < 0) return x;
  const Shape shape = m.ShapeOf(x);
  const bool swapped = m.Chance(2);
  std::vector<int32_t> lengths;
  for (int64_t i = 0; i < shape[swapped ? 1 : 0]; ++i)
    lengths.push_back(static_cast<int32_t>(m.Pick(0, shape[swapped ? 0 : 1])));
  return m.Emit(op, {x, m.List(lengths)}, m.Like(x, shape),
                tflite::AxisOptions{.axis = swapped ? 0 : 1, .batch = swapped ? 1 : 0});
}

int DrawUpdate(FileMaker& m, const std::string& op) {
  const int x = Movable(m);
  if (x < 0) return x;
  const Shape shape = m.ShapeOf(x);
  Shape part;
  std::vector<int32_t> starts;
  for (int64_t extent : shape) {
    part.push_back(m.Pick(1, extent));
    starts.push_back(static_cast<int32_t>(m.Pick(-2, extent)));
  }
  return m.Emit(op, {x, m.Constant(m.Like(x, part)), m.List(starts)}, m.Like(x, shape));
}

int DrawResize(FileMaker& m, const std::string& op) {
  const int x = m.OfRank(m.Any("qqqf"), 4);
  if (x < 0) return x;
  Shape shape = m.ShapeOf(x);
  const bool whole = m.Chance(3);
  for (size_t d : {1, 2}) shape[d] = whole ? shape[d] * 2 : m.Pick(1, 14);
  tflite::ResizeOptions options;
  (m.Chance(2) ? options.align_corners : options.half_pixel_centers) = m.Chance(2);
  return m.Emit(op, {x, m.List({static_cast<int32_t>(shape[1]), static_cast<int32_t>(shape[2])})},
                m.Like(x, shape), options);
}

}  // namespace

std::span<const FileStep> MovementSteps() {
  static constexpr FileStep kSteps[] = {{"SLICE", DrawSlice},
                                        {"STRIDED_SLICE", DrawStridedSlice},
                                        {"SPLIT", DrawParts},
                                        {"SPLIT_V", DrawParts},
                                        {"UNPACK", DrawUnpack},
                                        {"PACK", DrawPack},
                                        {"CONCATENATION", DrawConcatenation},
                                        {"TRANSPOSE", DrawTranspose},
                                        {"RESHAPE", DrawReshape},
                                        {"SQUEEZE", DrawReshape},
                                        {"EXPAND_DIMS", DrawReshape},
                                        {"TILE", DrawTile},
                                        {"BROADCAST_TO", DrawBroadcast},
                                        {"PAD", DrawPad},
                                        {"PADV2", DrawPad},
                                        {"MIRROR_PAD", DrawPad},
                                        {"DEPTH_TO_SPACE", DrawSpaceDepth},
                                        {"SPACE_TO_DEPTH", DrawSpaceDepth},
                                        {"SPACE_TO_BATCH_ND", DrawSpaceBatch},
                                        {"BATCH_TO_SPACE_ND", DrawSpaceBatch},
                                        {"GATHER", DrawGather},
                                        {"GATHER_ND", DrawGatherNd},
                                        {"EMBEDDING_LOOKUP", DrawLookup},
                                        {"REVERSE_V2", DrawReversed},
                                        {"REVERSE_SEQUENCE", DrawReversedSequences},
                                        {"DYNAMIC_UPDATE_SLICE", DrawUpdate},
                                        {"RESIZE_NEAREST_NEIGHBOR", DrawResize},
                                        {"RESIZE_BILINEAR", DrawResize}};
  return kSteps;
}

}  // namespace cosim::testing
