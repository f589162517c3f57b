// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compiler/host/make.h"
#include "compiler/host/movement.h"
#include "compiler/host/numeric.h"
#include "compiler/import/diagnostic_codes.h"
#include "compiler/import/onnx/core.h"
#include "compiler/import/onnx/operators.h"
#include "compiler/import/onnx/qdq.h"
#include "isa/text_escape.h"

namespace cosim::import {
namespace onnx {
namespace {

using graph::ValueId;

// Larger results of constant operands are left for the run, and so is what comes when these sum up to more.
constexpr int64_t kMostFolded = int64_t{1} << 24, kMostFoldedInAll = int64_t{1} << 26;

class Builder {
 public:
  Builder(File file, const Options& options, Diagnostics& diagnostics)
      : file_(std::move(file)), options_(options), diagnostics_(diagnostics) {
    model_.graph = graph::Graph(file_.name);
    quantized_ = std::ranges::any_of(file_.nodes, [](const NodeInfo& node) {
      return std::ranges::any_of(std::array{"QLinear", "QGemm", "uantizeLinear", "Integer"},
                                 [&](const char* part) { return node.op.find(part) != node.op.npos; });
    });
  }

  std::optional<Model> Run() {
    CheckOperators();
    for (const ValueInfo& input : file_.inputs) AddInput(input);
    if (diagnostics_.HasErrors()) return std::nullopt;
    if (!options_.host_only) FoldQdq(file_);
    for (const NodeInfo& node : file_.nodes)
      if (!AddNode(node)) return std::nullopt;
    AddOutputs();
    for (const auto& [name, shape] : options_.shapes)
      if (!HasShape(name)) model_.unused_shapes.push_back(name);
    return std::move(model_);
  }

 private:
  void Unsupported(const std::string& what) { diagnostics_.Error(codes::kUnsupported, {file_.name}, what); }

  void CheckOperators() {
    constexpr int64_t kNewestOpset = 17;
    if (file_.opset > kNewestOpset)
      Unsupported(fmt::format("operator set {}; this importer knows up to {}", file_.opset, kNewestOpset));
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

  /// Whether an input, or an open dimension of one, has that name.
  bool HasShape(const std::string& name) const {
    return std::ranges::any_of(file_.inputs, [&](const ValueInfo& input) {
      return input.name == name || std::ranges::any_of(input.dimensions, [&](const auto& dimension) {
               const auto* open = std::get_if<std::string>(&dimension);
               return open != nullptr && *open == name;
             });
    });
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
        .hint = fmt::format("--shape {} (an example) gives all of its dimensions",
                            isa::ShellWord(input.name + "=1x3x224x224"));
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
    values_.Define(input.name, model_.graph.AddInput(values_.Unique(input.name), {input.dtype, *shape}));
    model_.input_quantization.emplace_back();
  }

  bool AddNode(const NodeInfo& node) {
    const Made made = Make(node);
    const auto fail = [&](const char* code, const std::string& what) {
      diagnostics_.Error(code, {file_.name}, fmt::format("node '{}' ({}): {}", node.name, node.op, what));
      return false;
    };
    if (!made.op) return fail(codes::kUnsupported, made.error);
    std::vector<bool> present;
    std::vector<graph::HostOperand> operands;
    std::vector<graph::TensorPtr> known;  // one an operand that is there
    for (const std::string& name : node.inputs) {
      present.push_back(!name.empty());
      if (name.empty()) continue;
      known.push_back(values_.Constant(name));
      operands.push_back({values_.TypeOf(name), known.back().get()});
    }
    for (const auto& tensor : made.append) {
      present.push_back(true);
      known.push_back(tensor);
      operands.push_back({tensor->type(), tensor.get()});
    }
    const auto op = host::WithoutAbsent(made.op, present);
    auto inferred = op->Infer(operands);
    if (const auto* error = std::get_if<std::string>(&inferred)) return fail(codes::kUnsupported, *error);
    const auto& types = std::get<0>(inferred);
    for (size_t k = types.size(); k < node.outputs.size(); ++k)
      if (!node.outputs[k].empty())
        return fail(codes::kUnsupported, fmt::format("result {} ('{}')", k, node.outputs[k]));
    for (const auto& type : types)
      if (!host::IsReasonable(type.shape))
        return fail(codes::kTooLarge, fmt::format("its result would be {}", graph::ToString(type)));
    if (Fold(node, *op, known, types)) return true;
    const std::string reason =
        options_.host_only ? "everything is, as asked for" : MapToCore(node, types[0], quantized_, values_);
    if (reason.empty()) return true;
    AddToHost(node, made, op, types, reason);
    return true;
  }

  /// Computes a node whose operands are all known, if its results are of a size to be kept.
  bool Fold(const NodeInfo& node, const graph::HostOperator& op, const std::vector<graph::TensorPtr>& known,
            const std::vector<graph::TensorType>& types) {
    int64_t elements = 0;
    for (const auto& type : types) elements += graph::NumElements(type.shape);
    if (elements > std::min(kMostFolded, kMostFoldedInAll - folded_) ||
        std::ranges::count(known, nullptr) > 0)
      return false;
    folded_ += elements;
    std::vector<const graph::Tensor*> operands;
    for (const auto& tensor : known) operands.push_back(tensor.get());
    auto results = graph::Evaluate(op, operands);
    for (size_t k = 0; k < node.outputs.size(); ++k)
      if (const std::string& name = node.outputs[k]; !name.empty())
        values_.Define(name, model_.graph.AddConstant(values_.Unique(name), std::move(results[k])));
    return true;
  }

  void AddToHost(const NodeInfo& node, const Made& made, const graph::HostOperatorPtr& op,
                 const std::vector<graph::TensorType>& types, const std::string& reason) {
    std::vector<ValueId> inputs;
    for (const std::string& name : node.inputs)
      if (!name.empty()) inputs.push_back(values_.Of(name));
    for (const auto& tensor : made.append)
      inputs.push_back(model_.graph.AddConstant(values_.Unique(node.name + ".attribute"), tensor));
    for (size_t k = 0; k < node.outputs.size(); ++k)
      if (const std::string& name = node.outputs[k]; !name.empty())
        values_.Define(
            name, model_.graph.Add(values_.Unique(name),
                                   graph::HostOp{op, static_cast<int32_t>(k), types[k], reason}, inputs));
  }

  void AddOutputs() {
    std::vector<ValueId> outputs;
    for (const ValueInfo& output : file_.outputs) {
      ValueId id = values_.Of(output.name);
      const graph::Node& node = model_.graph.node(id);
      if (!node.As<graph::HostOp>())
        id = model_.graph.Add(values_.Unique(output.name),
                              graph::HostOp{host::Identity(), 0, node.type, "nothing to compute"}, {id});
      outputs.push_back(id);
      model_.output_names.push_back(output.name);
      model_.output_quantization.emplace_back();
    }
    model_.graph.SetOutputs(std::move(outputs));
  }

  File file_;
  const Options& options_;
  Diagnostics& diagnostics_;
  Model model_;
  bool quantized_ = false;  // the file has quantized operations
  int64_t folded_ = 0;      // elements, in all
  std::map<std::string, graph::TensorPtr> constants_;
  Values values_{model_.graph, file_, constants_};
};

}  // namespace

std::optional<Model> Build(File file, const Options& options, Diagnostics& diagnostics) {
  auto model = Builder(std::move(file), options, diagnostics).Run();
  if (diagnostics.HasErrors()) return std::nullopt;
  return model;
}

}  // namespace onnx

std::optional<Model> ImportOnnx(std::span<const uint8_t> bytes, const std::string& name,
                                const std::string& folder, const Options& options, Diagnostics& diagnostics) {
  auto file = onnx::Read(bytes, name, folder, diagnostics);
  if (!file) return std::nullopt;
  return onnx::Build(std::move(*file), options, diagnostics);
}

}  // namespace cosim::import
