// SPDX-License-Identifier: Apache-2.0
// Tensor expressions of the operators of tflite.h, exact to the bit.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/host/make.h"
#include "compiler/host/tflite.h"

namespace cosim::host {

std::optional<ops::Definition> DefineTflite(const TfliteConvolution& attributes, const ops::HostSite& site);
std::optional<ops::Definition> DefineTflite(const TfliteMean& attributes, const ops::HostSite& site);
std::optional<ops::Definition> DefineTflite(const TfliteAddition& attributes, const ops::HostSite& site);
std::optional<ops::Definition> DefineTflite(const TfliteProduct& attributes, const ops::HostSite& site);
std::optional<ops::Definition> DefineTflite(const TfliteRequantization& attributes,
                                            const ops::HostSite& site);
std::optional<ops::Definition> DefineTfliteAverage(const Window2d& window, bool half_up, int32_t low,
                                                   int32_t high, const ops::HostSite& site);
std::optional<ops::Definition> DefineTfliteQuantize(float scale, int32_t zero_point,
                                                    const ops::HostSite& site);

/// `exponentials`: exp(-d * beta * scale) for d from 0 to 255, with 2^31 for 1; 0 from where they count as
/// nothing. Rows have at most 4096 values.
std::optional<ops::Definition> DefineTfliteSoftmax(const std::vector<int32_t>& exponentials,
                                                   const ops::HostSite& site);

}  // namespace cosim::host
