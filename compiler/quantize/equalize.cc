// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/equalize.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <span>

#include "compiler/import/onnx/node_view.h"

namespace cosim::quantize {
namespace {

using graph::Shape;
using graph::Tensor;
using import::onnx::File;
using import::onnx::NodeInfo;

constexpr float kLeastRatio = 1.0f / 64;

const Tensor* FloatConstant(const File& file, const NodeInfo& node, size_t operand) {
  const auto at = file.initializers.find(operand < node.inputs.size() ? node.inputs[operand] : "");
  return at != file.initializers.end() && at->second->dtype() == graph::DType::kFloat32 ? at->second.get()
                                                                                        : nullptr;
}

/// Of the values that are finite; 0 without any. Magnitudes of floats are ordered as their bits are, whose
/// largest compilers find with vectors.
float LargestMagnitude(std::span<const float> values) {
  constexpr uint32_t kMagnitude = 0x7fffffff, kInfinite = 0x7f800000;
  uint32_t most = 0;
  for (const float v : values) {
    const uint32_t bits = std::bit_cast<uint32_t>(v) & kMagnitude;
    most = std::max(most, bits < kInfinite ? bits : 0);
  }
  return std::bit_cast<float>(most);
}

bool HasBias(const NodeInfo& node) { return node.inputs.size() > 2 && !node.inputs[2].empty(); }

/// How often each value is read.
std::map<std::string, int> ReadersOf(const File& file) {
  std::map<std::string, int> readers;
  for (const NodeInfo& node : file.nodes)
    for (const std::string& name : node.inputs) ++readers[name];
  for (const auto& output : file.outputs) ++readers[output.name];
  return readers;
}

/// A product whose weights, and bias if it has one, are constants that may be scaled: nothing else reads
/// them.
bool IsProduct(const File& file, const std::map<std::string, int>& readers, const NodeInfo& node) {
  const Tensor* weights = FloatConstant(file, node, 1);
  for (size_t i = 1; i < node.inputs.size(); ++i)
    if (!node.inputs[i].empty() && readers.at(node.inputs[i]) != 1) return false;
  if (!weights || (node.op != "Conv" && node.op != "Gemm")) return false;
  import::onnx::NodeView view(node);
  const bool plain = node.op == "Conv" || (weights->shape().size() == 2 && view.Int("transA", 0) == 0 &&
                                           view.Float("alpha", 1) == 1 && view.Float("beta", 1) == 1);
  const int64_t outputs =
      node.op == "Conv" ? weights->shape()[0] : weights->shape()[view.Int("transB", 0) ? 0 : 1];
  const Tensor* bias = FloatConstant(file, node, 2);
  return plain && (!HasBias(node) || (bias && bias->size() == outputs));
}

/// y = f(x), f(a x) = a f(x) for a > 0 in each channel by itself, elements of a sample staying in their
/// order.
bool KeepsChannels(const NodeInfo& node) {
  static const std::set<std::string> names = {
      "Relu",    "LeakyRelu", "MaxPool",  "AveragePool", "GlobalAveragePool", "Flatten", "Reshape",
      "Squeeze", "Unsqueeze", "Identity", "Dropout"};
  return names.count(node.op) > 0 && node.outputs.size() == 1;
}
bool KeepsPlanes(const NodeInfo& node) {
  return node.op == "MaxPool" || node.op == "AveragePool" || node.op == "GlobalAveragePool";
}

/// Sets of values that are scaled together, and those that cannot be.
class Ties {
 public:
  size_t Of(const std::string& name) {
    const auto [at, fresh] = index_.try_emplace(name, parent_.size());
    if (fresh) parent_.push_back(at->second);
    return Root(at->second);
  }
  void Tie(const std::string& a, const std::string& b) {
    const size_t x = Of(a), y = Of(b);
    parent_[x] = y;
    if (fixed_.count(x)) fixed_.insert(y);
  }
  void Fix(const std::string& name) { fixed_.insert(Of(name)); }
  bool IsFixed(const std::string& name) { return fixed_.count(Of(name)) > 0; }
  const std::map<std::string, size_t>& all() const { return index_; }

 private:
  size_t Root(size_t i) const {
    while (parent_[i] != i) i = parent_[i];
    return i;
  }
  std::map<std::string, size_t> index_;
  std::vector<size_t> parent_;
  std::set<size_t> fixed_;
};

}  // namespace

Equalization::Equalization(const File& file, const Values& example) {
  Ties ties;
  const auto readers = ReadersOf(file);
  const auto shape = [&](const std::string& name) { return example.at(name)->shape(); };
  // Channels are what a product makes of them; what only passes them on keeps count and order.
  std::map<std::string, Place> place;
  const auto is_activation = [&](const std::string& name) {
    return !name.empty() && !file.initializers.count(name);
  };
  for (const auto& input : file.inputs) ties.Fix(input.name);
  for (const NodeInfo& node : file.nodes) {
    for (const std::string& name : node.outputs)
      if (!name.empty()) ties.Of(name);
    if (node.outputs.empty() || node.outputs[0].empty() || node.inputs.empty()) {
      for (const std::string& name : node.inputs)
        if (is_activation(name)) ties.Fix(name);
      continue;
    }
    const std::string &x = node.inputs[0], &y = node.outputs[0];
    if (IsProduct(file, readers, node)) {
      const Shape s = shape(y);
      place[y] = {0, s[1], s[0] * s[1] == 0 ? 1 : example.at(y)->size() / (s[0] * s[1])};
      const auto from = place.find(x);
      const Shape& w = FloatConstant(file, node, 1)->shape();
      // What the weights count as channels must be those; rows of a matrix reach over all of them.
      const bool fits = from != place.end() && shape(x).size() >= 2 &&
                        shape(x)[1] == from->second.channels * (node.op == "Conv" ? 1 : from->second.inner) &&
                        (node.op == "Conv" || (shape(x).size() == 2 && w.size() == 2));
      if (!fits) ties.Fix(x);
      continue;
    }
    const bool adds = (node.op == "Add" || node.op == "Sub") && is_activation(x) &&
                      is_activation(node.inputs[1]) && shape(x) == shape(node.inputs[1]);
    const auto from = place.find(x);
    const bool passes =
        from != place.end() && (adds || KeepsChannels(node)) && !shape(x).empty() && !shape(y).empty() &&
        shape(x)[0] == shape(y)[0] &&
        (!KeepsPlanes(node) || (shape(x).size() >= 2 && shape(x)[1] == from->second.channels));
    if (!passes) {
      for (const std::string& name : node.inputs)
        if (is_activation(name)) ties.Fix(name);
      for (const std::string& name : node.outputs)
        if (!name.empty()) ties.Fix(name);
      continue;
    }
    const int64_t samples = shape(y)[0];
    const int64_t inner =
        samples * from->second.channels == 0 ? 1 : example.at(y)->size() / (samples * from->second.channels);
    place[y] = {0, from->second.channels, inner};
    ties.Tie(x, y);
    if (!adds && !KeepsPlanes(node) && inner != from->second.inner) ties.Fix(y);
    if (adds) {
      const auto other = place.find(node.inputs[1]);
      if (other == place.end() || other->second.channels != from->second.channels ||
          other->second.inner != from->second.inner)
        ties.Fix(node.inputs[1]);
      ties.Tie(node.inputs[1], y);
    }
  }
  for (const auto& output : file.outputs) ties.Fix(output.name);
  std::map<size_t, size_t> group_of;
  for (const auto& [name, index] : ties.all()) {
    if (ties.IsFixed(name) || !place.count(name)) continue;
    const auto [at, fresh] = group_of.try_emplace(ties.Of(name), groups_.size());
    if (fresh) groups_.push_back({{}, place.at(name).channels});
    groups_[at->second].values.push_back(name);
    place_[name] = {at->second, place.at(name).channels, place.at(name).inner};
  }
}

void Equalization::AddRun(const Values& values) {
  for (const auto& [name, place] : place_) {
    const auto at = values.find(name);
    if (at == values.end()) continue;
    const auto data = at->second->data<float>();
    if (data.empty()) continue;
    std::vector<float>& most = most_[name];
    most.resize(place.channels, 0);
    for (size_t from = 0; from < data.size(); from += place.inner) {
      float& m = most[static_cast<int64_t>(from) / place.inner % place.channels];
      m = std::max(m, LargestMagnitude(data.subspan(from, place.inner)));
    }
  }
}

void Equalization::Apply(File& file) const {
  std::vector<std::vector<float>> factors;
  for (const ChannelGroup& group : groups_) factors.emplace_back(group.channels, 0.0f);
  for (const auto& [name, most] : most_) {
    const float largest = *std::ranges::max_element(most);
    auto& list = factors[place_.at(name).group];
    for (size_t c = 0; c < most.size() && largest > 0; ++c) list[c] = std::max(list[c], most[c] / largest);
  }
  for (auto& list : factors)
    for (float& factor : list) factor = factor > 0 ? std::clamp(factor, kLeastRatio, 1.0f) : 1;
  const auto readers = ReadersOf(file);
  for (const NodeInfo& node : file.nodes) {
    if (!IsProduct(file, readers, node)) continue;
    import::onnx::NodeView view(node);
    const auto x = place_.find(node.inputs[0]), y = place_.find(node.outputs[0]);
    Tensor weights = *file.initializers.at(node.inputs[1]);
    const Shape& s = weights.shape();
    const auto w = weights.mutable_data<float>();
    const bool rows = node.op == "Conv" || view.Int("transB", 0) != 0;
    const int64_t outputs = s[rows ? 0 : 1], inputs = s[rows ? 1 : 0];
    const int64_t taps = outputs * inputs == 0 ? 1 : weights.size() / (outputs * inputs);
    const int64_t each = outputs / std::max<int64_t>(1, node.op == "Conv" ? view.Int("group", 1) : 1);
    for (int64_t o = 0; o < outputs; ++o)
      for (int64_t i = 0; i < inputs; ++i) {
        float factor = 1;
        if (y != place_.end()) factor /= factors[y->second.group][o];
        if (x != place_.end()) {
          const int64_t inner = node.op == "Conv" ? 1 : x->second.inner;
          factor *= factors[x->second.group][(o / each * inputs + i) / inner];
        }
        for (int64_t k = 0; k < taps; ++k)
          w[((rows ? o * inputs + i : i * outputs + o)) * taps + k] *= factor;
      }
    file.initializers[node.inputs[1]] = std::make_shared<const Tensor>(std::move(weights));
    if (!HasBias(node) || y == place_.end()) continue;
    Tensor bias = *file.initializers.at(node.inputs[2]);
    for (int64_t o = 0; o < outputs; ++o) bias.mutable_data<float>()[o] /= factors[y->second.group][o];
    file.initializers[node.inputs[2]] = std::make_shared<const Tensor>(std::move(bias));
  }
}

}  // namespace cosim::quantize
