// SPDX-License-Identifier: Apache-2.0
// Element types, shapes and dense host tensors of the graph IR. What the elements mean is said by the graph.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cosim::graph {

enum class DType : uint8_t { kInt8, kInt32, kFloat32 };

/// "int8", "int32" or "float32".
std::string_view Name(DType dtype);

/// Bytes of one element.
int64_t SizeOf(DType dtype);

/// Extents, outermost first. Activations are NCHW or [N, features], convolution weights OIHW (I is the
/// channels of one group), dense weights [out, in], per-channel vectors [C].
using Shape = std::vector<int64_t>;

/// Product of the extents; 1 for a scalar.
int64_t NumElements(const Shape& shape);

/// "[1,64,56,56]".
std::string ToString(const Shape& shape);

/// What a value holds, without its quantization.
struct TensorType {
  DType dtype = DType::kFloat32;
  Shape shape;

  bool operator==(const TensorType&) const = default;
};

/// "int8[1,64,56,56]".
std::string ToString(const TensorType& type);

/// A dense tensor in host memory: row-major, no padding between elements.
class Tensor {
 public:
  Tensor() = default;
  /// Zero-filled.
  explicit Tensor(TensorType type);
  /// Takes `data`; its length must be the number of elements of `shape`.
  Tensor(Shape shape, std::vector<int8_t> data);
  Tensor(Shape shape, std::vector<int32_t> data);
  Tensor(Shape shape, std::vector<float> data);

  const TensorType& type() const { return type_; }
  DType dtype() const { return type_.dtype; }
  const Shape& shape() const { return type_.shape; }
  int64_t size() const { return NumElements(type_.shape); }

  /// The elements; T must match the dtype.
  template <typename T>
  std::span<const T> data() const {
    return std::get<std::vector<T>>(data_);
  }
  template <typename T>
  std::span<T> mutable_data() {
    return std::get<std::vector<T>>(data_);
  }

  /// Same elements under another shape of the same size.
  Tensor Reshaped(Shape shape) const;

  bool operator==(const Tensor&) const = default;

 private:
  TensorType type_;
  std::variant<std::vector<float>, std::vector<int8_t>, std::vector<int32_t>> data_;
};

/// Shared because graphs are copied by every pass and constants are large.
using TensorPtr = std::shared_ptr<const Tensor>;

}  // namespace cosim::graph
