// SPDX-License-Identifier: Apache-2.0
// w' = w * g and b' = (b - mean) * g + beta with g = gamma / sqrt(variance + epsilon), for each output
// channel.
#include "compiler/graph/passes/fold_batch_norm.h"

#include <algorithm>
#include <cmath>

#include "compiler/graph/mapped.h"
#include "compiler/graph/passes/rewriter.h"

namespace cosim::graph {
namespace {

/// A BatchNorm that can be folded and what it folds into.
struct Match {
  ValueId product;  ///< The Conv2d or Dense.
  ValueId weight;
  TensorPtr bias;  ///< Null when there is none.
};

class BatchNormFolder {
 public:
  explicit BatchNormFolder(Graph graph)
      : graph_(std::move(graph)), rewriter_(graph_), reads_(graph_.nodes().size(), 0) {
    for (const Node& node : graph_.nodes()) {
      for (ValueId input : node.inputs) ++reads_[input];
    }
    for (ValueId output : graph_.outputs()) ++reads_[output];
  }

  Graph Run() {
    std::vector<std::optional<Match>> matches;
    std::vector<bool> absorbed(graph_.nodes().size(), false);
    for (ValueId id = 0; id < graph_.size(); ++id) {
      matches.push_back(FindMatch(id));
      if (!matches.back()) continue;
      absorbed[graph_.node(id).inputs[0]] = true;
      absorbed[matches.back()->product] = true;
    }
    for (const auto& match : matches)
      if (match && reads_[match->weight] == 1) absorbed[match->weight] = true;
    for (ValueId id = 0; id < graph_.size(); ++id) {
      if (matches[id]) {
        Fold(id, *matches[id]);
      } else if (!absorbed[id]) {
        rewriter_.Copy(id);
      }
    }
    return rewriter_.Finish();
  }

 private:
  TensorPtr ConstantData(ValueId id) const {
    const auto* constant = graph_.node(id).As<Constant>();
    return constant ? constant->data : nullptr;
  }

  std::optional<Match> FindMatch(ValueId id) const {
    const Node& norm = graph_.node(id);
    if (!norm.As<BatchNorm>()) return std::nullopt;
    for (size_t i = 1; i < norm.inputs.size(); ++i) {
      if (!ConstantData(norm.inputs[i])) return std::nullopt;
    }
    Match match{norm.inputs[0], -1, nullptr};
    if (reads_[match.product] != 1) return std::nullopt;
    if (const Node& bias = graph_.node(match.product); bias.As<BiasAdd>()) {
      match.bias = ConstantData(bias.inputs[1]);
      match.product = bias.inputs[0];
      if (!match.bias || reads_[match.product] != 1) return std::nullopt;
    }
    const Node& product = graph_.node(match.product);
    if (!product.As<Conv2d>() && !product.As<Dense>()) return std::nullopt;
    match.weight = product.inputs[1];
    if (!ConstantData(match.weight)) return std::nullopt;
    return match;
  }

  void Fold(ValueId id, const Match& match) {
    const Node& norm = graph_.node(id);
    const auto gamma = ConstantData(norm.inputs[1])->data<float>();
    const auto beta = ConstantData(norm.inputs[2])->data<float>();
    const auto mean = ConstantData(norm.inputs[3])->data<float>();
    const auto variance = ConstantData(norm.inputs[4])->data<float>();
    const TensorPtr old =
        reads_[match.weight] == 1 ? graph_.TakeConstant(match.weight) : ConstantData(match.weight);
    const auto old_weight = old->data<float>();
    const int64_t channels = old->shape()[0];
    const int64_t taps = old->size() / channels;
    auto weight = ReserveMapped<float>(old->size());
    std::vector<float> bias(channels);
    for (int64_t c = 0; c < channels; ++c) {
      const double gain = gamma[c] / std::sqrt(double{variance[c]} + norm.As<BatchNorm>()->epsilon);
      weight.resize((c + 1) * taps);
      for (int64_t t = c * taps; t < (c + 1) * taps; ++t)
        weight[t] = static_cast<float>(old_weight[t] * gain);
      const double old_bias = match.bias ? match.bias->data<float>()[c] : 0.0;
      bias[c] = static_cast<float>((old_bias - mean[c]) * gain + beta[c]);
    }
    const Node& product = graph_.node(match.product);
    Graph& result = rewriter_.result();
    const ValueId new_weight =
        result.AddConstant(product.name + ".folded_weight", Tensor(old->shape(), std::move(weight)));
    const ValueId new_bias =
        result.AddConstant(norm.name + ".folded_bias", Tensor(Shape{channels}, std::move(bias)));
    const ValueId new_product =
        result.Add(product.name, product.op, {rewriter_.Map(product.inputs[0]), new_weight});
    rewriter_.Replace(id, result.Add(norm.name, BiasAdd{}, {new_product, new_bias}));
  }

  Graph graph_;
  Rewriter rewriter_;
  std::vector<int> reads_;
};

}  // namespace

Graph FoldBatchNorm(Graph graph) { return BatchNormFolder(std::move(graph)).Run(); }

}  // namespace cosim::graph
