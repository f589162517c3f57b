// SPDX-License-Identifier: Apache-2.0
// How far a network's cycles depend on what its memory really costs: the same programs, timed behind the
// memory at its best and at its worst.
#pragma once

#include <optional>
#include <string>

#include "isa/spec/spec.h"
#include "runtime/network.h"
#include "runtime/profile.h"

namespace cosim::session {

struct MemoryBand {
  runtime::Cycle low = 0, high = 0;
};

/// Cycles of all programs of `network` under `spec`, whose memory need not be the one they were compiled for.
/// Nothing, and `error` set, when one gets stuck.
std::optional<runtime::Cycle> TimePrograms(const isa::Spec& spec, const runtime::Network& network,
                                           std::string& error);

/// TimePrograms under the two specs, which differ from the network's in the memory only. Their schedules stay
/// those that were chosen for the memory the network was compiled for.
std::optional<MemoryBand> TimeBand(const isa::Spec& low, const isa::Spec& high,
                                   const runtime::Network& network, std::string& error);

}  // namespace cosim::session
