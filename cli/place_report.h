// SPDX-License-Identifier: Apache-2.0
// What `cosim synth --place` prints, and the evidence for a clock as reports show it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/synth/clock_evidence.h"
#include "sim/synth/place.h"

namespace cosim::cli {

/// A row for each routed block: MHz of each seed, the longest path; and what no block contains.
std::string PlaceTable(const synth::Placement& placement);
/// The key `place` of docs/reference/synth-json.md.
nlohmann::ordered_json PlaceJson(const synth::Placement& placement);

/// "clock: 100 MHz, unproven\n".
std::string ClockLine(const synth::ClockEvidence& evidence);
/// The key `clock` of docs/reference/run-json.md.
nlohmann::ordered_json ClockJson(const synth::ClockEvidence& evidence);

}  // namespace cosim::cli
