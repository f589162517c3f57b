// SPDX-License-Identifier: Apache-2.0
// Builds a new graph from an old one, value by value; the part that all passes share.
#pragma once

#include <utility>
#include <vector>

#include "compiler/graph/graph.h"

namespace cosim::graph {

/// Walk the source in order, giving every value that is still needed a value of `result`, then Finish.
class Rewriter {
 public:
  explicit Rewriter(const Graph& source)
      : source_(source), result_(source.name()), map_(source.nodes().size(), -1) {}

  Graph& result() { return result_; }

  /// The value that stands for `id` of the source.
  ValueId Map(ValueId id) const { return map_.at(id); }

  /// Makes `value` of the result stand for `id` of the source.
  void Replace(ValueId id, ValueId value) { map_.at(id) = value; }

  /// Copies the node of `id`, its operands mapped.
  void Copy(ValueId id) {
    Node node = source_.node(id);
    for (ValueId& input : node.inputs) input = Map(input);
    Replace(id, result_.Append(std::move(node)));
  }

  /// Maps the outputs and hands over the result.
  Graph Finish() {
    std::vector<ValueId> outputs;
    for (ValueId output : source_.outputs()) outputs.push_back(Map(output));
    result_.SetOutputs(std::move(outputs));
    return std::move(result_);
  }

 private:
  const Graph& source_;
  Graph result_;
  std::vector<ValueId> map_;
};

}  // namespace cosim::graph
