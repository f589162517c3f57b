// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx/values.h"

#include <fmt/format.h>

#include "compiler/host/movement.h"
#include "compiler/host/tflite.h"
#include "isa/check.h"

namespace cosim::import::onnx {

using graph::DType;
using graph::ValueId;

namespace {

constexpr char kMoves[] = "moves elements only: the host does that";

}  // namespace

bool Values::Has(const std::string& name) const {
  return values_.count(name) > 0 || int8_.count(name) > 0 || lines_.count(name) > 0 ||
         constants_.count(name) > 0 || file_.initializers.count(name) > 0;
}

graph::TensorPtr Values::Constant(const std::string& name) const {
  if (const auto at = values_.find(name); at != values_.end()) {
    const auto* constant = graph_.node(at->second).As<graph::Constant>();
    return constant ? constant->data : nullptr;
  }
  if (const auto at = constants_.find(name); at != constants_.end()) return at->second;
  const auto at = file_.initializers.find(name);
  return at == file_.initializers.end() ? nullptr : at->second;
}

graph::TensorType Values::TypeOf(const std::string& name) const {
  if (const auto at = values_.find(name); at != values_.end()) return graph_.node(at->second).type;
  if (const auto at = int8_.find(name); at != int8_.end())
    return {DType::kUint8, graph_.node(at->second).type.shape};
  if (const auto at = lines_.find(name); at != lines_.end()) {
    const graph::Shape& image = graph_.node(at->second.value).type.shape;
    return {at->second.dtype, {image[0], image[1], image[3]}};
  }
  return Constant(name)->type();
}

// Makes a value that only stands as an image what it is in the file.
void Values::Unfold(const std::string& name) {
  const auto at = lines_.find(name);
  if (at == lines_.end() || values_.count(name) > 0 || int8_.count(name) > 0) return;
  const graph::Shape shape = TypeOf(name).shape;
  DefineInt8(name, Host(name + ".line", host::ReshapeTo(shape), {at->second.value}, kMoves),
             at->second.dtype);
}

ValueId Values::Of(const std::string& name) {
  Unfold(name);
  if (const auto at = values_.find(name); at != values_.end()) return at->second;
  if (const auto at = int8_.find(name); at != int8_.end())
    return values_[name] = Host(name + ".uint8", host::ToUint8(), {at->second}, "the file's value is uint8");
  return values_[name] = graph_.AddConstant(Unique(name), Constant(name));
}

ValueId Values::Line(const std::string& name) {
  if (const auto at = lines_.find(name); at != lines_.end()) return at->second.value;
  const graph::TensorType type = TypeOf(name);
  const graph::Shape image = {type.shape[0], type.shape[1], 1, type.shape[2]};
  const ValueId value = Host(name + ".image", host::ReshapeTo(image), {Int8(name)}, kMoves);
  lines_[name] = {value, type.dtype};
  return value;
}

void Values::DefineLine(const std::string& name, ValueId value, DType dtype) {
  lines_[name] = {value, dtype};
}

ValueId Values::Int8(const std::string& name) {
  Unfold(name);
  if (const auto at = int8_.find(name); at != int8_.end()) return at->second;
  const ValueId value = Of(name);
  if (graph::IsQuantized(graph_.node(value).type.dtype)) return value;
  return int8_[name] = Host(name + ".int8", host::FromUint8(), {value}, "the accelerator computes int8");
}

void Values::DefineInt8(const std::string& name, ValueId value, DType dtype) {
  (dtype == DType::kUint8 ? int8_ : values_)[name] = value;
}

std::string Values::Unique(std::string name) {
  if (name.empty()) name = "value";
  if (names_.insert(name).second) return name;
  for (int64_t& copy = copies_[name];;)  // a loop wants thousands of the same
    if (std::string other = ++copy == 1 ? name + "'" : fmt::format("{}'{}", name, copy);
        names_.insert(other).second)
      return other;
}

ValueId Values::Host(const std::string& name, graph::HostOperatorPtr op, std::vector<ValueId> inputs,
                     const std::string& reason) {
  std::vector<graph::HostOperand> operands;
  for (ValueId id : inputs) operands.push_back({graph_.node(id).type});
  auto types = op->Infer(operands);
  if (const auto* error = std::get_if<std::string>(&types)) COSIM_CHECK(false, "{}", *error);
  graph::HostOp node{std::move(op), 0, std::get<0>(types).at(0), reason};
  return graph_.Add(Unique(name), std::move(node), std::move(inputs));
}

}  // namespace cosim::import::onnx
