// SPDX-License-Identifier: Apache-2.0
// The layers of an int8 TensorFlow Lite model beside those of the float one that it was made from.
#pragma once

#include <string>

#include "compiler/import/import.h"
#include "compiler/quantize/loss.h"

namespace cosim::cli {

/// The real numbers behind the int8 values of `model` on `inputs`, as float32 by the names that the float
/// model's `exact` has for the results of the same operators, fused activations included. Empty when the two
/// models do not consist of the same operators in the same order.
quantize::Values LayersOf(const import::Model& model, const std::vector<graph::Tensor>& inputs,
                          const quantize::Values& exact);

}  // namespace cosim::cli
