// SPDX-License-Identifier: Apache-2.0
// From the structures of a TensorFlow Lite file to a graph: layouts and the list of operators here, integer
// arithmetic in quantized.cc.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/graph/passes/remove_dead_values.h"
#include "compiler/host/functions.h"
#include "compiler/host/movement.h"
#include "compiler/host/reduce.h"
#include "compiler/import/diagnostic_codes.h"
#include "compiler/import/import.h"
#include "compiler/import/tflite/builder.h"
#include "isa/check.h"

namespace cosim::import {
namespace tflite {

using graph::DType;
using graph::ValueId;

namespace {

constexpr char kLayoutReason[] = "the file has channels last, the graph has them second";

}  // namespace

std::optional<Model> Builder::Run() {
  CheckOperators();
  for (int input : file_.inputs) AddInput(input);
  FindAssigned(file_, 0);
  ReportFaults();
  const bool good = RunOperators();
  if (diagnostics_.HasErrors()) return std::nullopt;
  COSIM_CHECK(good, "an operator of {} was refused without a reason", file_.name);
  AddOutputs();
  ReportFaults();
  if (diagnostics_.HasErrors()) return std::nullopt;
  if (!file_.others.empty() || may_have_dead_values_) model_.graph = graph::RemoveDeadValues(model_.graph);
  return std::move(model_);
}

bool Builder::RunOperators() {
  bool good = true;
  for (size_t i = 0; i < file_.operators.size(); ++i) {
    op_ = &file_.operators[i];
    name_ = fmt::format("{}{}.{}", prefix_, Lower(op_->name), i);
    const auto is_unknown = [&](int tensor) { return unknown_.count(tensor) > 0; };
    if (std::ranges::any_of(op_->inputs, is_unknown) || !Handlers().count(op_->name) || !AddOperator()) {
      for (int output : op_->outputs) StandIn(output);
      good = false;
    }
  }
  ReportFaults();
  return good;
}

// What no operator computes: a value of the type that the file says, so that the operators behind are looked
// at too. Not of what may be shapes or places, which those would be blamed for not knowing.
void Builder::StandIn(int tensor) {
  if (tensor < 0 || plain_.count(tensor) || nchw_.count(tensor)) return;
  const TensorInfo& info = Info(tensor);
  const bool list = (info.dtype == DType::kInt32 || info.dtype == DType::kInt64) && info.shape.size() < 2;
  if (!info.unusable.empty() || info.resource || info.shape.empty() || list) {
    unknown_.insert(tensor);
    return;
  }
  std::string name = fmt::format("{}unknown.{}", prefix_, tensor);
  while (model_.graph.Find(name)) name += "_";
  plain_[tensor] = model_.graph.AddInput(
      name, {info.dtype == DType::kUint8 ? DType::kInt8 : info.dtype, info.shape}, QuantizationOf(tensor));
}

std::string Builder::Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

void Builder::CheckOperators() {
  std::map<std::string, int> unknown;
  const auto check = [&](const File& file) {
    for (const OperatorInfo& op : file.operators)
      if (!Handlers().count(op.name))
        ++unknown[fmt::format("{} {}{}{}", op.custom ? "custom operator" : "operator", op.name,
                              op.version > 1 ? fmt::format(" (version {})", op.version) : "",
                              TypesOf(file, op))];
  };
  check(file_);
  for (const File& other : file_.others) check(other);
  CheckKinds();
  size_t said = 0;
  for (const auto& [use, count] : unknown) {
    auto& error = diagnostics_.Error(
        codes::kUnsupported, {file_.name},
        fmt::format("{} is not supported ({} {})", use, count, count == 1 ? "use" : "uses"));
    if (++said == unknown.size()) error.hint = Hint(unknown);
  }
}

// What to do about operators that are not there.
std::string Builder::Hint(const std::map<std::string, int>& unknown) {
  const auto any = [&](std::string_view what) {
    return std::ranges::any_of(unknown, [&](const auto& use) { return use.first.starts_with(what); });
  };
  std::string hint;
  if (any("custom operator Flex"))
    hint = "Flex operators are TensorFlow's own: convert without tf.lite.OpsSet.SELECT_TF_OPS; ";
  else if (any("custom operator"))
    hint = "what a custom operator computes is not in the file; ";
  return hint + fmt::format("the {} operators that are supported: docs/reference/tflite-operators.md",
                            Handlers().size());
}

// " on int8, float32": the types of its operands, each once.
std::string Builder::TypesOf(const File& file, const OperatorInfo& op) const {
  std::string list;
  std::set<std::string_view> seen;
  for (int tensor : op.inputs)
    if (tensor >= 0 && seen.insert(TypeName(file.tensors[tensor])).second)
      list += (list.empty() ? " on " : ", ") + std::string(TypeName(file.tensors[tensor]));
  return list;
}

// Where values have to be: handles of variables do not leave the file, and states are the first graph's.
void Builder::CheckKinds() {
  const auto fail = [&](const char* code, const std::string& what) {
    diagnostics_.Error(code, {file_.name}, what);
  };
  for (const std::vector<int>* tensors : {&file_.inputs, &file_.outputs})
    for (int tensor : *tensors)
      if (Info(tensor).resource) fail(codes::kUnsupported, "an input or output is the handle of a variable");
  for (const File& other : file_.others)
    for (const TensorInfo& info : other.tensors)
      if (info.variable && !info.data)
        return fail(codes::kUnsupported,
                    fmt::format("variable tensor '{}' in a graph that another one calls", info.name));
}

bool Builder::Fail(const char* code, const std::string& what) {
  const std::string op = op_ ? op_->name : "";
  for (Fault& fault : faults_)
    if (fault.op == op && fault.what == what) return ++fault.more, false;
  faults_.push_back({code, op, name_, what});
  return false;
}

void Builder::ReportFaults() {
  for (const Fault& fault : faults_)
    diagnostics_.Error(
        fault.code, {file_.name},
        fmt::format("{}: {}{}", fault.name, fault.what,
                    fault.more == 0 ? "" : fmt::format(" (and {} more {})", fault.more, fault.op)));
  faults_.clear();
}

bool Builder::AddOperator() {
  static const std::set<std::string> takes_handles = {"ASSIGN_VARIABLE", "IF", "READ_VARIABLE", "WHILE"};
  if (!takes_handles.count(op_->name))
    for (int input : op_->inputs)
      if (input >= 0 && Info(input).resource) return Malformed("an operand is the handle of a variable");
  // These check their own.
  static const std::set<std::string> counted = {"ASSIGN_VARIABLE",
                                                "BIDIRECTIONAL_SEQUENCE_LSTM",
                                                "BIDIRECTIONAL_SEQUENCE_RNN",
                                                "CALL_ONCE",
                                                "IF",
                                                "LSTM",
                                                "NON_MAX_SUPPRESSION_V4",
                                                "NON_MAX_SUPPRESSION_V5",
                                                "TFLite_Detection_PostProcess",
                                                "TOPK_V2",
                                                "UNIQUE",
                                                "WHILE"};
  static const std::set<std::string> takes_complex = {"COMPLEX_ABS", "EXPAND_DIMS", "IMAG",   "REAL",
                                                      "RESHAPE",     "RFFT2D",      "SQUEEZE"};
  const bool several = op_->name == "SPLIT" || op_->name == "SPLIT_V" || op_->name == "UNPACK";
  if (!counted.count(op_->name) && (op_->outputs.empty() || (!several && op_->outputs.size() != 1)))
    return Malformed(fmt::format("has {} results{}", op_->outputs.size(), several ? "" : ", not 1"));
  bool usable = true;
  const auto check = [&](const char* what, int tensor) {
    if (tensor >= 0 && Info(tensor).complex && takes_complex.count(op_->name)) return;
    if (tensor >= 0 && !Info(tensor).unusable.empty())
      usable = Unsupported(fmt::format("{} has {}", what, Info(tensor).unusable));
  };
  // The shape that RESHAPE is told is the one its result has.
  for (size_t i = 0; i < op_->inputs.size(); ++i)
    if (i == 0 || op_->name != "RESHAPE") check("an operand", op_->inputs[i]);
  for (int output : op_->outputs) check("a result", output);
  return usable && (this->*Handlers().at(op_->name))();
}

// uint8 values are int8 ones less by 128 from here on.
int32_t Builder::ZeroPoint(int tensor) const {
  const TensorInfo& info = Info(tensor);
  return info.zero_points.empty() ? 0 : info.zero_points[0] - (info.dtype == DType::kUint8 ? 128 : 0);
}

std::optional<graph::Quantization> Builder::QuantizationOf(int tensor) const {
  const TensorInfo& info = Info(tensor);
  if (info.scales.size() != 1 || IsFloat(tensor)) return std::nullopt;
  return graph::Quantization{info.scales, ZeroPoint(tensor), 0};
}

void Builder::AddInput(int tensor) {
  const TensorInfo& info = file_.tensors[tensor];
  if (!info.unusable.empty()) {
    name_ = info.name;
    Unsupported(fmt::format("an input that has {}", info.unusable));
    unknown_.insert(tensor);
    return;
  }
  std::string name = info.name.empty() ? fmt::format("input{}", tensor) : info.name;
  while (model_.graph.Find(name)) name += "_";
  std::optional<graph::Quantization> quantization;
  if (info.scales.size() == 1 && !IsFloat(tensor))
    quantization = graph::Quantization{info.scales, info.zero_points[0], 0};
  model_.input_quantization.push_back(quantization);
  const ValueId id = model_.graph.AddInput(name, {info.dtype, info.shape}, quantization);
  if (info.dtype == DType::kUint8) {
    plain_[tensor] = Host(name + ".int8", host::FromUint8(), {id}, "the accelerator computes int8");
  } else {
    plain_[tensor] = id;
  }
}

void Builder::AddOutputs() {
  std::vector<ValueId> outputs;
  op_ = nullptr;
  for (int tensor : file_.outputs) {
    const TensorInfo& info = Info(tensor);
    name_ = "output" + std::to_string(outputs.size());
    if (!info.unusable.empty()) {
      Unsupported(fmt::format("it has {}", info.unusable));
      continue;
    }
    ValueId id = Plain(tensor);
    if (info.dtype == DType::kUint8) {
      id = HostNode(name_ + ".uint8", host::ToUint8(), {id}, "the file's output is uint8");
    } else if (model_.graph.node(id).As<graph::Constant>() || model_.graph.node(id).As<graph::Input>()) {
      id = HostNode(name_, host::Identity(), {id}, "nothing to compute");
    }
    outputs.push_back(id);
    model_.output_names.push_back(info.name);
    std::optional<graph::Quantization> quantization;
    if (info.scales.size() == 1 && !IsFloat(tensor))
      quantization = graph::Quantization{info.scales, info.zero_points[0], 0};
    model_.output_quantization.push_back(quantization);
  }
  AddStateOutputs(outputs);
  model_.graph.SetOutputs(std::move(outputs));
}

ValueId Builder::Host(const std::string& name, graph::HostOperatorPtr op, std::vector<ValueId> inputs,
                      const std::string& reason, std::optional<graph::Quantization> quantization,
                      int32_t result) {
  std::vector<graph::HostOperand> operands;
  bool constant = !inputs.empty();
  for (ValueId id : inputs) {
    if (id < 0) return -1;  // already reported
    const graph::Node& node = model_.graph.node(id);
    const auto* value = node.As<graph::Constant>();
    operands.push_back({node.type, value ? value->data.get() : nullptr});
    constant &= value != nullptr;
  }
  if (constant) {
    auto types = op->Infer(operands);
    const auto* list = std::get_if<std::vector<graph::TensorType>>(&types);
    if (list && MayFold(list->at(static_cast<size_t>(result)), operands)) {
      std::vector<const graph::Tensor*> values;
      for (const graph::HostOperand& operand : operands) values.push_back(operand.value);
      auto results = graph::Evaluate(*op, values);
      return model_.graph.AddConstant(name, std::move(results[static_cast<size_t>(result)]),
                                      std::move(quantization));
    }
  }
  return HostNode(name, std::move(op), std::move(inputs), reason, std::move(quantization), result);
}

ValueId Builder::HostNode(const std::string& name, graph::HostOperatorPtr op, std::vector<ValueId> inputs,
                          const std::string& reason, std::optional<graph::Quantization> quantization,
                          int32_t result) {
  std::vector<graph::HostOperand> operands;
  for (ValueId id : inputs) {
    if (id < 0) return -1;  // already reported
    const auto* value = model_.graph.node(id).As<graph::Constant>();
    operands.push_back({model_.graph.node(id).type, value ? value->data.get() : nullptr});
  }
  auto types = op->Infer(operands);
  if (const auto* error = std::get_if<std::string>(&types)) return Fail(codes::kMalformed, *error), -1;
  const auto& type = std::get<std::vector<graph::TensorType>>(types).at(static_cast<size_t>(result));
  graph::HostOp node{std::move(op), result, type, reason};
  return model_.graph.Add(name, std::move(node), std::move(inputs), std::move(quantization));
}

// What is computed here takes memory and time that the file's size does not bound.
bool Builder::MayFold(const graph::TensorType& type, const std::vector<graph::HostOperand>& operands) {
  constexpr int64_t kSmall = int64_t{1} << 20;
  int64_t most = kSmall, all = graph::NumElements(type.shape);
  for (const graph::HostOperand& operand : operands) {
    most = std::max(most, graph::NumElements(operand.type.shape));
    all += graph::NumElements(operand.type.shape);
  }
  if (graph::NumElements(type.shape) > most || all > scope_->fold_budget) return false;
  scope_->fold_budget -= all;
  return true;
}

ValueId Builder::Plain(int tensor) {
  const TensorInfo& info = Info(tensor);
  if (const auto at = plain_.find(tensor); at != plain_.end()) return at->second;
  if (info.variable && !info.data) return StateOf(tensor);
  if (const auto at = nchw_.find(tensor); at != nchw_.end()) {
    const auto& shape = model_.graph.node(at->second).type.shape;
    // Without pixels both layouts have the same elements in the same order.
    const bool same = shape[2] * shape[3] == 1;
    if (const auto known = scope_->to_plain.find(at->second); known != scope_->to_plain.end())
      return plain_[tensor] = known->second;
    const std::string name = fmt::format("{}.nhwc", model_.graph.node(at->second).name);
    return scope_->to_plain[at->second] = plain_[tensor] =
               Host(name, same ? host::ReshapeTo(info.shape) : host::Transpose({0, 2, 3, 1}), {at->second},
                    kLayoutReason, QuantizationOf(tensor));
  }
  const std::string name = fmt::format("{}constant.{}", prefix_, tensor);
  if (info.dtype != DType::kUint8) return plain_[tensor] = model_.graph.AddConstant(name, info.data);
  std::vector<int8_t> shifted;
  for (uint8_t v : info.data->data<uint8_t>()) shifted.push_back(static_cast<int8_t>(v - 128));
  return plain_[tensor] = model_.graph.AddConstant(name, graph::Tensor(info.shape, std::move(shifted)));
}

graph::TensorPtr Builder::ConstantOf(int tensor) {
  if (Info(tensor).data) return Info(tensor).data;
  const auto at = plain_.find(tensor);
  const auto* constant = at == plain_.end() ? nullptr : model_.graph.node(at->second).As<graph::Constant>();
  return constant ? constant->data : nullptr;
}

ValueId Builder::Nchw(int tensor) {
  if (const auto at = nchw_.find(tensor); at != nchw_.end()) return at->second;
  const ValueId plain = Plain(tensor);
  if (const auto known = scope_->to_nchw.find(plain); known != scope_->to_nchw.end())
    return nchw_[tensor] = known->second;
  const graph::Shape shape = Info(tensor).shape;
  const bool same = shape[1] * shape[2] == 1;
  const std::string name = fmt::format("{}.nchw", model_.graph.node(plain).name);
  const graph::Shape swapped = {shape[0], shape[3], shape[1], shape[2]};
  return scope_->to_nchw[plain] = nchw_[tensor] =
             Host(name, same ? host::ReshapeTo(swapped) : host::Transpose({0, 3, 1, 2}), {plain},
                  kLayoutReason, QuantizationOf(tensor));
}

bool Builder::Finish(ValueId value, bool nchw, size_t result) {
  if (value < 0) return false;  // already reported
  const int tensor = op_->outputs[result];
  TensorInfo info = Info(tensor);
  const auto& node = model_.graph.node(value);
  const graph::Shape& s = node.type.shape;
  const graph::Shape shape = nchw ? graph::Shape{s[0], s[2], s[3], s[1]} : s;
  const DType dtype = info.dtype == DType::kUint8 ? DType::kInt8 : info.dtype;
  // A file need not say what follows from its operators: no shape is none that is known.
  const bool open = info.shape.empty() && !shape.empty();
  if ((shape != info.shape && !open) || node.type.dtype != dtype)
    return Malformed(fmt::format("computes {}, but the file says {}",
                                 ToString(graph::TensorType{node.type.dtype, shape}),
                                 ToString(graph::TensorType{dtype, info.shape})));
  (nchw ? nchw_ : plain_)[tensor] = value;
  const auto* constant = node.As<graph::Constant>();
  if (!open && (!constant || nchw)) return true;
  info.shape = shape;
  if (constant && !nchw) info.data = AsInFile(info, *constant->data);
  known_[tensor] = std::move(info);
  return true;
}

// uint8 values as the file would have them.
graph::TensorPtr Builder::AsInFile(const TensorInfo& info, const graph::Tensor& value) {
  if (info.dtype != DType::kUint8) return std::make_shared<const graph::Tensor>(value);
  graph::Tensor bytes({DType::kUint8, info.shape});
  std::ranges::transform(value.data<int8_t>(), bytes.mutable_data<uint8_t>().begin(),
                         [](int8_t v) { return static_cast<uint8_t>(v + 128); });
  return std::make_shared<const graph::Tensor>(std::move(bytes));
}

ValueId Builder::Activate(ValueId value, Activation activation, const std::string& name) {
  if (value < 0) return -1;  // already reported
  switch (activation) {
    case Activation::kNone:
      return value;
    case Activation::kRelu:
      return model_.graph.Add(name, graph::Relu{}, {value});
    case Activation::kRelu6:
      return Host(name, host::Between(0, 6), {value}, "float32");
    case Activation::kRelu0To1:
      return Host(name, host::Between(0, 1), {value}, "float32");
    case Activation::kReluN1To1:
      return Host(name, host::Between(-1, 1), {value}, "float32");
    case Activation::kOther:
      break;
  }
  return Fail(codes::kUnsupported, "its fused activation function is not supported"), -1;
}

bool Builder::Operands(size_t least, size_t most) {
  if (op_->inputs.size() < least || op_->inputs.size() > most)
    return Malformed(fmt::format("has {} operands", op_->inputs.size()));
  for (size_t i = 0; i < least; ++i)
    if (op_->inputs[i] < 0) return Malformed(fmt::format("operand {} is missing", i));
  return true;
}

bool Builder::Reshape() {
  if (!Operands(1, 2)) return false;
  const int from = op_->inputs[0], to = op_->outputs[0];
  const graph::Shape shape = Info(to).shape;
  if (Info(from).complex || Info(to).complex) return ReshapeComplex();
  if (graph::NumElements(shape) != graph::NumElements(Info(from).shape))
    return Malformed("changes the number of elements");
  const auto at = nchw_.find(from);
  if (at != nchw_.end()) {
    const auto& x = model_.graph.node(at->second).type.shape;
    if (x[2] * x[3] == 1 && shape == graph::Shape{x[0], x[1]})
      return Finish(model_.graph.Add(name_, graph::Flatten{}, {at->second}, QuantizationOf(to)), false);
  }
  const ValueId x = Plain(from);
  return Finish(Host(name_, host::ReshapeTo(shape), {x}, "moves elements only", QuantizationOf(to)), false);
}

bool Builder::Softmax() {
  if (!Operands(1, 1)) return false;
  const auto* options = std::get_if<SoftmaxOptions>(&op_->options);
  const float beta = options ? options->beta : 1;
  const int from = op_->inputs[0];
  if (IsFloat(from)) {
    const auto softmax =
        host::Normalize("softmax", host::Normalization::kSoftmax, -1, false, static_cast<double>(beta));
    return Finish(Host(name_, softmax, {Plain(from)}, "float32"), false);
  }
  return QuantizedSoftmax(beta);
}

bool Builder::Relu() {
  if (!Operands(1, 1)) return false;
  static const std::map<std::string, Activation> kinds = {{"RELU", Activation::kRelu},
                                                          {"RELU6", Activation::kRelu6},
                                                          {"RELU_0_TO_1", Activation::kRelu0To1},
                                                          {"RELU_N1_TO_1", Activation::kReluN1To1}};
  const Activation activation = kinds.at(op_->name);
  const int from = op_->inputs[0];
  if (!IsFloat(from)) return QuantizedRelu(activation);
  const bool nchw = Info(from).shape.size() == 4 && IsNchw(from);
  return Finish(Activate(nchw ? Nchw(from) : Plain(from), activation, name_), nchw);
}

}  // namespace tflite

std::optional<Model> ImportTflite(std::span<const uint8_t> bytes, const std::string& name,
                                  Diagnostics& diagnostics) {
  const auto file = tflite::Read(bytes, name, diagnostics);
  if (!file) return std::nullopt;
  auto model = tflite::Builder(*file, diagnostics).Run();
  if (diagnostics.HasErrors()) return std::nullopt;
  return model;
}

}  // namespace cosim::import
