// SPDX-License-Identifier: Apache-2.0
// Convolutions and dense layers of TensorFlow Lite whose activations are float32 and whose weights are bytes.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/host/movement.h"
#include "compiler/host/tflite_hybrid.h"
#include "compiler/import/tflite/builder.h"

namespace cosim::import::tflite {

using graph::DType;
using graph::Shape;
using graph::ValueId;

namespace {

constexpr char kHybrid[] =
    "its activations are float32, quantized anew for each image: the accelerator has no float32";

}  // namespace

std::string Builder::HybridFault() const {
  const TensorInfo& w = Info(op_->inputs[1]);
  if (w.dtype != DType::kInt8 || w.scales.empty())
    return fmt::format("a float32 input with weights of {}", graph::ToString({w.dtype, w.shape}));
  if (std::ranges::any_of(w.zero_points, [](int32_t z) { return z != 0; }))
    return "a float32 input with weights that have a zero point";
  if (HasOperand(2) && !IsFloat(op_->inputs[2])) return "a float32 input with a bias that is not";
  return "";
}

// The reference gives activations a zero point where weights have a scale for each channel, and in depthwise
// convolutions always.
bool Builder::HybridConv(const host::Window2d& window, int64_t groups, Activation activation) {
  if (const std::string fault = HybridFault(); !fault.empty()) return Unsupported(fault);
  const bool depthwise = op_->name == "DEPTHWISE_CONV_2D";
  const auto& scales = Info(op_->inputs[1]).scales;
  const bool by_channel = depthwise || scales.size() > 1;
  const host::TfliteHybrid hybrid{window, groups, scales, by_channel, by_channel};
  std::vector<ValueId> operands = {
      Nchw(op_->inputs[0]),
      model_.graph.AddConstant(name_ + ".weights", WeightsOihw(op_->inputs[1], depthwise))};
  if (HasOperand(2)) operands.push_back(Plain(op_->inputs[2]));
  const ValueId y = Host(name_, host::HybridConvolution(hybrid), operands, kHybrid);
  return y >= 0 && Finish(Activate(y, activation, name_ + ".activation"), true);
}

// Each row is an image of one pixel.
ValueId Builder::HybridDense(ValueId x, Activation activation, bool asymmetric) {
  if (const std::string fault = HybridFault(); !fault.empty()) return Unsupported(fault), -1;
  const host::TfliteHybrid hybrid{{}, 1, Info(op_->inputs[1]).scales, asymmetric};
  const auto shaped = [&](const std::string& what, ValueId value) {
    const Shape& s = model_.graph.node(value).type.shape;
    return Host(name_ + what, host::ReshapeTo({s[0], s[1], 1, 1}), {value}, kMovesReason);
  };
  std::vector<ValueId> operands = {shaped(".input", x), shaped(".weights", Plain(op_->inputs[1]))};
  if (HasOperand(2)) operands.push_back(Plain(op_->inputs[2]));
  const ValueId y = Host(name_, host::HybridConvolution(hybrid), operands, kHybrid);
  if (y < 0) return -1;
  const Shape& s = model_.graph.node(y).type.shape;
  return Activate(Host(name_ + ".rows_out", host::ReshapeTo({s[0], s[1]}), {y}, kMovesReason), activation,
                  name_ + ".activation");
}

// Each row of `a` is an image of one pixel, its products those of a convolution. `b` is one matrix, by
// column.
bool Builder::HybridMatMul(ValueId a, ValueId b, bool asymmetric) {
  if (const std::string fault = HybridFault(); !fault.empty()) return Unsupported(fault);
  const Shape x = model_.graph.node(a).type.shape, w = model_.graph.node(b).type.shape;
  const int64_t depth = x.back(), outputs = w.back();
  const auto& scales = Info(op_->inputs[1]).scales;
  if (graph::NumElements(w) != depth * outputs || scales.size() != 1)
    return Unsupported("a float32 input with more than one matrix of int8, or more than one scale");
  const auto reshaped = [&](const std::string& what, ValueId value, const Shape& shape) {
    return Host(name_ + what, host::ReshapeTo(shape), {value}, kMovesReason);
  };
  const ValueId rows =
                    reshaped(".input", a, {graph::NumElements(x) / std::max<int64_t>(1, depth), depth, 1, 1}),
                matrix = reshaped(".matrix", b, {depth, outputs}),
                weights = Host(name_ + ".turned", host::Transpose({1, 0}), {matrix}, kMovesReason),
                kernels = reshaped(".weights", weights, {outputs, depth, 1, 1});
  const ValueId y =
      Host(name_, host::HybridConvolution({{}, 1, scales, asymmetric}), {rows, kernels}, kHybrid);
  Shape result = x;
  result.back() = outputs;
  if (w.size() > result.size()) result.insert(result.begin(), w.size() - result.size(), 1);
  return Finish(reshaped(".result", y, result), false);
}

}  // namespace cosim::import::tflite
