// SPDX-License-Identifier: Apache-2.0
// Inverse square roots in TensorFlow Lite's fixed point, to the bit, and what is normalized by them.
#pragma once

#include "compiler/host/fixed_point.h"
#include "compiler/host/make.h"

namespace cosim::host {

/// 1 / sqrt(x) of x >= 0; of 0 as of 1.
Multiplier InverseRoot(int32_t x);

/// L2_NORMALIZATION over the last dimension: (x int8) -> int8 with scale 1/128 and zero point 0.
/// `unsigned_bytes`: as of uint8, whose kernel keeps seven bits more until it rounds.
HostOperatorPtr L2NormalizationInt8(int32_t zero_point, bool unsigned_bytes);

}  // namespace cosim::host
