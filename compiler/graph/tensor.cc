// SPDX-License-Identifier: Apache-2.0
// Host tensors of the graph IR.
#include "compiler/graph/tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Core>

#include "compiler/graph/mapped.h"
#include "isa/check.h"

namespace cosim::graph {

std::string_view Name(DType dtype) {
  switch (dtype) {
    case DType::kInt8:
      return "int8";
    case DType::kInt32:
      return "int32";
    case DType::kFloat32:
      return "float32";
    case DType::kUint8:
      return "uint8";
    case DType::kInt16:
      return "int16";
    case DType::kUint16:
      return "uint16";
    case DType::kUint32:
      return "uint32";
    case DType::kInt64:
      return "int64";
    case DType::kUint64:
      return "uint64";
    case DType::kFloat16:
      return "float16";
    case DType::kFloat64:
      return "float64";
    case DType::kBool:
      return "bool";
  }
  COSIM_CHECK(false, "dtype {}", static_cast<int>(dtype));
}

Half::Half(float value) : bits(Eigen::half(value).x) {}

Half::operator float() const {
  return Eigen::half_impl::half_to_float(Eigen::half_impl::raw_uint16_to_half(bits));
}

int64_t SizeOf(DType dtype) {
  return WithElementType(dtype, [](auto zero) { return static_cast<int64_t>(sizeof(zero)); });
}

int64_t NumElements(const Shape& shape) {
  int64_t product = 1;
  for (int64_t extent : shape) product *= extent;
  return product;
}

std::string ToString(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ",")); }

std::string ToString(const TensorType& type) {
  return fmt::format("{}{}", Name(type.dtype), ToString(type.shape));
}

Tensor::Tensor(TensorType type) : type_(std::move(type)) {
  WithElementType(type_.dtype, [&](auto zero) {
    auto data = ReserveMapped<decltype(zero)>(size());
    data.resize(size());
    data_ = std::move(data);
  });
}

namespace {

template <typename T>
void CheckLength(const Shape& shape, const std::vector<T>& data) {
  COSIM_CHECK(NumElements(shape) == static_cast<int64_t>(data.size()), "{} elements for shape {}",
              data.size(), ToString(shape));
}

}  // namespace

Tensor::Tensor(Shape shape, std::vector<int8_t> data) : type_{DType::kInt8, std::move(shape)} {
  CheckLength(type_.shape, data);
  data_ = std::move(data);
}

Tensor::Tensor(Shape shape, std::vector<int16_t> data) : type_{DType::kInt16, std::move(shape)} {
  CheckLength(type_.shape, data);
  data_ = std::move(data);
}

Tensor::Tensor(Shape shape, std::vector<int32_t> data) : type_{DType::kInt32, std::move(shape)} {
  CheckLength(type_.shape, data);
  data_ = std::move(data);
}

Tensor::Tensor(Shape shape, std::vector<float> data) : type_{DType::kFloat32, std::move(shape)} {
  CheckLength(type_.shape, data);
  data_ = std::move(data);
}

Tensor::Tensor(Shape shape, std::vector<int64_t> data) : type_{DType::kInt64, std::move(shape)} {
  CheckLength(type_.shape, data);
  data_ = std::move(data);
}

std::span<const uint8_t> Tensor::bytes() const {
  return std::visit(
      [](const auto& list) {
        return std::span(reinterpret_cast<const uint8_t*>(list.data()), list.size() * sizeof(list[0]));
      },
      data_);
}

std::span<uint8_t> Tensor::mutable_bytes() {
  return std::visit(
      [](auto& list) {
        return std::span(reinterpret_cast<uint8_t*>(list.data()), list.size() * sizeof(list[0]));
      },
      data_);
}

Tensor Tensor::Reshaped(Shape shape) const {
  COSIM_CHECK(NumElements(shape) == size(), "reshape of {} to {}", ToString(type_), ToString(shape));
  Tensor result = *this;
  result.type_.shape = std::move(shape);
  return result;
}

}  // namespace cosim::graph
