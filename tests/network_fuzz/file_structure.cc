// SPDX-License-Identifier: Apache-2.0
// Draws what is more than an operator on values: shapes, graphs that others call, variables, detections,
// spectra.
#include <algorithm>

#include "tests/network_fuzz/file_maker.h"

namespace cosim::testing {
namespace {

/// The shape of a value fills another, which meets it.
int DrawShape(FileMaker& m, const std::string& op) {
  const int x = m.Any("qqfi");
  if (x < 0 || m.ShapeOf(x).empty()) return FileMaker::kNone;
  const Shape shape = m.ShapeOf(x);
  int other = FileMaker::kNone;
  if (op == "ZEROS_LIKE") {
    other = m.Emit(op, {x}, m.Like(x, shape));
  } else {
    const int extents = m.Emit("SHAPE", {x}, m.Plain(DType::kInt32, {std::ssize(shape)}));
    other = m.Emit("FILL", {extents, m.Constant(m.Like(x, {}))}, m.Like(x, shape));
  }
  return m.Emit(m.Chance(2) ? "MAXIMUM" : "MINIMUM", {x, other}, m.Like(x, shape));
}

int DrawRank(FileMaker& m, const std::string& op) {
  const int x = m.Integer(), rank = m.Emit(op, {m.Any("qfi")}, m.Plain(DType::kInt32, {}));
  return m.Emit("ADD", {x, rank}, m.Like(x, x < 0 ? Shape{} : m.ShapeOf(x)), tflite::ElementwiseOptions{});
}

int DrawRange(FileMaker& m, const std::string& op) {
  const int x = m.Any("fi");
  if (x < 0 || m.ShapeOf(x).empty()) return FileMaker::kNone;
  const int64_t count = m.ShapeOf(x).back();
  const bool real = m.TypeOf(x) == DType::kFloat32;
  const auto number = [&](int64_t v) {
    return real ? m.Number(static_cast<float>(v) / 4) : m.Scalar(static_cast<int32_t>(v));
  };
  const int64_t first = m.Pick(-9, 9), step = m.Chance(2) ? m.Pick(1, 3) : -m.Pick(1, 3);
  const int list =
      m.Emit(op, {number(first), number(first + step * count), number(step)}, m.Like(x, {count}));
  return m.Emit("SUB", {x, list}, m.Like(x, m.ShapeOf(x)), tflite::ElementwiseOptions{});
}

int DrawBroadcastArgs(FileMaker& m, const std::string& op) {
  const int x = m.Any("qqfi");
  if (x < 0 || m.ShapeOf(x).empty()) return FileMaker::kNone;
  Shape shape = m.ShapeOf(x);
  const std::vector<int32_t> own(shape.begin(), shape.end());
  if (shape[0] == 1) shape[0] = m.Pick(1, 3);
  const int extents = m.Emit(op, {m.List(own), m.List({shape.begin(), shape.end()})},
                             m.Plain(DType::kInt32, {std::ssize(shape)}));
  return m.Emit("BROADCAST_TO", {x, extents}, m.Like(x, shape));
}

/// Elements where a constant is not 0.
int DrawWhere(FileMaker& m, const std::string& op) {
  const int x = m.OfRank(m.Any("qqfi"), static_cast<size_t>(m.Pick(1, 3)));
  if (x < 0) return x;
  const Shape shape = m.ShapeOf(x);
  const int holds = m.Constant(m.Plain(DType::kBool, shape));
  int64_t count = 0;
  for (uint8_t v : m.Info(holds).data->bytes()) count += v;
  const int places = m.Emit(op, {holds}, m.Plain(DType::kInt64, {count, std::ssize(shape)}));
  return m.Emit("GATHER_ND", {x, places}, m.Like(x, {count}));
}

/// A value that goes into a graph and comes out as it was, with 4 dimensions.
int Carried(FileMaker& m) { return m.Image(); }

int DrawIf(FileMaker& m, const std::string& op) {
  const int x = Carried(m), truth = m.Truth();
  if (x < 0 || truth < 0) return FileMaker::kNone;
  const Shape all = m.ShapeOf(truth);
  std::vector<int32_t> axes;
  for (size_t d = 0; d < all.size(); ++d) axes.push_back(static_cast<int32_t>(d));
  int condition = all.empty() ? truth
                              : m.Emit("REDUCE_ANY", {truth, m.List(axes)}, m.Plain(DType::kBool, {}),
                                       tflite::ReduceOptions{});
  if (m.Chance(4)) condition = m.Constant(m.Plain(DType::kBool, {}));
  const TensorInfo y = m.Like(x, m.ShapeOf(x));
  tflite::GraphOptions options;
  FileMaker yes(m.Bits(), m.type(), {y}), no(m.Bits(), m.type(), {y});
  options.graphs[0] = m.AddGraph(yes.FinishWith({DrawPointConvolution(yes, 0, y)}));
  const int limit = no.Constant(no.Like(0, {1, 1, 1, 1}));
  options.graphs[1] = m.AddGraph(no.FinishWith({no.Emit("MINIMUM", {0, limit}, y)}));
  return m.Emit(op, {condition, x}, y, options);
}

/// A convolution as often as a count says.
int DrawWhile(FileMaker& m, const std::string& op) {
  const int x = Carried(m);
  if (x < 0) return x;
  const TensorInfo y = m.Like(x, m.ShapeOf(x)), number = m.Plain(DType::kInt32, {});
  FileMaker condition(m.Bits(), m.type(), {number, y}), body(m.Bits(), m.type(), {number, y});
  tflite::GraphOptions options;
  const int limit = condition.Scalar(static_cast<int32_t>(m.Pick(0, 3)));
  options.graphs[0] = m.AddGraph(
      condition.FinishWith({condition.Emit("LESS", {0, limit}, condition.Plain(DType::kBool, {}))}));
  const int next = body.Emit("ADD", {0, body.Scalar(1)}, number, tflite::ElementwiseOptions{});
  options.graphs[1] = m.AddGraph(body.FinishWith({next, DrawPointConvolution(body, 1, y)}));
  const auto made = m.EmitAll(op, {m.Scalar(0), x}, {number, y}, options);
  return made.empty() ? FileMaker::kNone : made[1];
}

/// What a variable was is added, and what comes of it is what it will be.
int DrawVariable(FileMaker& m, const std::string&) {
  const int x = m.Any("qf");
  if (x < 0) return x;
  const TensorInfo y = m.Like(x, m.ShapeOf(x));
  TensorInfo handle = m.Plain(DType::kInt32, {});
  handle.resource = true;
  const tflite::VariableOptions name{"variable" + std::to_string(m.Bits() % 1000000)};
  FileMaker once(m.Bits(), m.type(), {});
  const auto first = once.EmitAll("VAR_HANDLE", {}, {handle}, name);
  once.EmitAll("ASSIGN_VARIABLE", {first[0], once.Constant(y)}, {});
  tflite::GraphOptions options;
  options.graphs[0] = m.AddGraph(once.FinishWith({}));
  m.EmitAll("CALL_ONCE", {}, {}, options);
  const int own = m.EmitAll("VAR_HANDLE", {}, {handle}, name)[0];
  const int before = m.Emit("READ_VARIABLE", {own}, y);
  const int sum = m.Emit("ADD", {x, before}, y, tflite::ElementwiseOptions{});
  if (sum >= 0) m.EmitAll("ASSIGN_VARIABLE", {own, sum}, {});
  return sum;
}

/// The first of the value's elements, in a shape.
int Beginning(FileMaker& m, int x, const Shape& shape) {
  const int64_t count = graph::NumElements(shape);
  if (x < 0 || m.Size(x) < count) return FileMaker::kNone;
  const int flat = m.InShape(x, {m.Size(x)});
  const int part =
      m.Emit("SLICE", {flat, m.List({0}), m.List({static_cast<int32_t>(count)})}, m.Like(x, {count}));
  return m.InShape(part, shape);
}

int DrawDetections(FileMaker& m, const std::string& op) {
  const int x = m.ExactReal();
  const int64_t boxes = m.Pick(1, 12), classes = m.Pick(1, 3), most = m.Pick(1, 6);
  const bool background = m.Chance(2);
  const int corners = Beginning(m, x, {1, boxes, 4}),
            scores = Beginning(m, m.ExactReal(), {1, boxes, classes + (background ? 1 : 0)});
  const int anchors = m.Constant(m.Plain(DType::kFloat32, {boxes, 4}));
  const bool regular = m.Chance(2);
  const int64_t each = regular ? 1 : m.Pick(1, classes), rows = most * each;
  const auto made = m.EmitAll(op, {corners, scores, anchors},
                              {m.Plain(DType::kFloat32, {1, rows, 4}), m.Plain(DType::kFloat32, {1, rows}),
                               m.Plain(DType::kFloat32, {1, rows}), m.Plain(DType::kFloat32, {1})});
  if (made.empty()) return FileMaker::kNone;
  m.Last().custom = true;
  m.Last().custom_options =
      std::map<std::string, double>{{"max_detections", static_cast<double>(most)},
                                    {"max_classes_per_detection", static_cast<double>(each)},
                                    {"detections_per_class", 4},
                                    {"use_regular_nms", regular ? 1 : 0},
                                    {"nms_score_threshold", 0.1},
                                    {"nms_iou_threshold", 0.5},
                                    {"num_classes", static_cast<double>(classes)},
                                    {"y_scale", 10},
                                    {"x_scale", 10},
                                    {"h_scale", 5},
                                    {"w_scale", 5}};
  return made[2];
}

int DrawSuppression(FileMaker& m, const std::string& op) {
  const int64_t boxes = m.Pick(1, 12);
  const auto most = static_cast<int32_t>(m.Pick(1, 6));
  const int corners = Beginning(m, m.ExactReal(), {boxes, 4}), scores = Beginning(m, m.ExactReal(), {boxes});
  std::vector<int> operands = {corners, scores, m.Scalar(most), m.Number(0.4f), m.Number(0.05f)};
  std::vector<TensorInfo> results = {m.Plain(DType::kInt32, {most})};
  if (op == "NON_MAX_SUPPRESSION_V5") {
    operands.push_back(m.Number(m.Chance(2) ? 0.0f : 0.5f));
    results.push_back(m.Plain(DType::kFloat32, {most}));
  }
  results.push_back(m.Plain(DType::kInt32, {}));
  const auto made = m.EmitAll(op, operands, results);
  return made.empty() ? FileMaker::kNone : made[0];
}

int DrawSpectrum(FileMaker& m, const std::string& op) {
  const int x = m.OfRank(m.Real(), static_cast<size_t>(m.Pick(2, 4)));
  if (x < 0) return x;
  Shape shape = m.ShapeOf(x);
  const int64_t height = int64_t{1} << m.Pick(0, 3), width = int64_t{1} << m.Pick(0, 4);
  shape[shape.size() - 2] = height;
  shape.back() = width / 2 + 1;
  TensorInfo spectrum = m.Plain(DType::kFloat32, shape);
  spectrum.type_in_file = "complex64";
  spectrum.unusable = "element type COMPLEX64";
  spectrum.complex = true;
  int y =
      m.Emit("RFFT2D", {x, m.List({static_cast<int32_t>(height), static_cast<int32_t>(width)})}, spectrum);
  if (y < 0) return y;
  if (m.Chance(2)) {
    spectrum.shape.insert(spectrum.shape.begin(), 1);
    y = m.Emit("EXPAND_DIMS", {y, m.Scalar(0)}, spectrum);
  }
  return m.Emit(op, {y}, m.Plain(DType::kFloat32, spectrum.shape));
}

/// Different elements of a constant say which rows.
int DrawUnique(FileMaker& m, const std::string& op) {
  const int x = m.OfRank(m.Any("qqfi"), 2);
  if (x < 0) return x;
  const Shape shape = m.ShapeOf(x);
  std::vector<int32_t> list;
  std::set<int32_t> different;
  for (int64_t count = m.Pick(1, 6); count > 0; --count) {
    list.push_back(static_cast<int32_t>(m.Pick(0, shape[0] - 1)));
    different.insert(list.back());
  }
  const auto count = static_cast<int64_t>(different.size());
  const auto made = m.EmitAll(op, {m.List(list)},
                              {m.Plain(DType::kInt32, {count}), m.Plain(DType::kInt64, {std::ssize(list)})});
  return m.Emit("GATHER", {x, made[0]}, m.Like(x, {count, shape[1]}), tflite::AxisOptions{.axis = 0});
}

int DrawDensified(FileMaker& m, const std::string& op) {
  const int x = m.Any("qf");
  if (x < 0) return x;
  const int weights = m.Constant(m.NewLike(x, {m.ShapeOf(x).empty() ? 1 : m.ShapeOf(x).back()}));
  const int dense = m.Emit(op, {weights}, m.Like(weights, m.ShapeOf(weights)));
  return m.Emit("MUL", {x, dense}, m.NewLike(x, m.ShapeOf(x)), tflite::ElementwiseOptions{});
}

}  // namespace

std::span<const FileStep> StructureSteps() {
  static constexpr FileStep kSteps[] = {{"SHAPE", DrawShape},
                                        {"ZEROS_LIKE", DrawShape},
                                        {"RANK", DrawRank},
                                        {"RANGE", DrawRange},
                                        {"BROADCAST_ARGS", DrawBroadcastArgs},
                                        {"WHERE", DrawWhere},
                                        {"UNIQUE", DrawUnique},
                                        {"DENSIFY", DrawDensified},
                                        {"IF", DrawIf},
                                        {"WHILE", DrawWhile},
                                        {"VAR_HANDLE", DrawVariable},
                                        {"TFLite_Detection_PostProcess", DrawDetections},
                                        {"NON_MAX_SUPPRESSION_V4", DrawSuppression},
                                        {"NON_MAX_SUPPRESSION_V5", DrawSuppression},
                                        {"COMPLEX_ABS", DrawSpectrum},
                                        {"IMAG", DrawSpectrum},
                                        {"REAL", DrawSpectrum}};
  return kSteps;
}

}  // namespace cosim::testing
