// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/rules.h"

#include <fmt/format.h>

namespace cosim::graph {

std::string ZeroPointFault(DType dtype, std::initializer_list<int32_t> zero_points) {
  for (int32_t zero_point : zero_points) {
    if (zero_point != 0 && !IsQuantized(dtype)) return "a float operation has no zero point";
    if (zero_point != 0 && dtype == DType::kInt16) {
      return fmt::format("zero point {}, but that of an int16 is 0", zero_point);
    }
    if (!IsIn(DType::kInt8, zero_point)) return fmt::format("zero point {} is not an int8", zero_point);
  }
  return "";
}

std::string ShapeFault(std::span<const TensorType> operands) {
  const Shape &a = operands[0].shape, &b = operands[1].shape;
  return a == b ? "" : fmt::format("operands have shapes {} and {}", ToString(a), ToString(b));
}

std::string PairFault(std::span<const TensorType> operands) {
  const DType a = operands[0].dtype, b = operands[1].dtype;
  return IsQuantized(a) && a == b ? ShapeFault(operands) : "operands must both be int8 or int16";
}

std::string TwiceFault(int32_t multiplier, int32_t shift) {
  if (multiplier < (1 << 29)) return fmt::format("multiplier {} is not in [2^29, 2^31)", multiplier);
  if (shift < 0 || shift > 31) return fmt::format("shift {} is not in [0, 31]", shift);
  return "";
}

std::string ScalingFault(DType dtype, int32_t multiplier, int32_t shift,
                         std::initializer_list<int32_t> zero_points) {
  if (multiplier < 1) return fmt::format("multiplier {} is not positive", multiplier);
  if (!IsShift(shift)) return fmt::format("shift {} is not in [0, 62]", shift);
  return ZeroPointFault(dtype, zero_points);
}

}  // namespace cosim::graph
