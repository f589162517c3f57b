// SPDX-License-Identifier: Apache-2.0
// ONNX's losses, and dropout when it drops nothing.
#pragma once

#include <optional>
#include <string>

#include "compiler/host/make.h"

namespace cosim::host {

enum class LossReduction { kNone, kSum, kMean };

/// (x [N,C,...], target int [N,...], weight [C], optional) -> -x at the target times its weight, reduced;
/// targets equal to `ignored` count as nothing. `log_softmax`: x are scores and their logarithmic softmax
/// along C is taken first, which is the second result.
HostOperatorPtr NegativeLogLikelihood(bool log_softmax, LossReduction reduction,
                                      std::optional<int64_t> ignored);

/// (x, ratio, optional, training, optional) -> x, and a mask of true; training is constant false, or the
/// ratio constant 0.
HostOperatorPtr Dropout();

}  // namespace cosim::host
