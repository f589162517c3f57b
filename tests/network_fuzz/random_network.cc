// SPDX-License-Identifier: Apache-2.0
// One function an operation. Each draws its attributes from its step's number and falls back to a clip where
// the values there are do not suit it, so that every number makes a legal step.
#include "tests/network_fuzz/random_network.h"

#include <algorithm>
#include <bit>

#include "compiler/graph/infer.h"
#include "compiler/graph/zoo/random.h"
#include "compiler/host/elementwise.h"
#include "compiler/host/movement.h"
#include "compiler/host/reduce.h"
#include "compiler/host/tflite.h"
#include "compiler/host/tflite_resize.h"
#include "isa/check.h"

namespace cosim::testing {
namespace {

using graph::DType;
using graph::Shape;
using graph::ValueId;

constexpr int64_t kMostElements = 6000;   // of a value
constexpr int64_t kMostMacs = 2'000'000;  // of a layer

class NetworkMaker {
 public:
  NetworkMaker(uint64_t seed, const NetworkLimits& limits)
      : random_(seed),
        limits_(limits),
        dtype_(limits.value_bits == 8 ? DType::kInt8 : DType::kInt16),
        graph_("random") {
    const Shape shape = {Pick(1, 3), Pick(1, 24), Pick(1, 14), Pick(1, 14)};
    values_.push_back(graph_.AddInput("input", {dtype_, shape}));
  }

  void Step(uint64_t number) {
    random_ = graph::zoo::Random(number);
    using Maker = ValueId (NetworkMaker::*)();
    constexpr Maker kMakers[] = {
        &NetworkMaker::Convolution, &NetworkMaker::Convolution, &NetworkMaker::Convolution,
        &NetworkMaker::Grouped,     &NetworkMaker::Depthwise,   &NetworkMaker::Line,
        &NetworkMaker::MaxPool,     &NetworkMaker::SumPool,     &NetworkMaker::GlobalPool,
        &NetworkMaker::Sum,         &NetworkMaker::Sum,         &NetworkMaker::Product,
        &NetworkMaker::Rescale,     &NetworkMaker::Clip,        &NetworkMaker::Concat,
        &NetworkMaker::Concat,      &NetworkMaker::Pad,         &NetworkMaker::Resize,
        &NetworkMaker::Spread,      &NetworkMaker::Table,       &NetworkMaker::Softmax,
        &NetworkMaker::LayerNorm,   &NetworkMaker::Attention,   &NetworkMaker::Dense,
        &NetworkMaker::LeakyRelu,   &NetworkMaker::HardSwish};
    // One in eight, none of them in the cases that failed once.
    const bool hosted = number >> 61 == 5;
    const ValueId made = hosted ? FromFile() : (this->*kMakers[Pick(0, std::size(kMakers) - 1)])();
    if (TypeOf(made).shape.size() == 4) values_.push_back(made);
  }

  graph::Graph Finish() {
    const auto users = graph_.Users();
    std::vector<ValueId> outputs;
    for (ValueId id = 0; id < graph_.size(); ++id)
      if (users[id].empty() && !graph_.node(id).As<graph::Constant>()) outputs.push_back(id);
    graph_.SetOutputs(std::move(outputs));
    return std::move(graph_);
  }

 private:
  int64_t Pick(int64_t low, int64_t high) { return low + random_.Below(high - low + 1); }
  bool Chance(int64_t in) { return Pick(1, in) == 1; }
  bool IsWide() const { return dtype_ == DType::kInt16; }
  int32_t Zero() { return Chance(2) || IsWide() ? 0 : static_cast<int32_t>(Pick(-128, 127)); }
  /// Any of the values there are.
  int32_t Value() { return static_cast<int32_t>(Pick(graph::LeastOf(dtype_), graph::LargestOf(dtype_))); }
  int64_t Steps() const { return int64_t{1} << limits_.value_bits; }

  const graph::TensorType& TypeOf(ValueId id) const { return graph_.node(id).type; }
  const Shape& ShapeOf(ValueId id) const { return TypeOf(id).shape; }
  /// Mostly the newest, so that networks get deep.
  ValueId AnyValue() { return Chance(3) ? values_[Pick(0, std::ssize(values_) - 1)] : values_.back(); }
  std::string Name(const char* stem) { return stem + std::to_string(graph_.size()); }

  template <typename T>
  ValueId Constant(Shape shape, int64_t low, int64_t high) {
    std::vector<T> data(graph::NumElements(shape));
    for (T& value : data) value = static_cast<T>(Pick(low, high));
    return graph_.AddConstant(Name("c"), graph::Tensor(std::move(shape), std::move(data)));
  }
  ValueId Weights(Shape shape) {
    const int64_t most = (int64_t{1} << (std::min(limits_.weight_bits, 8) - 1)) - 1;
    // Such as those of eight bits less a zero point: sums of two that the array holds.
    if (!IsWide() && Chance(6)) return Constant<int16_t>(std::move(shape), -2 * most, 2 * most);
    return Constant<int8_t>(std::move(shape), Chance(4) ? -most - 1 : -most, most);
  }

  /// Attributes that fit, or a clip instead.
  ValueId AddOrClip(graph::Op op, std::vector<ValueId> operands) {
    std::vector<graph::TensorType> types;
    for (ValueId operand : operands) types.push_back(TypeOf(operand));
    const auto type = graph::InferType(op, types);
    const auto* good = std::get_if<graph::TensorType>(&type);
    if (!good || graph::NumElements(good->shape) > kMostElements) return Clip();
    const std::string name = Name(std::string(graph::Mnemonic(op)).c_str());
    return graph_.Add(name, std::move(op), std::move(operands));
  }

  /// int32 sums of about `terms` products to values, by factors that use its range; sometimes clipped.
  ValueId Requantized(ValueId sum, double terms, bool bias) {
    if (TypeOf(sum).dtype != DType::kInt32) return sum;  // a clip took its place
    const int64_t channels = ShapeOf(sum)[1];
    if (bias) {
      const auto reach = static_cast<int64_t>(terms * 300);
      sum =
          graph_.Add(Name("bias_add"), graph::BiasAdd{}, {sum, Constant<int32_t>({channels}, -reach, reach)});
    }
    const int bits = std::bit_width(static_cast<uint64_t>(terms * 40)) / 2 + static_cast<int>(Pick(3, 6));
    const bool shift = limits_.shifts_only ? !Chance(6) : Chance(8);
    graph::Requantize op{.multiplier = {}, .shift = {}, .zero_point = Zero()};
    op.bits = limits_.value_bits;
    const int64_t factors = shift || Chance(4) ? 1 : channels;
    for (int64_t c = 0; c < factors; ++c) {
      op.multiplier.push_back(shift ? 1
                                    : static_cast<int32_t>(Pick(int64_t{1} << 30, (int64_t{1} << 31) - 1)));
      op.shift.push_back(shift ? std::max(0, bits) : 31 + bits);
    }
    const ValueId result = graph_.Add(Name("requantize"), std::move(op), {sum});
    return Chance(3) ? ClipOf(result) : result;
  }

  ValueId ClipOf(ValueId x) {
    const auto low = static_cast<int32_t>(Pick(graph::LeastOf(dtype_), Steps() / 12));
    const auto high = static_cast<int32_t>(Pick(low, graph::LargestOf(dtype_)));
    return graph_.Add(Name("clip"), graph::Clip{low, high}, {x});
  }
  ValueId Clip() { return ClipOf(AnyValue()); }

  ValueId ConvolutionOf(ValueId x, graph::Conv2d op, int64_t outputs, int64_t kh, int64_t kw) {
    const Shape& s = ShapeOf(x);
    op.input_zero_point = limits_.shifts_only && !Chance(4) ? 0 : Zero();
    const int64_t terms = s[1] / op.groups * kh * kw;
    const Shape weights = {outputs, s[1] / op.groups, kh, kw};
    if (graph::NumElements(s) * outputs / op.groups * kh * kw > kMostMacs) return Clip();
    return Requantized(AddOrClip(op, {x, Weights(weights)}), static_cast<double>(terms) * 60, !Chance(4));
  }

  graph::Conv2d Window(int64_t kh, int64_t kw) {
    graph::Conv2d op;
    op.stride = {Chance(3) ? 2 : 1, Chance(3) ? Pick(1, 3) : 1};
    op.dilation = {Chance(5) ? 2 : 1, Chance(5) ? Pick(1, 3) : 1};
    const bool padded = !Chance(3);
    op.pad = {padded ? Pick(0, kh - 1) : 0, padded ? Pick(0, kw - 1) : 0, padded ? Pick(0, kh - 1) : 0,
              padded ? Pick(0, kw - 1) : 0};
    return op;
  }

  ValueId Convolution() {
    const int64_t kh = Chance(2) ? 1 : Pick(1, 5), kw = Chance(2) ? kh : Pick(1, 5);
    return ConvolutionOf(AnyValue(), Window(kh, kw), Pick(1, 40), kh, kw);
  }

  ValueId Line() {
    const int64_t length = Pick(2, 7);
    return ConvolutionOf(AnyValue(), Window(length, 1), Pick(1, 24), length, 1);
  }

  ValueId Grouped() {
    const ValueId x = AnyValue();
    std::vector<int64_t> divisors;
    for (int64_t g = 2; g <= ShapeOf(x)[1]; ++g)
      if (ShapeOf(x)[1] % g == 0) divisors.push_back(g);
    if (divisors.empty()) return Clip();
    const int64_t kernel = Pick(1, 3);
    graph::Conv2d op = Window(kernel, kernel);
    op.groups = divisors[Pick(0, std::ssize(divisors) - 1)];
    return ConvolutionOf(x, op, op.groups * Pick(1, 4), kernel, kernel);
  }

  ValueId Depthwise() {
    const ValueId x = AnyValue();
    const int64_t kernel = Pick(2, 5);
    graph::Conv2d op = Window(kernel, kernel);
    op.groups = ShapeOf(x)[1];
    return ConvolutionOf(x, op, op.groups, kernel, kernel);
  }

  ValueId Dense() {
    const ValueId x = AnyValue();
    const ValueId flat = graph_.Add(Name("flatten"), graph::Flatten{}, {x});
    const int64_t features = ShapeOf(flat)[1];
    return Requantized(AddOrClip(graph::Dense{Zero()}, {flat, Weights({Pick(1, 30), features})}),
                       static_cast<double>(features) * 60, !Chance(4));
  }

  ValueId MaxPool() {
    graph::MaxPool op;
    op.kernel = {Pick(1, 3), Pick(1, 3)};
    op.stride = {Pick(1, 3), Pick(1, 3)};
    for (size_t side = 0; side < 4; ++side) op.pad[side] = Pick(0, op.kernel[side % 2] - 1);
    const ValueId x = Chance(2) ? AnyValue() : Convolution();
    return TypeOf(x).shape.size() == 4 ? AddOrClip(op, {x}) : x;
  }

  ValueId SumPool() {
    graph::SumPool op;
    op.kernel = {Pick(1, 3), Pick(1, 4)};
    op.stride = {Pick(1, 2), Pick(1, 2)};
    if (Chance(2)) op.pad = {Pick(0, 2), Pick(0, 2), Pick(0, 2), Pick(0, 2)};
    op.pad_value = IsWide() ? Value() : Zero();
    return Requantized(AddOrClip(op, {AnyValue()}), static_cast<double>(op.kernel[0] * op.kernel[1]), true);
  }

  ValueId GlobalPool() {
    const ValueId x = AnyValue();
    const auto pixels = static_cast<double>(ShapeOf(x)[2] * ShapeOf(x)[3]);
    return Requantized(AddOrClip(graph::GlobalSumPool{}, {x}), pixels, true);
  }

  /// Another value of the same shape as `x`, itself perhaps.
  ValueId Like(ValueId x) {
    std::vector<ValueId> alike;
    for (ValueId id : values_)
      if (ShapeOf(id) == ShapeOf(x)) alike.push_back(id);
    return alike[Pick(0, std::ssize(alike) - 1)];
  }

  static int32_t BitWidth(int32_t factor) {
    return static_cast<int32_t>(std::bit_width(static_cast<uint32_t>(factor)));
  }

  graph::QAdd::Operand Term() {
    const auto factor = static_cast<int32_t>(Pick(1, (int64_t{1} << 31) - 1));
    return {Zero(), Chance(4) ? -factor : factor, BitWidth(factor) + static_cast<int32_t>(Pick(-2, 2))};
  }

  ValueId Sum() {
    const ValueId x = AnyValue();
    graph::QAdd op{Term(), Term(), Zero()};
    for (auto* term : {&op.a, &op.b}) term->shift = std::max(0, term->shift);
    const ValueId y = Like(x);
    const ValueId sum = AddOrClip(op, Chance(2) ? std::vector{x, y} : std::vector{y, x});
    return Chance(3) ? ClipOf(sum) : sum;
  }

  ValueId Product() {
    const ValueId x = AnyValue();
    const auto factor = static_cast<int32_t>(Pick(1 << 20, (int64_t{1} << 31) - 1));
    return AddOrClip(
        graph::QMul{Zero(), Zero(), factor,
                    BitWidth(factor) + static_cast<int32_t>(Pick(4, 8) + (IsWide() ? 8 : 0)), Zero()},
        {x, Like(x)});
  }

  ValueId Rescale() {
    const graph::QAdd::Operand term = Term();
    return AddOrClip(
        graph::Rescale{term.zero_point, std::abs(term.multiplier), std::max(0, term.shift), Zero()},
        {AnyValue()});
  }

  ValueId LeakyRelu() {
    const graph::QAdd::Operand up = Term(), down = Term();
    return AddOrClip(graph::QLeakyRelu{up.zero_point, std::abs(up.multiplier), std::max(0, up.shift),
                                       std::abs(down.multiplier), std::max(0, down.shift), Zero()},
                     {AnyValue()});
  }

  ValueId HardSwish() {
    const graph::QAdd::Operand term = Term();
    return AddOrClip(
        graph::QHardSwish{term.zero_point, static_cast<int32_t>(Pick(1, 100)), std::abs(term.multiplier),
                          std::min(62, std::max(0, term.shift) + 7), Zero()},
        {AnyValue()});
  }

  ValueId Concat() {
    std::vector<ValueId> parts = {AnyValue()};
    const Shape& shape = ShapeOf(parts[0]);
    for (ValueId id : values_) {
      const Shape& other = ShapeOf(id);
      if (other[0] == shape[0] && other[2] == shape[2] && other[3] == shape[3] && Chance(2))
        parts.push_back(id);
    }
    return AddOrClip(graph::Concat{}, parts);
  }

  ValueId Pad() {
    graph::Pad pad{{Pick(0, 3), Pick(0, 3), Pick(0, 3), Pick(0, 3)}, IsWide() ? Value() : Zero()};
    pad.edge = Chance(3);
    return AddOrClip(pad, {AnyValue()});
  }
  ValueId Resize() { return AddOrClip(graph::ResizeNearest{{Pick(1, 3), Pick(1, 3)}}, {AnyValue()}); }
  ValueId Spread() { return AddOrClip(graph::DepthToSpace{{Pick(1, 2), Pick(1, 3)}}, {AnyValue()}); }

  ValueId Table() {
    graph::Table op;
    for (int64_t i = 0; i < Steps(); ++i) op.table.push_back(Value());
    return AddOrClip(std::move(op), {AnyValue()});
  }

  ValueId SoftmaxOf(ValueId x, int64_t groups) {
    graph::QSoftmax op{
        .groups = groups, .levels = static_cast<int32_t>(Pick(1, Steps())), .zero_point = Zero()};
    const int64_t decay = IsWide() ? 4096 : 16;
    for (int64_t e = int64_t{1} << Pick(4, 24); std::ssize(op.exponentials) < Steps();
         e = e * (decay - 1) / decay)
      op.exponentials.push_back(static_cast<int32_t>(e));
    return AddOrClip(std::move(op), {x});
  }
  ValueId Softmax() {
    const ValueId x = AnyValue();
    return SoftmaxOf(x, ShapeOf(x)[1] % 2 == 0 ? Pick(1, 2) : 1);
  }

  ValueId LayerNorm() {
    const ValueId x = AnyValue();
    const int64_t channels = ShapeOf(x)[1];
    const int64_t reach = Steps() / 256;
    return AddOrClip(
        graph::QLayerNorm{static_cast<float>(Pick(1, 1000))},
        {x, Constant<float>({channels}, -40 * reach, 60 * reach), Constant<float>({channels}, -20, 20)});
  }

  /// Of an operator that the core has not; a clip where it does not suit.
  ValueId Hosted(const graph::HostOperatorPtr& op, std::vector<ValueId> operands) {
    std::vector<graph::HostOperand> list;
    for (ValueId id : operands) {
      const auto* constant = graph_.node(id).As<graph::Constant>();
      list.push_back({TypeOf(id), constant ? constant->data.get() : nullptr});
    }
    const auto types = op->Infer(list);
    const auto* good = std::get_if<std::vector<graph::TensorType>>(&types);
    if (!good || graph::NumElements(good->front().shape) > kMostElements) return Clip();
    return graph_.Add(Name("host"), graph::HostOp{op, 0, good->front(), "drawn so"}, std::move(operands));
  }

  ValueId Numbers(std::vector<int64_t> list) {
    const auto count = static_cast<int64_t>(list.size());
    return graph_.AddConstant(Name("c"), graph::Tensor({count}, std::move(list)));
  }

  host::Multiplier Factor(double most) {
    return host::Multiplier::Of(most * static_cast<double>(Pick(1, 1000)) / 1000);
  }

  /// Operators that files have: movement, extremes, sums, resizing.
  ValueId FromFile() {
    const ValueId x = AnyValue();
    const Shape shape = ShapeOf(x);
    const int64_t axis = Pick(0, 3), extent = shape[axis];
    switch (Pick(0, 8)) {
      case 0: {
        std::vector<int64_t> order = {0, 1, 2, 3};
        for (size_t i = 3; i > 0; --i) std::swap(order[i], order[Pick(0, static_cast<int64_t>(i))]);
        return Hosted(host::Transpose(order), {x});
      }
      case 1: {
        const int64_t first = Pick(0, extent - 1), step = Pick(1, 3);
        return Hosted(host::Slice(), {x, Numbers({first}), Numbers({Pick(first + 1, extent)}),
                                      Numbers({axis}), Numbers({step})});
      }
      case 2:
        return Hosted(host::Slice(),
                      {x, Numbers({-1}), Numbers({-extent - 1}), Numbers({axis}), Numbers({-1})});
      case 3: {
        std::vector<int64_t> repeats(4, 1);
        repeats[axis] = Pick(2, 3);
        return Hosted(host::Tile(), {x, Numbers(repeats)});
      }
      case 4: {
        const bool most = Chance(2);
        return Hosted(host::Binary(most ? "max" : "min",
                                   most ? host::Arithmetic::kMaximum : host::Arithmetic::kMinimum),
                      {x, Like(x)});
      }
      case 5: {
        const bool most = Chance(2);
        return Hosted(
            host::Reduce("extreme", most ? host::Reduction::kMax : host::Reduction::kMin, {axis}, true, true),
            {x});
      }
      case 6: {
        const host::TfliteAddition sum{
            {Zero(), Zero()}, {Factor(0.5), Factor(0.5)}, Factor(IsWide() ? 0x1p-14 : 0x1p-19),
            Zero(),           graph::LeastOf(dtype_),     graph::LargestOf(dtype_),
            Chance(2)};
        return Hosted(host::Addition(sum), {x, Like(x)});
      }
      case 7: {  // a shuffle of channels
        const int64_t groups = shape[1] % 2 == 0 ? 2 : shape[1];
        const Shape apart = {shape[0], groups, shape[1] / groups, shape[2], shape[3]};
        const ValueId turned =
            Hosted(host::Transpose({0, 2, 1, 3, 4}), {Hosted(host::ReshapeTo(apart), {x})});
        return Hosted(host::ReshapeTo(shape), {turned});
      }
      default: {
        const host::TfliteGrid rows{shape[2], Pick(1, 12), false, Chance(2)},
            columns{shape[3], Pick(1, 12), false, Chance(2)};
        return Hosted(host::TfliteBilinear(rows, columns, host::BilinearArithmetic::kInteger), {x});
      }
    }
  }

  /// Queries, keys and values by 1x1 convolutions; scores, shares, and what they weigh.
  ValueId Attention() {
    const ValueId x = AnyValue();
    const int64_t heads = Pick(1, 3), depth = Pick(1, 20), pixels = ShapeOf(x)[2] * ShapeOf(x)[3];
    if (pixels > 40) return Clip();
    const auto project = [&](int64_t channels) { return ConvolutionOf(x, {}, channels, 1, 1); };
    const ValueId queries = project(heads * depth), keys = project(heads * depth),
                  values = project(heads * Pick(1, 20));
    for (ValueId id : {queries, keys, values})
      if (ShapeOf(id)[1] % heads != 0 || ShapeOf(id)[2] * ShapeOf(id)[3] != pixels) return Clip();
    const ValueId scores = Requantized(AddOrClip(graph::MatMul{.groups = heads}, {queries, keys}),
                                       static_cast<double>(depth) * 60, false);
    if (ShapeOf(scores)[1] != heads * pixels) return Clip();
    const ValueId shares = Chance(3) ? scores : SoftmaxOf(scores, heads);
    if (ShapeOf(shares)[1] != heads * pixels) return Clip();
    return Requantized(AddOrClip(graph::MatMul{.groups = heads, .transpose_b = true}, {shares, values}),
                       static_cast<double>(pixels) * 30, false);
  }

  graph::zoo::Random random_;
  NetworkLimits limits_;
  DType dtype_;  // of values
  graph::Graph graph_;
  std::vector<ValueId> values_;  // [N,C,H,W]
};

}  // namespace

graph::Graph MakeNetwork(uint64_t seed, const std::vector<uint64_t>& steps, const NetworkLimits& limits) {
  NetworkMaker maker(seed, limits);
  for (uint64_t step : steps) maker.Step(step);
  return maker.Finish();
}

std::vector<graph::Tensor> RandomInputs(const graph::Graph& graph, uint64_t seed) {
  graph::zoo::Random random(~seed);
  std::vector<graph::Tensor> inputs;
  for (ValueId id : graph.inputs()) {
    graph::Tensor tensor(graph.node(id).type);
    graph::WithElementType(tensor.dtype(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_same_v<T, graph::Half>) {
        COSIM_CHECK(false, "an input of float16");
      } else {
        for (T& value : tensor.mutable_data<T>()) {
          if constexpr (std::is_floating_point_v<T>) {
            value = static_cast<T>(random.Below(4097) - 2048) / 1024;
          } else {
            const int bits = tensor.dtype() == DType::kBool ? 1 : std::min<int>(8 * sizeof(T), 32);
            value = static_cast<T>(random.Below(int64_t{1} << bits));
          }
        }
      }
    });
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

}  // namespace cosim::testing
