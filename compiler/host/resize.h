// SPDX-License-Identifier: Apache-2.0
// ONNX's Resize: values between the elements of a grid.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/host/make.h"

namespace cosim::host {

enum class Interpolation { kNearest, kLinear, kCubic };
/// Where an element of the result stands in x.
enum class Coordinates {
  kHalfPixel,
  kHalfPixelSymmetric,
  kPytorchHalfPixel,
  kAlignCorners,
  kAsymmetric,
  kTfHalfPixel,
  kTfCropAndResize
};
/// Which of two neighbours is the nearest.
enum class Nearest { kRoundPreferFloor, kRoundPreferCeil, kFloor, kCeil };

struct ResizeAttributes {
  Interpolation interpolation = Interpolation::kNearest;
  Coordinates coordinates = Coordinates::kHalfPixel;
  Nearest nearest = Nearest::kRoundPreferFloor;
  double cubic = -0.75;          ///< the coefficient of the cubic
  bool exclude_outside = false;  ///< weights of elements outside are 0 and the others make up for them
  double extrapolation = 0;      ///< what stands outside, of kTfCropAndResize
  bool antialias = false;        ///< what shrinks is made of all elements that it stands for, but of kNearest
};

/// (x, regions of interest, optional, scales float, optional, sizes int64, optional) -> x resized along every
/// dimension, one after the other; scales or sizes are given, as constants. Integers round to the nearest.
HostOperatorPtr Resize(const ResizeAttributes& attributes);

}  // namespace cosim::host
