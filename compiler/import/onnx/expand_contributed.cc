// SPDX-License-Identifier: Apache-2.0
// What onnxruntime's quantizer and optimizer write beside ONNX's own operators, put together of those.
#include <fmt/format.h>

#include "compiler/host/numeric.h"
#include "compiler/import/onnx/expand.h"
#include "compiler/import/onnx/node_view.h"

namespace cosim::import::onnx {
namespace {

using graph::Tensor;

/// Whether the first `least` operands are tensors and the node has a result; said when not.
bool HasTensors(Builder& builder, const NodeInfo& node, size_t least) {
  bool fits = !node.outputs.empty() && !node.outputs[0].empty() && node.inputs.size() >= least;
  for (size_t i = 0; i < node.inputs.size(); ++i)
    fits &= !builder.BundleOf(node.inputs[i]) && (i >= least || !node.inputs[i].empty());
  return fits || builder.Fail(node, "an operand or the result is missing");
}

std::string Scalar(Builder& builder, const NodeInfo& node, double value) {
  return builder.AddConstant(node.name + ".factor",
                             Tensor({}, std::vector<float>{static_cast<float>(value)}));
}

/// ONNX's operator of the same name.
bool ExpandSame(Builder& builder, const NodeInfo& node) {
  NodeInfo same = node;
  same.op = node.op.substr(node.op.rfind('.') + 1);
  constexpr int64_t kOpset = 17;
  same.opset = kOpset;
  builder.Add(std::move(same));
  return true;
}

/// (y scale, y zero point, then x, scale, zero point of each).
bool ExpandQLinearConcat(Builder& builder, const NodeInfo& node) {
  NodeView view(node);
  if (!HasTensors(builder, node, node.inputs.size()) || node.inputs.size() < 5 || node.inputs.size() % 3 != 2)
    return builder.Fail(node, fmt::format("{} operands", node.inputs.size()));
  std::vector<std::string> parts;
  for (size_t i = 2; i < node.inputs.size(); i += 3)
    parts.push_back(
        builder.Emit(node, "DequantizeLinear", {node.inputs[i], node.inputs[i + 1], node.inputs[i + 2]}));
  const std::string all = builder.Emit(node, "Concat", parts, {{"axis", view.Int("axis", 0)}});
  builder.Emit(node, "QuantizeLinear", {all, node.inputs[0], node.inputs[1]}, {}, node.outputs[0]);
  return true;
}

/// (x, bias, optional).
bool ExpandGelu(Builder& builder, const NodeInfo& node) {
  if (!HasTensors(builder, node, 1)) return false;
  std::string x = node.inputs[0];
  if (const std::string bias = OperandOf(node, 1); !bias.empty()) x = builder.Emit(node, "Add", {x, bias});
  const bool fast = node.op == "com.microsoft.FastGelu";
  builder.Emit(node, "Gelu", {x}, {{"approximate", std::string(fast ? "tanh" : "none")}}, node.outputs[0]);
  return true;
}

bool ExpandQuickGelu(Builder& builder, const NodeInfo& node) {
  NodeView view(node);
  if (!HasTensors(builder, node, 1)) return false;
  const std::string& x = node.inputs[0];
  const std::string alpha = Scalar(builder, node, static_cast<double>(view.Float("alpha", 1.702f)));
  const std::string gate = builder.Emit(node, "Sigmoid", {builder.Emit(node, "Mul", {x, alpha})});
  builder.Emit(node, "Mul", {x, gate}, {}, node.outputs[0]);
  return true;
}

/// (x, skip, scale, bias of the normalization, bias of the sum; the last two optional; simplified: without
/// the first of them) -> normalized, mean, deviation, sum.
bool ExpandSkipNormalization(Builder& builder, const NodeInfo& node) {
  NodeView view(node);
  if (!HasTensors(builder, node, 3)) return false;
  const bool simplified = node.op.find("Simplified") != node.op.npos;
  for (size_t i : {1, 2})
    if (i < node.outputs.size() && !node.outputs[i].empty())
      return builder.Fail(node, "its mean or deviation");
  std::string sum = builder.Emit(node, "Add", {node.inputs[0], node.inputs[1]});
  if (const std::string bias = OperandOf(node, simplified ? 3 : 4); !bias.empty())
    sum = builder.Emit(node, "Add", {sum, bias});
  const std::map<std::string, Attribute> attributes = {{"axis", int64_t{-1}},
                                                       {"epsilon", view.Float("epsilon", 1e-12f)}};
  std::vector<std::string> inputs = {sum, node.inputs[2]};
  if (const std::string bias = OperandOf(node, 3); !simplified && !bias.empty()) inputs.push_back(bias);
  builder.Emit(node, simplified ? "SimplifiedLayerNormalization" : "LayerNormalization", inputs, attributes,
               node.outputs[0]);
  if (node.outputs.size() > 3) builder.Alias(node.outputs[3], sum);
  return true;
}

std::string WithRowsAsColumns(Builder& builder, const NodeInfo& node, const std::string& x) {
  const auto rank = static_cast<int64_t>(builder.TypeOf(x).shape.size());
  std::vector<int64_t> order;
  for (int64_t d = 0; d < rank; ++d) order.push_back(d < rank - 2 ? d : 2 * rank - 3 - d);
  return rank < 2 ? x : builder.Emit(node, "Transpose", {x}, {{"perm", order}});
}

bool ExpandFusedMatMul(Builder& builder, const NodeInfo& node) {
  NodeView view(node);
  if (!HasTensors(builder, node, 2)) return false;
  if (view.Int("transBatchA", 0) != 0 || view.Int("transBatchB", 0) != 0)
    return builder.Fail(node, "transposed batches");
  std::string a = node.inputs[0], b = node.inputs[1];
  if (view.Int("transA", 0) != 0) a = WithRowsAsColumns(builder, node, a);
  if (view.Int("transB", 0) != 0) b = WithRowsAsColumns(builder, node, b);
  const float alpha = view.Float("alpha", 1);
  const std::string product = builder.Emit(node, "MatMul", {a, b}, {}, alpha == 1 ? node.outputs[0] : "");
  if (alpha != 1)
    builder.Emit(node, "Mul", {product, Scalar(builder, node, static_cast<double>(alpha))}, {},
                 node.outputs[0]);
  return true;
}

/// (x, weights, bias, what is added; the last two optional), then an activation.
bool ExpandFusedConv(Builder& builder, const NodeInfo& node) {
  NodeView view(node);
  if (!HasTensors(builder, node, 2)) return false;
  const std::string activation = view.Text("activation", "");
  const auto parameters = view.Floats("activation_params");
  std::map<std::string, Attribute> conv = node.attributes, last;
  conv.erase("activation");
  conv.erase("activation_params");
  std::vector<std::string> inputs(
      node.inputs.begin(),
      node.inputs.begin() + static_cast<std::ptrdiff_t>(std::min<size_t>(node.inputs.size(), 3)));
  std::string value = builder.Emit(node, "Conv", inputs, conv);
  if (const std::string added = OperandOf(node, 3); !added.empty())
    value = builder.Emit(node, "Add", {value, added});
  if (activation.empty()) return builder.Alias(node.outputs[0], value), true;
  std::vector<std::string> operands = {value};
  const auto needs = [&](size_t count) {
    return parameters.size() == count || builder.Fail(node, "parameters of its activation");
  };
  if (activation == "LeakyRelu") {
    if (!needs(1)) return false;
    last["alpha"] = parameters[0];
  } else if (activation == "HardSigmoid") {
    if (!needs(2)) return false;
    last["alpha"] = parameters[0];
    last["beta"] = parameters[1];
  } else if (activation == "Clip") {
    if (!needs(2)) return false;
    for (float bound : parameters) operands.push_back(Scalar(builder, node, static_cast<double>(bound)));
  } else if (activation != "Relu" && activation != "Tanh" && activation != "Sigmoid") {
    return builder.Fail(node, "activation " + activation);
  }
  builder.Emit(node, activation, operands, last, node.outputs[0]);
  return true;
}

/// int32 sums times both scales, and a bias.
bool Rescaled(Builder& builder, const NodeInfo& node, const std::string& sums, const std::string& a_scale,
              const std::string& b_scale, const std::string& bias) {
  const std::string real = builder.Emit(node, "Cast", {sums}, {{"to", int64_t{1}}}),
                    scale = builder.Emit(node, "Mul", {a_scale, b_scale});
  const std::string product =
      builder.Emit(node, "Mul", {real, scale}, {}, bias.empty() ? node.outputs[0] : "");
  if (!bias.empty()) builder.Emit(node, "Add", {product, bias}, {}, node.outputs[0]);
  return true;
}

std::string Product(Builder& builder, const NodeInfo& node, std::vector<std::string> inputs) {
  while (!inputs.empty() && inputs.back().empty()) inputs.pop_back();
  return builder.Emit(node, "MatMulInteger", inputs);
}

/// (a, b, a scale, b scale, a zero point, b zero point, bias; the last three optional).
bool ExpandMatMulIntegerToFloat(Builder& builder, const NodeInfo& node) {
  if (!HasTensors(builder, node, 4)) return false;
  const std::string sums =
      Product(builder, node, {node.inputs[0], node.inputs[1], OperandOf(node, 4), OperandOf(node, 5)});
  return Rescaled(builder, node, sums, node.inputs[2], node.inputs[3], OperandOf(node, 6));
}

/// (a float, b, b scale, b zero point, bias; the last two optional).
bool ExpandDynamicQuantizeMatMul(Builder& builder, const NodeInfo& node) {
  if (!HasTensors(builder, node, 3)) return false;
  NodeInfo quantize{.op = "DynamicQuantizeLinear", .name = node.name, .opset = 11};
  quantize.inputs = {node.inputs[0]};
  for (const char* part : {".bytes", ".scale", ".zero"})
    quantize.outputs.push_back(builder.Fresh(node.name + part));
  const std::vector<std::string> a = quantize.outputs;
  builder.Add(std::move(quantize));
  const std::string sums = Product(builder, node, {a[0], node.inputs[1], a[2], OperandOf(node, 3)});
  return Rescaled(builder, node, sums, a[1], node.inputs[2], OperandOf(node, 4));
}

}  // namespace

void AddContributions(Expansions& all) {
  for (const char* op : {"QuantizeLinear", "DequantizeLinear", "LayerNormalization", "GridSample", "Trilu"})
    all["com.microsoft." + std::string(op)] = ExpandSame;
  all["com.microsoft.QLinearConcat"] = ExpandQLinearConcat;
  all["com.microsoft.BiasGelu"] = all["com.microsoft.FastGelu"] = ExpandGelu;
  all["com.microsoft.QuickGelu"] = ExpandQuickGelu;
  all["com.microsoft.SkipLayerNormalization"] = ExpandSkipNormalization;
  all["com.microsoft.SkipSimplifiedLayerNormalization"] = ExpandSkipNormalization;
  all["com.microsoft.FusedMatMul"] = ExpandFusedMatMul;
  all["com.microsoft.FusedConv"] = ExpandFusedConv;
  all["com.microsoft.MatMulIntegerToFloat"] = ExpandMatMulIntegerToFloat;
  all["com.microsoft.DynamicQuantizeMatMul"] = ExpandDynamicQuantizeMatMul;
}

}  // namespace cosim::import::onnx
