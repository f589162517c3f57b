// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's resizing in the arithmetic of its reference kernels: where an element of the result
// stands in x is computed in float32, or in fractions of 1/1024 for integers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/host/make.h"

namespace cosim::host {

/// Where the elements of a result of `to` stand in `from` elements.
struct TfliteGrid {
  int64_t from = 1, to = 1;
  bool align_corners = false, half_pixel_centers = false;
};

/// RESIZE_NEAREST_NEIGHBOR: which element of x each of the result is.
std::vector<int64_t> NearestPlaces(const TfliteGrid& grid);

enum class BilinearArithmetic {
  kFloat,    ///< float32
  kBytes,    ///< uint8, less by 128 here: float32, rounded half up
  kInteger,  ///< int8, int16: fractions of 10 bits, rounded half away from zero
};

/// Between which elements of x each of the result stands, and how far from the first: a float, or 1024 times
/// it as an integer. Nothing where the reference would read behind the last element.
struct BilinearPlaces {
  std::vector<int64_t> lower, upper;
  std::vector<float> real;
  std::vector<int64_t> fraction;
};
std::optional<BilinearPlaces> PlacesBetween(const TfliteGrid& grid, BilinearArithmetic arithmetic);

/// RESIZE_BILINEAR: (x [N,C,H,W]: float32, int8 or int16 as the arithmetic says) -> like x, [N,C,rows.to,
/// columns.to].
HostOperatorPtr TfliteBilinear(const TfliteGrid& rows, const TfliteGrid& columns,
                               BilinearArithmetic arithmetic);

}  // namespace cosim::host
