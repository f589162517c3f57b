// SPDX-License-Identifier: Apache-2.0
// Prints the module that connects fetch, units, queues, locks, memories and the memory ports as a Spec wants
// them.
#pragma once

#include <string>

#include "isa/spec/spec.h"
#include "isa/sv/plan.h"

namespace cosim::isa {

/// `module accelerator`.
std::string SvAccelerator(const Spec& spec, const SvPlan& plan);

}  // namespace cosim::isa
