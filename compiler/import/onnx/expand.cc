// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx/expand.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/host/numeric.h"

namespace cosim::import::onnx {

Expansion ExpansionOf(const Builder& builder, const NodeInfo& node) {
  static const Expansions expansions = [] {
    Expansions all;
    AddControlFlow(all);
    AddSequences(all);
    AddCompositions(all);
    AddContributions(all);
    return all;
  }();
  const auto at = expansions.find(node.op);
  return at != expansions.end() ? at->second : VariantOf(builder, node);
}

const char* WhyNot(const std::string& op) {
  for (const char* random :
       {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"})
    if (op == random) return "it draws at random, so that nothing could be compared with";
  for (const char* text : {"StringNormalizer", "StringConcat", "StringSplit", "RegexFullMatch"})
    if (op == text) return "strings have no form here";
  if (op.starts_with("ai.onnx.preview.training.")) return "it is of training";
  return nullptr;
}

bool IsKnownDomain(const std::string& domain) {
  return domain == "com.microsoft" || domain == "ai.onnx.preview.training";
}

std::string OperandOf(const NodeInfo& node, size_t i) { return i < node.inputs.size() ? node.inputs[i] : ""; }

std::optional<std::vector<int64_t>> IntegersOf(Builder& builder, const NodeInfo& node, size_t i,
                                               std::vector<int64_t> otherwise) {
  const std::string name = OperandOf(node, i);
  if (name.empty()) return otherwise;
  const graph::TensorPtr tensor = builder.Constant(name);
  if (tensor) return host::Integers(*tensor);
  builder.Fail(node, fmt::format("operand '{}' must be a constant", name));
  return std::nullopt;
}

std::string Element(Builder& builder, const NodeInfo& at, const std::string& x, int64_t axis, int64_t index) {
  const std::string place =
      builder.AddConstant(at.name + ".index", graph::Tensor({}, std::vector<int64_t>{index}));
  return builder.Emit(at, "Gather", {x, place}, {{"axis", axis}});
}

std::string Stack(Builder& builder, const NodeInfo& at, const std::vector<std::string>& parts, int64_t axis,
                  const std::string& output) {
  const std::string axes = builder.AddIntegers(at.name + ".axis", {axis});
  std::vector<std::string> slices;
  for (const std::string& part : parts) slices.push_back(builder.Emit(at, "Unsqueeze", {part, axes}));
  return builder.Emit(at, "Concat", slices, {{"axis", axis}}, output);
}

}  // namespace cosim::import::onnx
