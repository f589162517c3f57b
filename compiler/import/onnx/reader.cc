// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx/reader.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <onnx/onnx-data_pb.h>
#include <onnx/onnx_pb.h>

#include <limits>
#include <set>

#include "compiler/import/diagnostic_codes.h"
#include "compiler/import/file_kind.h"
#include "compiler/import/onnx/tensor_proto.h"

namespace cosim::import::onnx {
namespace {

namespace pb = ::onnx;
using graph::DType;

template <typename Message>
bool Parse(std::span<const uint8_t> bytes, Message& message) {
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max())) return false;
  google::protobuf::io::CodedInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  stream.SetRecursionLimit(64);
  return message.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
}

/// Nothing of what looks like a model that is damaged.
std::string HintFor(std::span<const uint8_t> bytes) {
  const bool marked = !bytes.empty() && bytes[0] == 8;
  return marked ? "" : FileKindHint(bytes);
}

class Reader {
 public:
  Reader(const std::string& name, const std::string& folder, Structure structure, Diagnostics& diagnostics)
      : folder_(folder), structure_(structure), diagnostics_(diagnostics) {
    file_.name = name;
  }

  std::optional<File> Run(std::span<const uint8_t> bytes) {
    pb::ModelProto model;
    if (!Parse(bytes, model) || !model.has_graph()) {
      diagnostics_.Error(codes::kMalformed, {file_.name}, "not an ONNX model, or a damaged one").hint =
          HintFor(bytes);
      return std::nullopt;
    }
    ReadVersions(model);
    for (auto& tensor : *model.mutable_graph()->mutable_initializer()) {
      ReadInitializer(tensor, file_.initializers);
      delete tensor.release_raw_data();  // weights are large, and once is enough
    }
    const pb::GraphProto& graph = model.graph();
    ReportUnreadable();
    if (structure_ == Structure::kKept) excused_ = diagnostics_.list().size();
    if (graph.sparse_initializer_size() != 0) Unsupported("sparse initializers");
    for (const auto& value : graph.input())
      if (!file_.initializers.count(value.name()) && !file_.unreadable.count(value.name()))
        file_.inputs.push_back(ValueOf(value));
    for (const auto& value : graph.output()) file_.outputs.push_back(ValueOf(value));
    for (const auto* list : {&graph.input(), &graph.output()})
      for (const auto& value : *list) NoteType(value.name(), value.type().tensor_type().elem_type());
    if (file_.outputs.empty()) Malformed("the graph has no outputs");
    if (structure_ == Structure::kKept)
      for (const auto& function : model.functions()) ReadFunction(function);
    if (IsBad()) return std::nullopt;
    for (const auto& node : graph.node())
      if (CountNode()) file_.nodes.push_back(ReadNode(node));
    CheckOrder();
    if (IsBad()) return std::nullopt;
    file_.opsets = opsets_;
    return std::move(file_);
  }

 private:
  void Malformed(const std::string& what) { diagnostics_.Error(codes::kMalformed, {file_.name}, what); }
  void Unsupported(const std::string& what) { diagnostics_.Error(codes::kUnsupported, {file_.name}, what); }

  /// Whether there is no going on, to see what else is wrong.
  bool IsBad() const { return diagnostics_.HasErrors() && diagnostics_.list().size() > excused_; }

  void ReadVersions(const pb::ModelProto& model) {
    for (const auto& import : model.opset_import())
      opsets_[import.domain() == "ai.onnx" ? "" : import.domain()] = import.version();
    if (!opsets_.count("")) opsets_[""] = 1;
    file_.opset = opsets_[""];
  }

  void NoteType(const std::string& name, int32_t type) {
    if (type == pb::TensorProto_DataType_BFLOAT16) file_.bfloat16.insert(name);
    if (type == kInt4Type || type == kUint4Type) file_.half_bytes.insert(name);
  }

  /// False, and said once, when there are too many.
  bool CountNode() {
    constexpr int kMostNodes = 1'000'000;
    if (nodes_ == kMostNodes) Malformed("the graph has more than a million nodes");
    return ++nodes_ <= kMostNodes;
  }

  void ReadInitializer(const pb::TensorProto& proto, std::map<std::string, graph::TensorPtr>& initializers) {
    std::string error;
    auto tensor = TensorOf(proto, folder_, error);
    if (!tensor) {
      file_.unreadable.insert(proto.name());
      unreadable_[error].push_back(proto.name());
      return;
    }
    initializers[proto.name()] = std::make_shared<const graph::Tensor>(std::move(*tensor));
    NoteType(proto.name(), proto.data_type());
  }

  /// One message a reason: a file of weights that is missing is missed by all of them.
  void ReportUnreadable() {
    for (const auto& [why, names] : unreadable_)
      Malformed(fmt::format("initializer '{}' {}{}", names[0], why,
                            names.size() == 1 ? "" : fmt::format(" (and {} more)", names.size() - 1)));
    unreadable_.clear();
  }

  /// The type of a tensor, or of the tensors within; fills the form, or says why there is none.
  const pb::TypeProto_Tensor* TensorTypeOf(const pb::TypeProto& proto, ValueInfo& info) const {
    if (proto.has_tensor_type()) return &proto.tensor_type();
    info.unsupported = proto.has_map_type() ? "is a map" : "is no tensor";
    if (structure_ == Structure::kRefused) return nullptr;
    const bool is_optional = proto.has_optional_type();
    const pb::TypeProto& inner = is_optional ? proto.optional_type().elem_type() : proto;
    const bool is_sequence = inner.has_sequence_type();
    const pb::TypeProto& element = is_sequence ? inner.sequence_type().elem_type() : inner;
    if (element.has_map_type()) info.unsupported = "is a sequence of maps";
    if (!element.has_tensor_type()) return nullptr;
    info.unsupported.clear();
    info.form = !is_optional  ? Form::kSequence
                : is_sequence ? Form::kOptionalSequence
                              : Form::kOptionalTensor;
    return &element.tensor_type();
  }

  ValueInfo ValueOf(const pb::ValueInfoProto& proto) const {
    ValueInfo info{.name = proto.name()};
    const auto* type = TensorTypeOf(proto.type(), info);
    if (!type) return info;
    const auto dtype = HeldAs(type->elem_type());
    if (!dtype) {
      info.unsupported = fmt::format("has elements of type {}", ElementTypeName(type->elem_type()));
      return info;
    }
    info.dtype = *dtype;
    info.has_shape = type->has_shape();
    for (const auto& dimension : type->shape().dim()) {
      if (dimension.has_dim_value()) {
        info.dimensions.emplace_back(dimension.dim_value());
      } else {
        info.dimensions.emplace_back(dimension.dim_param());
      }
    }
    return info;
  }

  std::shared_ptr<const Subgraph> ReadSubgraph(const pb::GraphProto& proto) {
    auto graph = std::make_shared<Subgraph>();
    for (const auto& tensor : proto.initializer()) ReadInitializer(tensor, graph->initializers);
    ReportUnreadable();
    if (proto.sparse_initializer_size() != 0) Unsupported("sparse initializers");
    for (const auto& value : proto.input()) graph->inputs.push_back(value.name());
    for (const auto& value : proto.output()) {
      graph->outputs.push_back(value.name());
      graph->output_types.push_back(ValueOf(value));
    }
    for (const auto& node : proto.node())
      if (CountNode()) graph->nodes.push_back(ReadNode(node));
    return graph;
  }

  void ReadFunction(const pb::FunctionProto& proto) {
    auto function = std::make_shared<Subgraph>();
    function->inputs.assign(proto.input().begin(), proto.input().end());
    function->outputs.assign(proto.output().begin(), proto.output().end());
    const auto outside = opsets_;
    for (const auto& import : proto.opset_import())
      opsets_[import.domain() == "ai.onnx" ? "" : import.domain()] = import.version();
    for (const auto& node : proto.node())
      if (CountNode()) function->nodes.push_back(ReadNode(node));
    opsets_ = outside;
    for (const std::string& name : MissingOf(*function))
      Malformed(fmt::format("function {} reads '{}' before anything computes it", proto.name(), name));
    file_.functions[OperatorName(proto.domain(), proto.name())] = function;
  }

  static std::string OperatorName(const std::string& domain, const std::string& name) {
    return domain.empty() || domain == "ai.onnx" ? name : domain + "." + name;
  }

  NodeInfo ReadNode(const pb::NodeProto& proto) {
    NodeInfo node;
    const std::string domain = proto.domain() == "ai.onnx" ? "" : proto.domain();
    node.op = OperatorName(domain, proto.op_type());
    node.opset = opsets_.count(domain) ? opsets_[domain] : 1;
    node.inputs.assign(proto.input().begin(), proto.input().end());
    node.outputs.assign(proto.output().begin(), proto.output().end());
    node.name = !proto.name().empty() ? proto.name() : node.outputs.empty() ? node.op : node.outputs[0];
    for (const auto& attribute : proto.attribute()) ReadAttribute(attribute, node);
    return node;
  }

  void ReadAttribute(const pb::AttributeProto& proto, NodeInfo& node) {
    if (structure_ == Structure::kKept) {
      if (!proto.ref_attr_name().empty()) {
        node.references[proto.name()] = proto.ref_attr_name();
        return;
      }
      if (proto.has_g()) {
        const auto graph = ReadSubgraph(proto.g());
        for (const std::string& name : MissingOf(*graph)) node.captured.push_back(name);
        node.graphs[proto.name()] = graph;
        return;
      }
      if (proto.type() == pb::AttributeProto_AttributeType_TYPE_PROTO) return;  // of an empty optional
    }
    Attribute& value = node.attributes[proto.name()];
    switch (proto.type()) {
      case pb::AttributeProto_AttributeType_INT:
        value = static_cast<int64_t>(proto.i());
        return;
      case pb::AttributeProto_AttributeType_FLOAT:
        value = proto.f();
        return;
      case pb::AttributeProto_AttributeType_STRING:
        value = proto.s();
        return;
      case pb::AttributeProto_AttributeType_INTS:
        value = std::vector<int64_t>(proto.ints().begin(), proto.ints().end());
        return;
      case pb::AttributeProto_AttributeType_FLOATS:
        value = std::vector<float>(proto.floats().begin(), proto.floats().end());
        return;
      case pb::AttributeProto_AttributeType_STRINGS:
        value = std::vector<std::string>(proto.strings().begin(), proto.strings().end());
        return;
      case pb::AttributeProto_AttributeType_TENSOR: {
        std::string error;
        auto tensor = TensorOf(proto.t(), folder_, error);
        const bool is_half_byte = proto.t().data_type() == kInt4Type || proto.t().data_type() == kUint4Type;
        if (is_half_byte) {
          node.unsupported = fmt::format("attribute '{}' has elements of four bits", proto.name());
        } else if (tensor) {
          value = std::make_shared<const graph::Tensor>(std::move(*tensor));
        } else {
          node.unsupported = fmt::format("attribute '{}' {}", proto.name(), error);
        }
        return;
      }
      default:
        node.unsupported = fmt::format(
            "attribute '{}' is neither a number, a text, a list of them, nor a tensor", proto.name());
    }
  }

  /// What `graph` reads before it defines it, so that something around it has to. What is defined twice is a
  /// fault.
  std::set<std::string> MissingOf(const Subgraph& graph) {
    std::set<std::string> own(graph.inputs.begin(), graph.inputs.end()), missing;
    for (const auto& [name, tensor] : graph.initializers) own.insert(name);
    const auto read = [&](const std::vector<std::string>& names) {
      for (const std::string& name : names)
        if (!name.empty() && !own.count(name)) missing.insert(name);
    };
    for (const NodeInfo& node : graph.nodes) {
      read(node.inputs);
      read(node.captured);
      for (const std::string& name : node.outputs)
        if (!name.empty() && !own.insert(name).second)
          Malformed(fmt::format("value '{}' is defined twice", name));
    }
    read(graph.outputs);
    return missing;
  }

  void CheckOrder() {
    std::set<std::string> known;
    for (const auto& [name, tensor] : file_.initializers) known.insert(name);
    known.insert(file_.unreadable.begin(), file_.unreadable.end());
    for (const auto& input : file_.inputs)
      if (!known.insert(input.name).second) Malformed(fmt::format("value '{}' is defined twice", input.name));
    for (const NodeInfo& node : file_.nodes) {
      for (const auto* list : {&node.inputs, &node.captured})
        for (const std::string& input : *list)
          if (!input.empty() && !known.count(input))
            Malformed(
                fmt::format("{} '{}' reads '{}' before anything computes it", node.op, node.name, input));
      for (const std::string& output : node.outputs)
        if (!output.empty() && !known.insert(output).second)
          Malformed(fmt::format("value '{}' is defined twice", output));
    }
    for (const auto& output : file_.outputs)
      if (!known.count(output.name)) Malformed(fmt::format("nothing computes output '{}'", output.name));
  }

  std::string folder_;
  Structure structure_;
  Diagnostics& diagnostics_;
  std::map<std::string, int64_t> opsets_;
  int nodes_ = 0;
  std::map<std::string, std::vector<std::string>> unreadable_;  ///< initializers by what is wrong with them
  size_t excused_ = 0;                                          ///< messages on initializers
  File file_;
};

void TensorsOf(pb::GraphProto& graph, std::vector<pb::TensorProto*>& tensors) {
  for (auto& tensor : *graph.mutable_initializer()) tensors.push_back(&tensor);
  for (auto& node : *graph.mutable_node())
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_t()) tensors.push_back(attribute.mutable_t());
      if (attribute.has_g()) TensorsOf(*attribute.mutable_g(), tensors);
    }
}

}  // namespace

std::optional<File> Read(std::span<const uint8_t> bytes, const std::string& name, const std::string& folder,
                         Diagnostics& diagnostics, Structure structure) {
  return Reader(name, folder, structure, diagnostics).Run(bytes);
}

std::optional<std::vector<uint8_t>> WithDataInside(std::span<const uint8_t> bytes, const std::string& folder,
                                                   std::string& error) {
  pb::ModelProto model;
  if (!Parse(bytes, model)) return error = "not an ONNX model, or a damaged one", std::nullopt;
  std::vector<pb::TensorProto*> tensors;
  TensorsOf(*model.mutable_graph(), tensors);
  std::erase_if(tensors, [](auto* t) { return t->data_location() != pb::TensorProto_DataLocation_EXTERNAL; });
  if (tensors.empty()) return std::vector<uint8_t>(bytes.begin(), bytes.end());
  for (pb::TensorProto* tensor : tensors) {
    auto data = ExternalData(*tensor, folder, error);
    if (!data) return std::nullopt;
    tensor->set_raw_data(std::move(*data));
    tensor->clear_external_data();
    tensor->clear_data_location();
  }
  const size_t size = model.ByteSizeLong();
  if (size > static_cast<size_t>(std::numeric_limits<int>::max()))
    return error = fmt::format("with its external data it has {} bytes: ONNX files have at most 2 GiB", size),
           std::nullopt;
  std::vector<uint8_t> whole(size);
  model.SerializeToArray(whole.data(), static_cast<int>(size));
  return whole;
}

std::optional<Elements> ReadValue(std::span<const uint8_t> bytes, Form form, std::string& error) {
  pb::OptionalProto optional;
  pb::SequenceProto sequence;
  pb::TensorProto tensor;
  bool parsed = false;
  if (form == Form::kTensor) parsed = Parse(bytes, tensor);
  if (form == Form::kSequence) parsed = Parse(bytes, sequence);
  if (form == Form::kOptionalTensor || form == Form::kOptionalSequence) parsed = Parse(bytes, optional);
  if (!parsed) return error = "not a value of its type, or a damaged one", std::nullopt;
  Elements elements;
  std::vector<const pb::TensorProto*> protos;
  if (form == Form::kTensor) protos.push_back(&tensor);
  if (form == Form::kOptionalTensor && optional.has_tensor_value())
    protos.push_back(&optional.tensor_value());
  if (form == Form::kOptionalTensor) elements.present = optional.has_tensor_value();
  if (form == Form::kOptionalSequence) elements.present = optional.has_sequence_value();
  const pb::SequenceProto& list = form == Form::kOptionalSequence ? optional.sequence_value() : sequence;
  for (const auto& element : list.tensor_values()) protos.push_back(&element);
  for (const pb::TensorProto* proto : protos) {
    auto value = TensorOf(*proto, "", error);
    if (!value) return std::nullopt;
    elements.tensors.push_back(std::make_shared<const graph::Tensor>(std::move(*value)));
  }
  return elements;
}

}  // namespace cosim::import::onnx
