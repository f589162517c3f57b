// SPDX-License-Identifier: Apache-2.0
// What a spec says, elaborated, as JSON: enough to tell two runs' configurations and ISAs apart without their
// files.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "isa/spec/spec.h"

namespace cosim::cli {

/// Parameters and memory in numbers, and the ISA's memories, units, queues, instructions and operations.
nlohmann::ordered_json ConfigurationJson(const isa::Spec& spec);

}  // namespace cosim::cli
