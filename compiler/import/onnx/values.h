// SPDX-License-Identifier: Apache-2.0
// The values of a graph under construction by their names in the file. The accelerator computes int8, so a
// uint8 value of the file may stand in the graph as an int8 one, every value less by 128, and bytes over one
// spatial dimension as an image of height 1; they are converted where another form is wanted.
#pragma once

#include <map>
#include <set>
#include <string>

#include "compiler/graph/graph.h"
#include "compiler/import/onnx/reader.h"

namespace cosim::import::onnx {

class Values {
 public:
  /// `constants`: inputs that are known already. Both stay with the caller.
  Values(graph::Graph& graph, const File& file, const std::map<std::string, graph::TensorPtr>& constants)
      : graph_(graph), file_(file), constants_(constants) {}

  graph::Graph& graph() { return graph_; }

  /// Whether something defines that name.
  bool Has(const std::string& name) const;
  /// The names below are those that the reader has checked: something defines each of them.
  graph::TensorType TypeOf(const std::string& name) const;
  /// Null when it is not known before the graph runs.
  graph::TensorPtr Constant(const std::string& name) const;
  /// The value as the file has it.
  graph::ValueId Of(const std::string& name);
  /// The value of bytes as int8, of int16 as it is.
  graph::ValueId Int8(const std::string& name);

  /// The value of bytes, or int16, [N,C,W] as int8 or int16 [N,C,1,W].
  graph::ValueId Line(const std::string& name);

  void Define(const std::string& name, graph::ValueId value) { values_[name] = value; }
  /// An int8 value that is `dtype`, int8 or uint8, in the file, or an int16 one.
  void DefineInt8(const std::string& name, graph::ValueId value, graph::DType dtype);

  /// An int8 value [N,C,1,W] that is [N,C,W] and `dtype`, int8 or uint8, in the file.
  void DefineLine(const std::string& name, graph::ValueId value, graph::DType dtype);

  /// A name that no value of the graph has yet.
  std::string Unique(std::string name);

  /// Adds the first result of an operator that accepts these operands (COSIM_CHECK).
  graph::ValueId Host(const std::string& name, graph::HostOperatorPtr op, std::vector<graph::ValueId> inputs,
                      const std::string& reason);

 private:
  graph::Graph& graph_;
  const File& file_;
  const std::map<std::string, graph::TensorPtr>& constants_;
  std::map<std::string, graph::ValueId> values_, int8_;
  struct Bytes {
    graph::ValueId value;
    graph::DType dtype;  ///< in the file
  };
  void Unfold(const std::string& name);

  std::map<std::string, Bytes> lines_;
  std::set<std::string> names_;
  std::map<std::string, int64_t> copies_;  // of names that were there already
};

}  // namespace cosim::import::onnx
