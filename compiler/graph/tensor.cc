// SPDX-License-Identifier: Apache-2.0
// Host tensors of the graph IR.
#include "compiler/graph/tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
  }
  COSIM_CHECK(false, "dtype {}", static_cast<int>(dtype));
}

int64_t SizeOf(DType dtype) { return dtype == DType::kInt8 ? 1 : 4; }

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
  const int64_t size = NumElements(type_.shape);
  switch (type_.dtype) {
    case DType::kInt8:
      data_ = std::vector<int8_t>(size);
      break;
    case DType::kInt32:
      data_ = std::vector<int32_t>(size);
      break;
    case DType::kFloat32:
      data_ = std::vector<float>(size);
      break;
  }
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

Tensor::Tensor(Shape shape, std::vector<int32_t> data) : type_{DType::kInt32, std::move(shape)} {
  CheckLength(type_.shape, data);
  data_ = std::move(data);
}

Tensor::Tensor(Shape shape, std::vector<float> data) : type_{DType::kFloat32, std::move(shape)} {
  CheckLength(type_.shape, data);
  data_ = std::move(data);
}

Tensor Tensor::Reshaped(Shape shape) const {
  COSIM_CHECK(NumElements(shape) == size(), "reshape of {} to {}", ToString(type_), ToString(shape));
  Tensor result = *this;
  result.type_.shape = std::move(shape);
  return result;
}

}  // namespace cosim::graph
