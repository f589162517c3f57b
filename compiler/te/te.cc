// SPDX-License-Identifier: Apache-2.0
// Tensors, axes and reductions of the tensor-expression language.
#include "compiler/te/te.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "compiler/tir/arithmetic.h"
#include "compiler/tir/visitor.h"
#include "isa/check.h"

namespace cosim::te {

Axis::Axis(std::string name, AxisKind kind, int64_t extent)
    : node_(std::make_shared<const AxisNode>(AxisNode{tir::MakeVar(std::move(name)), kind, extent})) {}

Axis ReduceAxis(int64_t extent, std::string name) {
  COSIM_CHECK(extent > 0, "reduction axis '{}' has the extent {}", name, extent);
  return Axis(std::move(name), AxisKind::kReduce, extent);
}

Reduction Reduce(ReduceOp op, tir::Expr source, std::vector<Axis> axes) {
  COSIM_CHECK(source != nullptr && !axes.empty(), "a reduction needs a value and axes");
  for (const Axis& axis : axes) {
    COSIM_CHECK(axis->kind == AxisKind::kReduce, "'{}' is not a reduction axis", axis.name());
  }
  return Reduction{op, std::move(source), std::move(axes)};
}

Reduction Sum(tir::Expr source, std::vector<Axis> axes) {
  return Reduce(ReduceOp::kSum, std::move(source), std::move(axes));
}

Reduction MaxReduce(tir::Expr source, std::vector<Axis> axes) {
  return Reduce(ReduceOp::kMax, std::move(source), std::move(axes));
}

tir::Expr IdentityOf(ReduceOp op, tir::DataType type) {
  const bool is_float = type.is_float();
  if (op == ReduceOp::kSum || op == ReduceOp::kProduct) {
    const int neutral = op == ReduceOp::kProduct ? 1 : 0;
    return is_float ? tir::Float(neutral, type) : tir::Int(neutral, type);
  }
  const bool greatest = op == ReduceOp::kMin;
  const double infinity = std::numeric_limits<double>::infinity();
  if (is_float) return tir::Float(greatest ? infinity : -infinity, type);
  if (type.is_unsigned()) return tir::Int(greatest ? tir::WrapTo(-1, type) : 0, type);
  const int64_t lowest = std::numeric_limits<int64_t>::min() >> (64 - type.bits);
  return tir::Int(greatest ? -(lowest + 1) : lowest, type);
}

tir::Expr Combine(ReduceOp op, tir::Expr old, tir::Expr value) {
  switch (op) {
    case ReduceOp::kSum:
      return std::move(old) + std::move(value);
    case ReduceOp::kProduct:
      return std::move(old) * std::move(value);
    case ReduceOp::kMax:
      return tir::Max(std::move(old), std::move(value));
    case ReduceOp::kMin:
      return tir::Min(std::move(old), std::move(value));
  }
  COSIM_CHECK(false, "reduction {}", static_cast<int>(op));
}

tir::DataType TypeOf(const Body& body) {
  const auto* reduction = std::get_if<Reduction>(&body);
  return reduction ? reduction->source->type : std::get<tir::Expr>(body)->type;
}

bool TensorNode::is_placeholder() const {
  const auto* expr = std::get_if<tir::Expr>(&body);
  return expr && !*expr;
}

namespace {

std::shared_ptr<TensorNode> NewTensor(std::string name, std::vector<int64_t> shape) {
  COSIM_CHECK(!name.empty(), "a tensor needs a name");
  COSIM_CHECK(!shape.empty(), "tensor '{}' needs a dimension", name);
  for (int64_t extent : shape) COSIM_CHECK(extent > 0, "tensor '{}' has a dimension of {}", name, extent);
  auto node = std::make_shared<TensorNode>();
  node->name = std::move(name);
  node->shape = std::move(shape);
  return node;
}

// Every variable must be an axis of this computation.
void CheckVariables(const TensorNode& node, const tir::Expr& expr, const std::vector<Axis>& reduce_axes) {
  for (const tir::Var& var : tir::VarsOf(expr)) {
    auto is_var = [&](const Axis& axis) { return axis->var == var; };
    COSIM_CHECK(std::any_of(node.axes.begin(), node.axes.end(), is_var) ||
                    std::any_of(reduce_axes.begin(), reduce_axes.end(), is_var),
                "'{}' uses '{}', which is none of its axes", node.name, var->name);
  }
}

}  // namespace

Tensor Placeholder(std::string name, std::vector<int64_t> shape, tir::DataType type) {
  std::shared_ptr<TensorNode> node = NewTensor(std::move(name), std::move(shape));
  node->type = type;
  return Tensor(std::move(node));
}

Tensor Compute(std::string name, std::vector<int64_t> shape, const std::function<Body(const Indices&)>& body,
               std::vector<std::string> axis_names) {
  std::shared_ptr<TensorNode> node = NewTensor(std::move(name), std::move(shape));
  COSIM_CHECK(axis_names.empty() || axis_names.size() == node->shape.size(),
              "'{}' has {} dimensions and {} axis names", node->name, node->shape.size(), axis_names.size());
  Indices indices;
  for (size_t i = 0; i < node->shape.size(); ++i) {
    std::string axis_name = axis_names.empty() ? fmt::format("i{}", i) : axis_names[i];
    node->axes.emplace_back(std::move(axis_name), AxisKind::kSpatial, node->shape[i]);
    indices.push_back(node->axes.back());
  }
  node->body = body(indices);
  COSIM_CHECK(!node->is_placeholder(), "'{}' has no body", node->name);
  node->type = TypeOf(node->body);
  if (const auto* reduction = std::get_if<Reduction>(&node->body)) {
    CheckVariables(*node, reduction->source, reduction->axes);
  } else {
    CheckVariables(*node, std::get<tir::Expr>(node->body), {});
  }
  return Tensor(std::move(node));
}

Tensor TensorOf(const tir::Buffer& buffer) {
  auto node = std::dynamic_pointer_cast<const TensorNode>(buffer);
  COSIM_CHECK(node != nullptr, "buffer '{}' is not a tensor", buffer->name);
  return Tensor(std::move(node));
}

Body ReadInstead(const Body& body, const tir::Buffer& from, const tir::Buffer& to) {
  const auto replaced = [&](const tir::Expr& expr) {
    return tir::RewriteExpr(expr, [&](const tir::Expr& node) {
      const auto* load = tir::As<tir::Load>(node);
      return load && load->buffer == from ? tir::MakeLoad(to, load->indices) : node;
    });
  };
  const auto* reduction = std::get_if<Reduction>(&body);
  if (!reduction) return replaced(std::get<tir::Expr>(body));
  return Reduction{reduction->op, replaced(reduction->source), reduction->axes};
}

std::vector<Tensor> InputsOf(const Body& body) {
  const auto* reduction = std::get_if<Reduction>(&body);
  std::vector<Tensor> inputs;
  const tir::Expr& expr = reduction ? reduction->source : std::get<tir::Expr>(body);
  if (!expr) return inputs;
  tir::ForEachExpr(expr, [&](const tir::Expr& node) {
    const auto* load = tir::As<tir::Load>(node);
    if (!load) return;
    const Tensor tensor = TensorOf(load->buffer);
    if (std::find(inputs.begin(), inputs.end(), tensor) == inputs.end()) inputs.push_back(tensor);
  });
  return inputs;
}

}  // namespace cosim::te
