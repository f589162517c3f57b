// SPDX-License-Identifier: Apache-2.0
// A graph under construction from the nodes of a file, one after the other. Expansions (expand.h) write a
// node as others through it: they ask what is known of values, and add nodes, constants and names.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/import/import.h"
#include "compiler/import/onnx/operators.h"
#include "compiler/import/onnx/values.h"

namespace cosim::import::onnx {

/// A sequence, or an optional: that has one item or none. Items are names of tensors or of bundles.
struct Bundle {
  bool is_optional = false;
  std::vector<std::string> items;
};

class Builder {
 public:
  /// All three stay with the caller.
  Builder(File& file, const Options& options, Diagnostics& diagnostics);

  std::optional<Model> Run();

  // What expansions use. Names are those of values that stand in the graph, or of bundles.

  /// Adds a node whose operands and results have such names. What is wrong with it is reported, and its
  /// results, and what needs them, are left out.
  void Add(NodeInfo node);
  /// Adds a node and gives its result's name: `output`, or a new one.
  std::string Emit(const NodeInfo& at, const std::string& op, std::vector<std::string> inputs,
                   std::map<std::string, Attribute> attributes = {}, const std::string& output = "");
  /// The nodes of a graph within `at`, or of the function that it calls; the names of its results.
  std::optional<std::vector<std::string>> Inline(const NodeInfo& at, const Subgraph& graph,
                                                 const std::vector<std::string>& arguments,
                                                 bool is_function = false);
  /// False: says why `node` cannot be had.
  bool Fail(const NodeInfo& node, const std::string& what);
  /// Counts what a small file may make large; false, and said, when it is too much.
  bool Spend(const NodeInfo& node, int64_t steps);

  graph::TensorType TypeOf(const std::string& name) const { return values_.TypeOf(name); }
  /// Null when it is not known before the graph runs, or no tensor.
  graph::TensorPtr Constant(const std::string& name) const;
  /// Null for a tensor.
  const Bundle* BundleOf(const std::string& name) const;
  bool IsBroken(const std::string& name) const { return broken_.count(name) > 0; }
  /// Whether the file's elements are bfloat16.
  bool IsBfloat16(const std::string& name) const { return bfloat16_.count(name) > 0; }
  bool IsHalfByte(const std::string& name) const { return file_.half_bytes.count(name) > 0; }
  void SetBfloat16(const std::string& name) { bfloat16_.insert(name); }

  /// That name, or one like it that nothing has yet.
  std::string Fresh(const std::string& name);
  std::string AddConstant(const std::string& hint, graph::TensorPtr tensor);
  std::string AddConstant(const std::string& hint, graph::Tensor tensor);
  std::string AddIntegers(const std::string& hint, std::vector<int64_t> list);
  /// Another name of an existing value; the empty one is none.
  void Alias(const std::string& name, const std::string& existing);
  void Define(const std::string& name, Bundle bundle) { bundles_[name] = std::move(bundle); }
  /// A constant under that name.
  void Define(const std::string& name, graph::Tensor tensor);

 private:
  void Unsupported(const std::string& what);
  void ReportUnknown();
  bool HasShape(const std::string& name) const;
  void BindBatches();
  std::optional<graph::Shape> ShapeOf(const ValueInfo& input);
  void AddInput(const ValueInfo& input);
  void AddElements(const ValueInfo& input);
  void AddOperator(const NodeInfo& node);
  bool Fold(const NodeInfo& node, const graph::HostOperator& op, const std::vector<graph::TensorPtr>& known,
            const std::vector<graph::TensorType>& types);
  void AddToHost(const NodeInfo& node, const Made& made, const graph::HostOperatorPtr& op,
                 const std::vector<graph::TensorType>& types, const std::string& reason);
  void AddOutput(const std::string& label, const std::string& name);
  void AddOutputs();
  void Break(const NodeInfo& node);
  const std::string& Resolved(const std::string& name) const;
  std::string Lookup(const Scope* scope, const std::string& name) const;

  struct Unknown {
    int64_t opset = 0;
    int count = 0;
    std::string first;  ///< node
  };

  File& file_;
  const Options& options_;
  Diagnostics& diagnostics_;
  Model model_;
  bool quantized_ = false;  // the file has quantized operations
  int64_t folded_ = 0;      // elements, in all
  int64_t spent_ = 0;
  int depth_ = 0;  // of graphs within graphs
  std::map<std::string, graph::TensorPtr> constants_;
  std::map<std::string, std::string> aliases_;
  std::map<std::string, Bundle> bundles_;
  std::map<std::string, Unknown> unknown_;  // operators
  std::set<std::string> names_, broken_, bfloat16_;
  std::map<std::string, int64_t> copies_;  // of names that were there already
  std::set<std::string> batches_;          // names of dimensions that are bound to 1
  std::vector<graph::ValueId> outputs_;
  Values values_{model_.graph, file_, constants_};
};

}  // namespace cosim::import::onnx
