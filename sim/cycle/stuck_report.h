// SPDX-License-Identifier: Apache-2.0
// Says why a run does not go on: which units are stuck, on what, and who would have to help.
#pragma once

#include <span>
#include <string>

#include "isa/program/decode.h"
#include "isa/spec/spec.h"
#include "sim/cycle/simulation.h"
#include "sim/cycle/timing_engine.h"

namespace cosim::sim {

/// One line of summary and one line for each stuck unit and for fetch.
std::string StuckReport(const isa::Spec& spec, std::span<const isa::Decoded> program,
                        const Simulation& simulation, const TimingOptions& options);

}  // namespace cosim::sim
