// SPDX-License-Identifier: Apache-2.0
// Hard swish and hard sigmoid as exporters spell them out, as the operators they are: quantized at their
// ends, they round once.
#include <cmath>
#include <set>

#include "compiler/import/onnx/node_view.h"
#include "compiler/quantize/simplify.h"

namespace cosim::quantize {
namespace {

using import::onnx::File;
using import::onnx::NodeInfo;

constexpr int64_t kOpsetOfHardSwish = 14;

bool IsNear(double a, double b) { return std::abs(a - b) <= 1e-5 * std::abs(b); }

/// factor * clip(x / 6 + 1/2, 0, 1), times x if `swish`.
struct Gate {
  std::string x;
  double factor = 1;
  bool swish = false;
};

class Fuser {
 public:
  explicit Fuser(File& file) : file_(file) {}

  void Run() {
    for (NodeInfo& node : file_.nodes) {
      if (node.outputs.size() != 1) continue;
      const auto gate = GateOf(node);
      if (gate) gates_[node.outputs[0]] = *gate;
      if (!gate || !IsNear(gate->factor, 1) || node.op == "HardSigmoid") continue;
      node.op = gate->swish ? "HardSwish" : "HardSigmoid";
      node.inputs = {gate->x};
      node.attributes.clear();
      if (!gate->swish) node.attributes = {{"alpha", 1.0f / 6}, {"beta", 0.5f}};
      swishes_ |= gate->swish;
    }
    RemoveUnread();
    int64_t& opset = file_.opsets[""];
    if (!swishes_ || opset >= kOpsetOfHardSwish) return;
    opset = kOpsetOfHardSwish;
    for (NodeInfo& node : file_.nodes)
      if (node.op.find('.') == std::string::npos) node.opset = opset;
  }

 private:
  std::optional<double> Number(const NodeInfo& node, size_t operand) const {
    const auto at = file_.initializers.find(operand < node.inputs.size() ? node.inputs[operand] : "");
    if (at == file_.initializers.end() || at->second->size() != 1 ||
        at->second->dtype() != graph::DType::kFloat32 || at->second->shape().size() > 1)
      return std::nullopt;
    return at->second->data<float>()[0];
  }

  std::optional<Gate> GateOf(const NodeInfo& node) {
    if (node.op == "HardSigmoid") {
      import::onnx::NodeView view(node);
      const bool is = IsNear(view.Float("alpha", 0.2f), 1.0 / 6) && view.Float("beta", 0.5f) == 0.5f;
      return is ? std::optional(Gate{node.inputs[0]}) : std::nullopt;
    }
    if (node.op == "Add") {
      for (const size_t i : {0, 1})
        if (Number(node, i) == 3.0) raised_[node.outputs[0]] = node.inputs[1 - i];
      return std::nullopt;
    }
    if (node.op == "Clip") {
      const auto raised = raised_.find(node.inputs[0]);
      const bool is = raised != raised_.end() && Number(node, 1) == 0.0 && Number(node, 2) == 6.0;
      return is ? std::optional(Gate{raised->second, 6}) : std::nullopt;
    }
    return node.op == "Mul" || node.op == "Div" ? ScaledGate(node) : std::nullopt;
  }

  /// A gate by a number, or by its own x.
  std::optional<Gate> ScaledGate(const NodeInfo& node) const {
    for (const size_t i : {0, 1}) {
      if (i == 1 && node.op == "Div") break;
      const auto at = gates_.find(node.inputs[i]);
      if (at == gates_.end()) continue;
      Gate gate = at->second;
      const auto number = Number(node, 1 - i);
      if (number && *number > 0) {
        gate.factor = node.op == "Div" ? gate.factor / *number : gate.factor * *number;
        return gate;
      }
      if (node.op == "Mul" && !gate.swish && node.inputs[1 - i] == gate.x) {
        gate.swish = true;
        return gate;
      }
    }
    return std::nullopt;
  }

  /// Nodes that nothing reads any more.
  void RemoveUnread() {
    std::set<std::string> read;
    for (const auto& output : file_.outputs) read.insert(output.name);
    std::vector<NodeInfo> kept;
    for (auto node = file_.nodes.rbegin(); node != file_.nodes.rend(); ++node) {
      bool is_read = false;
      for (const std::string& name : node->outputs) is_read |= read.count(name) > 0;
      if (!is_read) continue;
      read.insert(node->inputs.begin(), node->inputs.end());
      kept.push_back(std::move(*node));
    }
    file_.nodes.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
    std::erase_if(file_.initializers, [&](const auto& entry) { return !read.count(entry.first); });
  }

  File& file_;
  std::map<std::string, Gate> gates_;
  std::map<std::string, std::string> raised_;  // x + 3, by x
  bool swishes_ = false;
};

}  // namespace

void FuseActivations(File& file) { Fuser(file).Run(); }

}  // namespace cosim::quantize
