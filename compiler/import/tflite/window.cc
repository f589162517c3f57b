// SPDX-License-Identifier: Apache-2.0
// Convolutions, dense layers and pools of TensorFlow Lite: windows and float arithmetic here, integers in
// quantized.cc.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/graph/infer.h"
#include "compiler/host/linear.h"
#include "compiler/host/movement.h"
#include "compiler/host/spatial.h"
#include "compiler/import/tflite/builder.h"

namespace cosim::import::tflite {

using graph::Shape;
using graph::ValueId;

// `x` is [N,C,H,W].
std::optional<host::Window2d> Builder::WindowOf(const WindowOptions& options, const Shape& x,
                                                int64_t kernel_h, int64_t kernel_w) {
  host::Window2d window;
  window.kernel = {kernel_h, kernel_w};
  for (int d : {0, 1}) {
    const int64_t stride = options.stride[d], dilation = options.dilation[d], kernel = window.kernel[d];
    if (stride < 1 || dilation < 1 || kernel < 1 || stride > kMostElements || dilation > kMostElements ||
        kernel > kMostElements)
      return Malformed(fmt::format("stride {}, dilation {}, kernel {}", stride, dilation, kernel)),
             std::nullopt;
    window.stride[d] = stride;
    window.dilation[d] = dilation;
    if (!options.same_padding) continue;
    const int64_t out = (x[2 + d] + stride - 1) / stride;
    const int64_t total = std::max<int64_t>((out - 1) * stride + dilation * (kernel - 1) + 1 - x[2 + d], 0);
    window.pad[d] = total / 2;
    window.pad[d + 2] = total - total / 2;
  }
  if (!host::WindowShape(window, x, 1))
    return Malformed("the window does not fit into the image"), std::nullopt;
  return window;
}

bool Builder::Conv() {
  if (!Operands(2, 3)) return false;
  const auto* options = std::get_if<WindowOptions>(&op_->options);
  if (!options) return Malformed("has no options");
  const TensorInfo &x = Info(op_->inputs[0]), &w = Info(op_->inputs[1]);
  if (x.shape.size() != 4 || w.shape.size() != 4)
    return Malformed("input and weights must have 4 dimensions");
  if (!w.data) return Unsupported("its weights are not constant");
  const bool depthwise = op_->name == "DEPTHWISE_CONV_2D";
  const int64_t channels = x.shape[3];
  int64_t groups = depthwise ? channels : 1;
  if (depthwise && (w.shape[0] != 1 || w.shape[3] % channels != 0))
    return Malformed(fmt::format("weights {} for {} channels", graph::ToString(w.shape), channels));
  if (!depthwise) {
    if (w.shape[3] < 1 || channels % w.shape[3] != 0)
      return Malformed("weights do not fit the input's channels");
    groups = channels / w.shape[3];
    if (w.shape[0] % groups != 0) return Malformed("groups do not divide the output channels");
  }
  const auto window =
      WindowOf(*options, {x.shape[0], channels, x.shape[1], x.shape[2]}, w.shape[1], w.shape[2]);
  if (!window) return false;
  return IsFloat(op_->inputs[0]) ? FloatConv(*window, groups, options->activation)
                                 : QuantizedConv(*window, groups, options->activation);
}

// [O,KH,KW,I], or [1,KH,KW,O] of a depthwise one, as [O,I,KH,KW].
graph::TensorPtr Builder::WeightsOihw(int tensor, bool depthwise) {
  const ValueId plain = Plain(tensor);
  const graph::TensorPtr data = model_.graph.node(plain).As<graph::Constant>()->data;
  const auto transpose =
      host::Transpose(depthwise ? std::vector<int64_t>{3, 0, 1, 2} : std::vector<int64_t>{0, 3, 1, 2});
  const graph::Tensor* operand = data.get();
  return std::make_shared<const graph::Tensor>(std::move(graph::Evaluate(*transpose, {&operand, 1})[0]));
}

bool Builder::FloatConv(const host::Window2d& window, int64_t groups, Activation activation) {
  if (!IsFloat(op_->inputs[1])) return HybridConv(window, groups, activation);
  const auto data = WeightsOihw(op_->inputs[1], op_->name == "DEPTHWISE_CONV_2D");
  const ValueId x = Nchw(op_->inputs[0]), w = model_.graph.AddConstant(name_ + ".weights", data);
  ValueId y =
      model_.graph.Add(name_, graph::Conv2d{window.stride, window.pad, window.dilation, groups, 0}, {x, w});
  if (HasOperand(2)) {
    if (Info(op_->inputs[2]).shape != Shape{data->shape()[0]} || !IsFloat(op_->inputs[2]))
      return Malformed("its bias does not fit");
    y = model_.graph.Add(name_ + ".bias", graph::BiasAdd{}, {y, Plain(op_->inputs[2])});
  }
  return Finish(Activate(y, activation, name_ + ".activation"), true);
}

bool Builder::Dense() {
  if (!Operands(2, 3)) return false;
  const auto* options = std::get_if<DenseOptions>(&op_->options);
  const DenseOptions defaults, &o = options ? *options : defaults;
  const int from = op_->inputs[0], weights = op_->inputs[1], to = op_->outputs[0];
  const TensorInfo& w = Info(weights);
  if (o.shuffled) return Unsupported("its weights are shuffled");
  if (!w.data && (IsFloat(from) != IsFloat(weights) || (!IsFloat(weights) && !IsQuantized(weights))))
    return Unsupported("weights that are not constant, nor like its input");
  if (w.shape.size() != 2) return Malformed("weights must have 2 dimensions");
  const int64_t elements = graph::NumElements(Info(from).shape), depth = w.shape[1];
  if (elements % depth != 0) return Malformed(fmt::format("{} values in rows of {}", elements, depth));
  const Shape rows = {elements / depth, depth};
  ValueId x = -1;
  const auto at = nchw_.find(from);
  if (at != nchw_.end() && model_.graph.node(at->second).type.shape == Shape{rows[0], depth, 1, 1}) {
    x = model_.graph.Add(name_ + ".rows", graph::Flatten{}, {at->second}, QuantizationOf(from));
  } else {
    x = Plain(from);
    if (Info(from).shape != rows)
      x = Host(name_ + ".rows", host::ReshapeTo(rows), {x}, "moves elements only", QuantizationOf(from));
  }
  const ValueId y =
      IsFloat(from) ? FloatDense(x, o.activation, o.asymmetric) : QuantizedDense(x, o.activation);
  if (y < 0) return false;
  const Shape& want = Info(to).shape;
  if (model_.graph.node(y).type.shape == want || graph::NumElements(want) != rows[0] * w.shape[0])
    return Finish(y, false);
  return Finish(Host(name_ + ".shape", host::ReshapeTo(want), {y}, "moves elements only", QuantizationOf(to)),
                false);
}

ValueId Builder::FloatDense(ValueId x, Activation activation, bool asymmetric) {
  if (!IsFloat(op_->inputs[1])) return HybridDense(x, activation, asymmetric);
  const ValueId w = Plain(op_->inputs[1]);
  ValueId y = -1;
  if (Info(op_->inputs[1]).data) {
    y = model_.graph.Add(name_, graph::Dense{}, {x, w});
  } else {
    const std::string why = "its weights are values of the network";
    y = Host(name_, host::MatMul(), {x, Host(name_ + ".turned", host::Transpose({1, 0}), {w}, why)}, why);
    if (y < 0) return -1;
  }
  if (HasOperand(2)) {
    if (Info(op_->inputs[2]).shape != Shape{Info(op_->inputs[1]).shape[0]} || !IsFloat(op_->inputs[2]))
      return Malformed("its bias does not fit"), -1;
    y = model_.graph.Add(name_ + ".bias", graph::BiasAdd{}, {y, Plain(op_->inputs[2])});
  }
  return Activate(y, activation, name_ + ".activation");
}

bool Builder::AveragePool() {
  if (!Operands(1, 1)) return false;
  const auto* options = std::get_if<WindowOptions>(&op_->options);
  if (!options) return Malformed("has no options");
  const int from = op_->inputs[0];
  if (Info(from).shape.size() != 4) return Malformed("input must have 4 dimensions");
  const ValueId x = Nchw(from);
  const Shape shape = model_.graph.node(x).type.shape;
  const auto window = WindowOf(*options, shape, options->kernel[0], options->kernel[1]);
  if (!window) return false;
  const bool whole =
      window->kernel == std::array<int64_t, 2>{shape[2], shape[3]} && window->pad == std::array<int64_t, 4>{};
  if (!IsFloat(from)) return QuantizedAveragePool(*window, whole, options->activation);
  const auto mean = host::Pooling("average_pool", host::Pool::kAverage, host::SpatialOf(*window), 0, false);
  const ValueId y =
      whole ? model_.graph.Add(name_, graph::GlobalAvgPool{}, {x}) : Host(name_, mean, {x}, "float32");
  if (y < 0) return false;
  return Finish(Activate(y, options->activation, name_ + ".activation"), true);
}

bool Builder::MaxPool() {
  if (!Operands(1, 1)) return false;
  const auto* options = std::get_if<WindowOptions>(&op_->options);
  if (!options) return Malformed("has no options");
  const int from = op_->inputs[0], to = op_->outputs[0];
  if (Info(from).shape.size() != 4) return Malformed("input must have 4 dimensions");
  if (!IsFloat(from) && !IsInteger(from))
    return Unsupported(
        "an input that is neither float32 nor quantized bytes, nor int16 without a zero point");
  const ValueId x = Nchw(from);
  const auto window =
      WindowOf(*options, model_.graph.node(x).type.shape, options->kernel[0], options->kernel[1]);
  if (!window) return false;
  const graph::MaxPool pool{window->kernel, window->stride, window->pad};
  if (IsFloat(from))
    return Finish(Activate(model_.graph.Add(name_, pool, {x}), options->activation, name_ + ".activation"),
                  true);
  if (!SameQuantization(Info(from), Info(to)))
    return Malformed("its input and output are quantized differently");
  const auto limits = LimitsOf(options->activation, to);
  if (!limits) return false;
  return Finish(Clipped(model_.graph.Add(name_, pool, {x}, QuantizationOf(to)), *limits, to), true);
}

}  // namespace cosim::import::tflite
