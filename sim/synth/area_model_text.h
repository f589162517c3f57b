// SPDX-License-Identifier: Apache-2.0
// area_model.yaml, as the command carries it.
#pragma once

#include <string_view>

namespace cosim::synth {

extern const std::string_view kAreaModelText;

}  // namespace cosim::synth
