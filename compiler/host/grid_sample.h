// SPDX-License-Identifier: Apache-2.0
// ONNX's GridSample: values of an image at any places.
#pragma once

#include "compiler/host/make.h"
#include "compiler/host/resize.h"

namespace cosim::host {

/// What stands outside an image.
enum class Outside { kZeros, kBorder, kReflection };

/// (x float [N,C,extents...], grid [N,places...,D]) -> [N,C,places...]: x at the places of the grid, whose
/// coordinates go from -1 to 1, that of the last dimension first. -1 and 1 are the middles of the outermost
/// elements, or, unless `align_corners`, their outer edges.
HostOperatorPtr GridSample(Interpolation interpolation, Outside outside, bool align_corners);

}  // namespace cosim::host
