// SPDX-License-Identifier: Apache-2.0
// If, Loop and Scan. A condition that is known takes a branch; of one that is not, both branches run, which
// is sound since nodes have no effects, and their results are selected. Loops are unrolled.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/host/numeric.h"
#include "compiler/import/onnx/expand.h"
#include "compiler/import/onnx/node_view.h"

namespace cosim::import::onnx {
namespace {

const Subgraph* GraphOf(Builder& builder, const NodeInfo& node, const char* name) {
  const auto at = node.graphs.find(name);
  if (at != node.graphs.end()) return at->second.get();
  builder.Fail(node, fmt::format("there is no graph '{}'", name));
  return nullptr;
}

bool IsTrue(const graph::Tensor& tensor) {
  const auto values = host::Reals(tensor);
  return !values.empty() && values[0] != 0;
}

/// `node` with both branches' results in place of its operands' ones.
bool Select(Builder& builder, const NodeInfo& node, const std::vector<std::string>& taken,
            const std::vector<std::string>& otherwise) {
  std::string condition = node.inputs[0];
  const graph::TensorType type = builder.TypeOf(condition);
  if (type.dtype != graph::DType::kBool || graph::NumElements(type.shape) != 1)
    return builder.Fail(node, fmt::format("condition {}", graph::ToString(type)));
  if (!type.shape.empty())
    condition = builder.Emit(node, "Reshape", {condition, builder.AddIntegers(node.name + ".scalar", {})});
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    for (const auto* branch : {&taken, &otherwise}) {
      if (builder.IsBroken((*branch)[i])) return builder.Alias(node.outputs[i], (*branch)[i]), true;
      if (builder.BundleOf((*branch)[i]))
        return builder.Fail(node, "its results are no tensors, and its condition is no constant");
    }
    const auto a = builder.TypeOf(taken[i]), b = builder.TypeOf(otherwise[i]);
    if (a != b)
      return builder.Fail(node, fmt::format("its branches give {} and {}, and its condition is no constant",
                                            graph::ToString(a), graph::ToString(b)));
    if (!node.outputs[i].empty())
      builder.Emit(node, "Where", {condition, taken[i], otherwise[i]}, {}, node.outputs[i]);
  }
  return true;
}

bool ExpandIf(Builder& builder, const NodeInfo& node) {
  const Subgraph *then = GraphOf(builder, node, "then_branch"),
                 *other = GraphOf(builder, node, "else_branch");
  if (!then || !other) return false;
  if (OperandOf(node, 0).empty() || builder.BundleOf(node.inputs[0]))
    return builder.Fail(node, "there is no condition");
  if (then->outputs.size() < node.outputs.size() || other->outputs.size() < node.outputs.size())
    return builder.Fail(node, "a branch has fewer results");
  const graph::TensorPtr condition = builder.Constant(node.inputs[0]);
  if (!condition) {
    const auto taken = builder.Inline(node, *then, {});
    const auto otherwise = taken ? builder.Inline(node, *other, {}) : std::nullopt;
    return otherwise && Select(builder, node, *taken, *otherwise);
  }
  const auto results = builder.Inline(node, IsTrue(*condition) ? *then : *other, {});
  for (size_t i = 0; results && i < node.outputs.size(); ++i) builder.Alias(node.outputs[i], (*results)[i]);
  return results.has_value();
}

/// The results of a body that were collected over all steps, or, of none, a tensor without elements.
bool Collect(Builder& builder, const NodeInfo& node, const Subgraph& body, size_t result,
             const std::vector<std::string>& parts, int64_t axis, const std::string& output) {
  if (output.empty()) return true;
  if (parts.empty()) {
    graph::Shape shape;
    for (const auto& dimension : body.output_types[result].dimensions) {
      if (!std::holds_alternative<int64_t>(dimension)) return builder.Fail(node, "it never runs");
      shape.push_back(std::get<int64_t>(dimension));
    }
    shape.insert(shape.begin(), 0);
    if (!host::IsReasonable(shape)) return builder.Fail(node, "it never runs");
    builder.Define(output, graph::Tensor({body.output_types[result].dtype, shape}));
    return true;
  }
  for (const std::string& part : parts) {
    if (builder.IsBroken(part)) return builder.Alias(output, part), true;
    if (builder.BundleOf(part)) return builder.Fail(node, "it collects what is no tensor");
  }
  return builder.Spend(node, static_cast<int64_t>(parts.size())) &&
         (Stack(builder, node, parts, axis, output), true);
}

bool ExpandLoop(Builder& builder, const NodeInfo& node) {
  const Subgraph* body = GraphOf(builder, node, "body");
  if (!body) return false;
  const size_t carried = node.inputs.size() > 2 ? node.inputs.size() - 2 : 0;
  if (body->inputs.size() != carried + 2 || body->outputs.size() < carried + 1 ||
      body->outputs.size() < node.outputs.size() + 1)
    return builder.Fail(node, "its body has not its operands and results");
  const std::string count = OperandOf(node, 0);
  std::string condition = OperandOf(node, 1);
  const graph::TensorPtr trips = builder.Constant(count);
  if (!count.empty() && (!trips || trips->size() != 1))
    return builder.Fail(node, "how often it runs is no constant");
  const int64_t most = trips ? host::Integers(*trips)[0] : std::numeric_limits<int64_t>::max();
  std::vector<std::string> state(
      node.inputs.begin() + static_cast<std::ptrdiff_t>(node.inputs.size() - carried), node.inputs.end());
  std::vector<std::vector<std::string>> collected(body->outputs.size() - carried - 1);
  for (int64_t step = 0; step < most; ++step) {
    if (!builder.Spend(node, 1)) return false;
    const graph::TensorPtr goes_on = builder.Constant(condition);
    if (!condition.empty() && !goes_on) {
      if (builder.IsBroken(condition)) return builder.Fail(node, "its condition cannot be had");
      return builder.Fail(node, "how often it runs is only known when the network does");
    }
    if (goes_on && !IsTrue(*goes_on)) break;
    graph::Tensor yes(graph::TensorType{graph::DType::kBool, {}});
    yes.mutable_bytes()[0] = 1;
    std::vector<std::string> arguments = {
        builder.AddConstant(node.name + ".step", graph::Tensor({}, std::vector<int64_t>{step})),
        builder.AddConstant(node.name + ".condition", std::move(yes))};
    arguments.insert(arguments.end(), state.begin(), state.end());
    const auto results = builder.Inline(node, *body, arguments);
    if (!results) return false;
    condition = (*results)[0];
    std::copy_n(results->begin() + 1, carried, state.begin());
    for (size_t k = 0; k < collected.size(); ++k) collected[k].push_back((*results)[carried + 1 + k]);
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (i < carried) {
      if (state[i].empty()) return builder.Fail(node, "a carried value is missing");
      builder.Alias(node.outputs[i], state[i]);
    } else if (!Collect(builder, node, *body, i + 1, collected[i - carried], 0, node.outputs[i])) {
      return false;
    }
  }
  return true;
}

/// A Scan's attributes, completed.
struct ScanPlan {
  const Subgraph* body = nullptr;
  size_t states = 0, scanned = 0;
  std::vector<int64_t> axes, directions, output_axes, output_directions;
};

std::optional<ScanPlan> PlanOf(Builder& builder, const NodeInfo& node, bool old) {
  NodeView view(node);
  ScanPlan plan{.body = GraphOf(builder, node, "body")};
  if (!plan.body) return std::nullopt;
  const size_t operands = node.inputs.size() - (old ? 1 : 0);
  const int64_t scanned = view.Int("num_scan_inputs", 0);
  if (scanned < 1 || static_cast<size_t>(scanned) > operands) {
    builder.Fail(node, fmt::format("{} operands to scan", scanned));
    return std::nullopt;
  }
  plan.scanned = static_cast<size_t>(scanned);
  plan.states = operands - plan.scanned;
  if (plan.body->inputs.size() != operands || plan.body->outputs.size() < plan.states ||
      plan.body->outputs.size() != node.outputs.size()) {
    builder.Fail(node, "its body has not its operands and results");
    return std::nullopt;
  }
  const size_t results = node.outputs.size() - plan.states;
  plan.axes = view.Ints("scan_input_axes");
  plan.directions = view.Ints(old ? "directions" : "scan_input_directions");
  plan.output_axes = view.Ints("scan_output_axes");
  plan.output_directions = view.Ints("scan_output_directions");
  plan.axes.resize(plan.scanned, 0);
  plan.directions.resize(plan.scanned, 0);
  plan.output_axes.resize(results, 0);
  plan.output_directions.resize(results, 0);
  return plan;
}

/// The names of all results, of operands without a batch.
std::optional<std::vector<std::string>> RunScan(Builder& builder, const NodeInfo& node, const ScanPlan& plan,
                                                const std::vector<std::string>& operands) {
  const auto fail = [&](const std::string& what) {
    builder.Fail(node, what);
    return std::nullopt;
  };
  int64_t steps = -1;
  std::vector<int64_t> axes = plan.axes;
  for (size_t i = 0; i < plan.scanned; ++i) {
    const graph::Shape shape = builder.TypeOf(operands[plan.states + i]).shape;
    const auto axis = host::AxisOf(axes[i], shape.size());
    if (!axis || (steps >= 0 && shape[*axis] != steps)) return fail("its operands have different lengths");
    axes[i] = static_cast<int64_t>(*axis);
    steps = shape[*axis];
  }
  std::vector<std::string> state(operands.begin(),
                                 operands.begin() + static_cast<std::ptrdiff_t>(plan.states));
  std::vector<std::vector<std::string>> collected(plan.output_axes.size());
  for (int64_t step = 0; step < steps; ++step) {
    if (!builder.Spend(node, 1)) return std::nullopt;
    std::vector<std::string> arguments = state;
    for (size_t i = 0; i < plan.scanned; ++i)
      arguments.push_back(Element(builder, node, operands[plan.states + i], axes[i],
                                  plan.directions[i] != 0 ? steps - 1 - step : step));
    const auto results = builder.Inline(node, *plan.body, arguments);
    if (!results) return std::nullopt;
    std::copy_n(results->begin(), plan.states, state.begin());
    for (size_t k = 0; k < collected.size(); ++k) collected[k].push_back((*results)[plan.states + k]);
  }
  for (size_t k = 0; k < collected.size(); ++k) {
    if (plan.output_directions[k] != 0) std::reverse(collected[k].begin(), collected[k].end());
    const std::string all = builder.Fresh(node.name + ".all");
    if (!Collect(builder, node, *plan.body, plan.states + k, collected[k], plan.output_axes[k], all))
      return std::nullopt;
    state.push_back(all);
  }
  return state;
}

/// Before operator set 9 every operand has a batch in front, and lengths of its sequences come first.
bool ExpandScan(Builder& builder, const NodeInfo& node) {
  const bool old = node.opset < 9;
  if (node.inputs.empty() || (old && !node.inputs[0].empty()))
    return builder.Fail(node, "sequences of different lengths");
  for (size_t i = old; i < node.inputs.size(); ++i)
    if (node.inputs[i].empty() || builder.BundleOf(node.inputs[i]))
      return builder.Fail(node, "an operand is no tensor");
  const auto plan = PlanOf(builder, node, old);
  if (!plan) return false;
  if (!old) {
    const auto results = RunScan(builder, node, *plan, node.inputs);
    for (size_t i = 0; results && i < node.outputs.size(); ++i) builder.Alias(node.outputs[i], (*results)[i]);
    return results.has_value();
  }
  const graph::Shape first = builder.TypeOf(node.inputs[1]).shape;
  std::vector<std::vector<std::string>> parts(node.outputs.size());
  for (int64_t b = 0; b < (first.empty() ? 0 : first[0]); ++b) {
    std::vector<std::string> operands;
    for (size_t i = 1; i < node.inputs.size(); ++i) {
      const graph::Shape shape = builder.TypeOf(node.inputs[i]).shape;
      if (shape.empty() || shape[0] != first[0])
        return builder.Fail(node, "its operands differ in their batch");
      operands.push_back(Element(builder, node, node.inputs[i], 0, b));
    }
    const auto results = RunScan(builder, node, *plan, operands);
    if (!results) return false;
    for (size_t i = 0; i < parts.size(); ++i) parts[i].push_back((*results)[i]);
  }
  for (size_t i = 0; i < parts.size(); ++i)
    if (!Collect(builder, node, *plan->body, i, parts[i], 0, node.outputs[i])) return false;
  return true;
}

}  // namespace

void AddControlFlow(Expansions& all) {
  all["If"] = ExpandIf;
  all["Loop"] = ExpandLoop;
  all["Scan"] = ExpandScan;
}

}  // namespace cosim::import::onnx
