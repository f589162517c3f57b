// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's products over dimensions of int8 and int16, in the arithmetic of its reference kernels,
// to the bit.
#pragma once

#include <vector>

#include "compiler/host/fixed_point.h"
#include "compiler/host/make.h"

namespace cosim::host {

/// REDUCE_PROD: (x int8 or int16) -> like x without the dimensions `over`, or with ones in their place. The
/// first factor counts as it is; from the second on each product is scaled (Multiplier::ApplyWide), and the
/// last one once more. The order is that of the elements.
struct TfliteReduceProduct {
  std::vector<bool> over;  ///< one a dimension of x
  bool keep = false;
  Multiplier multiplier;  ///< exponent below 8
  int32_t from_zero_point = 0, to_zero_point = 0, low = -128, high = 127;
};
HostOperatorPtr ReduceProduct(const TfliteReduceProduct& attributes);

}  // namespace cosim::host
