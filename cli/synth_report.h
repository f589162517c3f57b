// SPDX-License-Identifier: Apache-2.0
// What `cosim synth` prints: a table for people, JSON for programs.
#pragma once

#include <string>

#include "compiler/session/origin.h"
#include "isa/spec/spec.h"
#include "sim/synth/synthesis.h"

namespace cosim::cli {

/// Resources and longest path of each part, the total against the board's budget, and what does not fit.
std::string SynthTable(const synth::Synthesis& synthesis, const isa::Spec& spec);

/// The same; docs/reference/synth-json.md names the keys.
/// `origin`: what `spec` came from.
std::string SynthJson(const synth::Synthesis& synthesis, const isa::Spec& spec,
                      const session::Origin& origin);

}  // namespace cosim::cli
