// SPDX-License-Identifier: Apache-2.0
// A frame's energy, the host's included: an estimate by a table (sim/energy/energy.h), as a frame's time is
// one by session/end_to_end.h.
#pragma once

#include <optional>
#include <string>

#include "compiler/session/end_to_end.h"
#include "isa/spec/host_processor.h"
#include "isa/spec/spec.h"
#include "sim/energy/energy.h"

namespace cosim::session {

struct FrameEnergy {
  sim::Energy parts;               ///< what is known of it
  std::optional<double> total_mj;  ///< nothing when `unknown` says what is not
  std::string unknown;
  std::string table, technology;
};

/// Of one frame of a timed run.
FrameEnergy EnergyOf(const isa::Spec& spec, const sim::Work& work, const EndToEnd& times,
                     const std::optional<isa::HostProcessor>& host, const sim::Costs& costs);

}  // namespace cosim::session
