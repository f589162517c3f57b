// SPDX-License-Identifier: Apache-2.0
// Learned rounding: every product in turn gets the weights and bias with which it comes nearest to the float
// network's results, given operands as the layers before it, rounded already, compute them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/quantize/quantize.h"

namespace cosim::quantize {

struct Runs {
  std::vector<std::vector<graph::Tensor>> inputs;  ///< of each run; all of the same types
  std::vector<const Values*> reference;            ///< the float network's results of all products
};

/// `exact` is the float network. Rounds the weights of the convolutions and matrix products of `quantized`
/// anew, and their biases with them; those over more than two dimensions, and transposed ones, stay as they
/// are. `seed`: which rows of large results are looked at. False, and `error` set, when the network does not
/// run.
bool LearnRounding(Quantized& quantized, const import::onnx::File& exact, const Runs& runs, uint32_t seed,
                   const std::function<void(size_t, size_t)>& progress, std::string& error);

}  // namespace cosim::quantize
