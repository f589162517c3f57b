// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "compiler/import/import.h"
#include "compiler/import/onnx/reader.h"
#include "compiler/import/tflite/reader.h"

namespace cosim::import {
namespace {

using graph::DType;

/// Operators by name and types, as they come.
class Uses {
 public:
  void Add(const std::string& name, const std::string& types) { ++counts_[{name, types}]; }
  /// Most used first, else by name.
  std::vector<OperatorUse> Sorted() const {
    std::vector<OperatorUse> uses;
    for (const auto& [key, count] : counts_) uses.push_back({key.first, key.second, count});
    std::ranges::stable_sort(uses, std::greater(), &OperatorUse::count);
    return uses;
  }

 private:
  std::map<std::pair<std::string, std::string>, int> counts_;
};

/// What is said of each product, once.
std::string Joined(const std::set<std::string>& said) {
  return said.empty() ? "none" : fmt::format("{}", fmt::join(said, "; "));
}

ValueSummary ValueOf(const tflite::TensorInfo& info) {
  ValueSummary value{info.name, graph::ToString(graph::TensorType{info.dtype, info.shape}), ""};
  if (info.scales.size() != 1) return value;
  const int32_t zero_point = info.zero_points[0];
  value.quantization = zero_point == 0
                           ? fmt::format("{} * q", info.scales[0])
                           : fmt::format("{} * (q {} {})", info.scales[0], zero_point < 0 ? '+' : '-',
                                         std::abs(int64_t{zero_point}));
  return value;
}

/// How a product of activations and weights computes; empty for one of real numbers.
std::string ProductOf(const tflite::TensorInfo& input, const tflite::TensorInfo& weights) {
  const bool real = input.dtype == DType::kFloat32;
  if (real && weights.dtype == DType::kFloat32) return "";
  if (real) return fmt::format("dynamic range: {} weights, float32 activations", graph::Name(weights.dtype));
  const char* by = weights.scales.size() > 1 ? "channel" : "tensor";
  if (input.dtype == weights.dtype) return fmt::format("{}, weights by {}", graph::Name(input.dtype), by);
  return fmt::format("{} activations, {} weights by {}", graph::Name(input.dtype), graph::Name(weights.dtype),
                     by);
}

/// The operators of one of a file's graphs, and how its products compute.
void AddOperators(const tflite::File& file, Uses& uses, std::set<std::string>& products) {
  for (const tflite::OperatorInfo& op : file.operators) {
    std::vector<int> operands = op.inputs;
    // A transposed convolution has the shape of its result in front of weights and activations.
    if (op.name == "TRANSPOSE_CONV" && operands.size() > 2) operands = {operands[2], operands[1]};
    const bool product = op.name.find("CONV") != op.name.npos || op.name == "FULLY_CONNECTED";
    std::vector<std::string_view> types;
    for (size_t i = 0; i < operands.size() && i < (product ? 2 : 1); ++i)
      if (operands[i] >= 0) types.push_back(tflite::TypeName(file.tensors[operands[i]]));
    const auto result = op.outputs.empty() ? "nothing" : tflite::TypeName(file.tensors[op.outputs[0]]);
    uses.Add(op.name, fmt::format("{} -> {}", fmt::join(types, " x "), result));
    if (op.name == "DEQUANTIZE" && types == std::vector<std::string_view>{"float16"})
      products.insert("float16 weights");
    if (!product || types.size() < 2) continue;
    const std::string how = ProductOf(file.tensors[operands[0]], file.tensors[operands[1]]);
    if (!how.empty()) products.insert(how);
  }
}

FileSummary SummaryOf(const tflite::File& file) {
  FileSummary summary{.format = "TensorFlow Lite"};
  for (int t : file.inputs) summary.inputs.push_back(ValueOf(file.tensors[t]));
  for (int t : file.outputs) summary.outputs.push_back(ValueOf(file.tensors[t]));
  for (const auto& tensor : file.tensors)
    if (tensor.data) summary.constants[tensor.dtype] += tensor.data->size();
  Uses uses;
  std::set<std::string> products;
  AddOperators(file, uses, products);
  for (const tflite::File& other : file.others) AddOperators(other, uses, products);
  summary.operators = uses.Sorted();
  summary.quantization = Joined(products);
  return summary;
}

ValueSummary ValueOf(const onnx::ValueInfo& info) {
  if (!info.unsupported.empty()) return {info.name, "(" + info.unsupported + ")", ""};
  std::vector<std::string> extents;
  for (const auto& dimension : info.dimensions) {
    const auto* fixed = std::get_if<int64_t>(&dimension);
    const std::string name = fixed ? std::to_string(*fixed) : std::get<std::string>(dimension);
    extents.push_back(name.empty() ? "?" : name);
  }
  return {info.name,
          info.has_shape ? fmt::format("{}[{}]", graph::Name(info.dtype), fmt::join(extents, ","))
                         : fmt::format("{}[...]", graph::Name(info.dtype)),
          ""};
}

FileSummary SummaryOf(const onnx::File& file) {
  FileSummary summary{.format = fmt::format("ONNX, operator set {}", file.opset)};
  for (const auto& [domain, version] : file.opsets)
    if (!domain.empty()) summary.format += fmt::format(", {} {}", domain, version);
  for (const auto& value : file.inputs) summary.inputs.push_back(ValueOf(value));
  for (const auto& value : file.outputs) summary.outputs.push_back(ValueOf(value));
  std::set<std::string> how;
  for (const auto& [name, tensor] : file.initializers) {
    summary.constants[tensor->dtype()] += tensor->size();
    if (tensor->dtype() == DType::kFloat16) how.insert("float16 weights");
  }
  Uses uses;
  for (const onnx::NodeInfo& node : file.nodes) {
    uses.Add(node.op, "");
    if (const auto value = node.attributes.find("value");
        node.op == "Constant" && value != node.attributes.end())
      if (const auto* tensor = std::get_if<graph::TensorPtr>(&value->second); tensor && *tensor)
        summary.constants[(*tensor)->dtype()] += (*tensor)->size();
    if (node.op.find("QLinear") != node.op.npos) how.insert("operators on bytes (QLinear)");
    if (node.op.ends_with("DequantizeLinear"))
      how.insert("operators between DequantizeLinear and QuantizeLinear");
    if (node.op == "DynamicQuantizeLinear") how.insert("dynamic: scales found while it runs");
  }
  summary.operators = uses.Sorted();
  summary.quantization = Joined(how);
  return summary;
}

}  // namespace

int64_t FileSummary::Operators() const {
  int64_t count = 0;
  for (const OperatorUse& use : operators) count += use.count;
  return count;
}

int64_t FileSummary::Parameters() const {
  int64_t count = 0;
  for (const auto& [type, elements] : constants) count += elements;
  return count;
}

int64_t FileSummary::ParameterBytes() const {
  int64_t count = 0;
  for (const auto& [type, elements] : constants) count += elements * graph::SizeOf(type);
  return count;
}

std::optional<FileSummary> Summarize(std::span<const uint8_t> bytes, const std::string& name,
                                     const std::string& folder, Diagnostics& diagnostics) {
  std::optional<FileSummary> summary;
  if (name.ends_with(".onnx")) {
    if (const auto file = onnx::Read(bytes, name, folder, diagnostics)) summary = SummaryOf(*file);
  } else {
    if (const auto file = tflite::Read(bytes, name, diagnostics)) summary = SummaryOf(*file);
  }
  if (summary) summary->bytes = bytes.size();
  return summary;
}

}  // namespace cosim::import
