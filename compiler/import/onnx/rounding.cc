// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx/rounding.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "compiler/host/fixed_point.h"

namespace cosim::import::onnx {
namespace {

using host::Multiplier;

int32_t Clamp8(int64_t x) { return static_cast<int32_t>(std::clamp<int64_t>(x, -128, 127)); }

bool IsMultiplier(int64_t x) { return x >= int64_t{1} << 30 && x < int64_t{1} << 31; }

/// As graph::Requantize.
int32_t Requantized(int64_t sum, const Factor& f, int32_t zero_point) {
  const int64_t product = sum * f.multiplier;
  const int64_t scaled = f.shift == 0 ? product : (product + (int64_t{1} << (f.shift - 1))) >> f.shift;
  return Clamp8(std::clamp<int64_t>(scaled, INT32_MIN, INT32_MAX) + zero_point);
}

/// `scale` as a multiplier in [2^30, 2^31) and a shift in [0, 62]; nothing when it is out of that range.
std::optional<Factor> Nearest(double scale) {
  if (!(scale > 0) || !std::isfinite(scale)) return std::nullopt;
  int exponent = 0;
  const double mantissa = std::frexp(scale, &exponent);
  auto multiplier = static_cast<int64_t>(std::round(std::ldexp(mantissa, 31)));
  if (multiplier == int64_t{1} << 31) {
    multiplier /= 2;
    ++exponent;
  }
  const int shift = 31 - exponent;
  if (shift < 0 || shift > 62) return std::nullopt;
  return Factor{static_cast<int32_t>(multiplier), shift};
}

}  // namespace

std::optional<Factor> ExactFactor(float scale, int64_t bound, std::string& why, int bits) {
  // Sums of 29 bits times 24 bits are exact in double too, where the operators of the host multiply. Those of
  // 16-bit values are let have all bits of an accumulator: a double is off by 2^-38 of a step at most there.
  const int most_bits = bits == 8 ? 29 : 31;
  if (bound >= int64_t{1} << most_bits)
    return why = fmt::format("its sums may take more than {} bits", most_bits), std::nullopt;
  const auto factor = Nearest(static_cast<double>(scale));
  if (!factor)
    return why = fmt::format("its scale of {} is out of the range of requantization", scale), std::nullopt;
  // scale = odd / 2^k; sum * scale is a tie for sums of 2^(k-1) times odd numbers, its value odd / 2 times
  // them.
  const int zeros = std::countr_zero(static_cast<uint32_t>(factor->multiplier));
  const int64_t odd = factor->multiplier >> zeros;
  const int k = factor->shift - zeros;
  const bool meets = k > 0 && k - 1 < 62 && int64_t{1} << (k - 1) <= bound;
  // A tie beyond 256 is out of the range of a byte, whatever the zero point; of 16 bits, one beyond 65,536.
  if (meets && odd < int64_t{2} << bits)
    return why = fmt::format(
               "its scale of {} makes ties, which ONNX rounds to even and requantization up: an ALU op that "
               "rounds half to even would lift that",
               scale),
           std::nullopt;
  return factor;
}

std::optional<Factor> FactorFor(double scale, int32_t zero_point, int64_t least, int64_t most,
                                const std::function<int32_t(int64_t)>& want, std::string& why) {
  constexpr int64_t kMostSums = int64_t{1} << 22;
  const auto nearest = Nearest(scale);
  if (!nearest || most - least > kMostSums)
    return why = fmt::format("a factor of {} on sums from {} to {}", scale, least, most), std::nullopt;
  for (const int32_t step : {0, 1, -1, 2, -2}) {
    const int64_t multiplier = int64_t{nearest->multiplier} + step;
    if (!IsMultiplier(multiplier)) continue;
    const Factor factor{static_cast<int32_t>(multiplier), nearest->shift};
    bool same = true;
    for (int64_t sum = least; sum <= most && same; ++sum)
      same = Requantized(sum, factor, zero_point) == want(sum);
    if (same) return factor;
  }
  return why = fmt::format(
             "no multiplier rounds all of its sums as ONNX does, half to even (a factor of {}): an ALU op "
             "that "
             "does would lift that",
             scale),
         std::nullopt;
}

std::optional<graph::ScaledAdd> AddFor(double a_scale, double b_scale, double y_scale,
                                       const int32_t (&zero_points)[3], const PairFunction& want,
                                       std::string& why) {
  const double twice_most = 2 * std::max(a_scale, b_scale);
  const double scales[3] = {a_scale / twice_most, b_scale / twice_most, twice_most / ((1 << 20) * y_scale)};
  Multiplier m[3];
  for (int i : {0, 1, 2}) {
    const bool sound = scales[i] > 0 && std::isfinite(scales[i]);
    if (sound) m[i] = Multiplier::Of(scales[i]);
    if (!sound || m[i].multiplier == 0 || m[i].exponent > 0)
      return why = "its scales are too far apart", std::nullopt;
  }
  int differences = 0;
  for (const int32_t step : {0, 1, -1, 16, -16, 64, -64, 256, -256}) {
    const int64_t multiplier = int64_t{m[2].multiplier} + step;
    if (!IsMultiplier(multiplier)) continue;
    const Multiplier out{static_cast<int32_t>(multiplier), m[2].exponent};
    differences = 0;
    for (int32_t a = -128; a < 128; ++a) {
      const int32_t term = m[0].Apply((a - zero_points[0]) * (1 << 20));
      for (int32_t b = -128; b < 128; ++b) {
        const int32_t sum = term + m[1].Apply((b - zero_points[1]) * (1 << 20));
        differences += Clamp8(int64_t{out.Apply(sum)} + zero_points[2]) != want(a, b);
      }
    }
    if (differences == 0)
      return graph::ScaledAdd{{zero_points[0], m[0].multiplier, -m[0].exponent},
                              {zero_points[1], m[1].multiplier, -m[1].exponent},
                              zero_points[2],
                              out.multiplier,
                              -out.exponent};
  }
  return why = fmt::format(
             "{} of the 65,536 pairs of operands would be rounded another way than half to even: an ALU op "
             "that does would lift that",
             differences),
         std::nullopt;
}

std::optional<Affine> AffineFor(double ratio, double offset, int32_t zero_point, int32_t result_zero_point,
                                const std::function<int32_t(int32_t)>& want) {
  if (!(ratio > 0) || !std::isfinite(ratio) || !std::isfinite(offset)) return std::nullopt;
  // A weight of seven bits leaves gaps between the offsets there are; a slope a little off closes them.
  for (const double slope : {1.0, 1 + 1e-5, 1 - 1e-5, 1 + 3e-5, 1 - 3e-5, 1 + 1e-4, 1 - 1e-4})
    for (int32_t weight = 127; weight > 0; --weight) {
      const auto factor = Nearest(ratio * slope / weight);
      const double nearest = std::round(offset * weight / ratio);
      if (!factor || std::abs(nearest) > 1 << 29) continue;
      for (const int32_t step : {0, 1, -1}) {
        const Affine affine{static_cast<int8_t>(weight), static_cast<int32_t>(nearest) + step, *factor};
        bool same = true;
        for (int32_t x = -128; x < 128 && same; ++x)
          same = Requantized(int64_t{x - zero_point} * weight + affine.bias, *factor, result_zero_point) ==
                 want(x);
        if (same) return affine;
      }
    }
  return std::nullopt;
}

}  // namespace cosim::import::onnx
