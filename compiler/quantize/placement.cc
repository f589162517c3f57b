// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/placement.h"

namespace cosim::quantize {
namespace {

using graph::DType;
using import::onnx::File;
using import::onnx::NodeInfo;

template <typename T>
T AttributeOf(const NodeInfo& node, const char* name, T otherwise) {
  const auto at = node.attributes.find(name);
  const T* value = at == node.attributes.end() ? nullptr : std::get_if<T>(&at->second);
  return value ? *value : otherwise;
}

class Placer {
 public:
  Placer(const File& file, const Values& example) : file_(file), example_(example) {
    for (const NodeInfo& node : file.nodes)
      for (const std::string& name : node.inputs) users_[name].push_back(&node);
    for (const auto& output : file.outputs) outputs_.insert(output.name);
  }

  Placement Run() {
    for (size_t i = 0; i < file_.nodes.size(); ++i) {
      const NodeInfo& node = file_.nodes[i];
      const bool computes = !within_.count(node.outputs.empty() ? "" : node.outputs[0]) && Computes(node);
      result_.computes.push_back(computes);
      if (computes) {
        for (const std::string& name : node.inputs)
          if (IsActivation(name)) result_.scale_of.try_emplace(name, name);
        const std::string end = EndOf(node);
        result_.ends_in[i] = end;
        result_.scale_of[end] = end;
      } else if (Moves(node)) {
        result_.scale_of[node.outputs[0]] = result_.scale_of.at(node.inputs[0]);
      }
    }
    return std::move(result_);
  }

 private:
  bool IsConstant(const std::string& name) const { return file_.initializers.count(name) > 0; }
  bool IsActivation(const std::string& name) const {
    return !name.empty() && !IsConstant(name) && example_.at(name)->dtype() == DType::kFloat32;
  }
  bool IsActivation(const NodeInfo& node, size_t operand) const {
    return operand < node.inputs.size() && IsActivation(node.inputs[operand]);
  }
  bool IsQuantized(const NodeInfo& node, size_t operand) const {
    return operand < node.inputs.size() && result_.scale_of.count(node.inputs[operand]) > 0;
  }
  /// A constant of floats that is there; its number of elements.
  int64_t Constant(const NodeInfo& node, size_t operand) const {
    const bool is = operand < node.inputs.size() && IsConstant(node.inputs[operand]);
    const auto tensor = is ? file_.initializers.at(node.inputs[operand]) : nullptr;
    return tensor && tensor->dtype() == DType::kFloat32 ? tensor->size() : 0;
  }
  static bool Has(const NodeInfo& node, size_t operand) {
    return operand < node.inputs.size() && !node.inputs[operand].empty();
  }

  bool Computes(const NodeInfo& node) const {
    if (node.outputs.size() != 1 || !IsActivation(node, 0)) return false;
    if (node.op == "Conv" || node.op == "ConvTranspose")
      return Constant(node, 1) > 0 && (!Has(node, 2) || Constant(node, 2) > 0);
    if (node.op == "Gemm") {
      const int64_t weights = Constant(node, 1), bias = Constant(node, 2);
      if (weights == 0 || AttributeOf<int64_t>(node, "transA", 0) != 0 ||
          AttributeOf<float>(node, "alpha", 1) != 1)
        return false;
      const auto& shape = file_.initializers.at(node.inputs[1])->shape();
      const int64_t channels = shape[AttributeOf<int64_t>(node, "transB", 0) != 0 ? 0 : 1];
      return !Has(node, 2) || (bias == channels && AttributeOf<float>(node, "beta", 1) == 1);
    }
    if (node.op == "MatMul")
      return IsActivation(node, 1) ||
             (Constant(node, 1) > 0 && file_.initializers.at(node.inputs[1])->shape().size() >= 2);
    if (node.op == "Add" || node.op == "Mul") return IsActivation(node, 1);
    if (node.op == "Concat") {
      bool any = false;
      for (size_t i = 0; i < node.inputs.size(); ++i) {
        if (!IsActivation(node, i)) return false;
        any |= IsQuantized(node, i);
      }
      return any;
    }
    if (IsFunction(node)) return IsQuantized(node, 0);
    return (node.op == "AveragePool" || node.op == "GlobalAveragePool" || node.op == "ReduceMean" ||
            IsClamp(node)) &&
           IsQuantized(node, 0);
  }

  /// Of one activation, element by element: what the importer makes a table of bytes.
  static bool IsFunction(const NodeInfo& node) {
    static const std::set<std::string> functions = {"Celu",      "Elu",  "HardSigmoid", "HardSwish",
                                                    "LeakyRelu", "Selu", "Sigmoid",     "Softplus",
                                                    "Softsign",  "Tanh"};
    return functions.count(node.op) > 0;
  }

  /// Relu, or Clip between constants: what an integer product does for nothing.
  bool IsClamp(const NodeInfo& node) const {
    if (node.op == "Relu") return true;
    if (node.op != "Clip") return false;
    for (size_t i : {1, 2})
      if (Has(node, i) && !IsConstant(node.inputs[i])) return false;
    return true;
  }

  bool Moves(const NodeInfo& node) const {
    static const std::set<std::string> moving = {"DepthToSpace", "Dropout",   "Flatten",  "Identity",
                                                 "MaxPool",      "Reshape",   "Slice",    "SpaceToDepth",
                                                 "Squeeze",      "Transpose", "Unsqueeze"};
    return moving.count(node.op) && node.outputs.size() == 1 && IsQuantized(node, 0);
  }

  /// Clamps that alone read a result belong to it.
  std::string EndOf(const NodeInfo& node) {
    std::string end = node.outputs[0];
    for (;;) {
      const auto& users = users_[end];
      if (users.size() != 1 || outputs_.count(end) || !IsClamp(*users[0]) || users[0]->inputs[0] != end)
        return end;
      end = users[0]->outputs[0];
      within_.insert(end);
    }
  }

  const File& file_;
  const Values& example_;
  std::map<std::string, std::vector<const NodeInfo*>> users_;
  std::set<std::string> outputs_;
  std::set<std::string> within_;  // results of clamps that belong to what is before them
  Placement result_;
};

}  // namespace

Placement Place(const File& file, const Values& example) { return Placer(file, example).Run(); }

}  // namespace cosim::quantize
