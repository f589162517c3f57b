// SPDX-License-Identifier: Apache-2.0
#include "cli/accuracy_layers.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "compiler/golden/golden.h"

namespace cosim::cli {
namespace {

/// "conv_2d.3" of "conv_2d.3.requantize": the operator and its number, by which the importer names values.
std::optional<std::string> OperatorOf(const std::string& value) {
  const size_t dot = value.find('.');
  if (dot == std::string::npos) return std::nullopt;
  size_t end = dot + 1;
  while (end < value.size() && std::isdigit(static_cast<unsigned char>(value[end]))) ++end;
  if (end == dot + 1 || (end < value.size() && value[end] != '.')) return std::nullopt;
  return value.substr(0, end);
}

graph::TensorPtr RealNumbers(const graph::Tensor& bytes, const graph::Quantization& quantization) {
  graph::Tensor real({graph::DType::kFloat32, bytes.shape()});
  const auto q = bytes.data<int8_t>();
  std::transform(q.begin(), q.end(), real.mutable_data<float>().begin(), [&](int8_t v) {
    return static_cast<float>(v - quantization.zero_point) * quantization.scales[0];
  });
  return std::make_shared<const graph::Tensor>(std::move(real));
}

}  // namespace

quantize::Values LayersOf(const import::Model& model, const std::vector<graph::Tensor>& inputs,
                          const quantize::Values& exact) {
  const auto values = golden::Run(model.graph, inputs);
  std::map<std::string, graph::TensorPtr> layers;  // by operator; the last core value of each is its result
  for (graph::ValueId id = 0; id < model.graph.size(); ++id) {
    const graph::Node& node = model.graph.node(id);
    const auto op = OperatorOf(node.name);
    if (!op) continue;
    graph::TensorPtr& layer = layers[*op];
    // Host operators behind the first change layouts.
    if (node.type.dtype != graph::DType::kInt8 || !node.quantization ||
        node.quantization->scales.size() != 1 || (node.As<graph::HostOp>() && node.name != *op))
      continue;
    layer = RealNumbers(*values[id], *node.quantization);
  }
  quantize::Values named;
  for (const auto& [name, value] : exact) {
    const auto op = OperatorOf(name);
    if (!op) continue;
    const auto at = layers.find(*op);
    if (at == layers.end()) return {};
    const bool is_result = name == *op + ".activation" || (name == *op && !exact.count(name + ".activation"));
    if (is_result && at->second) named[name] = at->second;
  }
  return named;
}

}  // namespace cosim::cli
