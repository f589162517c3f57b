// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>

#include "compiler/host/numeric.h"
#include "compiler/import/diagnostic_codes.h"
#include "compiler/import/file_kind.h"
#include "compiler/import/tflite/flex_map.h"
#include "compiler/import/tflite/options.h"
#include "compiler/import/tflite/schema_generated.h"
#include "compiler/import/tflite/sparse.h"

namespace cosim::import::tflite {
namespace {

namespace fb = cosim::tflite;
using graph::DType;

std::optional<DType> TypeOf(fb::TensorType type) {
  switch (type) {
    case fb::TensorType_FLOAT32:
      return DType::kFloat32;
    case fb::TensorType_FLOAT16:
      return DType::kFloat16;
    case fb::TensorType_FLOAT64:
      return DType::kFloat64;
    case fb::TensorType_INT8:
      return DType::kInt8;
    case fb::TensorType_UINT8:
      return DType::kUint8;
    case fb::TensorType_INT16:
      return DType::kInt16;
    case fb::TensorType_INT32:
      return DType::kInt32;
    case fb::TensorType_INT64:
      return DType::kInt64;
    case fb::TensorType_BOOL:
      return DType::kBool;
    default:
      return std::nullopt;
  }
}

// The verifier checks where a vector's length stands, not where elements of eight bytes do.
int64_t Long(const flatbuffers::Vector<int64_t>& vector, size_t i) {
  int64_t value = 0;
  std::memcpy(&value, vector.Data() + i * sizeof(value), sizeof(value));
  return flatbuffers::EndianScalar(value);
}

class Reader {
 public:
  Reader(std::span<const uint8_t> bytes, const std::string& name, Diagnostics& diagnostics)
      : bytes_(bytes), diagnostics_(diagnostics) {
    file_.name = name;
  }

  std::optional<File> Run() {
    if (!Verify()) return std::nullopt;
    const std::string name = file_.name;
    File all;
    for (const fb::SubGraph* graph : *model_->subgraphs()) {
      file_ = {.name = name};
      if (!ReadGraph(*graph)) return std::nullopt;
      if (all.tensors.empty()) {
        all = std::move(file_);
      } else {
        all.others.push_back(std::move(file_));
      }
    }
    return all;
  }

 private:
  std::nullopt_t Malformed(const std::string& what) { return Error(codes::kMalformed, what); }
  std::nullopt_t Error(const char* code, const std::string& what) {
    diagnostics_.Error(code, {file_.name}, what);
    return std::nullopt;
  }
  // Each only so that a failure can be returned as false.
  bool Bad(const std::string& what) { return Malformed(what), false; }

  bool ReadGraph(const fb::SubGraph& graph) {
    const bool first = graph_count_++ == 0;
    if (!graph.tensors() && first) return Bad("the graph has no tensors");
    if (graph.tensors())
      for (const fb::Tensor* tensor : *graph.tensors())
        if (!ReadTensor(*tensor)) return false;
    if (!ReadIndices(graph.inputs(), file_.inputs, false) ||
        !ReadIndices(graph.outputs(), file_.outputs, false))
      return false;
    for (int input : file_.inputs)
      if (file_.tensors[input].data)
        return Bad(fmt::format("input '{}' is a constant", file_.tensors[input].name));
    if (file_.outputs.empty() && first) return Bad("the graph has no outputs");
    if (graph.operators())
      for (const fb::Operator* op : *graph.operators())
        if (!ReadOperator(*op)) return false;
    return CheckOrder();
  }

  bool NoModel() {
    diagnostics_
        .Error(codes::kUnreadable, {file_.name}, "not a TensorFlow Lite file: bytes 4 to 7 are not 'TFL3'")
        .hint = FileKindHint(bytes_);
    return false;
  }

  bool Verify() {
    if (bytes_.size() < 8 || std::memcmp(bytes_.data() + 4, fb::ModelIdentifier(), 4) != 0) return NoModel();
    flatbuffers::Verifier verifier(bytes_.data(), bytes_.size(), 64, 10'000'000);
    if (!fb::VerifyModelBuffer(verifier)) return Bad("the file is truncated or damaged");
    model_ = fb::GetModel(bytes_.data());
    if (model_->version() != 3) return Bad(fmt::format("format version {}, not 3", model_->version()));
    if (!model_->subgraphs() || model_->subgraphs()->size() == 0) return Bad("there is no graph");
    return true;
  }

  bool ReadTensor(const fb::Tensor& tensor) {
    TensorInfo info;
    info.name = tensor.name() ? tensor.name()->str() : fmt::format("tensor{}", file_.tensors.size());
    info.variable = tensor.is_variable();
    info.resource = tensor.type() == fb::TensorType_RESOURCE;
    const auto type = info.resource ? std::optional(DType::kInt32) : TypeOf(tensor.type());
    const bool nibbles = tensor.type() == fb::TensorType_INT4;
    if (!type)
      for (const char* c = fb::EnumNameTensorType(tensor.type()); *c; ++c)
        info.type_in_file += static_cast<char>(std::tolower(static_cast<unsigned char>(*c)));
    if (!type && !nibbles)
      info.unusable = fmt::format("element type {}", fb::EnumNameTensorType(tensor.type()));
    info.complex = tensor.type() == fb::TensorType_COMPLEX64;
    info.dtype = nibbles ? DType::kInt8 : type.value_or(DType::kFloat32);
    int64_t elements = 1;
    for (size_t d = 0; tensor.shape() && d < tensor.shape()->size(); ++d) {
      const int64_t extent = tensor.shape()->Get(d);
      if (extent < 1) info.unusable = fmt::format("a dimension of {}", extent), info.complex = false;
      info.shape.push_back(extent);
      elements *= std::max<int64_t>(extent, 1);
      if (elements > kMostElements)
        return Error(codes::kTooLarge,
                     fmt::format("tensor '{}' has more than {} elements", info.name, kMostElements)),
               false;
    }
    if (info.unusable.empty() && (!ReadQuantization(tensor, info) || !ReadData(tensor, info, elements)))
      return false;
    if (nibbles && !info.data) info.unusable = "element type INT4, but is no constant";
    file_.tensors.push_back(std::move(info));
    return true;
  }

  bool ReadQuantization(const fb::Tensor& tensor, TensorInfo& info) {
    const auto* q = tensor.quantization();
    // Runtimes take floats as they are, whatever is written beside them.
    if (!q || !q->scale() || q->scale()->size() == 0 || graph::IsFloat(info.dtype)) return true;
    for (float scale : *q->scale()) {
      if (!(scale > 0) || !std::isfinite(scale))
        return Bad(fmt::format("a scale of tensor '{}' is {}", info.name, scale));
      info.scales.push_back(scale);
    }
    info.zero_points.assign(info.scales.size(), 0);
    if (q->zero_point() && q->zero_point()->size() != 0) {
      if (q->zero_point()->size() != info.scales.size())
        return Bad(fmt::format("tensor '{}' has {} scales, but {} zero points", info.name, info.scales.size(),
                               q->zero_point()->size()));
      for (size_t i = 0; i < info.scales.size(); ++i) {
        const int64_t zero_point = Long(*q->zero_point(), i);
        if (!IsZeroPoint(zero_point, info.dtype))
          return Bad(fmt::format("a zero point of tensor '{}', {}, is {}", info.name,
                                 graph::ToString(graph::TensorType{info.dtype, info.shape}), zero_point));
        info.zero_points[i] = static_cast<int32_t>(zero_point);
      }
    }
    info.axis = q->quantized_dimension();
    // Nothing reads the scales of a bias.
    if (info.dtype == DType::kInt32 || info.dtype == DType::kInt64) {
      if (info.scales.size() > 1) info.scales.clear(), info.zero_points.clear();
      return true;
    }
    if (info.scales.size() > 1 && (info.axis < 0 || info.axis >= static_cast<int>(info.shape.size()) ||
                                   info.shape[info.axis] != static_cast<int64_t>(info.scales.size())))
      return Bad(fmt::format("tensor '{}' has {} scales for dimension {} of {}", info.name,
                             info.scales.size(), info.axis, graph::ToString(info.shape)));
    return true;
  }

  bool ReadData(const fb::Tensor& tensor, TensorInfo& info, int64_t elements) {
    if (tensor.buffer() == 0) return true;
    if (!model_->buffers() || tensor.buffer() >= model_->buffers()->size())
      return Bad(
          fmt::format("tensor '{}' names buffer {}, which does not exist", info.name, tensor.buffer()));
    const auto* data = model_->buffers()->Get(tensor.buffer())->data();
    if (!data || data->size() == 0) return true;
    if (tensor.sparsity()) return ReadSparse(tensor, *data, info);
    const bool nibbles = tensor.type() == fb::TensorType_INT4;
    const int64_t bytes = nibbles ? (elements + 1) / 2 : elements * graph::SizeOf(info.dtype);
    if (static_cast<int64_t>(data->size()) != bytes)
      return Bad(fmt::format("tensor '{}' is {}, but its data has {} bytes", info.name,
                             graph::ToString(graph::TensorType{info.dtype, info.shape}), data->size()));
    graph::Tensor constant({info.dtype, info.shape});
    const auto to = constant.mutable_bytes();
    if (nibbles) {
      for (int64_t i = 0; i < elements; ++i) {  // the lower half of a byte first
        const int nibble = data->Get(static_cast<uint32_t>(i / 2)) >> (i % 2 * 4) & 15;
        to[i] = static_cast<uint8_t>(nibble < 8 ? nibble : nibble - 16);
      }
    } else {
      std::memcpy(to.data(), data->data(), data->size());
    }
    // What is not 0 is true.
    if (info.dtype == DType::kBool)
      for (uint8_t& v : to) v = v != 0;
    info.data = std::make_shared<const graph::Tensor>(std::move(constant));
    return true;
  }

  bool ReadSparse(const fb::Tensor& tensor, const flatbuffers::Vector<uint8_t>& data, TensorInfo& info) {
    const auto indices = [](fb::SparseIndexVector type, const void* vector) {
      std::vector<int64_t> list;
      const auto copy = [&](const auto* values) {
        for (size_t i = 0; values && i < values->size(); ++i)
          list.push_back(values->Get(static_cast<uint32_t>(i)));
      };
      if (!vector) return list;
      if (type == fb::SparseIndexVector_Int32Vector)
        copy(static_cast<const fb::Int32Vector*>(vector)->values());
      if (type == fb::SparseIndexVector_Uint16Vector)
        copy(static_cast<const fb::Uint16Vector*>(vector)->values());
      if (type == fb::SparseIndexVector_Uint8Vector)
        copy(static_cast<const fb::Uint8Vector*>(vector)->values());
      return list;
    };
    const fb::SparsityParameters& given = *tensor.sparsity();
    Sparsity sparsity;
    for (size_t i = 0; given.traversal_order() && i < given.traversal_order()->size(); ++i)
      sparsity.order.push_back(given.traversal_order()->Get(static_cast<uint32_t>(i)));
    for (size_t i = 0; given.block_map() && i < given.block_map()->size(); ++i)
      sparsity.blocks.push_back(given.block_map()->Get(static_cast<uint32_t>(i)));
    if (given.dim_metadata())
      for (const fb::DimensionMetadata* level : *given.dim_metadata())
        sparsity.levels.push_back({level->format() == fb::DimensionType_SPARSE_CSR, level->dense_size(),
                                   indices(level->array_segments_type(), level->array_segments()),
                                   indices(level->array_indices_type(), level->array_indices())});
    auto dense = Densified(sparsity, {info.dtype, info.shape}, {data.data(), data.size()});
    if (!dense)
      return Bad(fmt::format("the sparse storage of tensor '{}' does not fit its shape", info.name));
    info.data = std::make_shared<const graph::Tensor>(std::move(*dense));
    return true;
  }

  bool ReadIndices(const flatbuffers::Vector<int32_t>* from, std::vector<int>& to, bool optional) {
    for (size_t i = 0; from && i < from->size(); ++i) {
      const int index = from->Get(i);
      if (index >= static_cast<int>(file_.tensors.size()) || index < (optional ? -1 : 0))
        return Bad(fmt::format("tensor {} does not exist", index));
      to.push_back(index);
    }
    return true;
  }

  bool ReadOperator(const fb::Operator& op) {
    const auto* codes = model_->operator_codes();
    if (!codes || op.opcode_index() >= codes->size())
      return Bad(fmt::format("operator code {} does not exist", op.opcode_index()));
    const auto& code = *codes->Get(op.opcode_index());
    // Files from before the enum outgrew a byte have the number only in the old field.
    const auto builtin =
        std::max(code.builtin_code(), static_cast<fb::BuiltinOperator>(code.deprecated_builtin_code()));
    OperatorInfo info;
    info.name = fb::EnumNameBuiltinOperator(builtin);
    if (info.name.empty()) info.name = fmt::format("operator {}", static_cast<int>(builtin));
    info.custom = builtin == fb::BuiltinOperator_CUSTOM;
    if (info.custom && code.custom_code()) info.name = code.custom_code()->str();
    info.version = code.version();
    info.options = OptionsOf(op);
    if (const auto* custom = op.custom_options())
      info.custom_options = NumbersOf({custom->data(), custom->size()});
    if (!ReadIndices(op.inputs(), info.inputs, true) || !ReadIndices(op.outputs(), info.outputs, false))
      return false;
    file_.operators.push_back(std::move(info));
    return true;
  }

  bool CheckOrder() {
    std::vector<bool> known(file_.tensors.size(), false);
    for (size_t i = 0; i < known.size(); ++i)
      known[i] = file_.tensors[i].data != nullptr || file_.tensors[i].variable;
    for (int input : file_.inputs) known[input] = true;
    for (const OperatorInfo& op : file_.operators) {
      for (int input : op.inputs)
        if (input >= 0 && !known[input] && file_.tensors[input].unusable.empty())
          return Bad(fmt::format("{} reads tensor '{}' before anything computes it", op.name,
                                 file_.tensors[input].name));
      for (int output : op.outputs) {
        if (known[output])
          return Bad(fmt::format("tensor '{}' is computed twice", file_.tensors[output].name));
        known[output] = true;
      }
    }
    for (int output : file_.outputs)
      if (!known[output]) return Bad(fmt::format("nothing computes output '{}'", file_.tensors[output].name));
    return true;
  }

  std::span<const uint8_t> bytes_;
  Diagnostics& diagnostics_;
  const fb::Model* model_ = nullptr;
  int graph_count_ = 0;
  File file_;
};

}  // namespace

bool IsZeroPoint(int64_t value, DType type) {
  if (type == DType::kInt8) return value >= -128 && value <= 127;
  if (type == DType::kUint8) return value >= 0 && value <= 255;
  if (type == DType::kInt32) return value == static_cast<int32_t>(value);
  return value == 0;
}

std::optional<File> Read(std::span<const uint8_t> bytes, const std::string& name, Diagnostics& diagnostics) {
  // Tables are read in place: they need the alignment that a file at offset 0 has.
  if (reinterpret_cast<uintptr_t>(bytes.data()) % 16 != 0) {
    struct alignas(16) Line {
      uint8_t bytes[16];
    };
    std::vector<Line> copy((bytes.size() + 15) / 16);
    if (!bytes.empty()) std::memcpy(copy.data(), bytes.data(), bytes.size());
    return Reader({copy.empty() ? nullptr : copy[0].bytes, bytes.size()}, name, diagnostics).Run();
  }
  return Reader(bytes, name, diagnostics).Run();
}

}  // namespace cosim::import::tflite
