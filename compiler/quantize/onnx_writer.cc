// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/onnx_writer.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>

#include <filesystem>

#include "isa/check.h"

namespace cosim::quantize {
namespace {

namespace pb = ::onnx;
using graph::DType;
using import::onnx::Attribute;
using import::onnx::File;
using import::onnx::NodeInfo;
using import::onnx::ValueInfo;

pb::TensorProto_DataType TypeOf(DType type) {
  switch (type) {
    case DType::kInt8:
      return pb::TensorProto_DataType_INT8;
    case DType::kInt32:
      return pb::TensorProto_DataType_INT32;
    case DType::kFloat32:
      return pb::TensorProto_DataType_FLOAT;
    case DType::kUint8:
      return pb::TensorProto_DataType_UINT8;
    case DType::kInt16:
      return pb::TensorProto_DataType_INT16;
    case DType::kUint16:
      return pb::TensorProto_DataType_UINT16;
    case DType::kUint32:
      return pb::TensorProto_DataType_UINT32;
    case DType::kInt64:
      return pb::TensorProto_DataType_INT64;
    case DType::kUint64:
      return pb::TensorProto_DataType_UINT64;
    case DType::kFloat16:
      return pb::TensorProto_DataType_FLOAT16;
    case DType::kFloat64:
      return pb::TensorProto_DataType_DOUBLE;
    case DType::kBool:
      return pb::TensorProto_DataType_BOOL;
  }
  COSIM_CHECK(false, "element type {}", static_cast<int>(type));
}

void WriteTensor(const std::string& name, const graph::Tensor& tensor, pb::TensorProto& proto) {
  proto.set_name(name);
  proto.set_data_type(TypeOf(tensor.dtype()));
  for (int64_t extent : tensor.shape()) proto.add_dims(extent);
  const auto bytes = tensor.bytes();
  proto.set_raw_data(bytes.data(), bytes.size());
}

struct AttributeWriter {
  pb::AttributeProto& proto;

  void operator()(int64_t v) const {
    proto.set_type(pb::AttributeProto_AttributeType_INT);
    proto.set_i(v);
  }
  void operator()(float v) const {
    proto.set_type(pb::AttributeProto_AttributeType_FLOAT);
    proto.set_f(v);
  }
  void operator()(const std::string& v) const {
    proto.set_type(pb::AttributeProto_AttributeType_STRING);
    proto.set_s(v);
  }
  void operator()(const std::vector<int64_t>& list) const {
    proto.set_type(pb::AttributeProto_AttributeType_INTS);
    for (int64_t v : list) proto.add_ints(v);
  }
  void operator()(const std::vector<float>& list) const {
    proto.set_type(pb::AttributeProto_AttributeType_FLOATS);
    for (float v : list) proto.add_floats(v);
  }
  void operator()(const std::vector<std::string>& list) const {
    proto.set_type(pb::AttributeProto_AttributeType_STRINGS);
    for (const std::string& v : list) proto.add_strings(v);
  }
  void operator()(const graph::TensorPtr& tensor) const {
    proto.set_type(pb::AttributeProto_AttributeType_TENSOR);
    WriteTensor("", *tensor, *proto.mutable_t());
  }
};

void WriteNode(const NodeInfo& node, pb::NodeProto& proto) {
  const size_t dot = node.op.rfind('.');
  if (dot != std::string::npos) proto.set_domain(node.op.substr(0, dot));
  proto.set_op_type(dot == std::string::npos ? node.op : node.op.substr(dot + 1));
  proto.set_name(node.name);
  for (const std::string& name : node.inputs) proto.add_input(name);
  for (const std::string& name : node.outputs) proto.add_output(name);
  for (const auto& [name, value] : node.attributes) {
    pb::AttributeProto& attribute = *proto.add_attribute();
    attribute.set_name(name);
    std::visit(AttributeWriter{attribute}, value);
  }
}

void WriteValue(const ValueInfo& value, pb::ValueInfoProto& proto) {
  proto.set_name(value.name);
  auto& type = *proto.mutable_type()->mutable_tensor_type();
  type.set_elem_type(TypeOf(value.dtype));
  if (!value.has_shape) return;
  auto& shape = *type.mutable_shape();
  for (const auto& dimension : value.dimensions) {
    auto& to = *shape.add_dim();
    if (const int64_t* extent = std::get_if<int64_t>(&dimension)) {
      to.set_dim_value(*extent);
    } else if (const auto& name = std::get<std::string>(dimension); !name.empty()) {
      to.set_dim_param(name);
    }
  }
}

// Maps are written in order, so that equal networks are equal files.
std::string Serialized(const pb::ModelProto& model) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  COSIM_CHECK(model.SerializeToCodedStream(&coded));
  coded.Trim();
  return bytes;
}

}  // namespace

std::optional<std::string> WriteOnnx(const File& file, std::string& error) {
  pb::ModelProto model;
  const int64_t opset = file.opsets.at("");
  model.set_ir_version(opset >= 15 ? 8 : 7);
  model.set_producer_name("cosim");
  for (const auto& [domain, version] : file.opsets) {
    auto& import = *model.add_opset_import();
    import.set_domain(domain);
    import.set_version(version);
  }
  pb::GraphProto& graph = *model.mutable_graph();
  graph.set_name(std::filesystem::path(file.name).stem().string());
  for (const ValueInfo& value : file.inputs) WriteValue(value, *graph.add_input());
  for (const ValueInfo& value : file.outputs) WriteValue(value, *graph.add_output());
  for (const auto& [name, tensor] : file.initializers) WriteTensor(name, *tensor, *graph.add_initializer());
  for (const NodeInfo& node : file.nodes) WriteNode(node, *graph.add_node());
  try {
    pb::checker::check_model(model);
  } catch (const std::exception& e) {
    return error = e.what(), std::nullopt;
  }
  return Serialized(model);
}

}  // namespace cosim::quantize
