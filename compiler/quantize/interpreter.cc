// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/interpreter.h"

#include <fmt/format.h>

#include "compiler/import/onnx/operators.h"
#include "isa/check.h"

namespace cosim::quantize {
namespace {

using graph::Tensor;
using import::onnx::NodeInfo;

}  // namespace

bool EvaluateNode(const NodeInfo& node, Values& values, std::string& error, int64_t most) {
  const auto fail = [&](const std::string& what) {
    return error = fmt::format("node '{}' ({}): {}", node.name, node.op, what), false;
  };
  if (!import::onnx::IsKnown(node.op)) return fail("the operator is not supported");
  const auto made = import::onnx::Make(node);
  if (!made.op) return fail(made.error);
  std::vector<const Tensor*> operands;
  for (const std::string& name : node.inputs) {
    const auto at = name.empty() ? values.end() : values.find(name);
    if (!name.empty() && at == values.end()) return fail(fmt::format("there is no value '{}'", name));
    operands.push_back(name.empty() ? nullptr : at->second.get());
  }
  for (const auto& tensor : made.append) operands.push_back(tensor.get());
  std::vector<graph::HostOperand> described;
  for (const Tensor* tensor : operands)
    described.push_back(tensor ? graph::HostOperand{tensor->type(), tensor}
                               : graph::HostOperand{.absent = true});
  const auto types = made.op->Infer(described);
  if (const auto* refused = std::get_if<std::string>(&types)) return fail(*refused);
  for (const auto& type : std::get<0>(types))
    if (graph::NumElements(type.shape) > most) return fail("its result is too large");
  auto results = graph::Evaluate(*made.op, operands);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].empty()) continue;
    if (i >= results.size()) return fail(fmt::format("it has no result {}", i));
    values[node.outputs[i]] = std::make_shared<const Tensor>(std::move(results[i]));
  }
  return true;
}

std::optional<Values> Evaluate(const import::onnx::File& file, const std::vector<Tensor>& inputs,
                               std::string& error) {
  COSIM_CHECK(inputs.size() == file.inputs.size(), "{} inputs for {}", inputs.size(), file.name);
  Values values(file.initializers.begin(), file.initializers.end());
  for (size_t i = 0; i < inputs.size(); ++i)
    values[file.inputs[i].name] = std::make_shared<const Tensor>(inputs[i]);
  for (const NodeInfo& node : file.nodes)
    if (!EvaluateNode(node, values, error)) return std::nullopt;
  return values;
}

}  // namespace cosim::quantize
