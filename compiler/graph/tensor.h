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

/// What an accelerator computes is int8 or int16, and int32; the other types are for operators on the host.
enum class DType : uint8_t {
  kInt8,
  kInt32,
  kFloat32,
  kUint8,
  kInt16,
  kUint16,
  kUint32,
  kInt64,
  kUint64,
  kFloat16,
  kFloat64,
  kBool
};

/// "int8", "float32", "bool" …
std::string_view Name(DType dtype);

/// IEEE binary16 as stored; arithmetic is done in float.
struct Half {
  uint16_t bits = 0;

  Half() = default;
  explicit Half(float value);  ///< rounds to nearest, ties to even
  explicit operator float() const;
  bool operator==(const Half&) const = default;
};

/// Calls f(T()) with the type that holds one element: uint8_t (0 or 1) for bool, Half for float16.
template <typename F>
auto WithElementType(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kInt8:
      return f(int8_t());
    case DType::kInt32:
      return f(int32_t());
    case DType::kUint8:
    case DType::kBool:
      return f(uint8_t());
    case DType::kInt16:
      return f(int16_t());
    case DType::kUint16:
      return f(uint16_t());
    case DType::kUint32:
      return f(uint32_t());
    case DType::kInt64:
      return f(int64_t());
    case DType::kUint64:
      return f(uint64_t());
    case DType::kFloat16:
      return f(Half());
    case DType::kFloat64:
      return f(double());
    case DType::kFloat32:
      break;
  }
  return f(float());
}

/// Bytes of one element.
int64_t SizeOf(DType dtype);

inline bool IsFloat(DType dtype) {
  return dtype == DType::kFloat16 || dtype == DType::kFloat32 || dtype == DType::kFloat64;
}
/// Whether quantized values may have this type: int8, or int16 (whose zero point is always 0).
inline bool IsQuantized(DType dtype) { return dtype == DType::kInt8 || dtype == DType::kInt16; }

/// The least and largest quantized value of a type for which IsQuantized holds.
inline int32_t LeastOf(DType dtype) { return dtype == DType::kInt8 ? -128 : -32768; }
inline int32_t LargestOf(DType dtype) { return -LeastOf(dtype) - 1; }

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
  Tensor(Shape shape, std::vector<int16_t> data);
  Tensor(Shape shape, std::vector<int32_t> data);
  Tensor(Shape shape, std::vector<float> data);
  Tensor(Shape shape, std::vector<int64_t> data);

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

  /// The elements as they stand in memory.
  std::span<const uint8_t> bytes() const;
  std::span<uint8_t> mutable_bytes();

  /// Same elements under another shape of the same size.
  Tensor Reshaped(Shape shape) const;

  bool operator==(const Tensor&) const = default;

 private:
  TensorType type_;
  std::variant<std::vector<float>, std::vector<int8_t>, std::vector<int32_t>, std::vector<uint8_t>,
               std::vector<int16_t>, std::vector<uint16_t>, std::vector<uint32_t>, std::vector<int64_t>,
               std::vector<uint64_t>, std::vector<Half>, std::vector<double>>
      data_;
};

/// Shared because graphs are copied by every pass and constants are large.
using TensorPtr = std::shared_ptr<const Tensor>;

}  // namespace cosim::graph
