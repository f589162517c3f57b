// SPDX-License-Identifier: Apache-2.0
// A node of the graph as tensor expressions: windows, sums and reshaping here, one overload of Build an
// operation.
#include "compiler/ops/definition.h"

#include <span>

#include "compiler/ops/definable.h"
#include "compiler/ops/elementwise.h"
#include "compiler/ops/movement.h"
#include "compiler/ops/normalization.h"
#include "compiler/ops/product.h"
#include "compiler/ops/statistics.h"
#include "compiler/ops/window.h"
#include "isa/check.h"

namespace cosim::ops {
namespace {

using te::Axis;
using te::Indices;
using te::Tensor;
using tir::DataType;
using tir::Expr;
using tir::Int;

Definition Single(Tensor tensor, Pattern pattern = Pattern::kElementwise) {
  return {{{std::move(tensor), pattern}}, {}};
}

/// `more` behind what there is.
void Append(Definition& definition, const Definition& more) {
  definition.computations.insert(definition.computations.end(), more.computations.begin(),
                                 more.computations.end());
}

/// What is summed: integers in 32 bits, floats as they are.
Expr Summand(const Expr& x) { return x->type.is_float() ? x : As(kInt32, x); }

using Sides = std::array<int64_t, 4>;  // top, left, bottom, right

Computation Bordered(const std::string& name, const Tensor& x, const Sides& pad, const Expr& border,
                     const Seen& seen = AsIs) {
  const std::vector<int64_t>& s = x.shape();
  return Framed(name, {s[0], s[1], s[2] + pad[0] + pad[2], s[3] + pad[1] + pad[3]}, x,
                std::span(pad).first(2), border, seen);
}

/// The window of `op` over what stands within its frame.
template <typename Op>
Sliding WindowOf(const Op& op, std::vector<int64_t> kernel) {
  return {std::move(kernel), {op.stride[0], op.stride[1]}, {1, 1}, {0, 0}};
}

Definition Build(const graph::Conv2d& op, const graph::Node& node, const std::vector<Tensor>& in) {
  const Tensor& weight = in[1];
  Definition result;
  Tensor x = in[0];
  if (op.input_zero_point != 0 || op.pad != Sides{}) {
    // Differences of two int8 need 9 bits; the zero point of int16 is 0.
    const DataType held = x.type().is_float() ? x.type() : kInt16;
    const Seen centred = [&](const Expr& value) {
      return op.input_zero_point == 0 ? As(held, value) : As(held, value) - op.input_zero_point;
    };
    result.computations.push_back(Bordered(node.name + ".pad", x, op.pad, Number(0, held), centred));
    x = result.computations.back().tensor;
  }
  Convolution convolution{.window = WindowOf(op, {weight.shape()[2], weight.shape()[3]}),
                          .groups = op.groups};
  convolution.window.dilation = {op.dilation[0], op.dilation[1]};
  convolution.seen = Summand;
  convolution.seen_weight = [](const Expr& value, const Expr&) { return Summand(value); };
  Append(result, Convolve(node.name, node.type.shape, x, weight, convolution));
  result.computations.back().convolved = {
      in[0], weight, op.stride, op.dilation, {op.pad[0], op.pad[1]}, op.groups, op.input_zero_point};
  return result;
}

Definition Build(const graph::ConvTranspose2d& op, const graph::Node& node, const std::vector<Tensor>& in) {
  Sliding window = WindowOf(op, {in[1].shape()[2], in[1].shape()[3]});
  window.before = {op.pad[0], op.pad[1]};
  return ConvolveTransposed(node.name, node.type.shape, in[0], in[1], window, 1, true);
}

Definition Build(const graph::Dense& op, const graph::Node& node, const std::vector<Tensor>& in) {
  Factors factors{.depth = in[0].shape()[1], .rows = true};
  factors.a = [&](const Indices& i, const Expr& k) {
    const Expr x = Summand(in[0](i[0], k));
    return op.input_zero_point == 0 ? x : x - op.input_zero_point;
  };
  factors.b = [&](const Indices& i, const Expr& k) { return Summand(in[1](i[1], k)); };
  Definition result = Product(node.name, node.type.shape, factors);
  result.computations.back().convolved = {.x = in[0], .w = in[1], .zero_point = op.input_zero_point};
  return result;
}

Definition Build(const graph::MatMul& op, const graph::Node& node, const std::vector<Tensor>& in) {
  const int64_t depth = in[0].shape()[1] / op.groups, results = node.type.shape[1] / op.groups,
                width = in[1].shape()[3];
  Factors factors{.depth = depth};
  const auto row = [=](const Indices& i, const Expr& k) { return FloorDiv(i[1], results) * depth + k; };
  factors.a = [&](const Indices& i, const Expr& k) { return Summand(in[0](i[0], row(i, k), i[2], i[3])); };
  factors.b = [&](const Indices& i, const Expr& k) {
    const Expr pixel = op.transpose_b ? k : FloorMod(i[1], results);
    const Expr channel = op.transpose_b ? i[1] : row(i, k);
    return Summand(in[1](i[0], channel, FloorDiv(pixel, width), FloorMod(pixel, width)));
  };
  Definition result = Product(node.name, node.type.shape, factors);
  result.computations[0].inner_from = 2;
  return result;
}

/// Windows of x reduced, each element as `seen`; outside of x stands `border`.
template <typename Op>
Definition Pooled(const Op& op, const std::string& name, const graph::Node& node, const Tensor& x,
                  te::ReduceOp reduce, const Expr& border, const Seen& seen = AsIs) {
  Definition result;
  if (op.pad != Sides{}) result.computations.push_back(Bordered(name + ".pad", x, op.pad, border));
  const Tensor& from = op.pad == Sides{} ? x : result.computations[0].tensor;
  const Sliding window = WindowOf(op, {op.kernel[0], op.kernel[1]});
  Append(result, Pool(name, node.type.shape, from, window, reduce, border, seen));
  return result;
}

Definition Build(const graph::MaxPool& op, const graph::Node& node, const std::vector<Tensor>& in) {
  return Pooled(op, node.name, node, in[0], te::ReduceOp::kMax,
                te::IdentityOf(te::ReduceOp::kMax, in[0].type()));
}

Definition Build(const graph::SumPool& op, const graph::Node& node, const std::vector<Tensor>& in) {
  return Pooled(op, node.name, node, in[0], te::ReduceOp::kSum, Int(op.pad_value, in[0].type()), Summand);
}

Definition Build(const graph::AvgPool& op, const graph::Node& node, const std::vector<Tensor>& in) {
  Definition result = Pooled(op, node.name + ".sum", node, in[0], te::ReduceOp::kSum, tir::Float(0));
  const double share = 1 / static_cast<double>(op.kernel[0] * op.kernel[1]);
  Finish(result, node.name, [&](const Expr& sum, const Indices&) { return sum * tir::Float(share); });
  return result;
}

Definition Build(const graph::GlobalAvgPool&, const graph::Node& node, const std::vector<Tensor>& in) {
  const Tensor& x = in[0];
  Definition result{ReduceOver(node.name + ".sum", node.type.shape, x, {false, false, true, true},
                               te::ReduceOp::kSum, Real),
                    {}};
  const double plane = static_cast<double>(x.shape()[2] * x.shape()[3]);
  Finish(result, node.name, [&](const Expr& sum, const Indices&) {
    return MakeCast(x.type(), Divide(sum, tir::Float(plane, kReal)));
  });
  return result;
}

Definition Build(const graph::GlobalSumPool&, const graph::Node& node, const std::vector<Tensor>& in) {
  const Axis h = te::ReduceAxis(in[0].shape()[2], "h"), w = te::ReduceAxis(in[0].shape()[3], "w");
  const auto element = [&](const Indices& i) -> te::Body {
    return te::Sum(Summand(in[0](i[0], i[1], h, w)), {h, w});
  };
  return Single(te::Compute(node.name, node.type.shape, element, {"n", "c", "y", "x"}), Pattern::kPlaneSum);
}

Definition Build(const graph::Pad& op, const graph::Node& node, const std::vector<Tensor>& in) {
  if (op.edge)
    return Move(node.name, node.type.shape, in[0], [&](const Indices& i) -> Indices {
      const auto nearest = [&](size_t d) {
        return Max(Min(i[d] - op.pad[d - 2], Int(in[0].shape()[d] - 1)), Int(0));
      };
      return {i[0], i[1], nearest(2), nearest(3)};
    });
  return {{Bordered(node.name, in[0], op.pad, Number(op.value, in[0].type()))}, {}};
}

Definition Build(const graph::Concat&, const graph::Node& node, const std::vector<Tensor>& in) {
  return Joined(node.name, node.type.shape, in, 1);
}

Definition Build(const graph::DepthToSpace& op, const graph::Node& node, const std::vector<Tensor>& in) {
  return Move(node.name, node.type.shape, in[0], [&](const Indices& i) -> Indices {
    const Expr phase = FloorMod(i[2], op.block[0]) * op.block[1] + FloorMod(i[3], op.block[1]);
    return {i[0], phase * node.type.shape[1] + i[1], FloorDiv(i[2], op.block[0]),
            FloorDiv(i[3], op.block[1])};
  });
}

Definition Build(const graph::ResizeNearest& op, const graph::Node& node, const std::vector<Tensor>& in) {
  return Move(node.name, node.type.shape, in[0], [&](const Indices& i) -> Indices {
    return {i[0], i[1], FloorDiv(i[2], op.scale[0]), FloorDiv(i[3], op.scale[1])};
  });
}

Definition Build(const graph::Table& op, const graph::Node& node, const std::vector<Tensor>& in) {
  const auto steps = static_cast<int64_t>(op.table.size());
  const Tensor table = te::Placeholder(node.name + ".table", {steps}, kInt32);
  const auto element = [&](const Indices& i) -> te::Body {
    return As(in[0].type(), table(As(DataType::Index(), in[0](i)) + steps / 2));
  };
  Definition result = Single(te::Compute(node.name, TensorShape(node.type), element), Pattern::kColumns);
  result.tables.push_back({table, std::make_shared<const graph::Tensor>(graph::Shape{steps}, op.table)});
  return result;
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
  result.computations.push_back({te::Compute(node.name, TensorShape(node.type), element)});
  return result;
}

template <typename Op>
Definition Build(const Op& op, const graph::Node& node, const std::vector<Tensor>& in) {
  if constexpr (requires { Normalize(op, node, in); }) {
    return Normalize(op, node, in);
  } else {
    COSIM_CHECK(false, "'{}' = {} has no tensor expression", node.name, op.kMnemonic);
  }
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
    result = IsElementwise(node)
                 ? DefineElementwise(node, operands)
                 : std::visit([&](const auto& op) { return Build(op, node, operands); }, node.op);
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

namespace {

bool IsByElements(const std::optional<Definition>& definition) {
  return definition && definition->computations.size() == 1 &&
         definition->computations[0].pattern == Pattern::kElementwise;
}

}  // namespace

bool IsDefinedByElements(const graph::Graph& graph, graph::ValueId id) {
  return IsByElements(DefineAlone(graph, id));
}

bool IsDefinedByElementsAlone(const graph::Graph& graph, graph::ValueId id) {
  const auto definition = DefineAlone(graph, id);
  return IsByElements(definition) && definition->tables.empty();
}

}  // namespace cosim::ops
