// SPDX-License-Identifier: Apache-2.0
// Draws sums of products and windows: convolutions, matrices, pools.
#include <algorithm>
#include <cmath>

#include "tests/network_fuzz/file_maker.h"

namespace cosim::testing {
namespace {

using tflite::Activation;

constexpr int64_t kMostMacs = 500'000;  // of a layer

struct DrawnWindow {
  tflite::WindowOptions options;
  int64_t extent[2] = {0, 0};  // of the result
};

Activation DrawActivation(FileMaker& m) {
  const std::vector<Activation> kinds = {Activation::kNone,  Activation::kNone,      Activation::kNone,
                                         Activation::kRelu,  Activation::kRelu6,     Activation::kRelu0To1,
                                         Activation::kRelu6, Activation::kReluN1To1, Activation::kRelu};
  return m.OneOf(kinds);
}

/// A kernel of that size on [N,H,W,C]; it is as large as the image at most.
DrawnWindow DrawWindow(FileMaker& m, const Shape& x, const int64_t kernel[2], bool dilated) {
  DrawnWindow window;
  window.options.same_padding = m.Chance(2);
  window.options.activation = DrawActivation(m);
  for (size_t d : {0, 1}) {
    const int64_t extent = x[d + 1];
    const bool room = 2 * (kernel[d] - 1) + 1 <= extent;
    window.options.kernel[d] = kernel[d];
    window.options.stride[d] = m.Chance(3) ? 2 : 1;
    if (dilated && room && window.options.stride[d] == 1 && m.Chance(5)) window.options.dilation[d] = 2;
    const int64_t span = window.options.dilation[d] * (kernel[d] - 1) + 1, stride = window.options.stride[d];
    window.extent[d] =
        window.options.same_padding ? (extent + stride - 1) / stride : (extent - span) / stride + 1;
  }
  return window;
}

void DrawKernel(FileMaker& m, const Shape& x, int64_t most, int64_t kernel[2]) {
  const bool point = m.Chance(3);
  for (size_t d : {0, 1}) kernel[d] = point ? 1 : m.Pick(1, std::min(most, x[d + 1]));
}

/// Weights by which sums of `depth` products of `x` fill the range of `y`.
TensorInfo Weights(FileMaker& m, int x, const TensorInfo& y, Shape shape, int64_t depth, int axis) {
  const float scale = y.scales[0] / (m.Info(x).scales[0] * std::sqrt(static_cast<float>(depth)) * 100);
  const DType type = m.TypeOf(x) == DType::kUint8 ? DType::kUint8 : DType::kInt8;
  TensorInfo w = m.Scaled(type, std::move(shape), scale, 0);
  if (type == DType::kUint8) {
    if (m.Chance(2)) w.zero_points = {static_cast<int32_t>(m.Pick(100, 156))};
  } else if (m.Chance(2)) {
    const int64_t channels = w.shape[static_cast<size_t>(axis)];
    w.axis = axis;
    w.scales.clear();
    for (int64_t c = 0; c < channels; ++c)
      w.scales.push_back(scale * static_cast<float>(m.Pick(50, 100)) / 100);
    w.zero_points.assign(static_cast<size_t>(channels), 0);
  }
  return w;
}

/// Of sums of int8 and uint8: int32; of int16: int64 unless `narrow`.
int Bias(FileMaker& m, int x, int64_t outputs, int64_t depth, bool narrow = false) {
  const bool wide = m.TypeOf(x) == DType::kInt16 && !narrow;
  const int64_t reach = depth * (m.TypeOf(x) == DType::kInt16 ? 100'000 : 1000);
  TensorInfo info = m.Plain(wide ? DType::kInt64 : DType::kInt32, {outputs});
  std::vector<int64_t> list;
  for (int64_t i = 0; i < outputs; ++i) list.push_back(m.Pick(-reach, reach));
  info.data = wide ? std::make_shared<const graph::Tensor>(info.shape, list)
                   : std::make_shared<const graph::Tensor>(info.shape,
                                                           std::vector<int32_t>(list.begin(), list.end()));
  return m.Add(std::move(info));
}

/// Weights of a float layer: float32 too, or bytes with one scale.
int RealWeights(FileMaker& m, Shape shape, bool bytes) {
  return m.Constant(bytes ? m.Scaled(DType::kInt8, std::move(shape), 0.01f, 0)
                          : m.Plain(DType::kFloat32, std::move(shape)));
}

int Convolution(FileMaker& m, int x, bool depthwise) {
  if (x < 0) return FileMaker::kNone;
  const bool real = m.TypeOf(x) == DType::kFloat32;
  const Shape shape = m.ShapeOf(x);
  int64_t kernel[2] = {1, 1};
  DrawKernel(m, shape, 4, kernel);
  const DrawnWindow window = DrawWindow(m, shape, kernel, true);
  const int64_t channels = shape[3], groups = !depthwise && channels % 2 == 0 && m.Chance(6) ? 2 : 1;
  const int64_t outputs = depthwise ? channels * (m.Chance(4) ? 2 : 1) : groups * m.Pick(1, 20);
  const int64_t inner = depthwise ? 1 : channels / groups, depth = kernel[0] * kernel[1] * inner;
  const Shape result = {shape[0], window.extent[0], window.extent[1], outputs};
  if (graph::NumElements(result) * depth > kMostMacs) return FileMaker::kNone;
  const Shape weights =
      depthwise ? Shape{1, kernel[0], kernel[1], outputs} : Shape{outputs, kernel[0], kernel[1], inner};
  const std::string op = depthwise ? "DEPTHWISE_CONV_2D" : "CONV_2D";
  const TensorInfo y = real ? m.Plain(DType::kFloat32, result) : m.Scaled(m.TypeOf(x), result);
  std::vector<int> operands = {x};
  if (real) {
    operands.push_back(RealWeights(m, weights, m.Chance(3) && groups == 1));
    if (m.Chance(2)) operands.push_back(m.Constant(m.Plain(DType::kFloat32, {outputs})));
  } else {
    operands.push_back(m.Constant(Weights(m, x, y, weights, depth, depthwise ? 3 : 0)));
    if (!m.Chance(4)) operands.push_back(Bias(m, x, outputs, depth));
  }
  return m.Emit(op, operands, y, window.options);
}

int DrawConv(FileMaker& m, const std::string& op) {
  return Convolution(m, m.OfRank(m.Any("qqqf"), 4), op == "DEPTHWISE_CONV_2D");
}

int DrawTransposed(FileMaker& m, const std::string& op) {
  const int x = m.OfRank(m.Any("qqqf"), 4);
  if (x < 0) return FileMaker::kNone;
  const Shape shape = m.ShapeOf(x);
  tflite::WindowOptions options;
  options.same_padding = m.Chance(2);
  Shape result = {shape[0], 0, 0, m.Pick(1, 6)};
  int64_t kernel[2] = {1, 1};
  for (size_t d : {0, 1}) {
    kernel[d] = m.Pick(1, 4);
    const int64_t stride = options.stride[d] = m.Pick(1, 3), least = (shape[d + 1] - 1) * stride + 1;
    result[d + 1] =
        options.same_padding ? least + m.Pick(0, stride - 1) : least + std::max(kernel[d], stride) - 1;
  }
  const int64_t depth = kernel[0] * kernel[1] * shape[3];
  if (graph::NumElements(result) * depth > kMostMacs || graph::NumElements(result) > FileMaker::kMostElements)
    return FileMaker::kNone;
  const Shape weights = {result[3], kernel[0], kernel[1], shape[3]};
  const int at = m.List({result.begin(), result.end()});
  if (m.TypeOf(x) == DType::kFloat32)
    return m.Emit(op, {at, RealWeights(m, weights, false), x}, m.Plain(DType::kFloat32, result), options);
  const TensorInfo y = m.Scaled(m.TypeOf(x), result);
  std::vector<int> operands = {at, m.Constant(Weights(m, x, y, weights, depth, 0)), x};
  if (m.Chance(2)) operands.push_back(Bias(m, x, result[3], depth));
  return m.Emit(op, operands, y, options);
}

int DrawDense(FileMaker& m, const std::string& op) {
  const int x = m.OfRank(m.Any("qqqf"), static_cast<size_t>(m.Pick(2, 3)));
  if (x < 0) return FileMaker::kNone;
  Shape result = m.ShapeOf(x);
  const int64_t depth = result.back(), outputs = m.Pick(1, 24);
  tflite::DenseOptions options;
  options.activation = DrawActivation(m);
  options.keep_dimensions = result.size() > 2;
  result.back() = outputs;
  if (graph::NumElements(result) * depth > kMostMacs) return FileMaker::kNone;
  if (m.TypeOf(x) == DType::kFloat32) {
    options.asymmetric = m.Chance(2);
    const int w = RealWeights(m, {outputs, depth}, m.Chance(2));
    return m.Emit(op, {x, w}, m.Plain(DType::kFloat32, result), options);
  }
  const TensorInfo y = m.Scaled(m.TypeOf(x), result);
  TensorInfo weights = Weights(m, x, y, {outputs, depth}, depth, 0);
  std::vector<int> operands = {x, m.Constant(std::move(weights))};
  if (!m.Chance(3)) operands.push_back(Bias(m, x, outputs, depth, m.Chance(3)));
  return m.Emit(op, operands, y, options);
}

int DrawMatrices(FileMaker& m, const std::string& op) {
  const int a = m.OfRank(m.Chance(4) ? m.Real() : m.Among({DType::kInt8, DType::kInt16}), 3);
  if (a < 0) return FileMaker::kNone;
  const Shape shape = m.ShapeOf(a);
  tflite::ProductOptions options;
  options.transpose_a = m.Chance(3);
  options.transpose_b = m.Chance(3);
  const int64_t rows = options.transpose_a ? shape[2] : shape[1],
                depth = options.transpose_a ? shape[1] : shape[2];
  // By itself turned, or by a constant.
  const bool square = m.Chance(2);
  if (square) options.transpose_b = !options.transpose_a;
  const int64_t columns = square ? rows : m.Pick(1, 8);
  if (rows * depth * columns * shape[0] > kMostMacs) return FileMaker::kNone;
  const Shape other = options.transpose_b ? Shape{shape[0], columns, depth} : Shape{shape[0], depth, columns};
  const int b = square ? a : m.Constant(m.NewLike(a, other));
  return m.Emit(op, {a, b}, m.NewLike(a, {shape[0], rows, columns}), options);
}

int DrawPool(FileMaker& m, const std::string& op) {
  const int x = m.OfRank(op == "L2_POOL_2D" ? m.Real() : m.Any("qqqf"), 4);
  if (x < 0) return FileMaker::kNone;
  const Shape shape = m.ShapeOf(x);
  int64_t kernel[2] = {1, 1};
  DrawKernel(m, shape, m.Chance(4) ? 12 : 3, kernel);
  if (m.Chance(5)) kernel[0] = shape[1], kernel[1] = shape[2];
  const DrawnWindow window = DrawWindow(m, shape, kernel, false);
  return m.Emit(op, {x}, m.Like(x, {shape[0], window.extent[0], window.extent[1], shape[3]}), window.options);
}

int DrawVolume(FileMaker& m, const std::string& op) {
  const int x = m.OfRank(m.Real(), 5);
  if (x < 0) return FileMaker::kNone;
  Shape result = m.ShapeOf(x);
  const int64_t channels = result[4], outputs = m.Pick(1, 5);
  tflite::VolumeOptions options;
  options.same_padding = m.Chance(2);
  Shape weights = {0, 0, 0, channels, outputs};
  for (size_t d : {0, 1, 2}) {
    const int64_t extent = result[d + 1];
    weights[d] = m.Pick(1, std::min<int64_t>(extent, 3));
    const int64_t stride = options.stride[d] = m.Pick(1, 2);
    result[d + 1] =
        options.same_padding ? (extent + stride - 1) / stride : (extent - weights[d]) / stride + 1;
  }
  result[4] = outputs;
  return m.Emit(op, {x, m.Constant(m.Plain(DType::kFloat32, weights))}, m.Plain(DType::kFloat32, result),
                options);
}

int DrawSpreadVolume(FileMaker& m, const std::string& op) {
  const int x = m.OfRank(m.Real(), 5);
  if (x < 0) return x;
  const Shape shape = m.ShapeOf(x);
  tflite::VolumeOptions options;
  options.same_padding = m.Chance(2);
  Shape weights = {0, 0, 0, m.Pick(1, 4), shape[4]}, result = {shape[0], 0, 0, 0, weights[3]};
  for (size_t d : {0, 1, 2}) {
    const int64_t kernel = weights[d] = m.Pick(1, 3), stride = options.stride[d] = m.Pick(1, 2),
                  least = (shape[d + 1] - 1) * stride;
    result[d + 1] = options.same_padding ? least + m.Pick(1, stride) : least + std::max(kernel, stride);
  }
  return m.Emit(op,
                {m.List({result.begin(), result.end()}), m.Constant(m.Plain(DType::kFloat32, weights)), x},
                m.Plain(DType::kFloat32, result), options);
}

}  // namespace

int DrawConvolution(FileMaker& m, int x) {
  const int y = Convolution(m, x, m.Chance(4));
  return y >= 0 || x < 0 ? y : Convolution(m, x, true);
}

int DrawPointConvolution(FileMaker& m, int x, const TensorInfo& y) {
  const int64_t depth = m.ShapeOf(x)[3], outputs = y.shape[3];
  return m.Emit(
      "CONV_2D",
      {x, m.Constant(Weights(m, x, y, {outputs, 1, 1, depth}, depth, 0)), Bias(m, x, outputs, depth)}, y,
      tflite::WindowOptions{});
}

std::span<const FileStep> ProductSteps() {
  static constexpr FileStep kSteps[] = {{"CONV_2D", DrawConv},
                                        {"DEPTHWISE_CONV_2D", DrawConv},
                                        {"TRANSPOSE_CONV", DrawTransposed},
                                        {"FULLY_CONNECTED", DrawDense},
                                        {"BATCH_MATMUL", DrawMatrices},
                                        {"AVERAGE_POOL_2D", DrawPool},
                                        {"MAX_POOL_2D", DrawPool},
                                        {"L2_POOL_2D", DrawPool},
                                        {"CONV_3D", DrawVolume},
                                        {"CONV_3D_TRANSPOSE", DrawSpreadVolume}};
  return kSteps;
}

}  // namespace cosim::testing
