// SPDX-License-Identifier: Apache-2.0
// Building and asking graphs.
#include "compiler/graph/graph.h"

#include "compiler/graph/counted_operator.h"
#include "compiler/graph/infer.h"
#include "isa/check.h"

namespace cosim::graph {

ValueId Graph::Append(Node node) {
  const ValueId id = size();
  if (node.As<Input>()) inputs_.push_back(id);
  nodes_.push_back(std::move(node));
  return id;
}

ValueId Graph::AddInput(std::string name, TensorType type, std::optional<Quantization> quantization) {
  return Append({std::move(name), Input{}, {}, std::move(type), std::move(quantization)});
}

ValueId Graph::AddConstant(std::string name, Tensor data, std::optional<Quantization> quantization) {
  return AddConstant(std::move(name), std::make_shared<const Tensor>(std::move(data)),
                     std::move(quantization));
}

ValueId Graph::AddConstant(std::string name, TensorPtr data, std::optional<Quantization> quantization) {
  TensorType type = data->type();
  return Append({std::move(name), Constant{std::move(data)}, {}, std::move(type), std::move(quantization)});
}

ValueId Graph::Add(std::string name, Op op, std::vector<ValueId> inputs,
                   std::optional<Quantization> quantization) {
  std::vector<TensorType> operands;
  operands.reserve(inputs.size());
  for (ValueId input : inputs) {
    COSIM_CHECK(input >= 0 && input < size(), "operand {} of '{}' is not defined yet", input, name);
    operands.push_back(nodes_[input].type);
  }
  auto inferred = InferType(op, operands);
  if (const auto* error = std::get_if<std::string>(&inferred)) {
    COSIM_CHECK(false, "'{}' = {}: {}", name, Mnemonic(op), *error);
  }
  return Append({std::move(name), std::move(op), std::move(inputs), std::get<TensorType>(std::move(inferred)),
                 std::move(quantization)});
}

std::optional<ValueId> Graph::Find(std::string_view name) const {
  for (ValueId id = 0; id < size(); ++id) {
    if (nodes_[id].name == name) return id;
  }
  return std::nullopt;
}

std::vector<std::vector<ValueId>> Graph::Users() const {
  std::vector<std::vector<ValueId>> users(nodes_.size());
  for (ValueId id = 0; id < size(); ++id) {
    for (ValueId input : nodes_[id].inputs) users[input].push_back(id);
  }
  return users;
}

int64_t Macs(const Graph& graph, ValueId id) {
  const Node& node = graph.node(id);
  if (const auto* product = node.As<MatMul>()) {
    return NumElements(node.type.shape) * (graph.node(node.inputs[0]).type.shape[1] / product->groups);
  }
  if (const auto* host = node.As<HostOp>()) {
    if (host->result != 0) return 0;  // all results come from one evaluation
    std::vector<HostOperand> operands;
    for (ValueId input : node.inputs) {
      const auto* constant = graph.node(input).As<Constant>();
      operands.push_back({graph.node(input).type, constant ? constant->data.get() : nullptr});
    }
    return MacsOf(*host->op, operands);
  }
  if (!node.As<Conv2d>() && !node.As<Dense>()) return 0;
  const Shape& weight = graph.node(node.inputs[1]).type.shape;
  return NumElements(node.type.shape) * (NumElements(weight) / weight[0]);
}

}  // namespace cosim::graph
