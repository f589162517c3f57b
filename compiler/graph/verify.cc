// SPDX-License-Identifier: Apache-2.0
// The verifier: each rule is a few lines that add a message. Rules on operand and result types come from
// InferType.
#include "compiler/graph/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <unordered_set>

#include "compiler/graph/infer.h"
#include "compiler/graph/rules.h"

namespace cosim::graph {
namespace {

class Verifier {
 public:
  explicit Verifier(const Graph& graph) : graph_(graph) {}

  std::vector<std::string> Run() {
    for (ValueId id = 0; id < graph_.size(); ++id) {
      VerifyName(id);
      VerifyQuantization(graph_.node(id));
      if (!VerifyOperands(id)) continue;
      VerifyType(graph_.node(id));
      VerifyZeroPoints(graph_.node(id));
    }
    VerifyOutputs();
    return std::move(faults_);
  }

 private:
  template <typename... Args>
  void Fault(const Node& node, fmt::format_string<Args...> text, Args&&... args) {
    faults_.push_back(fmt::format("%{} = {}: {}", node.name, Mnemonic(node.op),
                                  fmt::format(text, std::forward<Args>(args)...)));
  }

  void VerifyName(ValueId id) {
    const Node& node = graph_.node(id);
    if (node.name.empty()) {
      faults_.push_back(fmt::format("value {} has no name", id));
    } else if (!names_.insert(node.name).second) {
      Fault(node, "another value has this name");
    }
  }

  bool VerifyOperands(ValueId id) {
    for (ValueId input : graph_.node(id).inputs) {
      if (input < 0 || input >= id) {
        Fault(graph_.node(id), "operand {} is not defined before its use", input);
        return false;
      }
    }
    return true;
  }

  void VerifyType(const Node& node) {
    // Only the host knows what to do with no elements at all.
    const bool may_be_empty = node.As<Input>() || node.As<Constant>() || node.As<HostOp>();
    if (std::any_of(node.type.shape.begin(), node.type.shape.end(),
                    [=](int64_t extent) { return extent < (may_be_empty ? 0 : 1); })) {
      Fault(node, "shape {} has an extent below {}", ToString(node.type.shape), may_be_empty ? 0 : 1);
      return;
    }
    if (node.As<Input>()) {
      if (!node.inputs.empty()) Fault(node, "takes 0 operands, not {}", node.inputs.size());
      return;
    }
    std::vector<TensorType> operands;
    for (ValueId input : node.inputs) operands.push_back(graph_.node(input).type);
    const auto inferred = InferType(node.op, operands);
    if (const auto* error = std::get_if<std::string>(&inferred)) {
      Fault(node, "{}", *error);
    } else if (std::get<TensorType>(inferred) != node.type) {
      Fault(node, "type is {}, but should be {}", ToString(node.type),
            ToString(std::get<TensorType>(inferred)));
    }
  }

  void VerifyQuantization(const Node& node) {
    if (!node.quantization) return;
    const Quantization& q = *node.quantization;
    const Shape& shape = node.type.shape;
    if (node.type.dtype == DType::kFloat32) Fault(node, "a float32 value has a quantization");
    if (!std::all_of(q.scales.begin(), q.scales.end(), [](float scale) { return scale > 0; })) {
      Fault(node, "a scale is not positive");
    }
    if (q.scales.size() != 1) {
      if (q.axis < 0 || q.axis >= static_cast<int>(shape.size())) {
        Fault(node, "quantization axis {} is not a dimension of {}", q.axis, ToString(shape));
      } else if (static_cast<int64_t>(q.scales.size()) != shape[q.axis]) {
        Fault(node, "{} scales for dimension {} of {}", q.scales.size(), q.axis, ToString(shape));
      }
    }
    if (IsQuantized(node.type.dtype)) {
      if (const auto fault = ZeroPointFault(node.type.dtype, {q.zero_point}); !fault.empty()) {
        Fault(node, "{}", fault);
      }
    }
  }

  /// A zero point that an operation works with and the one its value claims must be the same.
  void VerifyZeroPoint(const Node& node, std::string_view what, int32_t used, const Node& value) {
    if (value.quantization && value.quantization->zero_point != used) {
      Fault(node, "{} zero point is {}, but %{} has {}", what, used, value.name,
            value.quantization->zero_point);
    }
  }

  void VerifyZeroPoints(const Node& node) {
    auto operand = [&](size_t i) -> const Node& { return graph_.node(node.inputs[i]); };
    if (node.inputs.empty()) return;
    // Attributes say by their names whose zero points they are.
    const auto check = [&](std::string_view name, const auto& value) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, int32_t>) {
        if (name == "input_zero_point") VerifyZeroPoint(node, "input", value, operand(0));
        if (name == "a_zero_point") VerifyZeroPoint(node, "first operand's", value, operand(0));
        if (name == "b_zero_point" && node.inputs.size() == 2)
          VerifyZeroPoint(node, "second operand's", value, operand(1));
        if (name == "output_zero_point") VerifyZeroPoint(node, "output", value, node);
      }
    };
    std::visit([&](const auto& op) { op.Attributes(op, check); }, node.op);
    if (node.As<MatMul>() && node.inputs.size() == 2) {
      for (size_t i : {0, 1}) {
        if (IsQuantized(operand(i).type.dtype)) VerifyZeroPoint(node, "operand's", 0, operand(i));
      }
    } else if (node.As<Concat>()) {
      for (ValueId input : node.inputs) {
        if (graph_.node(input).quantization != node.quantization) {
          Fault(node, "%{} has another quantization", graph_.node(input).name);
        }
      }
    } else if (const auto* requantize = node.As<Requantize>()) {
      VerifyZeroPoint(node, "output", requantize->zero_point, node);
    } else if (const auto* quantize = node.As<Quantize>()) {
      VerifyZeroPoint(node, "output", quantize->zero_point, node);
    } else if (const auto* dequantize = node.As<Dequantize>()) {
      VerifyZeroPoint(node, "input", dequantize->zero_point, operand(0));
    }
  }

  void VerifyOutputs() {
    if (graph_.outputs().empty()) faults_.push_back("the graph has no output");
    for (ValueId output : graph_.outputs()) {
      if (output < 0 || output >= graph_.size()) {
        faults_.push_back(fmt::format("output {} is not a value", output));
      }
    }
  }

  const Graph& graph_;
  std::unordered_set<std::string> names_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> Verify(const Graph& graph) { return Verifier(graph).Run(); }

}  // namespace cosim::graph
