// SPDX-License-Identifier: Apache-2.0
// From the structures of an ONNX file to a graph: every node becomes a HostOp, or, when its operands are all
// known, a constant.
#include <fmt/format.h>

#include <set>

#include "compiler/host/make.h"
#include "compiler/host/movement.h"
#include "compiler/import/diagnostic_codes.h"
#include "compiler/import/import.h"
#include "compiler/import/onnx/operators.h"
#include "compiler/import/onnx/reader.h"

namespace cosim::import {
namespace onnx {
namespace {

using graph::ValueId;

// Larger results of constant operands are left for the run.
constexpr int64_t kMostFolded = int64_t{1} << 24;

class Builder {
 public:
  Builder(const File& file, const Options& options, Diagnostics& diagnostics)
      : file_(file), options_(options), diagnostics_(diagnostics) {
    model_.graph = graph::Graph(file.name);
  }

  std::optional<Model> Run() {
    CheckOperators();
    for (const ValueInfo& input : file_.inputs) AddInput(input);
    if (diagnostics_.HasErrors()) return std::nullopt;
    for (const NodeInfo& node : file_.nodes)
      if (!AddNode(node)) return std::nullopt;
    AddOutputs();
    return std::move(model_);
  }

 private:
  void Unsupported(const std::string& what) { diagnostics_.Error(codes::kUnsupported, {file_.name}, what); }

  void CheckOperators() {
    for (const NodeInfo& node : file_.nodes) {
      if (!IsKnown(node.op)) {
        Unsupported(fmt::format("node '{}': operator {} (operator set {}) is not supported", node.name,
                                node.op, node.opset));
      } else if (!node.unsupported.empty()) {
        Unsupported(fmt::format("node '{}' ({}): {}", node.name, node.op, node.unsupported));
      }
    }
    for (const auto* list : {&file_.inputs, &file_.outputs})
      for (const ValueInfo& value : *list)
        if (!value.unsupported.empty())
          Unsupported(fmt::format("value '{}' {}", value.name, value.unsupported));
  }

  std::optional<graph::Shape> ShapeOf(const ValueInfo& input) {
    const auto given = options_.shapes.find(input.name);
    graph::Shape shape;
    int64_t elements = 1;
    for (size_t d = 0; d < input.dimensions.size(); ++d) {
      const int64_t* fixed = std::get_if<int64_t>(&input.dimensions[d]);
      const std::string name = fixed ? "" : std::get<std::string>(input.dimensions[d]);
      const auto by_name = options_.shapes.find(name);
      int64_t extent = fixed ? *fixed : -1;
      if (given != options_.shapes.end() && d < given->second.size()) {
        if (fixed && *fixed != given->second[d])
          return Unbound(input, fmt::format("dimension {} is {}", d, *fixed));
        extent = given->second[d];
      } else if (!fixed && by_name != options_.shapes.end() && by_name->second.size() == 1) {
        extent = by_name->second[0];
      }
      if (extent < 0 && !fixed) return Unbound(input, fmt::format("dimension {} ('{}') is open", d, name));
      shape.push_back(extent);
      if (extent < 0 || __builtin_mul_overflow(elements, extent, &elements) || elements > kMostElements) {
        diagnostics_.Error(
            codes::kTooLarge, {file_.name},
            fmt::format("input '{}' has an extent of {}, or too many elements", input.name, extent));
        return std::nullopt;
      }
    }
    if (given != options_.shapes.end() && given->second.size() != shape.size())
      return Unbound(input, fmt::format("it has {} dimensions", shape.size()));
    return shape;
  }

  std::nullopt_t Unbound(const ValueInfo& input, const std::string& what) {
    diagnostics_.Error(codes::kUnboundShape, {file_.name}, fmt::format("input '{}': {}", input.name, what))
        .hint = fmt::format("--shape {}=1x3x224x224 (an example) gives all of its dimensions", input.name);
    return std::nullopt;
  }

  void AddInput(const ValueInfo& input) {
    if (const auto at = options_.constants.find(input.name); at != options_.constants.end()) {
      constants_[input.name] = at->second;
      return;
    }
    if (!input.unsupported.empty()) return;
    const auto shape = ShapeOf(input);
    if (!shape) return;
    names_.insert(input.name);
    values_[input.name] = model_.graph.AddInput(input.name, {input.dtype, *shape});
    model_.input_quantization.emplace_back();
  }

  /// The value of a name that the reader has checked.
  ValueId ValueOf(const std::string& name) {
    if (const auto at = values_.find(name); at != values_.end()) return at->second;
    const auto bound = constants_.find(name);
    const auto& data = bound != constants_.end() ? bound->second : file_.initializers.at(name);
    return values_[name] = model_.graph.AddConstant(Unique(name), data);
  }

  std::string Unique(std::string name) {
    if (name.empty()) name = "value";
    while (!names_.insert(name).second) name += "'";
    return name;
  }

  bool AddNode(const NodeInfo& node) {
    const Made made = Make(node);
    const auto fail = [&](const char* code, const std::string& what) {
      diagnostics_.Error(code, {file_.name}, fmt::format("node '{}' ({}): {}", node.name, node.op, what));
      return false;
    };
    if (!made.op) return fail(codes::kUnsupported, made.error);
    std::vector<ValueId> inputs;
    std::vector<bool> present;
    for (const std::string& name : node.inputs) {
      present.push_back(!name.empty());
      if (!name.empty()) inputs.push_back(ValueOf(name));
    }
    for (const auto& tensor : made.append) {
      present.push_back(true);
      inputs.push_back(model_.graph.AddConstant(Unique(node.name + ".attribute"), tensor));
    }
    const auto op = host::WithoutAbsent(made.op, present);
    std::vector<graph::HostOperand> operands;
    std::vector<const graph::Tensor*> known;
    for (ValueId id : inputs) {
      const graph::Node& from = model_.graph.node(id);
      const auto* constant = from.As<graph::Constant>();
      operands.push_back({from.type, constant ? constant->data.get() : nullptr});
      if (constant) known.push_back(constant->data.get());
    }
    auto inferred = op->Infer(operands);
    if (const auto* error = std::get_if<std::string>(&inferred)) return fail(codes::kUnsupported, *error);
    const auto& types = std::get<0>(inferred);
    int64_t elements = 0;
    for (const auto& type : types) elements += graph::NumElements(type.shape);
    const bool fold = known.size() == inputs.size() && elements <= kMostFolded;
    auto results = fold ? graph::Evaluate(*op, known) : std::vector<graph::Tensor>();
    for (size_t k = 0; k < node.outputs.size(); ++k) {
      const std::string& name = node.outputs[k];
      if (name.empty()) continue;
      if (k >= types.size()) return fail(codes::kUnsupported, fmt::format("result {} ('{}')", k, name));
      values_[name] =
          fold ? model_.graph.AddConstant(Unique(name), std::move(results[k]))
               : model_.graph.Add(Unique(name),
                                  graph::HostOp{op, static_cast<int32_t>(k), types[k], Reason(types[k])},
                                  inputs);
    }
    return true;
  }

  static std::string Reason(const graph::TensorType& type) {
    return fmt::format("{}: the importer maps only TensorFlow Lite's integers to the accelerator",
                       graph::Name(type.dtype));
  }

  void AddOutputs() {
    std::vector<ValueId> outputs;
    for (const ValueInfo& output : file_.outputs) {
      ValueId id = ValueOf(output.name);
      const graph::Node& node = model_.graph.node(id);
      if (!node.As<graph::HostOp>())
        id = model_.graph.Add(Unique(output.name),
                              graph::HostOp{host::Identity(), 0, node.type, "nothing to compute"}, {id});
      outputs.push_back(id);
      model_.output_names.push_back(output.name);
      model_.output_quantization.emplace_back();
    }
    model_.graph.SetOutputs(std::move(outputs));
  }

  const File& file_;
  const Options& options_;
  Diagnostics& diagnostics_;
  Model model_;
  std::map<std::string, ValueId> values_;
  std::map<std::string, graph::TensorPtr> constants_;
  std::set<std::string> names_;
};

}  // namespace
}  // namespace onnx

std::optional<Model> ImportOnnx(std::span<const uint8_t> bytes, const std::string& name,
                                const std::string& folder, const Options& options, Diagnostics& diagnostics) {
  const auto file = onnx::Read(bytes, name, folder, diagnostics);
  if (!file) return std::nullopt;
  auto model = onnx::Builder(*file, options, diagnostics).Run();
  if (diagnostics.HasErrors()) return std::nullopt;
  return model;
}

}  // namespace cosim::import
