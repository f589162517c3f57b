// SPDX-License-Identifier: Apache-2.0
// Comparing in a process of its own: RTL that breaks its assertions, or does on the bus what AXI forbids,
// aborts, and the caller has to live to report it.
#pragma once

#include "tests/hw/lockstep.h"

namespace cosim::testing {

/// As Compare. When the process ends by itself, the difference is how, with what it complained of. The model
/// of the caller does not change.
LockstepResult CompareIsolated(sim::RtlModel& model, const isa::Spec& spec, const isa::Program& program,
                               const LockstepOptions& options = {});

}  // namespace cosim::testing
