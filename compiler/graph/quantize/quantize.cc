// SPDX-License-Identifier: Apache-2.0
// The walk over the float graph that writes the integer graph. What scales are is decided by the scheme.
#include "compiler/graph/quantize/quantize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler/graph/passes/expand_transposed.h"
#include "compiler/graph/passes/fold_batch_norm.h"
#include "compiler/graph/passes/fold_constants.h"
#include "compiler/graph/passes/remove_dead_values.h"
#include "compiler/graph/quantize/calibrate.h"
#include "compiler/graph/quantize/scheme.h"
#include "isa/check.h"

namespace cosim::graph {
namespace {

/// Nearest integer of x / scale, halves away from zero, no further from 0 than `limit`.
int32_t Steps(double x, double scale, double limit) {
  return static_cast<int32_t>(std::clamp(x / scale + (x < 0 ? -0.5 : 0.5), -limit, limit));
}

/// Weights [O,...] in steps of `scales` (one, or one for each O), symmetric in [-levels, levels].
Tensor QuantizeWeight(const Tensor& weight, const std::vector<float>& scales, int levels) {
  const auto most = static_cast<float>(levels);
  const auto w = weight.data<float>();
  const int64_t channels = weight.shape()[0], taps = weight.size() / channels;
  std::vector<int8_t> q(w.size());
  for (int64_t c = 0; c < channels; ++c) {
    const float per_step = 1 / scales[scales.size() == 1 ? 0 : c];
    for (int64_t i = c * taps; i < (c + 1) * taps; ++i) {
      const float steps = w[i] * per_step + (w[i] < 0 ? -0.5f : 0.5f);
      q[i] = static_cast<int8_t>(static_cast<int32_t>(std::min(most, std::max(-most, steps))));
    }
  }
  return Tensor(weight.shape(), std::move(q));
}

class Quantizer {
 public:
  Quantizer(Graph source, const QuantizeOptions& options)
      : source_(std::move(source)),
        users_(source_.Users()),
        per_channel_(options.scheme == QuantizationScheme::kPerChannel),
        scheme_(MakeScheme(options.scheme)),
        weight_levels_((1 << (options.weight_bits - 1)) - 1),
        result_(source_.name()),
        counterpart_(source_.nodes().size(), -1),
        accumulator_(source_.nodes().size(), -1) {
    std::vector<bool> wanted(source_.nodes().size(), false);
    for (ValueId id = 0; id < source_.size(); ++id) wanted[id] = NeedsRange(id);
    histograms_ = Calibrate(source_, wanted, options.calibration_inputs, options.seed);
  }

  QuantizedGraph Run() {
    for (ValueId id = 0; id < source_.size(); ++id) {
      std::visit([&](const auto& op) { Write(id, op); }, source_.node(id).op);
    }
    HideClippedValues();
    std::vector<ValueId> outputs;
    for (ValueId output : source_.outputs()) outputs.push_back(int8_.at(output));
    result_.SetOutputs(std::move(outputs));
    return {std::move(result_), std::move(source_), std::move(counterpart_)};
  }

 private:
  const Node& node(ValueId id) const { return source_.node(id); }
  ValueId operand(ValueId id, int i) const { return node(id).inputs[i]; }

  bool IsOutput(ValueId id) const {
    return std::find(source_.outputs().begin(), source_.outputs().end(), id) != source_.outputs().end();
  }

  /// The user of `id` if that is the only reader and is an `OpType`, else -1.
  template <typename OpType>
  ValueId OnlyUser(ValueId id) const {
    const bool only = users_[id].size() == 1 && !IsOutput(id) && node(users_[id][0]).As<OpType>();
    return only ? users_[id][0] : -1;
  }

  /// The value whose range decides how `id` is quantized: a relu or concatenation behind it where that is all
  /// that reads it. (With powers of two, a concatenation takes the scales as they come.)
  ValueId RangeOf(ValueId id) const {
    if (const ValueId relu = OnlyUser<graph::Relu>(id); relu >= 0) return RangeOf(relu);
    const ValueId concat = per_channel_ ? OnlyUser<graph::Concat>(id) : -1;
    return concat >= 0 ? RangeOf(concat) : id;
  }

  /// Whether an operation leaves the values of its operand as they are.
  static bool KeepsValues(const Node& n) {
    return n.As<graph::MaxPool>() || n.As<graph::Flatten>() || n.As<graph::DepthToSpace>() ||
           n.As<graph::ResizeNearest>() || n.As<graph::Pad>();
  }

  /// Whether the range of a value decides about scales.
  bool NeedsRange(ValueId id) const {
    const Node& n = node(id);
    return !n.As<Constant>() && !KeepsValues(n) && !n.As<graph::Softmax>() && RangeOf(id) == id &&
           OnlyUser<graph::BiasAdd>(id) < 0;
  }

  /// A product of two activations has no place for what zero points would add to it.
  bool MustBeSymmetric(ValueId id) const {
    return std::any_of(users_[id].begin(), users_[id].end(),
                       [&](ValueId user) { return node(user).As<graph::MatMul>() != nullptr; });
  }

  const Histogram& HistogramFor(ValueId id) const { return histograms_[RangeOf(id)]; }

  ValueId Int8(ValueId id) const {
    COSIM_CHECK(int8_[id] >= 0, "'{}' is needed as int8, but is {}", node(id).name, Mnemonic(node(id).op));
    return int8_[id];
  }
  Quantization QuantizationOf(ValueId id) const { return *result_.node(Int8(id)).quantization; }

  void SetInt8(ValueId id, ValueId value) {
    int8_[id] = value;
    counterpart_[id] = value;
  }

  TensorPtr ConstantData(ValueId id) const {
    const auto* constant = node(id).As<Constant>();
    COSIM_CHECK(constant, "'{}' must be a constant", node(id).name);
    return constant->data;
  }

  void Write(ValueId id, const graph::Input&) {
    SetInt8(id, result_.AddInput(node(id).name, {DType::kInt8, node(id).type.shape},
                                 scheme_->ChooseInput(HistogramFor(id))));
  }

  void Write(ValueId, const Constant&) {}  // Written by the operation that reads it.

  void Write(ValueId id, const graph::Conv2d& op) {
    graph::Conv2d integer = op;
    integer.input_zero_point = QuantizationOf(operand(id, 0)).zero_point;
    WriteProduct(id, integer);
  }

  void Write(ValueId id, const graph::Dense&) {
    WriteProduct(id, graph::Dense{QuantizationOf(operand(id, 0)).zero_point});
  }

  void WriteProduct(ValueId id, Op op) {
    const ValueId bias_add = OnlyUser<graph::BiasAdd>(id);
    const TensorPtr bias = bias_add >= 0 ? ConstantData(operand(bias_add, 1)) : nullptr;
    const Tensor& weight = *ConstantData(operand(id, 1));
    const float input_scale = QuantizationOf(operand(id, 0)).scales[0];
    const auto scales = scheme_->ChooseWeight(weight, bias ? bias->data<float>() : std::span<const float>(),
                                              input_scale, weight_levels_);
    const ValueId w =
        result_.AddConstant(node(operand(id, 1)).name, QuantizeWeight(weight, scales, weight_levels_),
                            Quantization{scales, 0, 0});
    Quantization accumulated{scales, 0, 1};
    for (float& scale : accumulated.scales) scale *= input_scale;
    accumulator_[id] = result_.Add(node(id).name, std::move(op), {Int8(operand(id, 0)), w}, accumulated);
    if (bias_add < 0) WriteRequantize(id);
  }

  void Write(ValueId id, const graph::BiasAdd&) {
    const ValueId product = accumulator_[operand(id, 0)];
    COSIM_CHECK(product >= 0 && int8_[operand(id, 0)] < 0, "bias '{}' does not follow a product alone",
                node(id).name);
    const Quantization quantization = *result_.node(product).quantization;
    const TensorPtr bias = ConstantData(operand(id, 1));
    std::vector<int32_t> steps;
    for (int64_t c = 0; c < bias->size(); ++c) {
      const double scale = quantization.scales[quantization.scales.size() == 1 ? 0 : c];
      steps.push_back(Steps(bias->data<float>()[c], scale, 0x7fffffff));
    }
    const ValueId b = result_.AddConstant(node(operand(id, 1)).name, Tensor(bias->shape(), std::move(steps)),
                                          AlongDimension0(quantization));
    accumulator_[id] = result_.Add(node(id).name, graph::BiasAdd{}, {product, b}, quantization);
    WriteRequantize(id);
  }

  /// From the accumulator of `id` to its int8 value.
  void WriteRequantize(ValueId id) {
    const auto scales = result_.node(accumulator_[id]).quantization->scales;
    const Quantization quantization = MustBeSymmetric(id) ? scheme_->ChooseSymmetric(HistogramFor(id), scales)
                                                          : scheme_->ChooseResult(HistogramFor(id), scales);
    SetInt8(id, result_.Add(node(id).name + ".requantize", scheme_->MakeRequantize(scales, quantization),
                            {accumulator_[id]}, quantization));
  }

  void Write(ValueId id, const graph::Relu& op) {
    const Quantization quantization = QuantizationOf(operand(id, 0));
    graph::Clip clip{.lo = quantization.zero_point};
    if (op.cap > 0) {
      const double steps = std::floor(double{op.cap} / quantization.scales[0] + 0.5);
      clip.hi = static_cast<int32_t>(std::min(steps + quantization.zero_point, 127.0));
    }
    SetInt8(id, result_.Add(node(id).name, clip, {Int8(operand(id, 0))}, quantization));
  }

  void Write(ValueId id, const graph::Add&) {
    const Quantization a = QuantizationOf(operand(id, 0)), b = QuantizationOf(operand(id, 1));
    const Quantization sum = scheme_->ChooseSum(HistogramFor(id), a, b);
    SetInt8(id, result_.Add(node(id).name, scheme_->MakeAdd(a, b, sum),
                            {Int8(operand(id, 0)), Int8(operand(id, 1))}, sum));
  }

  void Write(ValueId id, const graph::Sub&) {
    const Quantization a = QuantizationOf(operand(id, 0)), b = QuantizationOf(operand(id, 1));
    const Quantization difference = scheme_->ChooseSum(HistogramFor(id), a, b);
    graph::QAdd op = scheme_->MakeAdd(a, b, difference);
    op.b.multiplier = -op.b.multiplier;
    SetInt8(id, result_.Add(node(id).name, op, {Int8(operand(id, 0)), Int8(operand(id, 1))}, difference));
  }

  void Write(ValueId id, const graph::Mul&) {
    const Quantization a = QuantizationOf(operand(id, 0)), b = QuantizationOf(operand(id, 1));
    const std::vector<float> scales = {a.scales[0] * b.scales[0]};
    const Quantization product = scheme_->ChooseResult(HistogramFor(id), scales);
    const graph::Requantize factor = scheme_->MakeRequantize(scales, product);
    const graph::QMul op{a.zero_point, b.zero_point, factor.multiplier[0], factor.shift[0],
                         product.zero_point};
    SetInt8(id, result_.Add(node(id).name, op, {Int8(operand(id, 0)), Int8(operand(id, 1))}, product));
  }

  void Write(ValueId id, const graph::Concat& op) {
    Quantization whole;
    if (per_channel_) {
      whole = scheme_->ChooseInput(HistogramFor(id));
    } else {  // the coarsest, which the others reach by shifting right
      whole = QuantizationOf(operand(id, 0));
      for (ValueId input : node(id).inputs) {
        if (QuantizationOf(input).scales[0] > whole.scales[0]) whole = QuantizationOf(input);
      }
    }
    std::vector<ValueId> parts;
    for (size_t i = 0; i < node(id).inputs.size(); ++i) {
      const ValueId input = node(id).inputs[i];
      const Quantization from = QuantizationOf(input);
      if (from == whole) {
        parts.push_back(Int8(input));
        continue;
      }
      const graph::QAdd::Operand scale = scheme_->MakeAdd(from, from, whole).a;
      const graph::Rescale rescale{from.zero_point, scale.multiplier, scale.shift, whole.zero_point};
      parts.push_back(
          result_.Add(fmt::format("{}.rescale{}", node(id).name, i), rescale, {Int8(input)}, whole));
    }
    SetInt8(id, result_.Add(node(id).name, op, std::move(parts), whole));
  }

  /// An int8 value with zero point 0 that stands for an operand of `id`, rescaled where it has another.
  ValueId SymmetricOperand(ValueId id, int i) {
    const ValueId value = Int8(operand(id, i));
    const Quantization from = QuantizationOf(operand(id, i));
    if (from.zero_point == 0) return value;
    const int32_t reach = std::max(127 - from.zero_point, from.zero_point + 128);
    const Quantization to{{from.scales[0] * static_cast<float>(reach) / 127}, 0, 0};
    const graph::QAdd::Operand scale = scheme_->MakeAdd(from, from, to).a;
    return result_.Add(fmt::format("{}.rescale{}", node(id).name, i),
                       graph::Rescale{from.zero_point, scale.multiplier, scale.shift, 0}, {value}, to);
  }

  void Write(ValueId id, const graph::MatMul& op) {
    const ValueId a = SymmetricOperand(id, 0), b = SymmetricOperand(id, 1);
    const float scale = result_.node(a).quantization->scales[0] * result_.node(b).quantization->scales[0];
    accumulator_[id] = result_.Add(node(id).name, op, {a, b}, Quantization{{scale}, 0, 0});
    WriteRequantize(id);
  }

  /// Shares in steps of 1/127, or 1/128 where scales are powers of two.
  void Write(ValueId id, const graph::Softmax& op) {
    const Quantization input = QuantizationOf(operand(id, 0));
    graph::QSoftmax integer{.groups = op.groups, .levels = per_channel_ ? 127 : 128};
    for (int step = 0; step < 256; ++step) {
      const double e = std::exp(-step * double{op.scale} * input.scales[0]);
      integer.exponentials.push_back(static_cast<int32_t>(std::floor(e * (1 << 20) + 0.5)));
    }
    const Quantization shares{{1 / static_cast<float>(integer.levels)}, 0, 0};
    SetInt8(id, result_.Add(node(id).name, std::move(integer), {Int8(operand(id, 0))}, shares));
  }

  void Write(ValueId id, const graph::LayerNorm& op) {
    const Quantization input = QuantizationOf(operand(id, 0));
    const Quantization normal = scheme_->ChooseInput(HistogramFor(id));
    std::vector<float> gain, offset;
    for (float gamma : ConstantData(operand(id, 1))->data<float>()) gain.push_back(gamma / normal.scales[0]);
    for (float beta : ConstantData(operand(id, 2))->data<float>()) {
      offset.push_back(beta / normal.scales[0] + static_cast<float>(normal.zero_point));
    }
    const auto channels = static_cast<int64_t>(gain.size());
    const float steps = static_cast<float>(channels) / input.scales[0];
    const std::string& name = node(id).name;
    const ValueId g = result_.AddConstant(name + ".gain", Tensor({channels}, std::move(gain)));
    const ValueId o = result_.AddConstant(name + ".offset", Tensor({channels}, std::move(offset)));
    const graph::QLayerNorm integer{op.epsilon * steps * steps};
    SetInt8(id, result_.Add(name, integer, {Int8(operand(id, 0)), g, o}, normal));
  }

  void Write(ValueId id, const graph::Gelu&) {
    const Quantization input = QuantizationOf(operand(id, 0));
    const Quantization output = scheme_->ChooseInput(HistogramFor(id));
    graph::Table table;
    for (int q = -128; q < 128; ++q) {
      const double x = (q - input.zero_point) * double{input.scales[0]};
      const double y = x / 2 * (1 + std::erf(x / std::sqrt(2.0))) / output.scales[0];
      table.table.push_back(
          static_cast<int32_t>(std::clamp(std::floor(y + 0.5) + output.zero_point, -128.0, 127.0)));
    }
    SetInt8(id, result_.Add(node(id).name, std::move(table), {Int8(operand(id, 0))}, output));
  }

  void Write(ValueId id, const graph::DepthToSpace& op) { WriteUnchanged(id, op); }
  void Write(ValueId id, const graph::ResizeNearest& op) { WriteUnchanged(id, op); }
  void Write(ValueId id, const graph::Pad& op) {
    WriteUnchanged(id, graph::Pad{op.pad, QuantizationOf(operand(id, 0)).zero_point});
  }
  void Write(ValueId id, const graph::MaxPool& op) { WriteUnchanged(id, op); }
  void Write(ValueId id, const graph::Flatten& op) { WriteUnchanged(id, op); }

  void WriteUnchanged(ValueId id, Op op) {
    const Quantization quantization = QuantizationOf(operand(id, 0));
    SetInt8(id, result_.Add(node(id).name, std::move(op), {Int8(operand(id, 0))}, quantization));
  }

  void Write(ValueId id, const graph::GlobalAvgPool&) {
    const Shape& shape = node(operand(id, 0)).type.shape;
    WriteAverage(id, graph::GlobalSumPool{}, shape[2] * shape[3]);
  }

  void Write(ValueId id, const graph::AvgPool& op) {
    const int32_t zero = QuantizationOf(operand(id, 0)).zero_point;
    WriteAverage(id, graph::SumPool{op.kernel, op.stride, op.pad, zero}, op.kernel[0] * op.kernel[1]);
  }

  /// The sum over P pixels, minus P times the zero point, in steps of scale / P.
  void WriteAverage(ValueId id, Op pool, int64_t pixels) {
    const Quantization input = QuantizationOf(operand(id, 0));
    const Shape& shape = node(operand(id, 0)).type.shape;
    const Quantization summed{{input.scales[0] / static_cast<float>(pixels)}, 0, 0};
    const std::string& name = node(id).name;
    const bool centred = input.zero_point == 0;
    ValueId sum =
        result_.Add(name, std::move(pool), {Int8(operand(id, 0))},
                    Quantization{summed.scales, static_cast<int32_t>(pixels * input.zero_point), 0});
    if (!centred) {
      const auto offset = static_cast<int32_t>(-pixels * input.zero_point);
      const ValueId bias = result_.AddConstant(name + ".zero_point",
                                               Tensor({shape[1]}, std::vector<int32_t>(shape[1], offset)));
      sum = result_.Add(name + ".bias_add", graph::BiasAdd{}, {sum, bias}, summed);
    }
    accumulator_[id] = sum;
    WriteRequantize(id);
  }

  template <typename OpType>
  void Write(ValueId id, const OpType& op) {
    COSIM_CHECK(false, "'{}' = {} cannot be quantized", node(id).name, op.kMnemonic);
  }

  /// A value quantized for the relu behind it loses what is below zero, on purpose: it stands for nothing by
  /// itself.
  void HideClippedValues() {
    for (ValueId id = 0; id < source_.size(); ++id) {
      if (OnlyUser<graph::Relu>(id) >= 0) counterpart_[id] = -1;
    }
  }

  /// Channels are dimension 0 of a bias.
  static Quantization AlongDimension0(Quantization quantization) {
    quantization.axis = 0;
    return quantization;
  }

  Graph source_;
  std::vector<std::vector<ValueId>> users_;
  bool per_channel_;
  std::unique_ptr<Scheme> scheme_;
  int weight_levels_;
  std::vector<Histogram> histograms_;
  Graph result_;
  std::vector<ValueId> counterpart_;
  // By value of the source, -1 where there is none: its int32 and its int8 value in the result.
  std::vector<ValueId> accumulator_;
  std::vector<ValueId> int8_ = std::vector<ValueId>(counterpart_.size(), -1);
};

}  // namespace

std::string_view Name(QuantizationScheme scheme) {
  return scheme == QuantizationScheme::kPerChannel ? "per_channel" : "power_of_two";
}

QuantizedGraph QuantizeGraph(const Graph& float_graph, const QuantizeOptions& options) {
  Graph folded = RemoveDeadValues(FoldBatchNorm(ExpandTransposed(FoldConstants(float_graph))));
  return Quantizer(std::move(folded), options).Run();
}

std::vector<Tensor> QuantizeInputs(const Graph& graph, const std::vector<Tensor>& inputs) {
  COSIM_CHECK(inputs.size() == graph.inputs().size(), "{} inputs for {}", inputs.size(), graph.name());
  std::vector<Tensor> result;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Node& node = graph.node(graph.inputs()[i]);
    COSIM_CHECK(node.quantization && node.type.shape == inputs[i].shape(), "input '{}'", node.name);
    Tensor q(node.type);
    std::transform(
        inputs[i].data<float>().begin(), inputs[i].data<float>().end(), q.mutable_data<int8_t>().begin(),
        [&](float x) {
          const double steps = std::floor(double{x} / node.quantization->scales[0] + 0.5);
          return static_cast<int8_t>(std::clamp(steps + node.quantization->zero_point, -128.0, 127.0));
        });
    result.push_back(std::move(q));
  }
  return result;
}

Tensor ToReal(const Tensor& tensor, const Quantization& quantization) {
  const Shape& shape = tensor.shape();
  const int64_t channels = quantization.scales.size() == 1 ? 1 : shape.at(quantization.axis);
  const int64_t inner = quantization.scales.size() == 1
                            ? tensor.size()
                            : NumElements(Shape(shape.begin() + quantization.axis + 1, shape.end()));
  std::vector<float> real(tensor.size());
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const int64_t q = tensor.dtype() == DType::kInt8 ? tensor.data<int8_t>()[i] : tensor.data<int32_t>()[i];
    real[i] = static_cast<float>(q - quantization.zero_point) * quantization.scales[i / inner % channels];
  }
  return Tensor(shape, std::move(real));
}

}  // namespace cosim::graph
