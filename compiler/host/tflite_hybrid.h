// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's products of float activations by int8 weights ("dynamic range"), as its reference kernels
// compute them: each image or row is quantized to bytes by its own range, sums have 32 bits.
#pragma once

#include <span>
#include <vector>

#include "compiler/host/make.h"
#include "compiler/host/window2d.h"

namespace cosim::host {

/// `x` as bytes less their zero point, in `to`; what a step of them is worth. In [-127, 127] around 0, or
/// with a zero point if `asymmetric`.
float QuantizeRow(std::span<const float> x, bool asymmetric, int16_t* to);

struct TfliteHybrid {
  Window2d window;  ///< its kernel is that of the weights
  int64_t groups = 1;
  std::vector<float> scales;  ///< of the weights: one, or one for each output channel
  bool asymmetric = false;    ///< activations have a zero point; else they are in [-127, 127]
  bool in_turn = false;       ///< sums are multiplied by one scale, then by the other, not by their product
};
/// (x float32 [N,C,H,W], w int8 [O,C/groups,KH,KW], bias float32 [O], optional) -> float32 [N,O,OH,OW].
HostOperatorPtr HybridConvolution(const TfliteHybrid& attributes);

}  // namespace cosim::host
