// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/report.h"

#include <algorithm>
#include <cmath>

#include "isa/check.h"

namespace cosim::quantize {

using graph::Tensor;
using import::onnx::NodeInfo;

void Agreement::Add(const Tensor& exact, const Tensor& approximate) {
  const auto a = exact.data<float>(), b = approximate.data<float>();
  COSIM_CHECK(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    const double x = a[i], y = b[i];
    exact_ += x * x;
    approximate_ += y * y;
    product_ += x * y;
    error_ += (x - y) * (x - y);
  }
}

double Agreement::SqnrDb() const {
  if (error_ == 0) return 200;
  return std::clamp(10 * std::log10(exact_ / error_), -200.0, 200.0);
}

double Agreement::Cosine() const {
  if (exact_ == 0 && approximate_ == 0) return 1;
  const double lengths = std::sqrt(exact_) * std::sqrt(approximate_);
  return lengths > 0 ? product_ / lengths : 0;
}

std::optional<Values> EvaluateAlone(const Quantized& quantized, const std::vector<Tensor>& inputs,
                                    const Values& reference, std::string& error) {
  std::map<std::string, std::string> value_of;  // by the name of what is quantized
  for (const Layer& layer : quantized.layers) value_of[layer.computed] = layer.value;
  const auto& file = quantized.file;
  Values values(file.initializers.begin(), file.initializers.end());
  for (size_t i = 0; i < inputs.size(); ++i)
    values[file.inputs[i].name] = std::make_shared<const Tensor>(inputs[i]);
  for (const NodeInfo& node : file.nodes) {
    const auto exact = value_of.find(node.inputs.empty() ? "" : node.inputs[0]);
    if (node.op != "QuantizeLinear" || exact == value_of.end()) {
      if (!EvaluateNode(node, values, error)) return std::nullopt;
      continue;
    }
    graph::TensorPtr own = reference.at(exact->second);
    std::swap(values.at(exact->first), own);
    if (!EvaluateNode(node, values, error)) return std::nullopt;
    std::swap(values.at(exact->first), own);
  }
  return values;
}

namespace {

/// The pair of nodes that makes `dequantized` of `computed`, on the value that is there.
bool Requantize(const Quantized& quantized, const Layer& layer, Values& values, std::string& error) {
  for (const NodeInfo& node : quantized.file.nodes)
    if ((node.op == "QuantizeLinear" && node.inputs[0] == layer.computed) ||
        (node.op == "DequantizeLinear" && node.outputs[0] == layer.dequantized))
      if (!EvaluateNode(node, values, error)) return false;
  return true;
}

}  // namespace

std::vector<LayerReport> EmptyReport(const Quantized& quantized) {
  std::vector<LayerReport> report;
  for (const Layer& layer : quantized.layers) report.push_back({layer, {}, {}});
  return report;
}

bool AddRun(const Quantized& quantized, const std::vector<Tensor>& inputs, const Values& reference,
            std::vector<LayerReport>& report, std::string& error) {
  const auto all = Evaluate(quantized.file, inputs, error);
  if (!all) return false;
  auto alone = EvaluateAlone(quantized, inputs, reference, error);
  if (!alone) return false;
  for (LayerReport& row : report) {
    if (!Requantize(quantized, row.layer, *alone, error)) return false;
    const Tensor& exact = *reference.at(row.layer.value);
    row.all.Add(exact, *all->at(row.layer.dequantized));
    row.alone.Add(exact, *alone->at(row.layer.dequantized));
  }
  return true;
}

const LayerReport& WorstLayer(const std::vector<LayerReport>& report) {
  COSIM_CHECK(!report.empty());
  return *std::min_element(report.begin(), report.end(), [](const LayerReport& a, const LayerReport& b) {
    return a.alone.SqnrDb() < b.alone.SqnrDb();
  });
}

}  // namespace cosim::quantize
