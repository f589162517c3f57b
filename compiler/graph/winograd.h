// SPDX-License-Identifier: Apache-2.0
// 3x3 convolutions of the float executor by Winograd's F(4x4, 3x3): 36 products for the 144 of a 4x4 square
// of results (Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015).
#pragma once

#include <vector>

#include "compiler/graph/ops.h"
#include "compiler/graph/tensor.h"

namespace cosim::graph {

/// Whether `op` is a convolution that ConvolveWinograd does, and large enough to gain by it. Asks for one
/// image: what a result is does not depend on how many are convolved at a time.
bool SuitsWinograd(const Conv2d& op, const Shape& weight, const Shape& result);

/// As Convolve (convolve.h), with sums in another order: the same bits on every processor, and rounding
/// errors about twice those of sums by channel and tap (root mean square; the worst about five times). Of an
/// infinity, squares of results become NaN.
void ConvolveWinograd(const Conv2d& op, const Tensor& weight, const std::vector<TensorPtr>& images,
                      std::vector<Tensor>& results);

}  // namespace cosim::graph
