// SPDX-License-Identifier: Apache-2.0
// A node of the graph as tensor expressions: windows, sums and reshaping here, one overload of Build an
// operation.
#include "compiler/ops/definition.h"

#include "compiler/ops/columns.h"
#include "compiler/ops/definable.h"
#include "compiler/ops/elementwise.h"
#include "compiler/ops/map.h"
#include "compiler/ops/real.h"
#include "isa/check.h"

namespace cosim::ops {
namespace {

using te::Axis;
using te::Indices;
using te::Tensor;
using tir::DataType;
using tir::Expr;
using tir::Int;

struct Frame {
  std::array<int64_t, 4> pad;  ///< Top, left, bottom, right.
  bool is_empty() const { return pad == std::array<int64_t, 4>{}; }
};

/// [N,C,H,W] within a frame of `border`; inside, `value` of each element of `x`.
template <typename Value>
Computation Pad(const std::string& name, const Tensor& x, const Frame& frame, const Expr& border,
                Value value) {
  const auto& [top, left, bottom, right] = frame.pad;
  const int64_t height = x.shape()[2], width = x.shape()[3];
  const std::vector<int64_t> shape = {x.shape()[0], x.shape()[1], height + top + bottom,
                                      width + left + right};
  const auto element = [&](const Indices& i) -> te::Body {
    const Expr h = i[2] - top, w = i[3] - left;
    const Expr inside = value(x(i[0], i[1], h, w));
    if (frame.is_empty()) return inside;
    return tir::MakeSelect(tir::And(tir::InRange(h, 0, height), tir::InRange(w, 0, width)), inside, border);
  };
  return {te::Compute(name, shape, element, {"n", "c", "h", "w"}), Pattern::kPad};
}

Definition Single(Tensor tensor, Pattern pattern = Pattern::kElementwise) {
  return {{{std::move(tensor), pattern}}, {}};
}

Definition Build(const graph::Conv2d& op, const graph::Node& node, const std::vector<Tensor>& in) {
  Definition result;
  const Frame frame{op.pad};
  Tensor x = in[0];
  const Tensor& weight = in[1];
  if (op.input_zero_point != 0 || !frame.is_empty()) {
    // Differences of two int8 need 9 bits; the zero point of int16 is 0.
    result.computations.push_back(Pad(node.name + ".pad", x, frame, Int(0, kInt16), [&](const Expr& value) {
      return As(kInt16, value) - op.input_zero_point;
    }));
    x = result.computations.back().tensor;
  }
  const int64_t inputs = weight.shape()[1], outputs = weight.shape()[0] / op.groups;
  const Axis c = te::ReduceAxis(inputs, "c"), kh = te::ReduceAxis(weight.shape()[2], "kh"),
             kw = te::ReduceAxis(weight.shape()[3], "kw");
  const auto element = [&](const Indices& i) -> te::Body {
    const Expr channel = op.groups == 1 ? Expr(c) : FloorDiv(i[1], outputs) * inputs + c;
    const Expr h = i[2] * op.stride[0] + Expr(kh) * op.dilation[0],
               w = i[3] * op.stride[1] + Expr(kw) * op.dilation[1];
    return te::Sum(As(kInt32, x(i[0], channel, h, w)) * As(kInt32, weight(i[1], c, kh, kw)), {c, kh, kw});
  };
  Computation convolution{te::Compute(node.name, node.type.shape, element, {"n", "o", "y", "x"}),
                          Pattern::kConvolution};
  convolution.channels_together = outputs;
  convolution.convolved = {
      in[0], weight, op.stride, op.dilation, {op.pad[0], op.pad[1]}, op.groups, op.input_zero_point};
  result.computations.push_back(convolution);
  return result;
}

Definition Build(const graph::Dense& op, const graph::Node& node, const std::vector<Tensor>& in) {
  const Axis k = te::ReduceAxis(in[0].shape()[1], "k");
  const auto element = [&](const Indices& i) -> te::Body {
    const Expr centered = As(kInt32, in[0](i[0], k)) - op.input_zero_point;
    return te::Sum(centered * As(kInt32, in[1](i[1], k)), {k});
  };
  Definition result = Single(te::Compute(node.name, node.type.shape, element, {"n", "o"}), Pattern::kDot);
  result.computations.back().convolved = {.x = in[0], .w = in[1], .zero_point = op.input_zero_point};
  return result;
}

Definition Build(const graph::MaxPool& op, const graph::Node& node, const std::vector<Tensor>& in) {
  Definition result;
  const Frame frame{op.pad};
  Tensor x = in[0];
  if (!frame.is_empty()) {
    result.computations.push_back(Pad(node.name + ".pad", x, frame,
                                      te::IdentityOf(te::ReduceOp::kMax, x.type()),
                                      [](const Expr& value) { return value; }));
    x = result.computations.back().tensor;
  }
  const Axis kh = te::ReduceAxis(op.kernel[0], "kh"), kw = te::ReduceAxis(op.kernel[1], "kw");
  const auto element = [&](const Indices& i) -> te::Body {
    return te::MaxReduce(x(i[0], i[1], i[2] * op.stride[0] + Expr(kh), i[3] * op.stride[1] + Expr(kw)),
                         {kh, kw});
  };
  result.computations.push_back(
      {te::Compute(node.name, node.type.shape, element, {"n", "c", "y", "x"}), Pattern::kPool});
  return result;
}

Definition Build(const graph::SumPool& op, const graph::Node& node, const std::vector<Tensor>& in) {
  Definition result;
  const Frame frame{op.pad};
  Tensor x = in[0];
  if (!frame.is_empty()) {
    result.computations.push_back(Pad(node.name + ".pad", x, frame, Int(op.pad_value, x.type()),
                                      [](const Expr& value) { return value; }));
    x = result.computations.back().tensor;
  }
  const Axis kh = te::ReduceAxis(op.kernel[0], "kh"), kw = te::ReduceAxis(op.kernel[1], "kw");
  const auto element = [&](const Indices& i) -> te::Body {
    const Expr value = x(i[0], i[1], i[2] * op.stride[0] + Expr(kh), i[3] * op.stride[1] + Expr(kw));
    return te::Sum(As(kInt32, value), {kh, kw});
  };
  result.computations.push_back(
      {te::Compute(node.name, node.type.shape, element, {"n", "c", "y", "x"}), Pattern::kPool});
  return result;
}

Definition Build(const graph::Pad& op, const graph::Node& node, const std::vector<Tensor>& in) {
  return {{Pad(node.name, in[0], Frame{op.pad}, Number(op.value, in[0].type()),
               [](const Expr& value) { return value; })},
          {}};
}

Definition Build(const graph::Concat&, const graph::Node& node, const std::vector<Tensor>& in) {
  const auto element = [&](const Indices& i) -> te::Body {
    int64_t first = node.type.shape[1];
    Expr value;
    for (size_t k = in.size();
         k-- > 0;) {  // the last operand first: each one before it takes its channels off
      first -= in[k].shape()[1];
      Indices at = i;
      at[1] = i[1] - first;
      const Expr mine = in[k](at);
      value = value ? tir::MakeSelect(Lt(i[1], first + in[k].shape()[1]), mine, value) : mine;
    }
    return value;
  };
  return Single(te::Compute(node.name, node.type.shape, element), Pattern::kColumns);
}

Definition Build(const graph::DepthToSpace& op, const graph::Node& node, const std::vector<Tensor>& in) {
  const auto element = [&](const Indices& i) -> te::Body {
    const Expr phase = FloorMod(i[2], op.block[0]) * op.block[1] + FloorMod(i[3], op.block[1]);
    return in[0](i[0], phase * node.type.shape[1] + i[1], FloorDiv(i[2], op.block[0]),
                 FloorDiv(i[3], op.block[1]));
  };
  return Single(te::Compute(node.name, node.type.shape, element), Pattern::kColumns);
}

Definition Build(const graph::ResizeNearest& op, const graph::Node& node, const std::vector<Tensor>& in) {
  const auto element = [&](const Indices& i) -> te::Body {
    return in[0](i[0], i[1], FloorDiv(i[2], op.scale[0]), FloorDiv(i[3], op.scale[1]));
  };
  return Single(te::Compute(node.name, node.type.shape, element), Pattern::kColumns);
}

Definition Build(const graph::Table& op, const graph::Node& node, const std::vector<Tensor>& in) {
  const auto steps = static_cast<int64_t>(op.table.size());
  const Tensor table = te::Placeholder(node.name + ".table", {steps}, kInt32);
  const auto element = [&](const Indices& i) -> te::Body {
    return As(in[0].type(), table(As(DataType::Index(), in[0](i)) + steps / 2));
  };
  Definition result = Single(te::Compute(node.name, node.type.shape, element), Pattern::kColumns);
  result.tables.push_back({table, std::make_shared<const graph::Tensor>(graph::Shape{steps}, op.table)});
  return result;
}

Definition Build(const graph::MatMul& op, const graph::Node& node, const std::vector<Tensor>& in) {
  return MatMul(node.name, op, node.type.shape, in[0], in[1]);
}
Definition Build(const graph::QSoftmax& op, const graph::Node& node, const std::vector<Tensor>& in) {
  return Softmax(node.name, op, in[0]);
}
Definition Build(const graph::QLayerNorm& op, const graph::Node& node, const std::vector<Tensor>& in) {
  return LayerNorm(node.name, op, in[0], in[1], in[2]);
}
Definition Build(const graph::GlobalSumPool&, const graph::Node& node, const std::vector<Tensor>& in) {
  const Axis h = te::ReduceAxis(in[0].shape()[2], "h"), w = te::ReduceAxis(in[0].shape()[3], "w");
  const auto element = [&](const Indices& i) -> te::Body {
    return te::Sum(As(kInt32, in[0](i[0], i[1], h, w)), {h, w});
  };
  return Single(te::Compute(node.name, node.type.shape, element, {"n", "c", "y", "x"}), Pattern::kPlaneSum);
}

Definition Build(const graph::Flatten&, const graph::Node& node, const std::vector<Tensor>& in) {
  const Tensor& x = in[0];
  const auto element = [&](const Indices& i) -> te::Body {
    Indices source(x.shape().size(), Int(0));
    source[0] = i[0];
    Expr rest = i[1];
    for (size_t d = x.shape().size() - 1; d > 1; --d) {
      source[d] = FloorMod(rest, x.shape()[d]);
      rest = FloorDiv(rest, x.shape()[d]);
    }
    if (source.size() > 1) source[1] = rest;
    return x(source);
  };
  Computation reshape{te::Compute(node.name, node.type.shape, element, {"n", "i"}), Pattern::kReshape};
  reshape.source_shape = x.shape();
  return {{reshape}, {}};
}

/// Numbers that all channels share are constants, others in a table of their own.
class Tables : public Parameters {
 public:
  Tables(const std::string& node, Expr channel, std::vector<Table>& tables)
      : node_(node), channel_(std::move(channel)), tables_(tables) {}

  Expr Get(int record, Part part, std::span<const int32_t> values) override {
    if (values.size() == 1) return Int(values[0], kInt32);
    static constexpr const char* kNames[] = {"offset", "multiplier", "shift"};
    const std::string number = record == 0 ? "" : std::to_string(record);
    const std::string name = node_ + "." + kNames[static_cast<size_t>(part)] + number;
    const graph::Shape shape = {static_cast<int64_t>(values.size())};
    const Tensor table = te::Placeholder(name, shape, kInt32);
    tables_.push_back({table, std::make_shared<const graph::Tensor>(
                                  shape, std::vector<int32_t>(values.begin(), values.end()))});
    return table(channel_);
  }
  bool InRange() const override { return true; }

 private:
  const std::string& node_;
  Expr channel_;
  std::vector<Table>& tables_;
};

Definition DefineElementwise(const graph::Node& node, const std::vector<Tensor>& in) {
  Definition result;
  const auto element = [&](const Indices& i) -> te::Body {
    const Expr channel = i.size() > 1 ? i[1] : Expr();
    std::vector<Expr> operands;
    for (const Tensor& x : in) operands.push_back(x.shape().size() == i.size() ? x(i) : x(channel));
    Tables parameters(node.name, channel, result.tables);
    return Element(node, operands, parameters);
  };
  result.computations.push_back({te::Compute(node.name, node.type.shape, element)});
  return result;
}

template <typename Op>
Definition Build(const Op&, const graph::Node& node, const std::vector<Tensor>&) {
  COSIM_CHECK(false, "'{}' = {} has no tensor expression", node.name, graph::Mnemonic(node.op));
}

/// Whether a value can be a tensor of loop IR at all.
bool IsComputable(const graph::TensorType& type) {
  return type.dtype != graph::DType::kFloat16 && graph::NumElements(type.shape) > 0;
}

std::optional<Definition> DefineHost(const graph::HostOp& op, const graph::Node& node,
                                     const std::vector<Tensor>& operands,
                                     std::span<const graph::HostOperand> known) {
  COSIM_CHECK(known.size() == operands.size(), "'{}' is defined by what is known of its operands", node.name);
  const auto* definable = dynamic_cast<const Definable*>(op.op.get());
  if (!definable) return std::nullopt;
  return definable->Define({node.name, op.result, node.type, operands, {known.begin(), known.end()}});
}

constexpr std::pair<graph::DType, DataType> kTypes[] = {
    {graph::DType::kInt8, {DataType::Code::kInt, 8}},
    {graph::DType::kInt16, {DataType::Code::kInt, 16}},
    {graph::DType::kInt32, {DataType::Code::kInt, 32}},
    {graph::DType::kInt64, {DataType::Code::kInt, 64}},
    {graph::DType::kUint8, {DataType::Code::kUInt, 8}},
    {graph::DType::kUint16, {DataType::Code::kUInt, 16}},
    {graph::DType::kUint32, {DataType::Code::kUInt, 32}},
    {graph::DType::kUint64, {DataType::Code::kUInt, 64}},
    {graph::DType::kBool, {DataType::Code::kUInt, 1}},
    {graph::DType::kFloat32, {DataType::Code::kFloat, 32}},
    {graph::DType::kFloat64, {DataType::Code::kFloat, 64}}};

}  // namespace

DataType TypeOf(graph::DType dtype) {
  for (const auto& [from, to] : kTypes)
    if (from == dtype) return to;
  COSIM_CHECK(false, "element type {}", static_cast<int>(dtype));
}

graph::DType DTypeOf(DataType type) {
  for (const auto& [to, from] : kTypes)
    if (from == type) return to;
  COSIM_CHECK(false, "no element type has {} bits", type.bits);
}

WeightPlaces Convolved::weights() const {
  if (part) return *part;
  const std::vector<int64_t>& s = w.shape();
  if (transposed) return {.outputs = s[1], .inputs = s[0], .output = 1, .input = s[1]};
  if (is_product()) return {.outputs = s[0], .inputs = s[1], .output = s[1], .input = 1};
  return {s[0], s[1], {s[2], s[3]}, 0, s[1] * s[2] * s[3], s[2] * s[3], s[3], 1};
}

std::vector<int64_t> TensorShape(const graph::TensorType& type) {
  return type.shape.empty() ? std::vector<int64_t>{1} : type.shape;
}

std::optional<Definition> Define(const graph::Node& node, const std::vector<Tensor>& operands,
                                 std::span<const graph::HostOperand> known) {
  std::optional<Definition> result;
  if (const auto* host = node.As<graph::HostOp>()) {
    result = DefineHost(*host, node, operands, known);
  } else {
    if (node.type.dtype == graph::DType::kFloat32) result = DefineReal(node, operands);
    if (!result && IsElementwise(node)) result = DefineElementwise(node, operands);
    if (!result) result = std::visit([&](const auto& op) { return Build(op, node, operands); }, node.op);
  }
  COSIM_CHECK(!result || result->computations.back().tensor.type() == TypeOf(node.type.dtype), "type of '{}'",
              node.name);
  return result;
}

std::vector<graph::HostOperand> KnownOf(const graph::Graph& graph, const graph::Node& node) {
  std::vector<graph::HostOperand> known;
  for (graph::ValueId input : node.inputs) {
    const auto* constant = graph.node(input).As<graph::Constant>();
    known.push_back({graph.node(input).type, constant ? constant->data.get() : nullptr});
  }
  return known;
}

namespace {

/// On operands that nobody computes.
std::optional<Definition> DefineAlone(const graph::Graph& graph, graph::ValueId id) {
  const graph::Node& node = graph.node(id);
  if (!IsComputable(node.type)) return std::nullopt;
  std::vector<Tensor> operands;
  for (graph::ValueId input : node.inputs) {
    const graph::TensorType& type = graph.node(input).type;
    if (!IsComputable(type)) return std::nullopt;
    operands.push_back(te::Placeholder(graph.node(input).name, TensorShape(type), TypeOf(type.dtype)));
  }
  return Define(node, operands, KnownOf(graph, node));
}

}  // namespace

bool HasDefinition(const graph::Graph& graph, graph::ValueId id) {
  return DefineAlone(graph, id).has_value();
}

bool IsDefinedByElements(const graph::Graph& graph, graph::ValueId id) {
  const auto definition = DefineAlone(graph, id);
  return definition && definition->computations.size() == 1 &&
         definition->computations[0].pattern == Pattern::kElementwise;
}

}  // namespace cosim::ops
