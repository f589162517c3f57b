// SPDX-License-Identifier: Apache-2.0
// What a kernel costs, from the timing engine rather than from the tile model.
#pragma once

#include "compiler/accel/ir.h"
#include "isa/spec.h"
#include "runtime/profile.h"

namespace cosim::network {

/// Cycles of a program of `kernel` and, unless null, `before`, whose result it reads. Both have passed
/// accel::CheckInstructions.
runtime::Cycle CyclesAfter(const isa::Spec& spec, const accel::Kernel* before, const accel::Kernel& kernel);

}  // namespace cosim::network
