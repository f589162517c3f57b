// SPDX-License-Identifier: Apache-2.0
// Short ways to write tensors and graphs in tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/graph.h"

namespace cosim::graph {

inline Tensor Floats(Shape shape, std::vector<float> data) {
  return Tensor(std::move(shape), std::move(data));
}
inline Tensor Int8s(Shape shape, std::vector<int8_t> data) {
  return Tensor(std::move(shape), std::move(data));
}
inline Tensor Int32s(Shape shape, std::vector<int32_t> data) {
  return Tensor(std::move(shape), std::move(data));
}

/// Zeros of a type.
inline Tensor Zeros(DType dtype, Shape shape) { return Tensor(TensorType{dtype, std::move(shape)}); }

inline TensorType FloatType(Shape shape) { return {DType::kFloat32, std::move(shape)}; }
inline TensorType Int8Type(Shape shape) { return {DType::kInt8, std::move(shape)}; }
inline TensorType Int32Type(Shape shape) { return {DType::kInt32, std::move(shape)}; }

}  // namespace cosim::graph
