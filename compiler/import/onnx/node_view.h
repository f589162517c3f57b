// SPDX-License-Identifier: Apache-2.0
// A node as the operator factories read it: attributes with their defaults, complaints collected.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <map>

#include "compiler/host/spatial.h"
#include "compiler/import/onnx/operators.h"

namespace cosim::import::onnx {

class NodeView {
 public:
  explicit NodeView(const NodeInfo& node) : node_(node) {}

  int64_t opset() const { return node_.opset; }
  size_t outputs() const { return node_.outputs.size(); }
  bool Has(const char* name) const { return node_.attributes.count(name) > 0; }
  bool HasInput(size_t i) const { return i < node_.inputs.size() && !node_.inputs[i].empty(); }
  size_t inputs() const { return node_.inputs.size(); }

  int64_t Int(const char* name, int64_t otherwise) { return Get<int64_t>(name, otherwise); }
  float Float(const char* name, float otherwise) { return Get<float>(name, otherwise); }
  std::string Text(const char* name, std::string otherwise) {
    return Get<std::string>(name, std::move(otherwise));
  }
  std::vector<int64_t> Ints(const char* name) { return Get<std::vector<int64_t>>(name, {}); }
  std::vector<float> Floats(const char* name) { return Get<std::vector<float>>(name, {}); }
  std::vector<std::string> Texts(const char* name) { return Get<std::vector<std::string>>(name, {}); }
  graph::TensorPtr Value(const char* name) { return Get<graph::TensorPtr>(name, nullptr); }

  /// An operand behind those the node has.
  void Append(graph::Tensor tensor) {
    append_.push_back(std::make_shared<const graph::Tensor>(std::move(tensor)));
  }
  void AppendFloats(std::vector<float> list) {
    const auto n = static_cast<int64_t>(list.size());
    Append(graph::Tensor({n}, std::move(list)));
  }
  void AppendInts(std::vector<int64_t> list) {
    const auto n = static_cast<int64_t>(list.size());
    Append(graph::Tensor({n}, std::move(list)));
  }

  graph::HostOperatorPtr Fail(std::string what) {
    if (error_.empty()) error_ = std::move(what);
    return nullptr;
  }
  Made Finish(graph::HostOperatorPtr op) {
    return error_.empty() ? Made{std::move(op), std::move(append_), ""} : Made{nullptr, {}, error_};
  }

 private:
  template <typename T>
  T Get(const char* name, T otherwise) {
    const auto at = node_.attributes.find(name);
    if (at == node_.attributes.end()) return otherwise;
    if (const T* value = std::get_if<T>(&at->second)) return *value;
    // A list without elements is written without a type.
    Fail(fmt::format("attribute '{}' has the wrong type", name));
    return otherwise;
  }

  const NodeInfo& node_;
  std::vector<graph::TensorPtr> append_;
  std::string error_;
};

using Factory = std::function<graph::HostOperatorPtr(NodeView&)>;
using Factories = std::map<std::string, Factory>;

void AddElementwise(Factories& factories);
void AddStructural(Factories& factories);
void AddNumeric(Factories& factories);
void AddSequence(Factories& factories);
void AddVision(Factories& factories);
void AddSignal(Factories& factories);

/// What only expansions make (expand.h).
inline constexpr char kRoundToBfloat16[] = "cosim.RoundToBfloat16";

/// The attributes of a window.
host::Spatial SpatialOf(NodeView& node);

/// ONNX's number of an element type; kFloat32 and a complaint for one that has no form here.
graph::DType ElementType(NodeView& node, int64_t number);

}  // namespace cosim::import::onnx
