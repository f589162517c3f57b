// SPDX-License-Identifier: Apache-2.0
// Frames: what a convolution reads with its border around it, so that no loop has to look where x ends.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/ops/definition.h"

namespace cosim::schedules {

/// An element of x as it is summed: floats as they are, integers centred.
tir::Expr Centred(const ops::Convolved& op, const tir::Expr& value);

/// [N,C,height,width] of x as it is summed, from the first element that the first window meets; 0 outside x.
te::Tensor FrameOf(const std::string& name, const ops::Convolved& op, int64_t height, int64_t width);

}  // namespace cosim::schedules
