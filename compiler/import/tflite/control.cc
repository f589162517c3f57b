// SPDX-License-Identifier: Apache-2.0
// Graphs that call graphs, and what a file keeps from run to run. A network is one static program: a branch
// whose condition is known is taken at import, of others both sides run; loops are unrolled; variables that a
// run changes become states (docs/rationale/import.md).
#include <fmt/format.h>

#include <algorithm>

#include "compiler/host/elementwise.h"
#include "compiler/host/movement.h"
#include "compiler/import/tflite/builder.h"

namespace cosim::import::tflite {

using graph::DType;
using graph::ValueId;

namespace {

constexpr int kMostDepth = 16;
constexpr int kMostIterations = 10'000;
/// Of all graphs, as often as they are called: operators, and bytes of their constants.
constexpr int64_t kMostOperators = 100'000, kMostBytes = int64_t{1} << 30;

bool IsTruth(const graph::TensorType& type) {
  return type.dtype == DType::kBool && graph::NumElements(type.shape) == 1;
}

bool SameType(const TensorInfo& a, const TensorInfo& b) {
  return a.resource == b.resource && a.shape == b.shape && SameQuantization(a, b);
}

}  // namespace

/// Variables that operators outside of CALL_ONCE assign.
void Builder::FindAssigned(const File& file, int depth) {
  if (depth > kMostDepth) return;
  std::map<int, std::string> handles;
  for (const OperatorInfo& op : file.operators) {
    if (const auto* handle = std::get_if<VariableOptions>(&op.options); handle && op.outputs.size() == 1)
      handles[op.outputs[0]] = handle->name;
    if (op.name == "ASSIGN_VARIABLE") {
      const auto at = op.inputs.empty() ? handles.end() : handles.find(op.inputs[0]);
      if (at == handles.end()) {
        scope_->assigns_any = true;
      } else {
        scope_->assigned.insert(at->second);
      }
    }
    const auto* graphs = std::get_if<GraphOptions>(&op.options);
    if (graphs && op.name != "CALL_ONCE")
      for (int graph : graphs->graphs)
        if (graph >= 1 && graph <= static_cast<int>(scope_->root->others.size()) &&
            visited_.insert(graph).second)
          FindAssigned(scope_->root->others[static_cast<size_t>(graph) - 1], depth + 1);
  }
}

/// Null after reporting.
const File* Builder::Callee(int graph) {
  const auto& others = scope_->root->others;
  if (graph < 1 || graph > static_cast<int>(others.size()))
    return Malformed(fmt::format("graph {} does not exist, or is the one that runs first", graph)), nullptr;
  if (depth_ >= kMostDepth)
    return Unsupported(fmt::format("graphs that call graphs more than {} deep", kMostDepth)), nullptr;
  const File& callee = others[static_cast<size_t>(graph) - 1];
  scope_->operators += static_cast<int64_t>(callee.operators.size()) + 1;
  for (const TensorInfo& info : callee.tensors)
    if (info.data) scope_->bytes += static_cast<int64_t>(info.data->bytes().size());
  if (scope_->operators <= kMostOperators && scope_->bytes <= kMostBytes) return &callee;
  Fail(codes::kTooLarge,
       fmt::format("unrolled, its graphs have more than {} operators or {} bytes of constants",
                   kMostOperators, kMostBytes));
  return nullptr;
}

std::vector<TensorInfo> Builder::InfosOf(const std::vector<int>& tensors, size_t first) const {
  std::vector<TensorInfo> infos;
  for (size_t i = first; i < tensors.size(); ++i) infos.push_back(Info(tensors[i]));
  return infos;
}

/// The operands from number `first` on.
std::optional<Builder::Arguments> Builder::ArgumentsFrom(size_t first) {
  Arguments arguments;
  for (size_t i = first; i < op_->inputs.size(); ++i) {
    const int tensor = op_->inputs[i];
    if (tensor < 0) return Malformed(fmt::format("operand {} is missing", i)), std::nullopt;
    if (!Info(tensor).resource) {
      arguments.push_back({Plain(tensor), ""});
      continue;
    }
    const auto variable = VariableOf(i);
    if (!variable) return std::nullopt;
    arguments.push_back({-1, *variable});
  }
  return arguments;
}

bool Builder::BindInputs(const Arguments& arguments, const std::vector<TensorInfo>& types) {
  if (arguments.size() != file_.inputs.size())
    return Malformed(
        fmt::format("a graph takes {} values and gets {}", file_.inputs.size(), arguments.size()));
  for (size_t i = 0; i < arguments.size(); ++i) {
    const int tensor = file_.inputs[i];
    if (!SameType(Info(tensor), types[i]))
      return Unsupported(
          fmt::format("value {} of a graph has another type, shape or scale than what it is "
                      "called with",
                      i));
    if (Info(tensor).resource) {
      handles_[tensor] = arguments[i].variable;
    } else {
      plain_[tensor] = arguments[i].value;
    }
  }
  return true;
}

std::optional<Builder::Arguments> Builder::Results(const std::vector<TensorInfo>& types) {
  if (types.size() != file_.outputs.size())
    return Malformed(fmt::format("a graph has {} results, not {}", file_.outputs.size(), types.size())),
           std::nullopt;
  Arguments results;
  for (size_t i = 0; i < types.size(); ++i) {
    const int tensor = file_.outputs[i];
    if (!SameType(Info(tensor), types[i]))
      return Unsupported(
                 fmt::format("result {} of a graph has another type, shape or scale than is expected", i)),
             std::nullopt;
    if (!Info(tensor).resource) {
      results.push_back({Plain(tensor), ""});
    } else if (const auto at = handles_.find(tensor); at != handles_.end()) {
      results.push_back({-1, at->second});
    } else {
      return Malformed("a graph returns a variable that has no handle"), std::nullopt;
    }
  }
  return results;
}

/// Appends the operators of a graph; its values have the types `from` and `to` outside. Nothing after
/// reporting.
std::optional<Builder::Arguments> Builder::Call(int graph, const Arguments& arguments,
                                                const std::vector<TensorInfo>& from,
                                                const std::vector<TensorInfo>& to, const std::string& part) {
  const File* callee = Callee(graph);
  if (!callee) return std::nullopt;
  Builder inner(*callee, *this, scope_, fmt::format("{}.{}.", name_, part));
  inner.name_ = name_;
  std::swap(inner.model_, model_);
  std::optional<Arguments> results;
  if (inner.BindInputs(arguments, from) && inner.RunOperators()) {
    inner.name_ = name_;
    results = inner.Results(to);
  }
  std::swap(inner.model_, model_);
  return results;
}

/// What a condition of constants is, found in a graph of its own; nothing after reporting.
std::optional<bool> Builder::Holds(int graph, const Arguments& arguments,
                                   const std::vector<TensorInfo>& types) {
  const File* callee = Callee(graph);
  if (!callee) return std::nullopt;
  auto scope = std::make_shared<Scope>();
  scope->root = scope_->root;
  scope->operators = scope_->operators;
  scope->bytes = scope_->bytes;
  scope->fold_budget = scope_->fold_budget;
  Builder inner(*callee, *this, scope, name_ + ".condition.");
  inner.name_ = name_;
  Arguments own;
  for (size_t i = 0; i < arguments.size(); ++i) {
    own.push_back(arguments[i]);
    if (arguments[i].value < 0) continue;
    const graph::Node& node = model_.graph.node(arguments[i].value);
    const auto* constant = node.As<graph::Constant>();
    const std::string name = fmt::format("argument{}", i);
    own.back().value = constant ? inner.model_.graph.AddConstant(name, constant->data, node.quantization)
                                : inner.model_.graph.AddInput(name, node.type, node.quantization);
  }
  if (!inner.BindInputs(own, types) || !inner.RunOperators()) return std::nullopt;
  scope_->operators = scope->operators;
  scope_->bytes = scope->bytes;
  scope_->fold_budget = scope->fold_budget;
  if (callee->outputs.size() != 1 || inner.Info(callee->outputs[0]).resource)
    return Malformed("its condition has not one result"), std::nullopt;
  const ValueId output = inner.Plain(callee->outputs[0]);
  if (output < 0) return std::nullopt;
  const graph::Node& result = inner.model_.graph.node(output);
  if (!IsTruth(result.type)) return Malformed("its condition is no bool"), std::nullopt;
  const auto* constant = result.As<graph::Constant>();
  if (!constant)
    return Unsupported("its condition depends on values that only a run knows: loops are unrolled at import"),
           std::nullopt;
  return constant->data->bytes()[0] != 0;
}

bool Builder::FinishWith(const Arguments& results) {
  for (size_t i = 0; i < results.size(); ++i) {
    const int tensor = op_->outputs[i];
    if (Info(tensor).resource) {
      handles_[tensor] = results[i].variable;
    } else {
      plain_[tensor] = results[i].value;
    }
  }
  return true;
}

bool Builder::If() {
  if (!Operands(1, op_->inputs.size())) return false;
  const auto* options = std::get_if<GraphOptions>(&op_->options);
  if (!options) return Malformed("has no options");
  const int condition = op_->inputs[0];
  if (!IsTruth({Info(condition).dtype, Info(condition).shape})) return Malformed("its condition is no bool");
  const auto arguments = ArgumentsFrom(1);
  if (!arguments) return false;
  const auto from = InfosOf(op_->inputs, 1), to = InfosOf(op_->outputs, 0);
  if (const graph::TensorPtr known = ConstantOf(condition)) {
    const bool holds = known->bytes()[0] != 0;
    const auto results = Call(options->graphs[holds ? 0 : 1], *arguments, from, to, holds ? "then" : "else");
    return results && FinishWith(*results);
  }
  ++scope_->branches;
  const auto yes = Call(options->graphs[0], *arguments, from, to, "then");
  const auto no = yes ? Call(options->graphs[1], *arguments, from, to, "else") : std::nullopt;
  --scope_->branches;
  if (!yes || !no) return false;
  const ValueId truth =
      Host(name_ + ".condition", host::ReshapeTo({}), {Plain(condition)}, "moves elements only");
  Arguments results = *yes;
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].variable != (*no)[i].variable)
      return Unsupported("a variable that is one or another while it runs");
    if (results[i].value == (*no)[i].value) continue;
    results[i].value =
        Host(fmt::format("{}.select{}", name_, i), host::Where(), {truth, results[i].value, (*no)[i].value},
             "its condition is known only when it runs: both branches do", QuantizationOf(op_->outputs[i]));
    if (results[i].value < 0) return false;
  }
  return FinishWith(results);
}

bool Builder::While() {
  const auto* options = std::get_if<GraphOptions>(&op_->options);
  if (!options) return Malformed("has no options");
  if (op_->inputs.size() != op_->outputs.size())
    return Malformed(fmt::format("takes {} values and gives {}", op_->inputs.size(), op_->outputs.size()));
  auto arguments = ArgumentsFrom(0);
  if (!arguments) return false;
  const auto types = InfosOf(op_->inputs, 0), to = InfosOf(op_->outputs, 0);
  for (size_t i = 0; i < types.size(); ++i)
    if (!SameType(types[i], to[i]))
      return Unsupported(fmt::format("value {} has another type, shape or scale behind the loop", i));
  for (int iteration = 0;; ++iteration) {
    const auto goes_on = Holds(options->graphs[0], *arguments, types);
    if (!goes_on) return false;
    if (!*goes_on) return FinishWith(*arguments);
    if (iteration == kMostIterations)
      return Unsupported(fmt::format("more than {} iterations", kMostIterations));
    arguments = Call(options->graphs[1], *arguments, types, types, fmt::format("body{}", iteration));
    if (!arguments) return false;
  }
}

bool Builder::CallOnce() {
  const auto* options = std::get_if<GraphOptions>(&op_->options);
  if (!options) return Malformed("has no options");
  if (!op_->inputs.empty() || !op_->outputs.empty()) return Malformed("has operands or results");
  if (depth_ > 0) return Unsupported("in a graph that another one calls");
  scope_->initializing = true;
  const auto results = Call(options->graphs[0], {}, {}, {}, "once");
  scope_->initializing = false;
  return results.has_value();
}

bool Builder::VarHandle() {
  const auto* options = std::get_if<VariableOptions>(&op_->options);
  if (!options) return Malformed("has no options");
  if (!Info(op_->outputs[0]).resource) return Malformed("its result is no handle");
  handles_[op_->outputs[0]] = options->name;
  return true;
}

/// The variable whose handle an operand is; nothing after reporting.
std::optional<std::string> Builder::VariableOf(size_t operand) {
  const auto at = handles_.find(op_->inputs[operand]);
  if (at != handles_.end()) return at->second;
  return Malformed(fmt::format("operand {} is no handle of a variable", operand)), std::nullopt;
}

bool Builder::ReadVariable() {
  if (!Operands(1, 1)) return false;
  const auto name = VariableOf(0);
  if (!name) return false;
  const auto at = scope_->variables.find(*name);
  // One that was not to be had has no initial value either.
  if (at == scope_->variables.end() || (at->second.value < 0 && !at->second.initial))
    return Unsupported(fmt::format("reads variable '{}', which nothing has initialized", *name));
  Scope::Variable& variable = at->second;
  if (variable.value < 0) {
    if (scope_->assigns_any || scope_->assigned.count(*name)) {
      variable.value = AddState(*name, variable.initial, QuantizationOf(op_->outputs[0]));
      variable.state = static_cast<int>(scope_->states.size()) - 1;
    } else {
      variable.value = model_.graph.AddConstant(name_, variable.initial);
    }
  }
  return Finish(variable.value, false);
}

bool Builder::AssignVariable() {
  if (!Operands(2, 2)) return false;
  if (!op_->outputs.empty()) return Malformed("has results");
  const auto name = VariableOf(0);
  if (!name) return false;
  if (Info(op_->inputs[1]).resource) return Unsupported("a variable that is a handle");
  const ValueId value = Plain(op_->inputs[1]);
  if (value < 0) return false;
  if (scope_->branches > 0)
    return Unsupported(
        fmt::format("assigns variable '{}' in a branch whose condition is known only when it runs", *name));
  const auto* constant = model_.graph.node(value).As<graph::Constant>();
  Scope::Variable& variable = scope_->variables[*name];
  if (scope_->initializing) {
    if (!constant) return Unsupported(fmt::format("initializes variable '{}' with no constant", *name));
    variable.initial = constant->data;
    return true;
  }
  if (variable.initial && model_.graph.node(value).type != variable.initial->type())
    return Unsupported(fmt::format("gives variable '{}' another type or shape", *name));
  variable.value = value;
  if (variable.state >= 0) scope_->states[static_cast<size_t>(variable.state)].value = value;
  return true;
}

ValueId Builder::AddState(const std::string& name, graph::TensorPtr initial,
                          std::optional<graph::Quantization> quantization) {
  std::string unique = "state." + name;
  while (model_.graph.Find(unique)) unique += "_";
  const ValueId id = model_.graph.AddInput(unique, initial->type(), quantization);
  model_.input_quantization.push_back(quantization);
  model_.states.push_back({model_.graph.inputs().size() - 1, 0, initial});
  scope_->states.push_back({id, std::move(initial), id, unique});
  return id;
}

/// Bytes begin at their zero point, all else at 0.
ValueId Builder::StateOf(int tensor) {
  const TensorInfo& info = Info(tensor);
  if (variable_tensors_.count(tensor)) return plain_.at(tensor);
  if (!info.variable || info.data || plain_.count(tensor))
    return Malformed("its state is no variable tensor"), -1;
  // It is filled here, and nothing in the file pays for its size.
  constexpr int64_t kMostState = int64_t{1} << 24;
  if (graph::NumElements(info.shape) > kMostState)
    return Fail(codes::kTooLarge, fmt::format("its state has more than {} elements", kMostState)), -1;
  graph::Tensor initial({info.dtype == DType::kUint8 ? DType::kInt8 : info.dtype, info.shape});
  if (IsQuantized(tensor))
    std::ranges::fill(initial.mutable_bytes(), static_cast<uint8_t>(static_cast<int8_t>(ZeroPoint(tensor))));
  const ValueId id =
      AddState(info.name, std::make_shared<const graph::Tensor>(std::move(initial)), QuantizationOf(tensor));
  variable_tensors_[tensor] = scope_->states.size() - 1;
  return plain_[tensor] = id;
}

void Builder::SetState(int tensor, ValueId value) {
  scope_->states[variable_tensors_.at(tensor)].value = value;
  plain_[tensor] = value;
}

void Builder::AddStateOutputs(std::vector<ValueId>& outputs) {
  for (size_t i = 0; i < scope_->states.size(); ++i) {
    const Scope::State& state = scope_->states[i];
    ValueId id = state.value;
    const graph::Node& node = model_.graph.node(id);
    const auto quantization = model_.graph.node(state.input).quantization;
    if (node.As<graph::Constant>() || node.As<graph::Input>() || std::ranges::count(outputs, id))
      id = HostNode(state.name + ".next", host::Identity(), {id}, "nothing to compute", quantization);
    model_.states[i].output = outputs.size();
    outputs.push_back(id);
    model_.output_names.push_back(state.name);
    model_.output_quantization.push_back(quantization);
  }
}

}  // namespace cosim::import::tflite
