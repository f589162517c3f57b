// SPDX-License-Identifier: Apache-2.0
// When each instruction of a network was in flight, in which unit and for which layer, small enough for a
// page (cli/timed_programs.h knows when; cli/trace writes the same for a viewer of traces).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "isa/spec/spec.h"
#include "runtime/network.h"

namespace cosim::cli {

/// Instructions that a page takes; of a network with more, the timeline has its layers only.
inline constexpr size_t kMostInstructions = 2'000'000;

/// {cycles, programs: [begin], formats: [name], layers: [[layer, begin, end]], units: [{name, count,
/// flights}]}
///
/// `flights` are unsigned LEB128 numbers in base64, five an instruction in the unit's order: its number in
/// the program, its issue, the cycles until it retired (inclusive), its layer, its format. The first two and
/// the layer are differences to the instruction before, the layer's zigzag-coded. Programs stand one behind
/// the other, so that numbers and cycles count on. Nothing, and `error` set, when a program gets stuck.
std::optional<nlohmann::ordered_json> TimelineJson(const isa::Spec& spec, const runtime::Network& network,
                                                   std::string& error);

}  // namespace cosim::cli
