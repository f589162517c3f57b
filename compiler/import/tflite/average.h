// SPDX-License-Identifier: Apache-2.0
// A rounding division by a constant as a multiplication and a shift.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/graph/ops.h"

namespace cosim::import::tflite {

struct Mean {
  int32_t bias = 0;  ///< added to the sum first
  graph::Requantize requantize;
};

/// What turns every possible sum of `count` values of 8 or 16 bits into their mean, rounded half away from
/// zero, or (of 8) half up. Of 8 bits found by trying candidates on all sums; nothing when none is exact or
/// there are too many.
std::optional<Mean> ExactMean(int64_t count, bool half_up, int bits = 8);

}  // namespace cosim::import::tflite
