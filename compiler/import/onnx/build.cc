// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compiler/host/make.h"
#include "compiler/host/movement.h"
#include "compiler/host/numeric.h"
#include "compiler/import/diagnostic_codes.h"
#include "compiler/import/onnx/builder.h"
#include "compiler/import/onnx/core.h"
#include "compiler/import/onnx/expand.h"
#include "compiler/import/onnx/qdq.h"

namespace cosim::import {
namespace onnx {

using graph::ValueId;

namespace {

// Larger results of constant operands are left for the run, and so is what comes when these sum up to more.
constexpr int64_t kMostFolded = int64_t{1} << 24, kMostFoldedInAll = int64_t{1} << 26;
constexpr int64_t kNewestOpset = 22;
constexpr size_t kMostMessages = 100;

}  // namespace

Builder::Builder(File& file, const Options& options, Diagnostics& diagnostics)
    : file_(file),
      options_(options),
      diagnostics_(diagnostics),
      broken_(file.unreadable),
      bfloat16_(file.bfloat16) {
  model_.graph = graph::Graph(file_.name);
  quantized_ = std::ranges::any_of(file_.nodes, [](const NodeInfo& node) {
    return std::ranges::any_of(std::array{"QLinear", "QGemm", "uantizeLinear", "Integer"},
                               [&](const char* part) { return node.op.find(part) != node.op.npos; });
  });
}

std::optional<Model> Builder::Run() {
  if (file_.opset > kNewestOpset)
    Unsupported(fmt::format("operator set {}; this importer knows up to {}", file_.opset, kNewestOpset));
  for (const ValueInfo& output : file_.outputs)
    if (!output.unsupported.empty())
      Unsupported(fmt::format("value '{}' {}", output.name, output.unsupported));
  BindBatches();
  for (const ValueInfo& input : file_.inputs) AddInput(input);
  if (!options_.host_only && file_.unreadable.empty()) FoldQdq(file_);
  for (const auto& [name, tensor] : file_.initializers) names_.insert(name);
  for (const NodeInfo& node : file_.nodes) names_.insert(node.outputs.begin(), node.outputs.end());
  for (const NodeInfo& node : file_.nodes) {
    Add(node);
    if (diagnostics_.list().size() > kMostMessages) break;
  }
  ReportUnknown();
  if (diagnostics_.HasErrors()) return std::nullopt;
  AddOutputs();
  for (const auto& [name, shape] : options_.shapes)
    if (!HasShape(name)) model_.unused_shapes.push_back(name);
  return std::move(model_);
}

void Builder::Unsupported(const std::string& what) {
  diagnostics_.Error(codes::kUnsupported, {file_.name}, what);
}

bool Builder::Fail(const NodeInfo& node, const std::string& what) {
  Unsupported(fmt::format("node '{}' ({}): {}", node.name, node.op, what));
  return false;
}

/// One message an operator that nothing here computes.
void Builder::ReportUnknown() {
  for (const auto& [op, unknown] : unknown_) {
    const size_t dot = op.rfind('.');
    std::string text = fmt::format(
        "operator {} (operator set {}) is not supported: {}'{}'", op, unknown.opset,
        unknown.count == 1 ? "node " : fmt::format("{} nodes, the first is ", unknown.count), unknown.first);
    if (const char* why = WhyNot(op)) text += fmt::format("; {}", why);
    if (dot != std::string::npos && !IsKnownDomain(op.substr(0, dot)))
      text += fmt::format("; nothing of domain '{}' is known", op.substr(0, dot));
    Unsupported(text);
  }
}

void Builder::Break(const NodeInfo& node) {
  for (const std::string& name : node.outputs)
    if (!name.empty()) broken_.insert(name);
}

void Builder::Alias(const std::string& name, const std::string& existing) {
  if (!name.empty()) aliases_[name] = Resolved(existing);
}

const std::string& Builder::Resolved(const std::string& name) const {
  const auto at = aliases_.find(name);
  return at == aliases_.end() ? name : at->second;
}

std::string Builder::Lookup(const Scope* scope, const std::string& name) const {
  for (; scope != nullptr && !name.empty(); scope = scope->outer.get())
    if (const auto at = scope->names.find(name); at != scope->names.end()) return Resolved(at->second);
  return Resolved(name);
}

graph::TensorPtr Builder::Constant(const std::string& name) const {
  return name.empty() || IsBroken(name) || BundleOf(name) ? nullptr : values_.Constant(name);
}

const Bundle* Builder::BundleOf(const std::string& name) const {
  const auto at = bundles_.find(name);
  return at == bundles_.end() ? nullptr : &at->second;
}

std::string Builder::Fresh(const std::string& name) {
  if (names_.insert(name).second) return name;
  for (int64_t& copy = copies_[name];;)  // a loop wants thousands of the same
    if (std::string other = fmt::format("{}#{}", name, ++copy); names_.insert(other).second) return other;
}

std::string Builder::AddConstant(const std::string& hint, graph::TensorPtr tensor) {
  std::string name = Fresh(hint);
  constants_[name] = std::move(tensor);
  return name;
}

std::string Builder::AddConstant(const std::string& hint, graph::Tensor tensor) {
  return AddConstant(hint, std::make_shared<const graph::Tensor>(std::move(tensor)));
}

std::string Builder::AddIntegers(const std::string& hint, std::vector<int64_t> list) {
  const auto n = static_cast<int64_t>(list.size());
  return AddConstant(hint, graph::Tensor({n}, std::move(list)));
}

void Builder::Define(const std::string& name, graph::Tensor tensor) {
  constants_[name] = std::make_shared<const graph::Tensor>(std::move(tensor));
}

bool Builder::Spend(const NodeInfo& node, int64_t steps) {
  constexpr int64_t kMostSteps = 100'000;
  if (spent_ <= kMostSteps && steps <= kMostSteps) spent_ += steps;
  if (spent_ <= kMostSteps && steps <= kMostSteps) return true;
  return Fail(node, fmt::format("its file unrolls to more than {} nodes", kMostSteps));
}

std::string Builder::Emit(const NodeInfo& at, const std::string& op, std::vector<std::string> inputs,
                          std::map<std::string, Attribute> attributes, const std::string& output) {
  constexpr int64_t kEmittedOpset = 13;
  const std::string name = output.empty() ? Fresh(at.name + "." + op) : output;
  Add({.op = op,
       .name = at.name,
       .opset = kEmittedOpset,
       .inputs = std::move(inputs),
       .outputs = {name},
       .attributes = std::move(attributes)});
  return Resolved(name);
}

std::optional<std::vector<std::string>> Builder::Inline(const NodeInfo& at, const Subgraph& graph,
                                                        const std::vector<std::string>& arguments,
                                                        bool is_function) {
  constexpr int kDeepest = 64;
  if (depth_ >= kDeepest) return Fail(at, "graphs within graphs, too deep"), std::nullopt;
  const auto scope = std::make_shared<Scope>();
  if (is_function) {
    scope->attributes = std::make_shared<const std::map<std::string, Attribute>>(at.attributes);
  } else if (at.scope) {
    scope->outer = at.scope;
    scope->attributes = at.scope->attributes;
  }
  for (const auto& [name, tensor] : graph.initializers)
    scope->names[name] = AddConstant(at.name + "/" + name, tensor);
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    if (i < arguments.size() || is_function)
      scope->names[graph.inputs[i]] = i < arguments.size() ? arguments[i] : "";
  ++depth_;
  bool fits = true;
  for (const NodeInfo& inner : graph.nodes) {
    fits = Spend(at, 1) && diagnostics_.list().size() <= kMostMessages;
    if (!fits) break;
    NodeInfo node = inner;
    node.scope = scope;
    node.name = at.name + "/" + inner.name;
    for (std::string& name : node.inputs) name = Lookup(scope.get(), name);
    for (std::string& name : node.outputs)
      if (!name.empty()) name = scope->names[name] = Fresh(at.name + "/" + name);
    for (const auto& [name, reference] : inner.references) {
      if (!scope->attributes) continue;
      const auto given = scope->attributes->find(reference);
      if (given != scope->attributes->end()) node.attributes[name] = given->second;
    }
    Add(std::move(node));
  }
  --depth_;
  if (!fits) return std::nullopt;
  std::vector<std::string> results;
  for (const std::string& name : graph.outputs) {
    results.push_back(Lookup(scope.get(), name));
    if (results.back().empty()) return Fail(at, "a result that is not there"), std::nullopt;
  }
  return results;
}

void Builder::Add(NodeInfo node) {
  for (std::string& name : node.inputs) name = Resolved(name);
  const auto function = file_.functions.find(node.op);
  const bool is_function = function != file_.functions.end();
  const Expansion expansion = is_function ? nullptr : ExpansionOf(*this, node);
  if (!is_function && !expansion && !IsKnown(node.op)) {
    Unknown& unknown = unknown_[node.op];
    if (unknown.count++ == 0) unknown = {node.opset, 1, node.name};
    return Break(node);
  }
  if (std::ranges::any_of(node.inputs, [&](const auto& name) { return IsBroken(name); })) return Break(node);
  if (!node.unsupported.empty()) return Fail(node, node.unsupported), Break(node);
  const size_t faults = diagnostics_.list().size();
  if (is_function) {
    const auto results = Inline(node, *function->second, node.inputs, true);
    for (size_t i = 0; results && i < node.outputs.size(); ++i) {
      if (i >= results->size()) Fail(node, "the function has fewer results");
      if (i < results->size()) Alias(node.outputs[i], (*results)[i]);
    }
  } else if (expansion) {
    expansion(*this, node);
  } else {
    AddOperator(node);
  }
  for (const std::string& name : node.outputs) {
    if (name.empty()) continue;
    const std::string& value = Resolved(name);
    const bool is_there = BundleOf(value) || values_.Has(value);
    if (!is_there && !IsBroken(value) && diagnostics_.list().size() == faults)
      Fail(node, fmt::format("result '{}'", name));
    // What has been defined of a faulty node is no less broken: its parts may be missing.
    if (is_there && !IsBroken(value) && diagnostics_.list().size() == faults) continue;
    aliases_.erase(name);
    broken_.insert(name);
  }
}

void Builder::AddOperator(const NodeInfo& node) {
  for (const std::string& name : node.inputs)
    if (BundleOf(name)) return Fail(node, fmt::format("operand '{}' is no tensor", name)), Break(node);
  const Made made = Make(node);
  if (!made.op) return Fail(node, made.error), Break(node);
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
  if (const auto* error = std::get_if<std::string>(&inferred)) return Fail(node, *error), Break(node);
  const auto& types = std::get<0>(inferred);
  for (size_t k = types.size(); k < node.outputs.size(); ++k)
    if (!node.outputs[k].empty())
      return Fail(node, fmt::format("result {} ('{}')", k, node.outputs[k])), Break(node);
  for (const auto& type : types)
    if (!host::IsReasonable(type.shape)) {
      diagnostics_.Error(
          codes::kTooLarge, {file_.name},
          fmt::format("node '{}' ({}): its result would be {}", node.name, node.op, graph::ToString(type)));
      return Break(node);
    }
  if (Fold(node, *op, known, types)) return;
  const std::string reason =
      options_.host_only ? "everything is, as asked for" : MapToCore(node, types[0], quantized_, values_);
  if (!reason.empty()) AddToHost(node, made, op, types, reason);
}

/// Computes a node whose operands are all known, if its results are of a size to be kept.
bool Builder::Fold(const NodeInfo& node, const graph::HostOperator& op,
                   const std::vector<graph::TensorPtr>& known, const std::vector<graph::TensorType>& types) {
  int64_t elements = 0;
  for (const auto& type : types) elements += graph::NumElements(type.shape);
  if (elements > std::min(kMostFolded, kMostFoldedInAll - folded_) || std::ranges::count(known, nullptr) > 0)
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

void Builder::AddToHost(const NodeInfo& node, const Made& made, const graph::HostOperatorPtr& op,
                        const std::vector<graph::TensorType>& types, const std::string& reason) {
  std::vector<ValueId> inputs;
  for (const std::string& name : node.inputs)
    if (!name.empty()) inputs.push_back(values_.Of(name));
  for (const auto& tensor : made.append)
    inputs.push_back(model_.graph.AddConstant(values_.Unique(node.name + ".attribute"), tensor));
  for (size_t k = 0; k < node.outputs.size(); ++k)
    if (const std::string& name = node.outputs[k]; !name.empty())
      values_.Define(name,
                     model_.graph.Add(values_.Unique(name),
                                      graph::HostOp{op, static_cast<int32_t>(k), types[k], reason}, inputs));
}

/// A sequence is an output for each of its tensors.
void Builder::AddOutput(const std::string& label, const std::string& name) {
  if (const Bundle* bundle = BundleOf(name)) {
    for (size_t i = 0; i < bundle->items.size(); ++i)
      AddOutput(bundle->is_optional ? label : fmt::format("{}[{}]", label, i), bundle->items[i]);
    return;
  }
  ValueId id = values_.Of(name);
  const graph::Node& node = model_.graph.node(id);
  if (!node.As<graph::HostOp>() || std::ranges::count(outputs_, id) > 0)
    id = model_.graph.Add(values_.Unique(label),
                          graph::HostOp{host::Identity(), 0, node.type, "nothing to compute"}, {id});
  outputs_.push_back(id);
  model_.output_names.push_back(label);
  model_.output_quantization.emplace_back();
}

void Builder::AddOutputs() {
  for (const ValueInfo& output : file_.outputs) AddOutput(output.name, Resolved(output.name));
  if (outputs_.empty()) Unsupported("every output is an empty sequence or optional: there is nothing to run");
  model_.graph.SetOutputs(outputs_);
}

std::optional<Model> Build(File file, const Options& options, Diagnostics& diagnostics) {
  auto model = Builder(file, options, diagnostics).Run();
  if (diagnostics.HasErrors()) return std::nullopt;
  return model;
}

}  // namespace onnx

std::optional<Model> ImportOnnx(std::span<const uint8_t> bytes, const std::string& name,
                                const std::string& folder, const Options& options, Diagnostics& diagnostics) {
  auto file = onnx::Read(bytes, name, folder, diagnostics, onnx::Structure::kKept);
  if (!file) return std::nullopt;
  return onnx::Build(std::move(*file), options, diagnostics);
}

}  // namespace cosim::import
