// SPDX-License-Identifier: Apache-2.0
// From older operator sets to 13: mostly attributes that became operands.
#include <fmt/format.h>

#include "compiler/import/diagnostic_codes.h"
#include "compiler/quantize/names.h"
#include "compiler/quantize/simplify.h"

namespace cosim::quantize {
namespace {

using graph::Tensor;
using import::onnx::Attribute;
using import::onnx::File;
using import::onnx::NodeInfo;

constexpr int64_t kOpset = 13;

/// Attributes that became operands behind the first one, in order; without a name, ones that just went.
const std::map<std::string, std::vector<std::string>>& MovedAttributes() {
  static const std::map<std::string, std::vector<std::string>> list = {{"Clip", {"min", "max"}},
                                                                       {"Pad", {"pads", "value"}},
                                                                       {"ReduceSum", {"axes"}},
                                                                       {"Reshape", {"shape"}},
                                                                       {"Slice", {"starts", "ends", "axes"}},
                                                                       {"Split", {"split"}},
                                                                       {"Squeeze", {"axes"}},
                                                                       {"TopK", {"k"}},
                                                                       {"Unsqueeze", {"axes"}},
                                                                       {"Upsample", {"scales"}}};
  return list;
}

/// A number or a list of them as a tensor; null for anything else.
graph::TensorPtr AsTensor(const Attribute& value) {
  if (const auto* ints = std::get_if<std::vector<int64_t>>(&value))
    return std::make_shared<const Tensor>(graph::Shape{static_cast<int64_t>(ints->size())}, *ints);
  if (const auto* floats = std::get_if<std::vector<float>>(&value))
    return std::make_shared<const Tensor>(graph::Shape{static_cast<int64_t>(floats->size())}, *floats);
  if (const auto* v = std::get_if<int64_t>(&value))
    return std::make_shared<const Tensor>(graph::Shape{1}, std::vector<int64_t>{*v});
  if (const auto* v = std::get_if<float>(&value))
    return std::make_shared<const Tensor>(graph::Shape{}, std::vector<float>{*v});
  return nullptr;
}

void MoveAttributes(NodeInfo& node, File& file, Names& names) {
  node.attributes.erase(node.op == "Dropout" ? "ratio" : node.op == "BatchNormalization" ? "spatial" : "");
  const auto moved = MovedAttributes().find(node.op);
  if (moved == MovedAttributes().end()) return;
  for (size_t i = 0; i < moved->second.size(); ++i) {
    const auto at = node.attributes.find(moved->second[i]);
    const graph::TensorPtr tensor = at == node.attributes.end() ? nullptr : AsTensor(at->second);
    if (!tensor) continue;
    const std::string name = names.Make(node.outputs[0] + "_" + moved->second[i]);
    file.initializers[name] = tensor;
    node.inputs.resize(std::max(node.inputs.size(), i + 2));
    node.inputs[i + 1] = name;
    node.attributes.erase(at);
  }
}

/// Upsample, and Resize as it was before operator set 11: pixels at multiples of the scale, rounded down.
void ResizeAsBefore(NodeInfo& node) {
  node.op = "Resize";
  node.inputs = {node.inputs[0], "", node.inputs.at(1)};
  node.attributes["coordinate_transformation_mode"] = std::string("asymmetric");
  node.attributes["nearest_mode"] = std::string("floor");
}

/// Softmax and its like saw x as a matrix, split before `axis`. Behind the last dimension but one both
/// meanings agree; else gives the nodes that go before `node`, which puts the result back into shape.
std::vector<NodeInfo> SoftmaxAsBefore(NodeInfo& node, const graph::Shape& shape, File& file, Names& names) {
  const auto rank = static_cast<int64_t>(shape.size());
  const auto at = node.attributes.find("axis");
  const int64_t* given = at == node.attributes.end() ? nullptr : std::get_if<int64_t>(&at->second);
  const int64_t axis = given ? *given : 1;
  const bool is_last = axis == -1 || axis == rank - 1;
  node.attributes["axis"] = int64_t{-1};
  if (is_last) return {};
  const std::string matrix = names.Make(node.outputs[0] + "_matrix"),
                    rows = names.Make(node.outputs[0] + "_rows"),
                    back = names.Make(node.outputs[0] + "_shape");
  std::vector<NodeInfo> before = {{"Flatten", matrix, kOpset, {node.inputs[0]}, {matrix}, {}, ""},
                                  {node.op, node.name, kOpset, {matrix}, {rows}, {}, ""}};
  before[0].attributes["axis"] = axis;
  before[1].attributes["axis"] = int64_t{-1};
  file.initializers[back] = std::make_shared<const Tensor>(graph::Shape{rank}, shape);
  node = {"Reshape", node.name + "_back", kOpset, {rows, back}, {node.outputs[0]}, {}, ""};
  return before;
}

/// Before operator set 7, `axis` said where the second operand's dimensions stand in the first one's.
bool BroadcastAsBefore(NodeInfo& node, const Values& example, File& file, Names& names) {
  const auto at = node.attributes.find("axis");
  const int64_t* axis = at == node.attributes.end() ? nullptr : std::get_if<int64_t>(&at->second);
  const bool broadcasts = node.attributes.erase("broadcast") > 0 && axis && *axis >= 0;
  if (!broadcasts) return true;
  const auto constant = file.initializers.find(node.inputs[1]);
  if (constant == file.initializers.end()) return false;
  const auto rank = static_cast<int64_t>(example.at(node.inputs[0])->shape().size());
  graph::Shape shape = constant->second->shape();
  while (static_cast<int64_t>(shape.size()) < rank - *axis) shape.push_back(1);
  node.inputs[1] = names.Make(node.outputs[0] + "_operand");
  file.initializers[node.inputs[1]] = std::make_shared<const Tensor>(constant->second->Reshaped(shape));
  node.attributes.erase("axis");
  return true;
}

}  // namespace

void Upgrade(File& file, const Values& example, Diagnostics& diagnostics) {
  const int64_t opset = file.opsets.at("");
  if (opset >= kOpset) return;
  Names names(file);
  std::vector<NodeInfo> nodes;
  for (NodeInfo node : file.nodes) {
    node.attributes.erase("consumed_inputs");
    if (node.op.find('.') == std::string::npos) {
      MoveAttributes(node, file, names);
      if (opset < 7 && !BroadcastAsBefore(node, example, file, names))
        diagnostics.Error(
            import::codes::kUnsupported, {file.name},
            fmt::format("node '{}' ({}, operator set {}) broadcasts along an axis that operator "
                        "set {} has no word for",
                        node.name, node.op, opset, kOpset));
      if (node.op == "Upsample" || (node.op == "Resize" && opset < 11)) ResizeAsBefore(node);
      const bool flattens = node.op == "Softmax" || node.op == "LogSoftmax" || node.op == "Hardmax";
      if (flattens)
        for (NodeInfo& before : SoftmaxAsBefore(node, example.at(node.inputs[0])->shape(), file, names))
          nodes.push_back(std::move(before));
      node.opset = kOpset;
    }
    nodes.push_back(std::move(node));
  }
  file.nodes = std::move(nodes);
  file.opsets[""] = kOpset;
}

}  // namespace cosim::quantize
