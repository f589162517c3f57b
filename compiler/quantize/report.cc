// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/report.h"

#include <algorithm>
#include <cmath>

#include "compiler/quantize/names.h"
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

LayersAlone MakeLayersAlone(const Quantized& quantized, const Values& example) {
  LayersAlone alone{quantized.file, {}, {}};
  Names names(quantized.file);
  std::map<std::string, const Layer*> layer_of;  // by the name of what is quantized
  for (const Layer& layer : quantized.layers) layer_of[layer.computed] = &layer;
  std::vector<NodeInfo> pairs;
  for (NodeInfo& node : alone.file.nodes) {
    const auto at = layer_of.find(node.inputs.empty() ? "" : node.inputs[0]);
    if (!IsQuantize(node) || at == layer_of.end()) continue;
    const Layer& layer = *at->second;
    NodeInfo quantize = node, back = node;
    quantize.outputs = {names.Make(layer.computed + "_own_quantized")};
    back.op.replace(back.op.find("Quantize"), 1, "Deq");
    back.inputs[0] = quantize.outputs[0];
    back.outputs = {names.Make(layer.computed + "_own_dequantized")};
    alone.dequantized[layer.dequantized] = back.outputs[0];
    pairs.insert(pairs.end(), {quantize, back});
    const graph::Shape& shape = example.at(layer.value)->shape();
    node.inputs[0] = names.Make(layer.value + "_exact");
    alone.file.inputs.push_back({.name = node.inputs[0], .dimensions = {shape.begin(), shape.end()}});
    alone.exact.push_back(layer.value);
  }
  alone.file.nodes.insert(alone.file.nodes.end(), pairs.begin(), pairs.end());
  return alone;
}

Operands LayersAlone::InputsOf(const std::vector<Tensor>& inputs, const Values& reference) const {
  Operands all = PointersTo(inputs);
  for (const std::string& value : exact) all.push_back(reference.at(value).get());
  return all;
}

std::vector<LayerReport> EmptyReport(const Quantized& quantized) {
  std::vector<LayerReport> report;
  for (const Layer& layer : quantized.layers) report.push_back({layer, {}, {}});
  return report;
}

void AddRun(const Values& reference, const Values& all, const LayersAlone& layers, const Values& alone,
            std::vector<LayerReport>& report) {
  for (LayerReport& row : report) {
    const Tensor& exact = *reference.at(row.layer.value);
    row.all.Add(exact, *all.at(row.layer.dequantized));
    row.alone.Add(exact, *alone.at(layers.dequantized.at(row.layer.dequantized)));
  }
}

const LayerReport& WorstLayer(const std::vector<LayerReport>& report) {
  COSIM_CHECK(!report.empty());
  return *std::min_element(report.begin(), report.end(), [](const LayerReport& a, const LayerReport& b) {
    return a.alone.SqnrDb() < b.alone.SqnrDb();
  });
}

}  // namespace cosim::quantize
