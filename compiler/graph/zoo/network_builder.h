// SPDX-License-Identifier: Apache-2.0
// The layers that networks of the zoo are made of, with their weights. Knows no network.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/graph/zoo/random.h"

namespace cosim::graph::zoo {

/// A value on its way through a network, with the mean and variance that its elements are expected to have.
/// Batch normalization needs those: with statistics that do not fit, activations would die out or explode
/// with depth.
struct Flow {
  ValueId value = 0;
  double mean = 0;
  double variance = 1;
};

/// Appends layers to a graph. Parameters are drawn in the order of the calls.
class NetworkBuilder {
 public:
  /// Variance of a layer's results over that of its operand: what a relu takes is given back.
  static constexpr double kGain = 2;

  /// `width` scales what Channels returns.
  NetworkBuilder(std::string name, uint64_t seed, double width = 1)
      : graph_(std::move(name)), random_(seed), width_(width) {}

  /// So many channels, scaled: to the nearest multiple of 8, as MobileNet does it.
  int64_t Channels(int64_t channels) const;
  const Shape& ShapeOf(Flow x) const { return graph_.node(x.value).type.shape; }

  Flow Input(const std::string& name, Shape shape);
  /// Square kernel, no bias. Results have `gain` times the variance of x (about its mean).
  Flow Conv(const std::string& name, Flow x, int64_t channels, int64_t kernel, Conv2d op,
            double gain = kGain);
  Flow ConvBias(const std::string& name, Flow x, int64_t channels, int64_t kernel, Conv2d op,
                double gain = kGain);
  /// Square kernel, no bias.
  Flow ConvTranspose(const std::string& name, Flow x, int64_t channels, int64_t kernel, ConvTranspose2d op);
  /// A filter for each channel: `op` but for its groups.
  Flow Depthwise(const std::string& name, Flow x, int64_t kernel, Conv2d op);
  Flow BatchNorm(const std::string& name, Flow x);
  /// `cap` as in graph::Relu.
  Flow Relu(const std::string& name, Flow x, float cap = 0);
  Flow Add(const std::string& name, Flow a, Flow b);
  Flow MaxPool(const std::string& name, Flow x, graph::MaxPool op);
  Flow Concat(const std::string& name, const std::vector<Flow>& parts);
  /// (queries, keys), both [N,heads*D,H,W] -> scores [N,heads*pixels,H,W].
  Flow Scores(const std::string& name, Flow queries, Flow keys, int64_t heads);
  Flow Softmax(const std::string& name, Flow scores, int64_t heads);
  /// (shares, values [N,heads*D,H,W]) -> [N,heads*D,H,W].
  Flow Attend(const std::string& name, Flow shares, Flow values, int64_t heads);
  Flow LayerNorm(const std::string& name, Flow x);
  Flow Gelu(const std::string& name, Flow x);
  Flow GlobalAvgPool(const std::string& name, Flow x);
  Flow Flatten(const std::string& name, Flow x);
  /// Dense layer with bias.
  Flow Linear(const std::string& name, Flow x, int64_t features);

  /// Conv and BatchNorm under the names that frameworks use.
  Flow ConvNorm(const std::string& conv, const std::string& norm, Flow x, int64_t channels, int64_t kernel,
                Conv2d op);

  /// The graph with `output` as its result. The builder is empty afterwards.
  Graph Finish(Flow output);

 private:
  ValueId Weight(const std::string& name, Shape shape, double gain = kGain);
  ValueId Vector(const std::string& name, int64_t size, float lo, float hi);

  Graph graph_;
  Random random_;
  double width_;
};

}  // namespace cosim::graph::zoo
