// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/sensitivity.h"

#include <algorithm>
#include <numeric>

#include "compiler/quantize/names.h"
#include "compiler/quantize/parameters.h"

namespace cosim::quantize {

using graph::Tensor;
using import::onnx::File;
using import::onnx::NodeInfo;

Sensitivity::Sensitivity(const File& file, const Placement& placement,
                         const std::map<std::string, graph::Range>& ranges)
    : file_(file) {
  file_.nodes.clear();
  const auto add = [&](const std::string& value) {
    const auto at = placement.scale_of.find(value);
    if (at != placement.scale_of.end()) Switch(value, at->second, ranges.at(at->second));
  };
  for (const auto& input : file.inputs) add(input.name);
  for (NodeInfo node : file.nodes) {
    for (std::string& name : node.inputs)
      if (const auto at = switched_.find(name); at != switched_.end()) name = at->second;
    const std::vector<std::string> results = node.outputs;
    file_.nodes.push_back(std::move(node));
    for (const std::string& name : results) add(name);
  }
  for (const auto& output : file.outputs) {
    const auto at = switched_.find(output.name);
    outputs_.push_back(at == switched_.end() ? output.name : at->second);
  }
  error_.assign(activations_.size(), std::vector<double>(outputs_.size(), 0));
  size_ = error_;
}

void Sensitivity::Switch(const std::string& value, const std::string& activation, const graph::Range& range) {
  Names names(file_);
  const std::string factor = activation + "_rounded";
  if (std::ranges::find(activations_, activation) == activations_.end()) {
    activations_.push_back(activation);
    file_.inputs.push_back({.name = factor, .dimensions = {int64_t{1}}});
  }
  const graph::Quantization q = Asymmetric(range.lo, (range.hi - range.lo) / kSteps);
  const auto constant = [&](const char* suffix, Tensor tensor) {
    const std::string name = names.Make(value + suffix);
    file_.initializers[name] = std::make_shared<const Tensor>(std::move(tensor));
    return name;
  };
  const std::string scale = constant("_switch_scale", Tensor({}, q.scales));
  const std::string zero =
      constant("_switch_zero", Tensor({}, std::vector<int8_t>{static_cast<int8_t>(q.zero_point)}));
  const auto emit = [&](const char* op, std::vector<std::string> inputs) {
    const std::string name = names.Make(value + "_switch_" + op);
    file_.nodes.push_back({op, name, file_.opsets.at(""), std::move(inputs), {name}, {}, ""});
    return name;
  };
  const std::string steps = emit("QuantizeLinear", {value, scale, zero});
  const std::string error = emit("Sub", {emit("DequantizeLinear", {steps, scale, zero}), value});
  switched_[value] = emit("Add", {value, emit("Mul", {error, factor})});
}

std::vector<Tensor> Sensitivity::InputsOf(const std::vector<Tensor>& inputs, size_t activation) const {
  std::vector<Tensor> all = inputs;
  for (size_t i = 0; i < activations_.size(); ++i)
    all.push_back(Tensor({1}, std::vector<float>{i == activation ? 1.0f : 0.0f}));
  return all;
}

void Sensitivity::AddRun(size_t activation, const Values& exact, const Values& rounded) {
  for (size_t o = 0; o < outputs_.size(); ++o) {
    const Tensor &a = *exact.at(outputs_[o]), &b = *rounded.at(outputs_[o]);
    if (a.dtype() != graph::DType::kFloat32) continue;
    const auto x = a.data<float>(), y = b.data<float>();
    for (size_t i = 0; i < x.size(); ++i) {
      const double difference = static_cast<double>(y[i]) - x[i];
      error_[activation][o] += difference * difference;
      size_[activation][o] += static_cast<double>(x[i]) * x[i];
    }
  }
}

std::set<std::string> Sensitivity::Choose(const Widening& widening) const {
  std::vector<double> cost(activations_.size(), 0);
  for (size_t i = 0; i < cost.size(); ++i)
    for (size_t o = 0; o < outputs_.size(); ++o)
      if (size_[i][o] > 0) cost[i] += error_[i][o] / size_[i][o];
  std::vector<size_t> order(cost.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return cost[a] > cost[b]; });
  const double all = std::accumulate(cost.begin(), cost.end(), 0.0);
  std::set<std::string> chosen;
  double caused = 0;
  for (const size_t i : order) {
    const bool enough = chosen.size() >= widening.count && widening.share < 1 &&
                        (widening.share == 0 || caused >= widening.share * all);
    if (enough) break;
    chosen.insert(activations_[i]);
    caused += cost[i];
  }
  return chosen;
}

}  // namespace cosim::quantize
