// SPDX-License-Identifier: Apache-2.0
// TRANSPOSE_CONV: the accelerator's convolutions compute the pixels of a stride x stride square as channels,
// which are then spread, so quantized ones need no arithmetic of their own.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/graph/transposed_axis.h"
#include "compiler/host/movement.h"
#include "compiler/import/tflite/builder.h"

namespace cosim::import::tflite {

using graph::Shape;
using graph::Tensor;
using graph::TransposedAxis;
using graph::ValueId;
using host::Multiplier;

namespace {

constexpr int64_t kMostStride = 256;

/// Weights for all pixels of a square.
constexpr int64_t kMostTaps = 1 << 26;

/// Whether the product is larger than `most`.
bool TooMany(int64_t most, std::initializer_list<int64_t> factors) {
  int64_t product = 1;
  for (int64_t factor : factors)
    if (__builtin_mul_overflow(product, factor, &product) || product > most) return true;
  return false;
}

/// Extent of the convolution's result on `image`; it may be 0 or less, as in the reference.
int64_t ConvolvedExtent(bool same, int64_t image, int64_t kernel, int64_t stride) {
  return same ? (image + stride - 1) / stride : (image + stride - kernel) / stride;
}

/// Weights [O,I,KH,KW] as those of a convolution to [SY*SX*O] channels; `rest` stands where there is no tap.
graph::TensorPtr Phases(const Tensor& weights, const TransposedAxis& rows, const TransposedAxis& columns,
                        int8_t rest) {
  const Shape& w = weights.shape();
  const Shape shape = {rows.stride * columns.stride * w[0], w[1], rows.taps(), columns.taps()};
  std::vector<int8_t> taps;
  taps.reserve(static_cast<size_t>(graph::NumElements(shape)));
  for (int64_t phase = 0; phase < rows.stride * columns.stride; ++phase)
    for (int64_t oc = 0; oc < w[0] * w[1]; ++oc)
      for (int64_t u = 0; u < rows.taps(); ++u)
        for (int64_t v = 0; v < columns.taps(); ++v) {
          const int64_t ky = rows.Tap(phase / columns.stride, u), kx = columns.Tap(phase % columns.stride, v);
          taps.push_back(ky < 0 || kx < 0 ? rest : weights.data<int8_t>()[(oc * w[2] + ky) * w[3] + kx]);
        }
  return std::make_shared<const Tensor>(shape, std::move(taps));
}

template <typename T>
std::vector<T> Repeated(std::span<const T> list, int64_t times) {
  std::vector<T> result;
  for (int64_t i = 0; i < times; ++i) result.insert(result.end(), list.begin(), list.end());
  return result;
}

}  // namespace

// The operands are in another order than a convolution's: the shape of the result, weights, input, bias.
bool Builder::TransposeConv() {
  if (!Operands(3, 4)) return false;
  const auto* options = std::get_if<WindowOptions>(&op_->options);
  if (!options) return Malformed("has no options");
  const OperatorInfo* given = op_;
  const TensorInfo &x = Info(op_->inputs[2]), &w = Info(op_->inputs[1]), &y = Info(op_->outputs[0]);
  if (x.shape.size() != 4 || w.shape.size() != 4 || y.shape.size() != 4)
    return Malformed("input, weights and output must have 4 dimensions");
  if (!w.data) return Unsupported("its weights are not constant");
  if (w.shape[3] != x.shape[3] || w.shape[0] != y.shape[3] || x.shape[0] != y.shape[0])
    return Malformed(fmt::format("weights {} do not fit input {} and output {}", graph::ToString(w.shape),
                                 graph::ToString(x.shape), graph::ToString(y.shape)));
  const graph::TensorPtr shape = ConstantOf(op_->inputs[0]);
  if (shape &&
      (shape->dtype() != graph::DType::kInt32 || !std::ranges::equal(shape->data<int32_t>(), y.shape)))
    return Malformed(
        fmt::format("its first operand is not the shape of its output, {}", graph::ToString(y.shape)));
  std::array<int64_t, 2> stride{}, pad{};
  for (size_t d : {0, 1}) {
    stride[d] = options->stride[d];
    if (stride[d] < 1) return Malformed(fmt::format("stride {}", stride[d]));
    if (stride[d] > kMostStride) return Unsupported(fmt::format("a stride above {}", kMostStride));
    const int64_t kernel = w.shape[d + 1], image = y.shape[d + 1],
                  convolved = ConvolvedExtent(options->same_padding, image, kernel, stride[d]);
    if (!shape && convolved != x.shape[d + 1])
      return Unsupported("the shape of its output is neither constant nor the one its input was made from");
    pad[d] = std::max<int64_t>((convolved - 1) * stride[d] + kernel - image, 0) / 2;
  }
  // Behind here it is a convolution's operands.
  OperatorInfo convolution = *op_;
  convolution.inputs = {op_->inputs[2], op_->inputs[1]};
  if (HasOperand(3)) convolution.inputs.push_back(op_->inputs[3]);
  op_ = &convolution;
  const bool done = IsFloat(op_->inputs[0]) ? FloatTransposed(stride, pad, options->activation)
                                            : QuantizedTransposed(stride, pad, options->activation);
  op_ = given;
  return done;
}

bool Builder::FloatTransposed(const std::array<int64_t, 2>& stride, const std::array<int64_t, 2>& pad,
                              Activation activation) {
  if (!IsFloat(op_->inputs[1])) return Unsupported("a float input with integer weights");
  const auto data = WeightsOihw(op_->inputs[1], false);
  const Shape &x = Info(op_->inputs[0]).shape, &y = Info(op_->outputs[0]).shape, &w = data->shape();
  graph::ConvTranspose2d transposed{.stride = stride, .pad = {pad[0], pad[1], 0, 0}};
  for (size_t d : {0, 1}) transposed.pad[d + 2] = (x[d + 1] - 1) * stride[d] + w[d + 2] - pad[d] - y[d + 1];
  const ValueId weights = model_.graph.AddConstant(name_ + ".weights", data);
  ValueId value = model_.graph.Add(name_, transposed, {Nchw(op_->inputs[0]), weights});
  if (HasOperand(2)) {
    if (Info(op_->inputs[2]).shape != Shape{w[0]} || !IsFloat(op_->inputs[2]))
      return Malformed("its bias does not fit");
    value = model_.graph.Add(name_ + ".bias", graph::BiasAdd{}, {value, Plain(op_->inputs[2])});
  }
  return Finish(Activate(value, activation, name_ + ".activation"), true);
}

bool Builder::QuantizedTransposed(const std::array<int64_t, 2>& stride, const std::array<int64_t, 2>& pad,
                                  Activation activation) {
  const int from = op_->inputs[0], weights = op_->inputs[1], to = op_->outputs[0];
  // The reference multiplies the scales of a uint8 model in float32.
  auto multipliers = ConvMultipliers(Info(from).dtype == graph::DType::kUint8);
  if (multipliers.empty()) return false;
  const auto data = WeightsOihw(weights, false);
  const Shape &x = Info(from).shape, &y = Info(to).shape, &w = data->shape();
  const int64_t outputs = w[0], squared = stride[0] * stride[1];
  if (multipliers.size() != 1 && static_cast<int64_t>(multipliers.size()) != outputs)
    return Malformed(fmt::format("{} scales for {} output channels", multipliers.size(), outputs));
  const auto limits = LimitsOf(activation, to);
  ValueId bias = BiasOrZero(outputs);
  if (!limits || bias < 0) return false;

  host::Window2d window;
  std::array<TransposedAxis, 2> axes;
  std::array<int64_t, 2> squares{};
  for (size_t d : {0, 1}) {
    axes[d] = TransposedAxis::Of(stride[d], pad[d], w[d + 2]);
    // Rows that the result does not have are computed where windows would end beyond it, and cut off.
    squares[d] = std::max((y[d + 1] + stride[d] - 1) / stride[d], x[d + 1] - axes[d].last);
    window.pad[d] = axes[d].pad_before();
    window.pad[d + 2] = axes[d].PadAfter(x[d + 1], squares[d]);
    window.kernel[d] = axes[d].taps();
  }
  if (TooMany(kMostTaps, {squared, outputs, w[1], axes[0].taps(), axes[1].taps()}) ||
      TooMany(kMostElements, {squared, outputs, x[0], squares[0], squares[1]}))
    return Fail(codes::kTooLarge, "weights for all pixels of a square are too many");

  const auto rest = static_cast<int8_t>(ZeroPoint(weights));
  const auto repeat = [&]<typename T>(T) {
    const auto list = model_.graph.node(bias).As<graph::Constant>()->data;
    return Tensor({squared * outputs}, Repeated<T>(list->data<T>(), squared));
  };
  bias = model_.graph.AddConstant(name_ + ".biases", HasWideSums() ? repeat(int64_t{}) : repeat(int32_t{}));
  if (multipliers.size() != 1) multipliers = Repeated<Multiplier>(multipliers, squared);
  ValueId value = Convolved(window, 1, multipliers, *limits, Phases(*data, axes[0], axes[1], rest), bias);
  if (value < 0) return false;
  if (squared != 1)
    value = model_.graph.Add(name_ + ".squares", graph::DepthToSpace{stride}, {value}, QuantizationOf(to));
  if (squares[0] * stride[0] == y[1] && squares[1] * stride[1] == y[2]) return Finish(value, true);
  const auto list = [&](const char* part, std::vector<int64_t> ends) {
    return model_.graph.AddConstant(name_ + part, Tensor({2}, std::move(ends)));
  };
  const ValueId starts = list(".starts", {0, 0}), ends = list(".ends", {y[1], y[2]}),
                axis = list(".axes", {2, 3});
  return Finish(Host(name_ + ".cut", host::Slice(), {value, starts, ends, axis},
                     "its output is no whole number of squares", QuantizationOf(to)),
                true);
}

}  // namespace cosim::import::tflite
