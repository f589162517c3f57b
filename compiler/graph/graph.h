// SPDX-License-Identifier: Apache-2.0
// A network as a typed graph in static single assignment: each node computes one value. The operations and
// their exact semantics are in ops.h; a float network and its quantized integer form use the same node set.
//
// Invariants (held by Graph::Add, checked by Verify in verify.h):
//  - a value is defined once, before its first use: the order of the nodes is a topological order;
//  - names are unique and not empty;
//  - the type of a value is the one that InferType (infer.h) gives for its operation and operands.
// Passes do not edit a graph, they build a new one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/graph/ops.h"
#include "compiler/graph/tensor.h"

namespace cosim::graph {

/// Names a value, and the node that computes it: its position in Graph::nodes().
using ValueId = int32_t;

/// real = (q - zero_point) * scales[i]. One scale for the tensor, or one for each index of dimension `axis`
/// (0 for weights, 1 for accumulators). Scales are positive.
struct Quantization {
  std::vector<float> scales;
  int32_t zero_point = 0;
  int axis = 0;

  bool operator==(const Quantization&) const = default;
};

/// One operation and the value it computes.
struct Node {
  std::string name;
  Op op;
  std::vector<ValueId> inputs;
  TensorType type;
  std::optional<Quantization> quantization;  ///< Absent: real numbers, or integers without a meaning yet.

  /// The operation when it is an `OpType`, else null.
  template <typename OpType>
  const OpType* As() const {
    return std::get_if<OpType>(&op);
  }
};

class Graph {
 public:
  explicit Graph(std::string name) : name_(std::move(name)) {}

  ValueId AddInput(std::string name, TensorType type, std::optional<Quantization> quantization = {});
  ValueId AddConstant(std::string name, Tensor data, std::optional<Quantization> quantization = {});
  ValueId AddConstant(std::string name, TensorPtr data, std::optional<Quantization> quantization = {});

  /// Appends an operation and infers its type: `graph.Add("conv1", Conv2d{.stride = {2, 2}}, {x, w})`.
  /// Operands that do not fit are a bug of the caller (COSIM_CHECK); ask InferType first when they come from
  /// a user.
  ValueId Add(std::string name, Op op, std::vector<ValueId> inputs,
              std::optional<Quantization> quantization = {});

  /// Appends a node as it is, type included. For readers and tests; Verify says what is wrong with it.
  ValueId Append(Node node);

  /// Hands over the data of the Constant `id` and leaves the node without any, so that a rewriting need not
  /// hold old and new weights of all layers at a time.
  TensorPtr TakeConstant(ValueId id) { return std::move(std::get<Constant>(nodes_.at(id).op).data); }

  void SetOutputs(std::vector<ValueId> outputs) { outputs_ = std::move(outputs); }

  const std::string& name() const { return name_; }
  void SetName(std::string name) { name_ = std::move(name); }
  /// In a topological order: operands come before their users.
  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& node(ValueId id) const { return nodes_.at(id); }
  ValueId size() const { return static_cast<ValueId>(nodes_.size()); }
  /// Values of the Input nodes, in their order.
  const std::vector<ValueId>& inputs() const { return inputs_; }
  const std::vector<ValueId>& outputs() const { return outputs_; }

  /// The value of that name, if there is one.
  std::optional<ValueId> Find(std::string_view name) const;

  /// For each value, the nodes that read it, once for each operand, in topological order. Being an output of
  /// the graph is not a use.
  std::vector<std::vector<ValueId>> Users() const;

 private:
  std::string name_;
  std::vector<Node> nodes_;
  std::vector<ValueId> inputs_;
  std::vector<ValueId> outputs_;
};

/// Multiply-accumulates of a Conv2d, Dense or MatMul node: one for each weight and output position, padding
/// included; 0 for any other operation.
int64_t Macs(const Graph& graph, ValueId id);

}  // namespace cosim::graph
