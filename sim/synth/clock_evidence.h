// SPDX-License-Identifier: Apache-2.0
// What speaks for the clock of a configuration: what of its design has been placed and routed, and how fast.
#pragma once

#include <string>

#include "isa/spec/spec.h"
#include "sim/synth/place.h"

namespace cosim::synth {

struct ClockEvidence {
  double clock_mhz = 0;   ///< what the configuration asks for
  int blocks = 0;         ///< that the design has; 0: it has no RTL
  int routed = 0;         ///< of those
  double blocks_mhz = 0;  ///< the lowest of the routed ones and their seeds; 0: none
  std::string slowest;    ///< the block which that is
  double design_mhz = 0;  ///< the whole design's, the lowest of its seeds; 0: not routed
  int design_seeds = 0;
};

ClockEvidence EvidenceOf(const Placement& placement, const isa::Spec& spec);

/// "routed at 131.2 MHz (3 of 22 blocks)", "whole design routed at 102.3 MHz (one seed)", both, or
/// "unproven"; behind what is routed with what.
std::string EvidenceText(const ClockEvidence& evidence);

/// What was routed below the configuration's clock; empty if nothing.
std::string EvidenceWarning(const ClockEvidence& evidence);

}  // namespace cosim::synth
