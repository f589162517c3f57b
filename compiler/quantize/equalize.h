// SPDX-License-Identifier: Apache-2.0
// Equalization across layers: channels of one activation that have ranges of their own share one scale, so
// that narrow ones get few steps. Where all that computes and reads an activation is linear in each channel,
// the channel may be divided by a factor there and multiplied by it behind, in the weights.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/quantize/interpreter.h"

namespace cosim::quantize {

/// Activations whose channels are scaled together: those that an Add, a Relu or an average ties.
struct ChannelGroup {
  std::vector<std::string> values;
  int64_t channels = 0;
};

class Equalization {
 public:
  /// `example`: the values of any run, for their shapes.
  Equalization(const import::onnx::File& file, const Values& example);

  const std::vector<ChannelGroup>& groups() const { return groups_; }
  /// Counts one run's values of those groups.
  void AddRun(const Values& values);
  /// Scales weights and biases. The values of the groups change, by a positive factor a channel; the
  /// network's results do not.
  void Apply(import::onnx::File& file) const;

 private:
  /// Where a value's channels are: element i of a sample belongs to channel i / inner.
  struct Place {
    size_t group = 0;
    int64_t channels = 0, inner = 0;
  };
  std::vector<ChannelGroup> groups_;
  std::map<std::string, Place> place_;
  std::map<std::string, std::vector<float>> most_;  // magnitude by channel, of each value
};

}  // namespace cosim::quantize
