// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx/tensor_proto.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "compiler/import/onnx/reader.h"

namespace cosim::import::onnx {

namespace pb = ::onnx;
using graph::DType;

std::optional<DType> HeldAs(int32_t type) {
  switch (type) {
    case pb::TensorProto_DataType_FLOAT:
    case pb::TensorProto_DataType_BFLOAT16:
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

std::string ElementTypeName(int32_t type) {
  static const char* const kLater[] = {"FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ",
                                       "UINT4",        "INT4",           "FLOAT4E2M1"};
  constexpr int32_t kFirstLater = 17;
  if (pb::TensorProto_DataType_IsValid(type))
    return pb::TensorProto_DataType_Name(static_cast<pb::TensorProto_DataType>(type));
  const bool is_later = type >= kFirstLater && type < kFirstLater + static_cast<int32_t>(std::size(kLater));
  return is_later ? kLater[type - kFirstLater] : fmt::format("{}", type);
}

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
    return error = fmt::format("has its data in '{}', outside the model's folder", location), std::nullopt;
  const bool is_file = std::filesystem::is_regular_file(whole, code);
  const uint64_t size = is_file ? std::filesystem::file_size(whole, code) : 0;
  if (!is_file || code || offset > size || length > size - offset)
    return error = fmt::format("has its data in '{}', which is missing or too short", location), std::nullopt;
  if (length == 0) length = size - offset;
  std::string bytes(length, '\0');
  std::ifstream file(whole, std::ios::binary);
  if (!file.seekg(static_cast<std::streamoff>(offset)) ||
      !file.read(bytes.data(), static_cast<std::streamsize>(length)))
    return error = fmt::format("its data file '{}' cannot be read", location), std::nullopt;
  return bytes;
}

namespace {

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

/// The bytes of a tensor that are no elements of what holds them: two bytes of a bfloat16, halves of bytes.
bool CopyPacked(int32_t type, const pb::TensorProto& proto, const std::string& raw, bool is_raw,
                graph::Tensor& tensor) {
  const int64_t elements = tensor.size(),
                given = is_raw ? static_cast<int64_t>(raw.size()) : proto.int32_data_size();
  const auto at = [&](int64_t i) {
    return is_raw ? static_cast<uint8_t>(raw[static_cast<size_t>(i)])
                  : static_cast<uint32_t>(proto.int32_data(static_cast<int>(i)));
  };
  if (type == pb::TensorProto_DataType_BFLOAT16) {
    if (given != (is_raw ? 2 * elements : elements)) return false;
    const auto to = tensor.mutable_data<float>();
    for (int64_t i = 0; i < elements; ++i) {
      const uint32_t bits = is_raw ? at(2 * i) | at(2 * i + 1) << 8 : at(i) & 0xffff;
      to[static_cast<size_t>(i)] = std::bit_cast<float>(bits << 16);
    }
    return true;
  }
  if (given != (elements + 1) / 2) return false;
  const auto to = tensor.mutable_bytes();
  for (int64_t i = 0; i < elements; ++i) {
    const uint32_t four = at(i / 2) >> (i % 2 * 4) & 15;
    to[static_cast<size_t>(i)] =
        static_cast<uint8_t>(type == kInt4Type && four > 7 ? four + 0xf0 : four);  // its sign is extended
  }
  return true;
}

}  // namespace

std::optional<graph::Tensor> TensorOf(const pb::TensorProto& proto, const std::string& folder,
                                      std::string& error) {
  const int32_t type = proto.data_type();
  const bool is_half_byte = type == kUint4Type || type == kInt4Type,
             is_packed = is_half_byte || type == pb::TensorProto_DataType_BFLOAT16;
  const auto dtype = !is_half_byte        ? HeldAs(type)
                     : type == kUint4Type ? std::optional(DType::kUint8)
                                          : std::optional(DType::kInt8);
  if (!dtype) return error = fmt::format("has elements of type {}", ElementTypeName(type)), std::nullopt;
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
  if (is_raw && !is_packed && static_cast<int64_t>(raw.size()) != bytes)
    return error = fmt::format("has {} bytes of data for shape {}", raw.size(), graph::ToString(shape)),
           std::nullopt;
  // Before so much memory is taken, there has to be that much data.
  const int64_t given =
      is_raw ? static_cast<int64_t>(raw.size()) : static_cast<int64_t>(proto.ByteSizeLong());
  if ((!is_raw || is_packed) && elements / 2 > given)
    return error = fmt::format("has not the data for shape {}", graph::ToString(shape)), std::nullopt;
  graph::Tensor tensor({*dtype, shape});
  if (is_packed) {
    if (!CopyPacked(type, proto, raw, is_raw, tensor))
      return error = fmt::format("has not the data for shape {}", graph::ToString(shape)), std::nullopt;
  } else if (is_raw) {
    if (bytes != 0) std::memcpy(tensor.mutable_bytes().data(), raw.data(), raw.size());
  } else if (!CopyTyped(proto, tensor)) {
    return error = fmt::format("has not the data for shape {}", graph::ToString(shape)), std::nullopt;
  }
  if (*dtype == DType::kBool)
    for (uint8_t& v : tensor.mutable_data<uint8_t>()) v = v != 0;
  return tensor;
}

}  // namespace cosim::import::onnx
