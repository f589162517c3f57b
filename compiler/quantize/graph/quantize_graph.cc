// SPDX-License-Identifier: Apache-2.0
// The walk over the float graph that writes the integer graph. What scales are is decided by the scheme.
#include "compiler/quantize/graph/quantize_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "compiler/graph/passes/expand_transposed.h"
#include "compiler/graph/passes/fold_batch_norm.h"
#include "compiler/graph/passes/fold_constants.h"
#include "compiler/graph/passes/remove_dead_values.h"
#include "compiler/quantize/graph/keeps_values.h"
#include "compiler/quantize/graph/observe.h"
#include "compiler/quantize/graph/reach.h"
#include "compiler/quantize/graph/scheme.h"
#include "compiler/quantize/parameters.h"
#include "isa/check.h"

namespace cosim::graph {
namespace {

class Quantizer {
 public:
  Quantizer(Graph source, const QuantizeOptions& options)
      : source_(std::move(source)),
        users_(source_.Users()),
        per_channel_(options.scheme == QuantizationScheme::kPerChannel),
        dtype_(options.activation_bits == 8 ? DType::kInt8 : DType::kInt16),
        scheme_(MakeScheme(options.scheme, options.activation_bits)),
        weight_levels_((1 << (options.weight_bits - 1)) - 1),
        reaches_(dtype_ == DType::kInt16 ? ChooseReaches(source_, *scheme_, weight_levels_)
                                         : std::vector<int32_t>(source_.nodes().size(), 127)),
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
    for (ValueId output : source_.outputs()) outputs.push_back(ValueOf(output));
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

  /// How many values of their type there are.
  int Count() const { return LargestOf(dtype_) - LeastOf(dtype_) + 1; }

  /// Steps above zero for the range that calibration saw. An int16 has room for twice that: a value beyond
  /// it that is clipped costs more than the bit.
  int Levels(ValueId id) const {
    return dtype_ == DType::kInt8 ? reaches_[id] : std::max(1, reaches_[id] / 2);
  }

  const Histogram& HistogramFor(ValueId id) const { return histograms_[RangeOf(id)]; }

  ValueId ValueOf(ValueId id) const {
    COSIM_CHECK(values_[id] >= 0, "'{}' is needed as {}, but is {}", node(id).name, graph::Name(dtype_),
                Mnemonic(node(id).op));
    return values_[id];
  }
  Quantization QuantizationOf(ValueId id) const { return *result_.node(ValueOf(id)).quantization; }

  void SetValue(ValueId id, ValueId value) {
    values_[id] = value;
    counterpart_[id] = value;
  }

  /// `value`, an int16 that may be anything, within the reach of `id`. A relu clips for itself.
  ValueId Bounded(ValueId id, ValueId value) {
    const int32_t reach = reaches_[id];
    if (dtype_ == DType::kInt8 || reach == 32767 || OnlyUser<graph::Relu>(id) >= 0) return value;
    return result_.Add(result_.node(value).name + ".clip", graph::Clip{-reach, reach}, {value},
                       result_.node(value).quantization);
  }

  TensorPtr ConstantData(ValueId id) const {
    const auto* constant = node(id).As<Constant>();
    COSIM_CHECK(constant, "'{}' must be a constant", node(id).name);
    return constant->data;
  }

  void Write(ValueId id, const graph::Input&) {
    const Quantization quantization = scheme_->ChooseInput(HistogramFor(id), Levels(id));
    SetValue(id, Bounded(id, result_.AddInput(node(id).name, {dtype_, node(id).type.shape}, quantization)));
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
                                              input_scale, weight_levels_, MostBias());
    const Tensor quantized =
        quantize::QuantizeWeight(weight, quantize::ChannelsAlong(weight.shape(), 0), scales, weight_levels_);
    const ValueId w = result_.AddConstant(node(operand(id, 1)).name, quantized, Quantization{scales, 0, 0});
    Quantization accumulated{scales, 0, 1};
    for (float& scale : accumulated.scales) scale *= input_scale;
    accumulator_[id] = result_.Add(node(id).name, std::move(op), {ValueOf(operand(id, 0)), w}, accumulated);
    if (bias_add < 0) WriteRequantize(id);
  }

  double MostBias() const { return dtype_ == DType::kInt8 ? 1 << 30 : kMostBias; }

  void Write(ValueId id, const graph::BiasAdd&) {
    const ValueId product = accumulator_[operand(id, 0)];
    COSIM_CHECK(product >= 0 && values_[operand(id, 0)] < 0, "bias '{}' does not follow a product alone",
                node(id).name);
    const Quantization quantization = *result_.node(product).quantization;
    const TensorPtr bias = ConstantData(operand(id, 1));
    auto steps = quantize::QuantizeBias(bias->data<float>(), quantization.scales);
    const ValueId b = result_.AddConstant(node(operand(id, 1)).name, Tensor(bias->shape(), std::move(steps)),
                                          AlongDimension0(quantization));
    accumulator_[id] = result_.Add(node(id).name, graph::BiasAdd{}, {product, b}, quantization);
    WriteRequantize(id);
  }

  /// From the accumulator of `id` to its quantized value.
  void WriteRequantize(ValueId id) {
    const auto scales = result_.node(accumulator_[id]).quantization->scales;
    const Quantization quantization = MustBeSymmetric(id)
                                          ? scheme_->ChooseSymmetric(HistogramFor(id), scales, Levels(id))
                                          : scheme_->ChooseResult(HistogramFor(id), scales, Levels(id));
    graph::Requantize op = scheme_->MakeRequantize(scales, quantization);
    op.bits = dtype_ == DType::kInt8 ? 8 : 16;
    SetValue(id, Bounded(id, result_.Add(node(id).name + ".requantize", std::move(op), {accumulator_[id]},
                                         quantization)));
  }

  void Write(ValueId id, const graph::Relu& op) {
    const Quantization quantization = QuantizationOf(operand(id, 0));
    graph::Clip clip{.lo = quantization.zero_point, .hi = reaches_[operand(id, 0)]};
    if (op.cap > 0) {
      const double steps = std::floor(double{op.cap} / quantization.scales[0] + 0.5);
      clip.hi = static_cast<int32_t>(std::min(steps + quantization.zero_point, static_cast<double>(clip.hi)));
    }
    SetValue(id, result_.Add(node(id).name, clip, {ValueOf(operand(id, 0))}, quantization));
  }

  void Write(ValueId id, const graph::Add&) {
    const Quantization a = QuantizationOf(operand(id, 0)), b = QuantizationOf(operand(id, 1));
    const Quantization sum = scheme_->ChooseSum(HistogramFor(id), a, b, Levels(id));
    WritePair(id, scheme_->MakeAdd(a, b, sum), sum);
  }

  void Write(ValueId id, const graph::Sub&) {
    const Quantization a = QuantizationOf(operand(id, 0)), b = QuantizationOf(operand(id, 1));
    const Quantization difference = scheme_->ChooseSum(HistogramFor(id), a, b, Levels(id));
    graph::QAdd op = scheme_->MakeAdd(a, b, difference);
    op.b.multiplier = -op.b.multiplier;
    WritePair(id, op, difference);
  }

  void WritePair(ValueId id, Op op, const Quantization& quantization) {
    SetValue(id, Bounded(id, result_.Add(node(id).name, std::move(op),
                                         {ValueOf(operand(id, 0)), ValueOf(operand(id, 1))}, quantization)));
  }

  void Write(ValueId id, const graph::Mul&) {
    const Quantization a = QuantizationOf(operand(id, 0)), b = QuantizationOf(operand(id, 1));
    const std::vector<float> scales = {a.scales[0] * b.scales[0]};
    const Quantization product = scheme_->ChooseResult(HistogramFor(id), scales, Levels(id));
    const graph::Requantize factor = scheme_->MakeRequantize(scales, product);
    const graph::QMul op{a.zero_point, b.zero_point, factor.multiplier[0], factor.shift[0],
                         product.zero_point};
    WritePair(id, op, product);
  }

  void Write(ValueId id, const graph::Concat& op) {
    Quantization whole;
    if (per_channel_) {
      whole = scheme_->ChooseInput(HistogramFor(id), Levels(id));
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
        parts.push_back(ValueOf(input));
        continue;
      }
      const graph::QAdd::Operand scale = scheme_->MakeAdd(from, from, whole).a;
      const graph::Rescale rescale{from.zero_point, scale.multiplier, scale.shift, whole.zero_point};
      parts.push_back(Bounded(
          id, result_.Add(fmt::format("{}.rescale{}", node(id).name, i), rescale, {ValueOf(input)}, whole)));
    }
    SetValue(id, result_.Add(node(id).name, op, std::move(parts), whole));
  }

  /// A value with zero point 0 that stands for an operand of `id`, rescaled where it has another.
  ValueId SymmetricOperand(ValueId id, int i) {
    const ValueId value = ValueOf(operand(id, i));
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

  /// Shares in steps of 1/127, or 1/128 where scales are powers of two; those of int16 in finer ones.
  void Write(ValueId id, const graph::Softmax& op) {
    const Quantization input = QuantizationOf(operand(id, 0));
    const auto reach = static_cast<uint32_t>(reaches_[id]);
    const auto levels = static_cast<int32_t>(per_channel_ ? reach : std::bit_floor(reach + 1));
    graph::QSoftmax integer{.groups = op.groups, .levels = levels};
    for (int step = 0; step < Count(); ++step) {
      const double e = std::exp(-step * double{op.scale} * input.scales[0]);
      integer.exponentials.push_back(static_cast<int32_t>(std::floor(e * (1 << 20) + 0.5)));
    }
    const Quantization shares{{1 / static_cast<float>(integer.levels)}, 0, 0};
    SetValue(id, result_.Add(node(id).name, std::move(integer), {ValueOf(operand(id, 0))}, shares));
  }

  void Write(ValueId id, const graph::LayerNorm& op) {
    const Quantization input = QuantizationOf(operand(id, 0));
    const Quantization normal = scheme_->ChooseInput(HistogramFor(id), Levels(id));
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
    SetValue(id, Bounded(id, result_.Add(name, integer, {ValueOf(operand(id, 0)), g, o}, normal)));
  }

  void Write(ValueId id, const graph::Gelu&) {
    const Quantization input = QuantizationOf(operand(id, 0));
    const Quantization output = scheme_->ChooseInput(HistogramFor(id), Levels(id));
    graph::Table table;
    const double least = dtype_ == DType::kInt8 ? -128 : -reaches_[id], largest = reaches_[id];
    for (int q = -Count() / 2; q < Count() / 2; ++q) {
      const double x = (q - input.zero_point) * double{input.scales[0]};
      const double y = x / 2 * (1 + std::erf(x / std::sqrt(2.0))) / output.scales[0];
      table.table.push_back(
          static_cast<int32_t>(std::clamp(std::floor(y + 0.5) + output.zero_point, least, largest)));
    }
    SetValue(id, result_.Add(node(id).name, std::move(table), {ValueOf(operand(id, 0))}, output));
  }

  void Write(ValueId id, const graph::DepthToSpace& op) { WriteUnchanged(id, op); }
  void Write(ValueId id, const graph::ResizeNearest& op) { WriteUnchanged(id, op); }
  void Write(ValueId id, const graph::Pad& op) {
    WriteUnchanged(id, graph::Pad{op.pad, QuantizationOf(operand(id, 0)).zero_point, op.edge});
  }
  void Write(ValueId id, const graph::MaxPool& op) { WriteUnchanged(id, op); }
  void Write(ValueId id, const graph::Flatten& op) { WriteUnchanged(id, op); }

  void WriteUnchanged(ValueId id, Op op) {
    const Quantization quantization = QuantizationOf(operand(id, 0));
    SetValue(id, result_.Add(node(id).name, std::move(op), {ValueOf(operand(id, 0))}, quantization));
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
        result_.Add(name, std::move(pool), {ValueOf(operand(id, 0))},
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
  DType dtype_;  // of values
  std::unique_ptr<Scheme> scheme_;
  int weight_levels_;
  std::vector<int32_t> reaches_;  // the largest quantized values, by value of the source
  std::vector<Histogram> histograms_;
  Graph result_;
  std::vector<ValueId> counterpart_;
  // By value of the source, -1 where there is none: its int32 and its quantized value in the result.
  std::vector<ValueId> accumulator_;
  std::vector<ValueId> values_ = std::vector<ValueId>(counterpart_.size(), -1);
};

}  // namespace

std::string_view Name(QuantizationScheme scheme) {
  return scheme == QuantizationScheme::kPerChannel ? "per_channel" : "power_of_two";
}

QuantizedGraph QuantizeGraph(Graph float_graph, const QuantizeOptions& options) {
  float_graph = ExpandTransposed(FoldConstants(float_graph));
  return Quantizer(RemoveDeadValues(FoldBatchNorm(std::move(float_graph))), options).Run();
}

}  // namespace cosim::graph
