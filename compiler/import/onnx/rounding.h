// SPDX-License-Identifier: Apache-2.0
// ONNX multiplies a sum by a float32 scale and rounds half to even; the graph's core operations multiply by
// an integer, shift, and round half up, or twice. These functions find core operations that give the same
// bytes for every operand there can be, and say why when there are none. What they return is proven: by the
// size of the scale's mantissa, or by trying every operand.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "compiler/graph/ops.h"

namespace cosim::import::onnx {

/// A multiplier and a shift of graph::Requantize.
struct Factor {
  int32_t multiplier = 0, shift = 0;
};

/// clamp(round(sum * scale) + zero point) to so many `bits`, 8 or 16, for every |sum| <= bound and any zero
/// point of that width, exactly. float32 has 24 bits, so the multiplier is the scale itself and only ties can
/// go another way: they are harmless where no sum meets one, or where all of them saturate.
std::optional<Factor> ExactFactor(float scale, int64_t bound, std::string& why, int bits = 8);

/// As ExactFactor for any function of sums in [least, most], tried on all of them; `scale` is where to look.
std::optional<Factor> FactorFor(double scale, int32_t zero_point, int64_t least, int64_t most,
                                const std::function<int32_t(int64_t)>& want, std::string& why);

/// int8 to int8, a pair at a time.
using PairFunction = std::function<int32_t(int32_t, int32_t)>;

/// The ScaledAdd of two scales and that of the sum that agrees with `want` on all 65,536 pairs.
std::optional<graph::ScaledAdd> AddFor(double a_scale, double b_scale, double y_scale,
                                       const int32_t (&zero_points)[3], const PairFunction& want,
                                       std::string& why);

/// clamp(round((x - zero point) * weight + bias) ...) for one channel of a sum with a constant: a weight, a
/// bias and a factor that agree with `want` on all 256 operands. `ratio`: what x is multiplied by; `offset`:
/// what is added, in units of the result.
struct Affine {
  int8_t weight = 0;
  int32_t bias = 0;
  Factor factor;
};
std::optional<Affine> AffineFor(double ratio, double offset, int32_t zero_point, int32_t result_zero_point,
                                const std::function<int32_t(int32_t)>& want);

}  // namespace cosim::import::onnx
