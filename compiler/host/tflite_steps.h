// SPDX-License-Identifier: Apache-2.0
// What TensorFlow Lite's layers with a state share: sequences and their rows, and checks of operands.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/host/make.h"

namespace cosim::host {

/// Extents of a sequence.
struct Steps {
  int64_t batch = 1, steps = 1, input = 1;
  bool time_major = false, sequence = true;

  /// Which row of x or y step `t` of sequence `b` is.
  int64_t Row(int64_t b, int64_t t) const { return time_major ? t * batch + b : b * steps + t; }
  Shape Result(int64_t outputs) const {
    if (!sequence) return {batch, outputs};
    return time_major ? Shape{steps, batch, outputs} : Shape{batch, steps, outputs};
  }
};

inline std::optional<Steps> StepsOf(const Shape& x, bool time_major) {
  if (x.size() == 2) return Steps{x[0], 1, x[1], false, false};
  if (x.size() != 3) return std::nullopt;
  return Steps{x[time_major ? 1 : 0], x[time_major ? 0 : 1], x[2], time_major, true};
}

/// What does not fit, if anything; `want` is of the operands from `first` on, and absent ones fit.
inline std::string Unfit(Operands in, size_t first, const std::vector<TensorType>& want) {
  for (size_t i = 0; i < want.size(); ++i)
    if (const HostOperand& operand = in[first + i]; !operand.absent && operand.type != want[i])
      return fmt::format("operand {} is {}, not {}", first + i, ToString(operand.type), ToString(want[i]));
  return "";
}

/// Row `row` of a matrix.
template <typename T>
std::span<const T> RowOf(const Tensor& tensor, int64_t row, int64_t length) {
  return tensor.data<T>().subspan(static_cast<size_t>(row * length), static_cast<size_t>(length));
}

/// The sum of (vector - zero_point) * row of the matrix; wraps.
inline int32_t Sum(std::span<const int8_t> vector, int32_t zero_point, const Tensor& matrix, size_t row,
                   int32_t bias) {
  auto sum = static_cast<uint32_t>(bias);
  const auto weights = matrix.data<int8_t>().subspan(row * vector.size(), vector.size());
  for (size_t k = 0; k < vector.size(); ++k)
    sum += static_cast<uint32_t>((vector[k] - zero_point) * weights[k]);
  return static_cast<int32_t>(sum);
}

/// Multiply-accumulates of all matrices among the operands, once a step.
inline MacsFunction MacsOfMatrices(size_t first, size_t last, bool time_major) {
  return [=](Operands in, const TensorType&) {
    const auto s = StepsOf(in[0].type.shape, time_major);
    int64_t macs = 0;
    for (size_t i = first; i < last; ++i)
      if (!in[i].absent) macs += graph::NumElements(in[i].type.shape);
    return s ? macs * s->batch * s->steps : 0;
  };
}

}  // namespace cosim::host
