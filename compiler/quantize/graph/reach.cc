// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/graph/reach.h"

#include <algorithm>
#include <cmath>

#include "compiler/quantize/graph/keeps_values.h"
#include "compiler/quantize/parameters.h"
#include "isa/check.h"

namespace cosim::graph {
namespace {

constexpr int64_t kMostSum = 0x7fffffff;
// Of products; biases are rounded, as are the scales that bound them.
constexpr int64_t kMostProducts = kMostSum - static_cast<int64_t>(kMostBias) - (1 << 20);
constexpr int64_t kFarthest = 32767;

class ReachChooser {
 public:
  ReachChooser(const Graph& graph, const Scheme& scheme, int weight_levels)
      : graph_(graph),
        scheme_(scheme),
        weight_levels_(weight_levels),
        reaches_(graph.nodes().size(), kFarthest) {}

  std::vector<int32_t> Run() {
    for (ValueId id = graph_.size(); id-- > 0;) {
      const Node& node = graph_.node(id);
      for (size_t i = 0; i < node.inputs.size(); ++i) Limit(node.inputs[i], ReachOfOperand(id, i));
    }
    return std::move(reaches_);
  }

 private:
  void Limit(ValueId id, int64_t reach) {
    reaches_[id] = static_cast<int32_t>(std::clamp<int64_t>(reach, 1, reaches_[id]));
  }

  const Node& Operand(const Node& node, size_t i) const { return graph_.node(node.inputs[i]); }

  /// What the operation lets its operand reach. Of its result the reach is known.
  int64_t ReachOfOperand(ValueId id, size_t i) const {
    const Node& node = graph_.node(id);
    if (node.As<Conv2d>() || node.As<Dense>()) return i == 0 ? ReachOfFactor(node) : kFarthest;
    if (const auto* matmul = node.As<MatMul>()) return ReachOfFactor(node, *matmul, i);
    if (const auto* pool = node.As<AvgPool>()) return kMostSum / (pool->kernel[0] * pool->kernel[1]);
    if (node.As<GlobalAvgPool>()) {
      const Shape& shape = Operand(node, 0).type.shape;
      return kMostSum / (shape[2] * shape[3]);
    }
    return node.As<Relu>() || node.As<Concat>() || KeepsValues(node) ? reaches_[id] : kFarthest;
  }

  int64_t ReachOfFactor(const Node& node) const {
    const auto* constant = Operand(node, 1).As<Constant>();
    COSIM_CHECK(constant, "weights of '{}' must be constant", node.name);
    const auto scales = scheme_.ChooseWeight(*constant->data, {}, 1, weight_levels_, kMostBias);
    const Tensor quantized = quantize::QuantizeWeight(
        *constant->data, quantize::ChannelsAlong(constant->data->shape(), 0), scales, weight_levels_);
    const int64_t gain = LargestGain(quantized, NeverNegative(node.inputs[0]));
    return kMostProducts / std::max<int64_t>(1, gain);
  }

  int64_t ReachOfFactor(const Node& node, const MatMul& op, size_t i) const {
    const int64_t terms = Operand(node, 0).type.shape[1] / op.groups;
    const auto* softmax = Operand(node, 0).As<Softmax>();
    if (softmax && softmax->groups == op.groups) {
      return i == 0 ? kFarthest : kMostSum / (kFarthest + 1 + terms / 2);
    }
    const int64_t square = kMostSum / terms;
    return static_cast<int64_t>(std::sqrt(static_cast<double>(square)));
  }

  bool NeverNegative(ValueId id) const {
    const Node& node = graph_.node(id);
    if (node.As<Relu>() || node.As<Softmax>()) return true;
    if (!KeepsValues(node) && !node.As<Concat>() && !node.As<AvgPool>() && !node.As<GlobalAvgPool>()) {
      return false;
    }
    return std::all_of(node.inputs.begin(), node.inputs.end(),
                       [&](ValueId input) { return NeverNegative(input); });
  }

  const Graph& graph_;
  const Scheme& scheme_;
  int weight_levels_;
  std::vector<int32_t> reaches_;
};

}  // namespace

int64_t LargestGain(const Tensor& weight, bool never_negative) {
  const int64_t channels = weight.shape()[0], taps = weight.size() / channels;
  int64_t largest = 0;
  for (int64_t c = 0; c < channels; ++c) {
    int64_t up = 0, down = 0;
    for (int8_t w : weight.data<int8_t>().subspan(c * taps, taps)) (w < 0 ? down : up) += std::abs(w);
    largest = std::max(largest, never_negative ? std::max(up, down) : up + down);
  }
  return largest;
}

std::vector<int32_t> ChooseReaches(const Graph& graph, const Scheme& scheme, int weight_levels) {
  return ReachChooser(graph, scheme, weight_levels).Run();
}

}  // namespace cosim::graph
