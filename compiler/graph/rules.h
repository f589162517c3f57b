// SPDX-License-Identifier: Apache-2.0
// Rules on element types, zero points and factors that several integer operations share. Each says what is
// wrong, or nothing.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "compiler/graph/tensor.h"

namespace cosim::graph {

inline constexpr const char* kNotQuantized = "input must be int8 or int16";

/// Element types of values; sums and the host's types have no operations but their own.
inline bool IsValue(DType dtype) { return dtype == DType::kFloat32 || IsQuantized(dtype); }

/// How many different values a quantized type has, and whether `value` is one of them.
inline int64_t StepsOf(DType dtype) { return int64_t{LargestOf(dtype)} - LeastOf(dtype) + 1; }
inline bool IsIn(DType dtype, int64_t value) { return value >= LeastOf(dtype) && value <= LargestOf(dtype); }
inline bool IsShift(int64_t value) { return value >= 0 && value <= 62; }

/// Of values of one type.
std::string ZeroPointFault(DType dtype, std::initializer_list<int32_t> zero_points);

/// Two operands of one shape.
std::string ShapeFault(std::span<const TensorType> operands);

/// Two quantized values of one type and shape.
std::string PairFault(std::span<const TensorType> operands);

/// The arguments of Twice.
std::string TwiceFault(int32_t multiplier, int32_t shift);

/// A scaling of values of a type with one positive multiplier.
std::string ScalingFault(DType dtype, int32_t multiplier, int32_t shift,
                         std::initializer_list<int32_t> zero_points);

}  // namespace cosim::graph
