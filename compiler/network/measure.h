// SPDX-License-Identifier: Apache-2.0
// What kernels cost, from the timing engine rather than from the tile model.
#pragma once

#include <optional>
#include <span>

#include "compiler/accel/ir.h"
#include "compiler/accel/take_turns.h"
#include "compiler/network/lowering_cache.h"
#include "isa/spec/spec.h"
#include "runtime/profile.h"
#include "sim/cycle/time.h"

namespace cosim::network {

/// Cycles of a program of `kernels`, each of which reads first what the one before it wrote. All have passed
/// accel::CheckInstructions. Nothing when addresses do not reach over their values. The program of kernels
/// with identities is taken from the cache, if there is one, or put there. Where it takes more than `limit`,
/// it may be `limit`, for which less is simulated.
std::optional<runtime::Cycle> CyclesInARow(const isa::Spec& spec,
                                           std::span<const accel::Kernel* const> kernels,
                                           LoweringCache* cache = nullptr,
                                           runtime::Cycle limit = sim::kNever);

/// The same where kernel `turns` of the row and the one behind it are written by turns.
std::optional<runtime::Cycle> CyclesByTurns(const isa::Spec& spec,
                                            std::span<const accel::Kernel* const> kernels, size_t turns,
                                            accel::TurnSize size, LoweringCache* cache = nullptr,
                                            runtime::Cycle limit = sim::kNever);

}  // namespace cosim::network
