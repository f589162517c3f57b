// SPDX-License-Identifier: Apache-2.0
// The counters of a run as the accelerator's registers (isa/spec/registers.h) hold them, whoever reads the
// registers: a driver on a board, a virtual platform, a simulation of the RTL.
#pragma once

#include <cstdint>
#include <functional>

#include "isa/spec/spec.h"
#include "runtime/profile.h"

namespace cosim::runtime {

/// Reads all counters of the last run, and the ledger if it did not fail; if it did, `error` says what the
/// Error register means. `read_word` gives the 32-bit register at a byte offset. `instructions` is empty.
Counters ReadCounters(const isa::Spec& spec, const std::function<uint32_t(uint32_t)>& read_word);

}  // namespace cosim::runtime
