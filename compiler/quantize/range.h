// SPDX-License-Identifier: Apache-2.0
// Which range of an activation its 256 steps should cover, by four methods. Scale and zero point of it are
// parameters.h's.
#pragma once

#include <optional>
#include <string_view>

#include "compiler/quantize/histogram.h"
#include "compiler/quantize/step_size.h"

namespace cosim::quantize {

enum class Method {
  kMax,         ///< everything that was seen
  kPercentile,  ///< all but one in 10,000 of the values at each end
  kKl,          ///< a threshold whose 128 steps tell least about the clipped distribution (Kullback-Leibler)
  kMse,         ///< least expected squared error of clipping and rounding together
  kAuto,        ///< for each value the one that costs least on the samples (measured_range.h)
};

/// "max", "percentile", "kl", "mse", "auto".
std::optional<Method> ParseMethod(std::string_view name);

/// Zero is always inside. Not of kAuto, which a histogram does not decide.
graph::Range ChooseRange(const graph::Histogram& histogram, Method method);

}  // namespace cosim::quantize
