// SPDX-License-Identifier: Apache-2.0
// What kernels cost, from the timing engine rather than from the tile model.
#pragma once

#include <optional>
#include <span>

#include "compiler/accel/ir.h"
#include "isa/spec/spec.h"
#include "runtime/profile.h"

namespace cosim::network {

/// Cycles of a program of `kernels`, each of which reads first what the one before it wrote. All have passed
/// accel::CheckInstructions. Nothing when addresses do not reach over their values.
std::optional<runtime::Cycle> CyclesInARow(const isa::Spec& spec,
                                           std::span<const accel::Kernel* const> kernels);

}  // namespace cosim::network
