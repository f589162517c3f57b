// SPDX-License-Identifier: Apache-2.0
// Intrinsics that multiply along rows, as what they are to whoever builds or uses an array for them.
#pragma once

#include <optional>

#include "isa/spec/spec.h"

namespace cosim::isa {

/// dst[b, o] += src[+ t + pitch * r][b, G * floor(o / G) + g] * side[o, (T * r + t) * G + g] for r < lines,
/// t < taps = T, g < group = G: of `taps` neighbouring elements in each of `lines` rows, each group of
/// channels for itself.
struct RowProduct {
  int src = -1, side = -1;  ///< index Intrinsic::sources
  int batch = 0, channels = 0, lines = 1, taps = 0, group = 0;
};

/// Nothing when it is of another form.
std::optional<RowProduct> MatchRowProduct(const Intrinsic& intrinsic);

}  // namespace cosim::isa
