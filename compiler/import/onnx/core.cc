// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx/core.h"

#include <algorithm>
#include <cmath>

#include "compiler/graph/infer.h"
#include "compiler/host/movement.h"
#include "compiler/import/onnx/node_view.h"
#include "compiler/import/onnx/rounding.h"
#include "compiler/import/weights.h"

namespace cosim::import::onnx {
namespace {

using graph::DType;
using graph::Shape;
using graph::Tensor;
using graph::TensorPtr;
using graph::ValueId;

bool IsByte(DType dtype) { return dtype == DType::kInt8 || dtype == DType::kUint8; }

/// Bytes of a constant as int8.
std::vector<int8_t> AsInt8(const Tensor& tensor) {
  std::vector<int8_t> values;
  for (uint8_t byte : tensor.bytes())
    values.push_back(static_cast<int8_t>(tensor.dtype() == DType::kUint8 ? byte - 128 : byte));
  return values;
}

/// The graph's form of a product of weights and activations, before it is a byte.
struct Sums {
  int64_t outputs = 0, depth = 0;  ///< of one output channel
  std::vector<int16_t> weights;    ///< [outputs, depth]; FindFactors takes their zero points off
  std::vector<int32_t> bias;       ///< empty, or one an output channel
  std::vector<Factor> factors;     ///< one, or one an output channel
};

class Mapper {
 public:
  Mapper(const NodeInfo& node, const graph::TensorType& result, bool quantized, Values& values)
      : node_(node), view_(node), result_(result), quantized_(quantized), values_(values) {}

  std::string Run() {
    using Handler = bool (Mapper::*)();
    static const std::map<std::string, Handler> handlers = {
        {"Clip", &Mapper::Clip},
        {"Concat", &Mapper::Concat},
        {"Flatten", &Mapper::Flatten},
        {"Identity", &Mapper::Identity},
        {"MaxPool", &Mapper::MaxPool},
        {"QLinearConv", &Mapper::Conv},
        {"QLinearMatMul", &Mapper::Dense},
        {"Reshape", &Mapper::Flatten},
        {"com.microsoft.QGemm", &Mapper::Dense},
        {"com.microsoft.QLinearAdd", &Mapper::Add},
        {"com.microsoft.QLinearAveragePool", &Mapper::AveragePool},
        {"com.microsoft.QLinearGlobalAveragePool", &Mapper::AveragePool}};
    const auto handler = handlers.find(node_.op);
    if (const std::string why = WhyNotSteps(handler != handlers.end()); !why.empty()) return why;
    if (graph::NumElements(result_.shape) == 0) return "nothing to compute";
    if (handler == handlers.end() && Table()) return "";
    if (handler == handlers.end()) return WhyNoOperation();
    return (this->*handler->second)() ? "" : why_;
  }

 private:
  /// The graph has operations on bytes, and some on int16 without a zero point by bytes.
  std::string WhyNotSteps(bool is_known) const {
    bool is_wide = result_.dtype == DType::kInt16, is_unsigned = result_.dtype == DType::kUint16;
    for (const std::string& name : node_.inputs) {
      is_wide |= !name.empty() && values_.TypeOf(name).dtype == DType::kInt16;
      is_unsigned |= !name.empty() && values_.TypeOf(name).dtype == DType::kUint16;
    }
    if (!is_wide && !is_unsigned) return IsByte(result_.dtype) ? "" : WhyNotBytes();
    if (node_.op == "QuantizeLinear") return "float32 becomes integers on the host";
    if (graph::IsFloat(result_.dtype)) return WhyNotBytes();
    if (!is_known) return WhyNoOperation();
    if (is_unsigned)
      return "uint16: the graph's operations know int8 and int16; int16 without a zero point would lift that";
    if (node_.op.find("Add") != node_.op.npos || node_.op.find("Average") != node_.op.npos)
      return "no core operation of the graph rounds that of int16 as ONNX does: int8 would lift that";
    if (result_.dtype != DType::kInt16 || values_.TypeOf(Name(0)).dtype != DType::kInt16)
      return "int8 and int16 meet in it: operands and results of one width would lift that";
    return "";
  }
  bool IsWide() const { return result_.dtype == DType::kInt16; }

  std::string WhyNotBytes() const {
    if (node_.op == "ConvInteger" || node_.op == "MatMulInteger")
      return "its int32 sums are its result, and only int8 leaves the accelerator: QLinearConv or "
             "QLinearMatMul "
             "would lift that";
    if (node_.op == "DequantizeLinear") return "the file wants float32 from here on";
    if (result_.dtype == DType::kFloat32 && quantized_)
      return fmt::format("float32 within a quantized model: its file has no integer form of this {}",
                         node_.op);
    if (result_.dtype == DType::kFloat32)
      return "float32: the accelerator computes int8; cosim quantize makes an int8 model";
    return fmt::format("{}: the accelerator computes int8", graph::Name(result_.dtype));
  }

  std::string WhyNoOperation() const {
    if (node_.op == "QuantizeLinear" || node_.op == "DynamicQuantizeLinear")
      return "float32 becomes bytes on the host";
    for (const char* op : {"Transpose", "Squeeze", "Unsqueeze", "Slice", "Gather", "Expand", "Tile", "Split"})
      if (node_.op == op) return "moves elements only: the host does that";
    if (node_.op == "com.microsoft.QLinearSoftmax")
      return "the ISA has no exponential: an ALU op would lift that";
    if (node_.op == "com.microsoft.QLinearMul")
      return "the ISA does not multiply two activations: an ALU op would lift that";
    return fmt::format("no core operation of the graph computes {}", node_.op);
  }

  bool Fail(std::string why) {
    why_ = std::move(why);
    return false;
  }

  // What operands are. A name may be absent.
  bool Has(size_t i) const { return view_.HasInput(i); }
  const std::string& Name(size_t i) const { return node_.inputs[i]; }
  TensorPtr Constant(size_t i) const { return Has(i) ? values_.Constant(Name(i)) : nullptr; }
  const Shape& ShapeOf(size_t i) {
    shapes_[i] = values_.TypeOf(Name(i)).shape;
    return shapes_[i];
  }
  bool AreKnown(std::initializer_list<size_t> operands) {
    for (size_t i : operands)
      if (Has(i) && !Constant(i)) return Fail(fmt::format("operand '{}' is not constant", Name(i)));
    return true;
  }
  float Scale(size_t i) const { return Constant(i)->data<float>()[0]; }
  /// Of `data`, as int8 or int16; where there is none, that of its type.
  int32_t ZeroPoint(size_t i, DType dtype) const {
    if (dtype == DType::kInt16) return Has(i) ? Constant(i)->data<int16_t>()[0] : 0;
    return Has(i) ? AsInt8(*Constant(i))[0] : dtype == DType::kUint8 ? -128 : 0;
  }

  /// Adds `op`, named as the node with a suffix.
  ValueId Node(graph::Op op, const std::vector<ValueId>& inputs, const std::string& suffix) {
    return values_.graph().Add(values_.Unique(node_.name + suffix), std::move(op), inputs);
  }
  /// Whether the graph's rules give `shape`.
  bool Fits(const graph::Op& op, const std::vector<graph::TensorType>& operands, const Shape& shape) {
    const auto inferred = graph::InferType(op, operands);
    if (const auto* error = std::get_if<std::string>(&inferred)) return Fail(*error);
    return std::get<graph::TensorType>(inferred).shape == shape ||
           Fail("its window does not cover the input as the accelerator's do");
  }
  DType CoreType() const { return IsWide() ? DType::kInt16 : DType::kInt8; }

  bool Finish(ValueId value) {
    if (result_.shape.size() == 3 && values_.graph().node(value).type.shape.size() == 4)
      values_.DefineLine(node_.outputs[0], value, result_.dtype);
    else
      values_.DefineInt8(node_.outputs[0], value, result_.dtype);
    return true;
  }

  // The accelerator has images; what has one spatial dimension is an image of height 1.
  static Shape AsImage(Shape shape) {
    if (shape.size() == 3) shape.insert(shape.begin() + 2, 1);
    return shape;
  }
  static host::Spatial AsImage(host::Spatial spatial) {
    for (auto* list : {&spatial.kernel, &spatial.strides, &spatial.dilations})
      if (list->size() == 1) list->insert(list->begin(), 1);
    if (spatial.pads.size() == 2) spatial.pads = {0, spatial.pads[0], 0, spatial.pads[1]};
    return spatial;
  }
  bool IsImage(size_t i) {
    const size_t rank = ShapeOf(i).size();
    return rank == 3 || rank == 4 ||
           Fail(fmt::format("{} over {} dimensions: the accelerator has images", node_.op,
                            rank < 2 ? 0 : rank - 2));
  }
  ValueId Image(size_t i) { return ShapeOf(i).size() == 3 ? values_.Line(Name(i)) : values_.Int8(Name(i)); }
  graph::TensorType ImageType(size_t i) { return {CoreType(), AsImage(ShapeOf(i))}; }

  ValueId Biased(ValueId sum, std::vector<int32_t> bias) {
    const auto channels = static_cast<int64_t>(bias.size());
    const ValueId constant = values_.graph().AddConstant(values_.Unique(node_.name + ".offset"),
                                                         Tensor({channels}, std::move(bias)));
    return Node(graph::BiasAdd{}, {sum, constant}, ".bias");
  }

  bool Requantized(ValueId sum, const std::vector<Factor>& factors, int32_t zero_point, float scale) {
    graph::Requantize requantize{{}, {}, zero_point, false, IsWide() ? 16 : 8};
    for (const Factor& factor : factors) {
      requantize.multiplier.push_back(factor.multiplier);
      requantize.shift.push_back(factor.shift);
    }
    return Finish(values_.graph().Add(values_.Unique(node_.name + ".requantize"), std::move(requantize),
                                      {sum}, graph::Quantization{{scale}, zero_point, 0}));
  }

  /// Fills factors for weights of x (its scale, zero point, int8), w and y at these operands; false and why_
  /// else.
  bool FindFactors(Sums& sums, int32_t x_zero, float x_scale, size_t w_scale, size_t w_zero, float y_scale) {
    std::vector<int8_t> zeros = {0};
    if (Has(w_zero)) {
      zeros = AsInt8(*Constant(w_zero));
    } else if (values_.TypeOf(Name(w_zero - 2)).dtype == DType::kUint8) {
      zeros = {-128};
    }
    for (size_t i = 0; i < sums.weights.size(); ++i)
      sums.weights[i] = static_cast<int16_t>(
          sums.weights[i] - zeros[zeros.size() == 1 ? 0 : i / static_cast<size_t>(sums.depth)]);
    if (IsWide() && std::ranges::any_of(sums.weights, [](int16_t w) { return w < -128 || w > 127; }))
      return Fail("int16 by weights less a zero point of more than 8 bits: one of 0 would lift that");
    const auto scales = Constant(w_scale)->data<float>();
    const int64_t most = IsWide() ? 32768 : std::max(std::abs(-128 - x_zero), std::abs(127 - x_zero));
    std::vector<int64_t> bounds(scales.size(), 0);
    for (int64_t o = 0; o < sums.outputs; ++o) {
      int64_t bound = sums.bias.empty() ? 0 : std::abs(int64_t{sums.bias[o]});
      for (int64_t k = 0; k < sums.depth; ++k)
        bound += most * std::abs(int64_t{sums.weights[o * sums.depth + k]});
      int64_t& of_scale = bounds[scales.size() == 1 ? 0 : o];
      of_scale = std::max(of_scale, bound);
    }
    for (size_t i = 0; i < scales.size(); ++i) {
      const auto factor = ExactFactor(x_scale * scales[i] / y_scale, bounds[i], why_, IsWide() ? 16 : 8);
      if (!factor) return false;
      sums.factors.push_back(*factor);
    }
    return true;
  }

  /// int16 has no zero point in the graph, and no weights of its own width.
  bool HaveSteps(size_t y_zero) {
    if (!IsWide()) return true;
    if (!IsByte(values_.TypeOf(Name(3)).dtype))
      return Fail(
          "weights of 16 bits by activations of 16: their sums have more than 32, weights of 8 would lift "
          "that");
    if (ZeroPoint(2, DType::kInt16) != 0 || ZeroPoint(y_zero, DType::kInt16) != 0)
      return Fail("int16 with a zero point: the graph has none, symmetric activations would lift that");
    return true;
  }

  bool Conv() {
    if (!AreKnown({1, 2, 3, 4, 5, 6, 7, 8}) || !HaveSteps(7) || !IsImage(0)) return false;
    const Shape x = AsImage(ShapeOf(0)), w = AsImage(ShapeOf(3));
    const auto window = host::PlaneWindow(AsImage(SpatialOf(view_)), x, {w[2], w[3]});
    const int32_t x_zero = ZeroPoint(2, values_.TypeOf(Name(0)).dtype);
    const graph::Conv2d conv{window.stride, window.pad, window.dilation, view_.Int("group", 1), x_zero};
    if (!Fits(conv, {ImageType(0), {DType::kInt8, w}}, AsImage(result_.shape))) return false;
    const auto bytes = AsInt8(*Constant(3));
    Sums sums{w[0], w[1] * w[2] * w[3], {bytes.begin(), bytes.end()}, {}, {}};
    if (const TensorPtr bias = Constant(8))
      sums.bias.assign(bias->data<int32_t>().begin(), bias->data<int32_t>().end());
    if (!FindFactors(sums, x_zero, Scale(1), 4, 5, Scale(6))) return false;
    const ValueId weights = values_.graph().AddConstant(values_.Unique(node_.name + ".weights"),
                                                        WeightTensor(w, std::move(sums.weights)));
    ValueId sum = Node(conv, {Image(0), weights}, "");
    if (!sums.bias.empty()) sum = Biased(sum, std::move(sums.bias));
    return Requantized(sum, sums.factors, ZeroPoint(7, result_.dtype), Scale(6));
  }

  /// QLinearMatMul and QGemm, whose scales stand elsewhere.
  bool Dense() {
    const bool gemm = node_.op != "QLinearMatMul";
    const size_t y_scale = gemm ? 7 : 6, y_zero = gemm ? 8 : 7;
    if (!AreKnown({1, 2, 3, 4, 5, 6, 7, y_zero}) || !HaveSteps(y_zero)) return false;
    const Shape x = ShapeOf(0), w = ShapeOf(3);
    if (w.size() != 2) return Fail("its weights are no matrix");
    if (x.size() < 2) return Fail("its operand is no matrix");
    const bool transposed = gemm && view_.Int("transB", 0) != 0;
    Sums sums{w[transposed ? 0 : 1], w[transposed ? 1 : 0], {}, {}, {}};
    const auto rows = AsInt8(*Constant(3));
    sums.weights.assign(rows.begin(), rows.end());
    for (int64_t o = 0; o < sums.outputs && !transposed; ++o)
      for (int64_t k = 0; k < sums.depth; ++k) sums.weights[o * sums.depth + k] = rows[k * sums.outputs + o];
    if (const TensorPtr bias = gemm ? Constant(6) : nullptr)
      sums.bias.assign(bias->data<int32_t>().begin(), bias->data<int32_t>().end());
    const int32_t x_zero = ZeroPoint(2, values_.TypeOf(Name(0)).dtype);
    if (!FindFactors(sums, x_zero, Scale(1), 4, 5, Scale(y_scale))) return false;
    const ValueId weights =
        values_.graph().AddConstant(values_.Unique(node_.name + ".weights"),
                                    WeightTensor({sums.outputs, sums.depth}, std::move(sums.weights)));
    ValueId input = values_.Int8(Name(0));
    const bool reshape = x.size() != 2;
    if (reshape)
      input = values_.Host(node_.name + ".rows",
                           host::ReshapeTo({graph::NumElements(x) / sums.depth, sums.depth}), {input},
                           "moves elements only: the host does that");
    ValueId sum = Node(graph::Dense{x_zero}, {input, weights}, "");
    if (!sums.bias.empty()) sum = Biased(sum, std::move(sums.bias));
    Requantized(sum, sums.factors, ZeroPoint(y_zero, result_.dtype), Scale(y_scale));
    if (!reshape) return true;
    return Finish(values_.Host(node_.name + ".shape", host::ReshapeTo(result_.shape),
                               {values_.Int8(node_.outputs[0])}, "moves elements only: the host does that"));
  }

  /// The sum of two bytes as the host's operator computes it, as int8.
  PairFunction Sum() const {
    const float a_scale = Scale(1), b_scale = Scale(4), y_scale = Scale(6);
    const int32_t a_zero = ZeroPoint(2, values_.TypeOf(Name(0)).dtype),
                  b_zero = ZeroPoint(5, values_.TypeOf(Name(3)).dtype), y_zero = ZeroPoint(7, result_.dtype);
    return [=](int32_t a, int32_t b) {
      const float sum = static_cast<float>(a - a_zero) * a_scale + static_cast<float>(b - b_zero) * b_scale;
      const double steps = std::nearbyint(static_cast<double>(sum / y_scale)) + y_zero;
      return std::isnan(steps) ? 0 : static_cast<int32_t>(std::clamp(steps, -128.0, 127.0));
    };
  }

  bool Add() {
    if (!AreKnown({1, 2, 4, 5, 6, 7})) return false;
    if (Constant(0) || Constant(3)) return AddConstant(Constant(0) ? 0 : 3);
    if (ShapeOf(0) != ShapeOf(3) || ShapeOf(0).size() < 2) return Fail("its operands have different shapes");
    const int32_t zeros[3] = {ZeroPoint(2, values_.TypeOf(Name(0)).dtype),
                              ZeroPoint(5, values_.TypeOf(Name(3)).dtype), ZeroPoint(7, result_.dtype)};
    const auto add = AddFor(Scale(1), Scale(4), Scale(6), zeros, Sum(), why_);
    if (!add) return false;
    return Finish(values_.graph().Add(values_.Unique(node_.name), *add, {Image(0), Image(3)},
                                      graph::Quantization{{Scale(6)}, zeros[2], 0}));
  }

  /// A constant of each channel is a bias behind a product of each channel with itself.
  bool AddConstant(size_t constant) {
    const size_t x = 3 - constant;
    const Shape shape = ShapeOf(x);
    const auto added = AsInt8(*Constant(constant));
    if (Constant(x) || shape != result_.shape || (shape.size() != 2 && shape.size() != 4))
      return Fail("its operands have different shapes");
    Shape of_channels = ShapeOf(constant);
    of_channels.insert(of_channels.begin(), shape.size() - of_channels.size(), 1);
    const int64_t channels = shape[1];
    const bool by_channel = of_channels[1] == channels;
    if (static_cast<int64_t>(added.size()) != (by_channel ? channels : 1))
      return Fail("its constant is not one a channel");
    constexpr int64_t kMostChannels = 2048;
    if (shape.size() == 2 && channels > kMostChannels) return Fail("its constant has too many channels");
    const PairFunction sum = Sum();
    const int32_t x_zero = ZeroPoint(x + 2, values_.TypeOf(Name(x)).dtype),
                  y_zero = ZeroPoint(7, result_.dtype);
    const int32_t c_zero = ZeroPoint(constant + 2, values_.TypeOf(Name(constant)).dtype);
    std::vector<Factor> factors;
    std::vector<int32_t> bias;
    std::vector<int8_t> weights;
    for (int64_t c = 0; c < channels; ++c) {
      const int32_t v = int32_t{int32_t{added[by_channel ? c : 0]}};
      const auto affine =
          AffineFor(static_cast<double>(Scale(x + 1)) / static_cast<double>(Scale(6)),
                    static_cast<double>(v - c_zero) * static_cast<double>(Scale(constant + 1)) /
                        static_cast<double>(Scale(6)),
                    x_zero, y_zero, [&](int32_t q) { return constant == 0 ? sum(v, q) : sum(q, v); });
      if (!affine)
        return Fail(fmt::format(
            "no weight and bias round all of channel {} as ONNX does, half to even: an ALU op that "
            "does would lift that",
            c));
      factors.push_back(affine->factor);
      bias.push_back(affine->bias);
      weights.push_back(affine->weight);
    }
    const ValueId product = ByChannel(x, x_zero, weights);
    return Requantized(Biased(product, std::move(bias)), factors, y_zero, Scale(6));
  }

  /// Each channel of operand `i`, less its zero point, times its weight.
  ValueId ByChannel(size_t i, int32_t zero_point, const std::vector<int8_t>& weights) {
    const auto channels = static_cast<int64_t>(weights.size());
    const std::string name = values_.Unique(node_.name + ".weights");
    const ValueId x = values_.Int8(Name(i));
    if (ShapeOf(i).size() == 4) {
      const ValueId w = values_.graph().AddConstant(name, Tensor({channels, 1, 1, 1}, weights));
      return Node(graph::Conv2d{.groups = channels, .input_zero_point = zero_point}, {x, w}, "");
    }
    Tensor diagonal(graph::TensorType{DType::kInt8, {channels, channels}});
    for (int64_t c = 0; c < channels; ++c) diagonal.mutable_data<int8_t>()[c * channels + c] = weights[c];
    return Node(graph::Dense{zero_point}, {x, values_.graph().AddConstant(name, std::move(diagonal))}, "");
  }

  bool AveragePool() {
    if (!AreKnown({1, 2, 3, 4}) || !IsImage(0)) return false;
    const Shape x = AsImage(ShapeOf(0));
    host::Window2d window{.kernel = {x[2], x[3]}};
    if (node_.op == "com.microsoft.QLinearAveragePool") {
      const host::Spatial spatial = AsImage(SpatialOf(view_));
      window = host::PlaneWindow(spatial, x, spatial.kernel);
    }
    if (window.pad != std::array<int64_t, 4>{} || window.dilation != std::array<int64_t, 2>{1, 1})
      return Fail("windows at the border average fewer pixels: the accelerator sums whole windows");
    const bool whole = window.kernel == std::array<int64_t, 2>{x[2], x[3]};
    const graph::Op pool = whole
                               ? graph::Op(graph::GlobalSumPool{})
                               : graph::Op(graph::SumPool{.kernel = window.kernel, .stride = window.stride});
    if (!Fits(pool, {ImageType(0)}, AsImage(result_.shape))) return false;
    const int64_t count = window.kernel[0] * window.kernel[1];
    const int32_t x_zero = ZeroPoint(2, values_.TypeOf(Name(0)).dtype), y_zero = ZeroPoint(4, result_.dtype);
    const double from = static_cast<double>(Scale(1)), to = static_cast<double>(Scale(3));
    const auto mean = [=](int64_t sum) {
      const double steps =
          std::nearbyint(static_cast<double>(sum) / static_cast<double>(count) * from / to) + y_zero;
      return std::isnan(steps) ? 0 : static_cast<int32_t>(std::clamp(steps, -128.0, 127.0));
    };
    const auto factor = FactorFor(from / to / static_cast<double>(count), y_zero, (-128 - x_zero) * count,
                                  (127 - x_zero) * count, mean, why_);
    if (!factor) return false;
    ValueId sum = Node(pool, {Image(0)}, "");
    if (x_zero != 0) sum = Biased(sum, std::vector<int32_t>(x[1], static_cast<int32_t>(-x_zero * count)));
    return Requantized(sum, {*factor}, y_zero, Scale(3));
  }

  /// A function of one byte whose parameters are known, on all there are.
  bool Table() {
    static constexpr std::string_view kOnBytes = "com.microsoft.QLinear";
    if (!node_.op.starts_with(kOnBytes) || node_.inputs.size() != 5 || Constant(0) ||
        !AreKnown({1, 2, 3, 4}) || ShapeOf(0) != result_.shape || result_.shape.size() < 2 ||
        values_.TypeOf(Name(0)).dtype != result_.dtype || node_.op.ends_with("Pool") ||
        node_.op.ends_with("Softmax"))
      return false;
    if (!(Scale(3) > 0) || !std::isfinite(Scale(3))) return false;  // a table's bytes stand for something
    Tensor bytes({result_.dtype, {1, 256}});
    for (int i = 0; i < 256; ++i) bytes.mutable_bytes()[i] = static_cast<uint8_t>(i);
    std::vector<TensorPtr> operands = {std::make_shared<const Tensor>(bytes)};
    std::vector<const Tensor*> all;
    std::vector<graph::HostOperand> described;
    for (const size_t i : {1, 2, 3, 4}) operands.push_back(Constant(i));
    for (const TensorPtr& tensor : operands) {
      all.push_back(tensor.get());
      described.push_back({tensor ? tensor->type() : graph::TensorType{}, tensor.get(), tensor == nullptr});
    }
    const Made made = Make(node_);
    if (!made.op || made.op->Infer(described).index() != 0) return false;
    const auto results = AsInt8(graph::Evaluate(*made.op, all)[0]);
    graph::Table table{std::vector<int32_t>(256)};
    for (int x = -128; x < 128; ++x) {
      const int byte = result_.dtype == DType::kUint8 ? x + 128 : x & 255;
      table.table[x + 128] = results[byte];
    }
    const graph::Quantization meaning{{Scale(3)}, ZeroPoint(4, result_.dtype), 0};
    return Finish(
        values_.graph().Add(values_.Unique(node_.name), std::move(table), {values_.Int8(Name(0))}, meaning));
  }

  bool MaxPool() {
    if (!IsImage(0)) return false;
    const Shape x = AsImage(ShapeOf(0));
    if (node_.outputs.size() > 1) return Fail("it also wants to know where its maxima are");
    const host::Spatial spatial = AsImage(SpatialOf(view_));
    const auto window = host::PlaneWindow(spatial, x, spatial.kernel);
    if (window.dilation != std::array<int64_t, 2>{1, 1}) return Fail("the graph's pools have no dilation");
    const graph::MaxPool pool{window.kernel, window.stride, window.pad};
    if (!Fits(pool, {ImageType(0)}, AsImage(result_.shape))) return false;
    return Finish(Node(pool, {Image(0)}, ""));
  }

  bool Clip() {
    if (!AreKnown({1, 2})) return false;
    graph::Clip clip = IsWide() ? graph::Clip{-32768, 32767} : graph::Clip{};
    if (Has(1)) clip.lo = ZeroPoint(1, result_.dtype);
    if (Has(2)) clip.hi = ZeroPoint(2, result_.dtype);
    if (clip.lo > clip.hi) return Fail("its bounds leave nothing");
    return Finish(Node(clip, {Image(0)}, ""));
  }

  bool Concat() {
    std::vector<graph::TensorType> types;
    for (size_t i = 0; i < node_.inputs.size(); ++i) {
      if (Constant(i)) return Fail("one of its operands is constant");
      types.push_back({CoreType(), ShapeOf(i)});
    }
    const int64_t axis = view_.Int("axis", 1);
    if (axis != 1 && axis + static_cast<int64_t>(result_.shape.size()) != 1)
      return Fail("it does not concatenate channels");
    if (!Fits(graph::Concat{}, types, result_.shape)) return false;
    std::vector<ValueId> operands;
    for (const std::string& name : node_.inputs) operands.push_back(values_.Int8(name));
    return Finish(Node(graph::Concat{}, operands, ""));
  }

  bool Flatten() {
    const Shape& x = ShapeOf(0);
    const bool rows = result_.shape.size() == 2 && x.size() >= 2 && result_.shape[0] == x[0];
    if (!rows) return Fail("moves elements only: the host does that");
    return Finish(Node(graph::Flatten{}, {Image(0)}, ""));
  }

  bool Identity() { return Finish(Image(0)); }

  const NodeInfo& node_;
  NodeView view_;
  const graph::TensorType& result_;
  bool quantized_;
  Values& values_;
  std::map<size_t, Shape> shapes_;
  std::string why_;
};

}  // namespace

std::string MapToCore(const NodeInfo& node, const graph::TensorType& result, bool quantized, Values& values) {
  return Mapper(node, result, quantized, values).Run();
}

}  // namespace cosim::import::onnx
