// SPDX-License-Identifier: Apache-2.0
// Values between pixels as a filter: with each pixel repeated `scale` times, and those at the edge beyond it,
// an interpolated one is a weighted sum of its neighbours, by the same weights everywhere. At whole multiples
// those are those of a box, or of one whose ends count half.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/host/tflite_resize.h"

namespace cosim::import::tflite {

/// Along one dimension: result[i] = sum over t of taps[t] * repeated[i + t - before] / total, for as many as
/// fit between `before` pixels before the first and `after` behind the last.
struct Interpolation {
  int64_t scale = 1;
  std::vector<int8_t> taps = {1};  ///< none negative
  int64_t before = 0, after = 0;
  int64_t total = 1;  ///< of the taps: a power of two
};

/// Nothing where no such filter gives exactly what the grid asks for, or only one of many taps.
std::optional<Interpolation> InterpolationOf(const host::TfliteGrid& grid,
                                             host::BilinearArithmetic arithmetic);

}  // namespace cosim::import::tflite
