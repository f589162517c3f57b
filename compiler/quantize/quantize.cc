// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/quantize.h"

#include <algorithm>
#include <cmath>

#include "compiler/quantize/names.h"
#include "compiler/quantize/parameters.h"

namespace cosim::quantize {
namespace {

/// The least factor that sums are multiplied by, as results are in steps: what a requantization can shift by,
/// with room. No power of two, which would make ties. What weights lose by it is far below a step of the
/// result.
constexpr float kLeastFactor = 0x1.6a09e6p-28f;

constexpr double kWideLevels = 32767;
const std::string kWideDomain = "com.microsoft.";

using graph::Tensor;
using import::onnx::File;
using import::onnx::NodeInfo;

/// Of a product's weights.
Channels ChannelsOf(const NodeInfo& node, const graph::Shape& shape, bool per_channel) {
  if (!per_channel) return AllTogether(shape);
  const auto transposed = node.attributes.find("transB");
  const bool rows = transposed != node.attributes.end() && std::get<int64_t>(transposed->second) != 0;
  if (node.op == "MatMul") return ChannelsAlong(shape, shape.size() - 1);
  return ChannelsAlong(shape, node.op == "ConvTranspose" || (node.op == "Gemm" && !rows) ? 1 : 0);
}

class Quantizer {
 public:
  Quantizer(const File& file, const Placement& placement, const std::map<std::string, graph::Range>& ranges,
            const std::set<std::string>& wide, bool per_channel)
      : file_(file), placement_(placement), wide_(wide), per_channel_(per_channel), names_(file) {
    for (const auto& output : file.outputs) outputs_.insert(output.name);
    for (const auto& [value, range] : ranges)
      scales_[value] = wide.count(value) ? Wide(range) : Asymmetric(range.lo, (range.hi - range.lo) / kSteps);
  }

  Quantized Run() {
    File& to = result_.file;
    to.name = file_.name;
    to.opsets = file_.opsets;
    if (!wide_.empty()) to.opsets["com.microsoft"] = 1;
    to.inputs = file_.inputs;
    to.outputs = file_.outputs;
    to.initializers = file_.initializers;
    for (const auto& input : file_.inputs)
      if (placement_.scale_of.count(input.name)) AddPair(input.name, input.name);
    for (size_t i = 0; i < file_.nodes.size(); ++i) AddNode(i);
    std::set<std::string> nodes;
    for (NodeInfo& node : to.nodes)
      while (!nodes.insert(node.name).second) node.name += '_';
    std::set<std::string> used(outputs_);
    for (const NodeInfo& node : to.nodes) used.insert(node.inputs.begin(), node.inputs.end());
    std::erase_if(to.initializers, [&](const auto& entry) { return !used.count(entry.first); });
    for (const auto& [i, value] : placement_.ends_in)
      result_.layers.push_back({file_.nodes[i].op, file_.nodes[i].outputs[0], value, computed_.at(value),
                                dequantized_.at(value), IsWide(value) ? 16 : 8});
    return std::move(result_);
  }

 private:
  static graph::Quantization Wide(const graph::Range& range) {
    graph::Quantization q = Asymmetric(0, std::max(-range.lo, range.hi) / kWideLevels);
    q.zero_point = 0;
    return q;
  }
  /// An activation, of whatever scale.
  bool IsWide(const std::string& value) const { return wide_.count(placement_.scale_of.at(value)) > 0; }

  void AddNode(size_t i) {
    NodeInfo node = file_.nodes[i];
    if (placement_.computes[i]) QuantizeConstants(node, placement_.ends_in.at(i));
    for (std::string& name : node.inputs)
      if (const auto at = dequantized_.find(name); at != dequantized_.end()) name = at->second;
    std::vector<std::pair<std::string, std::string>> pairs;
    for (std::string& name : node.outputs) {
      if (!placement_.scale_of.count(name)) continue;
      const std::string value = name;
      // An output of the network keeps its name behind the quantization.
      if (outputs_.count(value)) name = names_.Make(value + "_computed");
      pairs.emplace_back(value, name);
    }
    result_.file.nodes.push_back(std::move(node));
    for (const auto& [value, computed] : pairs) AddPair(value, computed);
  }

  /// `end`: the value whose steps the product's results become.
  void QuantizeConstants(NodeInfo& node, const std::string& end) {
    if (node.op != "Conv" && node.op != "ConvTranspose" && node.op != "Gemm" && node.op != "MatMul") return;
    const auto weights = file_.initializers.find(node.inputs[1]);
    if (weights == file_.initializers.end()) return;
    const bool biased = node.inputs.size() > 2 && !node.inputs[2].empty();
    const Tensor* bias = biased ? file_.initializers.at(node.inputs[2]).get() : nullptr;
    const float input = scales_.at(placement_.scale_of.at(node.inputs[0])).scales[0];
    const float output = scales_.at(placement_.scale_of.at(end)).scales[0];
    // What is not all bytes is no accelerator's.
    const float least = IsWide(node.inputs[0]) || IsWide(end) ? 0 : kLeastFactor * (output / input);
    const Channels channels = ChannelsOf(node, weights->second->shape(), per_channel_);
    auto scales =
        WeightScales(*weights->second, channels, bias ? bias->data<float>() : std::span<const float>(), input,
                     kWeightLevels, kMostBias, least);
    for (float& scale : scales) scale = WithoutTies(scale, input, output);
    const std::string name = node.inputs[1];
    node.inputs[1] = Constant(name, QuantizeWeight(*weights->second, channels, scales, kWeightLevels), scales,
                              channels.axis);
    if (bias) node.inputs[2] = AddBias(node.inputs[2], *bias, scales, input);
  }

  std::string AddBias(const std::string& name, const Tensor& bias, const std::vector<float>& weight_scales,
                      float input) {
    const auto b = bias.data<float>();
    std::vector<float> scales;
    for (float scale : weight_scales) scales.push_back(scale * input);
    auto q = QuantizeBias(b, scales);
    if (scales.size() > 1 && scales.size() < b.size()) {  // groups of a transposed convolution share scales
      const size_t distinct = scales.size();
      scales.resize(b.size());
      for (size_t c = distinct; c < b.size(); ++c) scales[c] = scales[c % distinct];
    }
    const auto n = static_cast<int64_t>(b.size());
    return Constant(name, Tensor({n}, std::move(q)), scales, 0);
  }

  /// A constant of integers and its DequantizeLinear; gives the name of the floats.
  std::string Constant(const std::string& name, Tensor integers, const std::vector<float>& scales,
                       int64_t axis) {
    const graph::DType type = integers.dtype();
    const graph::Shape shape =
        per_channel_ ? graph::Shape{static_cast<int64_t>(scales.size())} : graph::Shape{};
    NodeInfo node = Node("DequantizeLinear", names_.Make(name + "_dequantized"));
    node.inputs = {AddConstant(name + "_quantized", std::move(integers)),
                   AddConstant(name + "_scale", Tensor(shape, scales)),
                   AddConstant(name + "_zero_point", Tensor({type, shape}))};
    if (per_channel_) node.attributes["axis"] = axis;
    result_.file.nodes.push_back(node);
    return node.outputs[0];
  }

  /// QuantizeLinear and DequantizeLinear of activation `value`, which is called `computed` here.
  void AddPair(const std::string& value, const std::string& computed) {
    const std::string& decides = placement_.scale_of.at(value);
    if (!parameters_.count(decides)) {
      const graph::Quantization& chosen = scales_.at(decides);
      const auto zero_point = static_cast<int8_t>(chosen.zero_point);
      parameters_[decides] = {
          AddConstant(decides + "_scale", Tensor({}, chosen.scales)),
          AddConstant(decides + "_zero_point", IsWide(value) ? Tensor({}, std::vector<int16_t>{0})
                                                             : Tensor({}, std::vector<int8_t>{zero_point}))};
    }
    const auto& [scale, zero_point] = parameters_.at(decides);
    const std::string domain = IsWide(value) ? kWideDomain : "";
    NodeInfo quantize = Node(domain + "QuantizeLinear", names_.Make(value + "_quantized"));
    quantize.inputs = {computed, scale, zero_point};
    // A node that computed an output may have its name too: this one takes another in any case.
    const std::string name = names_.Make(value + "_dequantized");
    NodeInfo back = Node(domain + "DequantizeLinear", outputs_.count(value) ? value : name);
    back.name = name;
    back.inputs = {quantize.outputs[0], scale, zero_point};
    computed_[value] = computed;
    dequantized_[value] = back.outputs[0];
    result_.file.nodes.push_back(std::move(quantize));
    result_.file.nodes.push_back(std::move(back));
  }

  NodeInfo Node(const std::string& op, const std::string& output) const {
    return {op, output, op.starts_with(kWideDomain) ? 1 : file_.opsets.at(""), {}, {output}, {}, ""};
  }

  std::string AddConstant(const std::string& wanted, Tensor tensor) {
    const std::string name = names_.Make(wanted);
    result_.file.initializers[name] = std::make_shared<const Tensor>(std::move(tensor));
    return name;
  }

  const File& file_;
  const Placement& placement_;
  const std::set<std::string>& wide_;
  const bool per_channel_;
  Names names_;
  std::set<std::string> outputs_;
  std::map<std::string, graph::Quantization> scales_;
  std::map<std::string, std::pair<std::string, std::string>> parameters_;  // constants: scale, zero point
  std::map<std::string, std::string> computed_, dequantized_;
  Quantized result_;
};

}  // namespace

Quantized Quantize(const File& file, const Placement& placement,
                   const std::map<std::string, graph::Range>& ranges, const std::set<std::string>& wide,
                   bool per_channel) {
  return Quantizer(file, placement, ranges, wide, per_channel).Run();
}

bool IsQuantize(const NodeInfo& node) {
  return node.op == "QuantizeLinear" || node.op == kWideDomain + "QuantizeLinear";
}

}  // namespace cosim::quantize
