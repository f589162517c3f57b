// SPDX-License-Identifier: Apache-2.0
// Sequences and optionals: which tensors are in one is known while the file is read, what is in the tensors
// need not be.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/host/numeric.h"
#include "compiler/import/onnx/expand.h"
#include "compiler/import/onnx/node_view.h"

namespace cosim::import::onnx {
namespace {

/// Operand i as a sequence; null, and said, when it is none.
const Bundle* SequenceOf(Builder& builder, const NodeInfo& node, size_t i = 0) {
  const Bundle* bundle = builder.BundleOf(OperandOf(node, i));
  if (bundle && !bundle->is_optional) return bundle;
  builder.Fail(node, fmt::format("operand '{}' is no sequence", OperandOf(node, i)));
  return nullptr;
}

/// Copies of a sequence count for its length: a loop that appends is quadratic.
bool DefineSequence(Builder& builder, const NodeInfo& node, std::vector<std::string> items,
                    size_t result = 0) {
  constexpr int64_t kItemsAStep = 64;
  if (node.outputs.size() <= result) return builder.Fail(node, "it has no result");
  if (!builder.Spend(node, static_cast<int64_t>(items.size()) / kItemsAStep)) return false;
  builder.Define(node.outputs[result], Bundle{.is_optional = false, .items = std::move(items)});
  return true;
}

bool DefineResult(Builder& builder, const NodeInfo& node, graph::Tensor tensor) {
  if (node.outputs.size() != 1) return builder.Fail(node, "it has one result");
  builder.Define(node.outputs[0], std::move(tensor));
  return true;
}

/// The place that operand i names in a sequence of `length`; nothing, and said, when it is outside.
std::optional<size_t> PlaceOf(Builder& builder, const NodeInfo& node, size_t i, size_t length,
                              int64_t otherwise) {
  const auto list = IntegersOf(builder, node, i, {otherwise});
  if (!list) return std::nullopt;
  const auto n = static_cast<int64_t>(length);
  const int64_t at = list->size() == 1 ? (*list)[0] : n, place = at < 0 ? at + n : at;
  if (place >= 0 && place < n) return static_cast<size_t>(place);
  builder.Fail(node, fmt::format("place {} of {}", at, n));
  return std::nullopt;
}

bool ExpandConstruct(Builder& builder, const NodeInfo& node) {
  return DefineSequence(builder, node, node.inputs);
}

bool ExpandEmpty(Builder& builder, const NodeInfo& node) { return DefineSequence(builder, node, {}); }

bool ExpandAt(Builder& builder, const NodeInfo& node) {
  const Bundle* sequence = SequenceOf(builder, node);
  const auto place = sequence ? PlaceOf(builder, node, 1, sequence->items.size(), 0) : std::nullopt;
  if (!place) return false;
  if (!node.outputs.empty()) builder.Alias(node.outputs[0], sequence->items[*place]);
  return true;
}

bool ExpandInsert(Builder& builder, const NodeInfo& node) {
  const Bundle* sequence = SequenceOf(builder, node);
  if (!sequence) return false;
  if (OperandOf(node, 1).empty()) return builder.Fail(node, "there is nothing to insert");
  std::vector<std::string> items = sequence->items;
  // A place counts from the end of the sequence before it grows; behind it is a place as well.
  const auto n = static_cast<int64_t>(items.size());
  const auto list = IntegersOf(builder, node, 2, {n});
  if (!list) return false;
  const int64_t at = list->size() == 1 ? (*list)[0] : n + 1, place = at < 0 ? at + n : at;
  if (place < 0 || place > n) return builder.Fail(node, fmt::format("place {} of {}", at, n));
  items.insert(items.begin() + place, node.inputs[1]);
  return DefineSequence(builder, node, std::move(items));
}

bool ExpandErase(Builder& builder, const NodeInfo& node) {
  const Bundle* sequence = SequenceOf(builder, node);
  const auto place = sequence ? PlaceOf(builder, node, 1, sequence->items.size(), -1) : std::nullopt;
  if (!place) return false;
  std::vector<std::string> items = sequence->items;
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(*place));
  return DefineSequence(builder, node, std::move(items));
}

bool ExpandLength(Builder& builder, const NodeInfo& node) {
  const Bundle* sequence = SequenceOf(builder, node);
  if (!sequence) return false;
  return DefineResult(builder, node,
                      graph::Tensor({}, std::vector<int64_t>{static_cast<int64_t>(sequence->items.size())}));
}

bool ExpandSplit(Builder& builder, const NodeInfo& node) {
  NodeView view(node);
  const std::string x = OperandOf(node, 0);
  if (x.empty() || builder.BundleOf(x)) return builder.Fail(node, "there is nothing to split");
  const graph::Shape shape = builder.TypeOf(x).shape;
  const int64_t axis = view.Int("axis", 0);
  const auto at = host::AxisOf(axis, shape.size());
  if (!at) return builder.Fail(node, fmt::format("axis {} of {}", axis, graph::ToString(shape)));
  const bool is_each = OperandOf(node, 1).empty();
  auto lengths = IntegersOf(builder, node, 1, {1});
  if (!lengths) return false;
  if (is_each || builder.TypeOf(node.inputs[1]).shape.empty()) {
    const int64_t length = lengths->empty() ? 0 : (*lengths)[0];
    if (length < 1) return builder.Fail(node, fmt::format("parts of {}", length));
    if (!builder.Spend(node, shape[*at] / length)) return false;
    lengths->clear();
    for (int64_t done = 0; done < shape[*at]; done += length)
      lengths->push_back(std::min(length, shape[*at] - done));
  }
  if (!builder.Spend(node, static_cast<int64_t>(lengths->size()))) return false;
  if (lengths->empty()) return DefineSequence(builder, node, {});
  NodeInfo split{.op = "Split", .name = node.name, .opset = 13};
  split.inputs = {x, builder.AddIntegers(node.name + ".lengths", *lengths)};
  split.attributes["axis"] = axis;
  for (size_t i = 0; i < lengths->size(); ++i) split.outputs.push_back(builder.Fresh(node.name + ".part"));
  std::vector<std::string> items = split.outputs;
  builder.Add(std::move(split));
  if (is_each && view.Int("keepdims", 1) == 0) {
    const std::string axes = builder.AddIntegers(node.name + ".axis", {axis});
    for (std::string& item : items) item = builder.Emit(node, "Squeeze", {item, axes});
  }
  return DefineSequence(builder, node, std::move(items));
}

bool ExpandConcat(Builder& builder, const NodeInfo& node) {
  NodeView view(node);
  const Bundle* sequence = SequenceOf(builder, node);
  if (!sequence) return false;
  if (sequence->items.empty() || node.outputs.size() != 1 ||
      std::ranges::any_of(sequence->items, [&](const auto& item) { return builder.BundleOf(item); }))
    return builder.Fail(node, "there is nothing to concatenate");
  const std::vector<std::string> items = sequence->items;
  const int64_t axis = view.Int("axis", 0);
  if (!builder.Spend(node, static_cast<int64_t>(items.size()))) return false;
  if (view.Int("new_axis", 0) != 0) {
    Stack(builder, node, items, axis, node.outputs[0]);
  } else {
    builder.Emit(node, "Concat", items, {{"axis", axis}}, node.outputs[0]);
  }
  return true;
}

/// The body for each element of the first operand; the others are sequences too, or tensors for all elements.
bool ExpandMap(Builder& builder, const NodeInfo& node) {
  const auto body = node.graphs.find("body");
  const Bundle* first = SequenceOf(builder, node);
  if (!first) return false;
  if (body == node.graphs.end() || body->second->outputs.size() < node.outputs.size() ||
      body->second->inputs.size() != node.inputs.size())
    return builder.Fail(node, "its body has not its operands and results");
  const size_t length = first->items.size();
  std::vector<std::vector<std::string>> results(node.outputs.size());
  for (size_t i = 0; i < length; ++i) {
    std::vector<std::string> arguments;
    for (const std::string& name : node.inputs) {
      const Bundle* bundle = builder.BundleOf(name);
      if (bundle && (bundle->is_optional || bundle->items.size() != length))
        return builder.Fail(node, "its sequences have different lengths");
      arguments.push_back(bundle ? bundle->items[i] : name);
    }
    const auto all = builder.Inline(node, *body->second, arguments);
    if (!all) return false;
    for (size_t k = 0; k < results.size(); ++k) results[k].push_back((*all)[k]);
  }
  for (size_t k = 0; k < results.size(); ++k)
    if (!DefineSequence(builder, node, std::move(results[k]), k)) return false;
  return true;
}

bool ExpandOptional(Builder& builder, const NodeInfo& node) {
  if (node.outputs.size() != 1) return builder.Fail(node, "it has one result");
  Bundle bundle{.is_optional = true, .items = node.inputs};
  if (bundle.items.size() == 1 && bundle.items[0].empty()) bundle.items.clear();
  if (bundle.items.size() > 1) return builder.Fail(node, "more than one value");
  builder.Define(node.outputs[0], std::move(bundle));
  return true;
}

bool ExpandHasElement(Builder& builder, const NodeInfo& node) {
  const std::string name = OperandOf(node, 0);
  const Bundle* bundle = builder.BundleOf(name);
  const bool has = !name.empty() && (!bundle || !bundle->is_optional || !bundle->items.empty());
  graph::Tensor result(graph::TensorType{graph::DType::kBool, {}});
  result.mutable_bytes()[0] = has;
  return DefineResult(builder, node, std::move(result));
}

bool ExpandGetElement(Builder& builder, const NodeInfo& node) {
  const std::string name = OperandOf(node, 0);
  const Bundle* bundle = builder.BundleOf(name);
  const bool is_optional = bundle && bundle->is_optional;
  if (name.empty() || node.outputs.size() != 1 || (is_optional && bundle->items.empty()))
    return builder.Fail(node, "there is no value");
  builder.Alias(node.outputs[0], is_optional ? bundle->items[0] : name);
  return true;
}

}  // namespace

void AddSequences(Expansions& all) {
  all["SequenceConstruct"] = ExpandConstruct;
  all["SequenceEmpty"] = ExpandEmpty;
  all["SequenceAt"] = ExpandAt;
  all["SequenceInsert"] = ExpandInsert;
  all["SequenceErase"] = ExpandErase;
  all["SequenceLength"] = ExpandLength;
  all["SplitToSequence"] = ExpandSplit;
  all["ConcatFromSequence"] = ExpandConcat;
  all["SequenceMap"] = ExpandMap;
  all["Optional"] = ExpandOptional;
  all["OptionalHasElement"] = ExpandHasElement;
  all["OptionalGetElement"] = ExpandGetElement;
}

}  // namespace cosim::import::onnx
