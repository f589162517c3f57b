// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx/reader.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <onnx/onnx_pb.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "compiler/import/diagnostic_codes.h"

namespace cosim::import::onnx {
namespace {

namespace pb = ::onnx;
using graph::DType;

std::optional<DType> TypeOf(int32_t type) {
  switch (type) {
    case pb::TensorProto_DataType_FLOAT:
      return DType::kFloat32;
    case pb::TensorProto_DataType_UINT8:
      return DType::kUint8;
    case pb::TensorProto_DataType_INT8:
      return DType::kInt8;
    case pb::TensorProto_DataType_UINT16:
      return DType::kUint16;
    case pb::TensorProto_DataType_INT16:
      return DType::kInt16;
    case pb::TensorProto_DataType_INT32:
      return DType::kInt32;
    case pb::TensorProto_DataType_INT64:
      return DType::kInt64;
    case pb::TensorProto_DataType_BOOL:
      return DType::kBool;
    case pb::TensorProto_DataType_FLOAT16:
      return DType::kFloat16;
    case pb::TensorProto_DataType_DOUBLE:
      return DType::kFloat64;
    case pb::TensorProto_DataType_UINT32:
      return DType::kUint32;
    case pb::TensorProto_DataType_UINT64:
      return DType::kUint64;
    default:
      return std::nullopt;
  }
}

std::string TypeName(int32_t type) {
  return pb::TensorProto_DataType_IsValid(type)
             ? pb::TensorProto_DataType_Name(static_cast<pb::TensorProto_DataType>(type))
             : fmt::format("{}", type);
}

template <typename Message>
bool Parse(std::span<const uint8_t> bytes, Message& message) {
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max())) return false;
  google::protobuf::io::CodedInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  stream.SetRecursionLimit(64);
  return message.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
}

/// Bytes of external data: offset and length within a file beside the model.
std::optional<std::string> ExternalData(const pb::TensorProto& tensor, const std::string& folder,
                                        std::string& error) {
  std::string location;
  uint64_t offset = 0, length = 0;
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location") location = entry.value();
    if (entry.key() == "offset") offset = std::strtoull(entry.value().c_str(), nullptr, 10);
    if (entry.key() == "length") length = std::strtoull(entry.value().c_str(), nullptr, 10);
  }
  const std::filesystem::path path(location);
  bool outside = location.empty() || path.is_absolute();
  for (const auto& part : path) outside |= part == "..";
  std::error_code code;
  const auto whole = std::filesystem::weakly_canonical(std::filesystem::path(folder) / path, code);
  const auto base = std::filesystem::weakly_canonical(folder, code);
  const auto relative = whole.lexically_relative(base);
  if (outside || code || relative.empty() || *relative.begin() == "..")
    return error = fmt::format("its data lies in '{}', outside the model's folder", location), std::nullopt;
  const bool is_file = std::filesystem::is_regular_file(whole, code);
  const uint64_t size = is_file ? std::filesystem::file_size(whole, code) : 0;
  if (!is_file || code || offset > size || length > size - offset)
    return error = fmt::format("its data file '{}' is missing or too short", location), std::nullopt;
  if (length == 0) length = size - offset;
  std::string bytes(length, '\0');
  std::ifstream file(whole, std::ios::binary);
  if (!file.seekg(static_cast<std::streamoff>(offset)) ||
      !file.read(bytes.data(), static_cast<std::streamsize>(length)))
    return error = fmt::format("its data file '{}' cannot be read", location), std::nullopt;
  return bytes;
}

template <typename To, typename List>
bool CopyList(const List& list, graph::Tensor& tensor) {
  const auto to = tensor.mutable_data<To>();
  if (static_cast<size_t>(list.size()) != to.size()) return false;
  for (size_t i = 0; i < to.size(); ++i) to[i] = static_cast<To>(list[static_cast<int>(i)]);
  return true;
}

bool CopyTyped(const pb::TensorProto& proto, graph::Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kFloat32:
      return CopyList<float>(proto.float_data(), tensor);
    case DType::kFloat64:
      return CopyList<double>(proto.double_data(), tensor);
    case DType::kInt64:
      return CopyList<int64_t>(proto.int64_data(), tensor);
    case DType::kUint32:
      return CopyList<uint32_t>(proto.uint64_data(), tensor);
    case DType::kUint64:
      return CopyList<uint64_t>(proto.uint64_data(), tensor);
    case DType::kInt8:
      return CopyList<int8_t>(proto.int32_data(), tensor);
    case DType::kUint8:
    case DType::kBool:
      return CopyList<uint8_t>(proto.int32_data(), tensor);
    case DType::kInt16:
      return CopyList<int16_t>(proto.int32_data(), tensor);
    case DType::kUint16:
      return CopyList<uint16_t>(proto.int32_data(), tensor);
    case DType::kInt32:
      return CopyList<int32_t>(proto.int32_data(), tensor);
    case DType::kFloat16: {
      const auto to = tensor.mutable_data<graph::Half>();
      if (static_cast<size_t>(proto.int32_data_size()) != to.size()) return false;
      for (size_t i = 0; i < to.size(); ++i)
        to[i].bits = static_cast<uint16_t>(proto.int32_data(static_cast<int>(i)));
      return true;
    }
  }
  return false;
}

// Nothing and `error` when the tensor is of no type, size or place that can be taken.
std::optional<graph::Tensor> TensorOf(const pb::TensorProto& proto, const std::string& folder,
                                      std::string& error) {
  const auto dtype = TypeOf(proto.data_type());
  if (!dtype)
    return error = fmt::format("has elements of type {}", TypeName(proto.data_type())), std::nullopt;
  graph::Shape shape;
  int64_t elements = 1;
  for (int64_t extent : proto.dims()) {
    if (extent < 0) return error = fmt::format("has an extent of {}", extent), std::nullopt;
    shape.push_back(extent);
    if (__builtin_mul_overflow(elements, extent, &elements) || elements > kMostElements)
      return error = fmt::format("has more than {} elements", kMostElements), std::nullopt;
  }
  const int64_t bytes = elements * graph::SizeOf(*dtype);
  std::string external;
  const bool is_external = proto.data_location() == pb::TensorProto_DataLocation_EXTERNAL;
  if (is_external) {
    auto data = ExternalData(proto, folder, error);
    if (!data) return std::nullopt;
    external = std::move(*data);
  }
  const std::string& raw = is_external ? external : proto.raw_data();
  const bool is_raw = is_external || proto.has_raw_data();
  if (is_raw && static_cast<int64_t>(raw.size()) != bytes)
    return error = fmt::format("has {} bytes of data for shape {}", raw.size(), graph::ToString(shape)),
           std::nullopt;
  // Before so much memory is taken, there has to be that much data.
  if (!is_raw && elements > static_cast<int64_t>(proto.ByteSizeLong()))
    return error = fmt::format("has not the data for shape {}", graph::ToString(shape)), std::nullopt;
  graph::Tensor tensor({*dtype, shape});
  if (is_raw) {
    if (bytes != 0) std::memcpy(tensor.mutable_bytes().data(), raw.data(), raw.size());
  } else if (!CopyTyped(proto, tensor)) {
    return error = fmt::format("has not the data for shape {}", graph::ToString(shape)), std::nullopt;
  }
  if (*dtype == DType::kBool)
    for (uint8_t& v : tensor.mutable_data<uint8_t>()) v = v != 0;
  return tensor;
}

class Reader {
 public:
  Reader(const std::string& name, const std::string& folder, Diagnostics& diagnostics)
      : folder_(folder), diagnostics_(diagnostics) {
    file_.name = name;
  }

  std::optional<File> Run(std::span<const uint8_t> bytes) {
    pb::ModelProto model;
    if (!Parse(bytes, model) || !model.has_graph()) {
      Malformed("not an ONNX model, or a damaged one");
      return std::nullopt;
    }
    ReadVersions(model);
    const pb::GraphProto& graph = model.graph();
    for (const auto& tensor : graph.initializer()) ReadInitializer(tensor);
    if (graph.sparse_initializer_size() != 0) Unsupported("sparse initializers");
    for (const auto& value : graph.input())
      if (!file_.initializers.count(value.name())) file_.inputs.push_back(ValueOf(value));
    for (const auto& value : graph.output()) file_.outputs.push_back(ValueOf(value));
    if (file_.outputs.empty()) Malformed("the graph has no outputs");
    if (graph.node_size() > 1'000'000) Malformed("the graph has more than a million nodes");
    if (diagnostics_.HasErrors()) return std::nullopt;
    for (const auto& node : graph.node()) ReadNode(node);
    CheckOrder();
    if (diagnostics_.HasErrors()) return std::nullopt;
    file_.opsets = opsets_;
    return std::move(file_);
  }

 private:
  void Malformed(const std::string& what) { diagnostics_.Error(codes::kMalformed, {file_.name}, what); }
  void Unsupported(const std::string& what) { diagnostics_.Error(codes::kUnsupported, {file_.name}, what); }

  void ReadVersions(const pb::ModelProto& model) {
    for (const auto& import : model.opset_import())
      opsets_[import.domain() == "ai.onnx" ? "" : import.domain()] = import.version();
    if (!opsets_.count("")) opsets_[""] = 1;
    file_.opset = opsets_[""];
  }

  void ReadInitializer(const pb::TensorProto& proto) {
    std::string error;
    auto tensor = TensorOf(proto, folder_, error);
    if (!tensor) return Malformed(fmt::format("initializer '{}' {}", proto.name(), error));
    file_.initializers[proto.name()] = std::make_shared<const graph::Tensor>(std::move(*tensor));
  }

  static ValueInfo ValueOf(const pb::ValueInfoProto& proto) {
    ValueInfo info{.name = proto.name()};
    if (!proto.type().has_tensor_type()) {
      info.unsupported = "is no tensor";
      return info;
    }
    const auto& type = proto.type().tensor_type();
    const auto dtype = TypeOf(type.elem_type());
    if (!dtype) {
      info.unsupported = fmt::format("has elements of type {}", TypeName(type.elem_type()));
      return info;
    }
    info.dtype = *dtype;
    info.has_shape = type.has_shape();
    for (const auto& dimension : type.shape().dim()) {
      if (dimension.has_dim_value()) {
        info.dimensions.emplace_back(dimension.dim_value());
      } else {
        info.dimensions.emplace_back(dimension.dim_param());
      }
    }
    return info;
  }

  void ReadNode(const pb::NodeProto& proto) {
    NodeInfo node;
    const std::string domain = proto.domain() == "ai.onnx" ? "" : proto.domain();
    node.op = domain.empty() ? proto.op_type() : domain + "." + proto.op_type();
    node.opset = opsets_.count(domain) ? opsets_[domain] : 1;
    node.inputs.assign(proto.input().begin(), proto.input().end());
    node.outputs.assign(proto.output().begin(), proto.output().end());
    node.name = !proto.name().empty() ? proto.name() : node.outputs.empty() ? node.op : node.outputs[0];
    for (const auto& attribute : proto.attribute()) ReadAttribute(attribute, node);
    file_.nodes.push_back(std::move(node));
  }

  void ReadAttribute(const pb::AttributeProto& proto, NodeInfo& node) {
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
        if (tensor) {
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

  void CheckOrder() {
    std::set<std::string> known;
    for (const auto& [name, tensor] : file_.initializers) known.insert(name);
    for (const auto& input : file_.inputs)
      if (!known.insert(input.name).second) Malformed(fmt::format("value '{}' is defined twice", input.name));
    for (const NodeInfo& node : file_.nodes) {
      for (const std::string& input : node.inputs)
        if (!input.empty() && !known.count(input))
          Malformed(fmt::format("{} '{}' reads '{}' before anything computes it", node.op, node.name, input));
      for (const std::string& output : node.outputs)
        if (!output.empty() && !known.insert(output).second)
          Malformed(fmt::format("value '{}' is defined twice", output));
    }
    for (const auto& output : file_.outputs)
      if (!known.count(output.name)) Malformed(fmt::format("nothing computes output '{}'", output.name));
  }

  std::string folder_;
  Diagnostics& diagnostics_;
  std::map<std::string, int64_t> opsets_;
  File file_;
};

}  // namespace

std::optional<File> Read(std::span<const uint8_t> bytes, const std::string& name, const std::string& folder,
                         Diagnostics& diagnostics) {
  return Reader(name, folder, diagnostics).Run(bytes);
}

std::optional<std::vector<uint8_t>> WithDataInside(std::span<const uint8_t> bytes, const std::string& folder,
                                                   std::string& error) {
  pb::ModelProto model;
  if (!Parse(bytes, model)) return error = "not an ONNX model, or a damaged one", std::nullopt;
  std::vector<pb::TensorProto*> tensors;
  for (auto& tensor : *model.mutable_graph()->mutable_initializer()) tensors.push_back(&tensor);
  for (auto& node : *model.mutable_graph()->mutable_node())
    for (auto& attribute : *node.mutable_attribute())
      if (attribute.has_t()) tensors.push_back(attribute.mutable_t());
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

std::optional<graph::Tensor> ReadTensor(std::span<const uint8_t> bytes, std::string& error) {
  pb::TensorProto proto;
  if (!Parse(bytes, proto)) return error = "not a tensor, or a damaged one", std::nullopt;
  return TensorOf(proto, "", error);
}

}  // namespace cosim::import::onnx
