// SPDX-License-Identifier: Apache-2.0
// What `cosim synth` prints: a table for people, JSON for programs.
#pragma once

#include <optional>
#include <string>

#include "compiler/session/origin.h"
#include "isa/spec/spec.h"
#include "sim/synth/clock_evidence.h"
#include "sim/synth/place.h"
#include "sim/synth/synthesis.h"

namespace cosim::cli {

struct SynthReport {
  session::Origin origin;                     ///< what the spec came from
  std::optional<synth::Synthesis> synthesis;  ///< not when one block alone was routed
  std::optional<synth::Placement> placement;  ///< when something was
  synth::ClockEvidence clock;                 ///< of this run and those before
};

/// Resources and longest path of each part, the total against the board's budget, and what does not fit;
/// routed blocks; the evidence for the clock.
std::string SynthTable(const SynthReport& report, const isa::Spec& spec);

/// The same; docs/reference/synth-json.md names the keys.
std::string SynthJson(const SynthReport& report, const isa::Spec& spec);

}  // namespace cosim::cli
