// SPDX-License-Identifier: Apache-2.0
// ISAs that nobody wrote: units merged or apart, one or two that load, any memory ports, queues, banks,
// micro-op layouts, field widths and ALU ops, as spec text. And legal configurations for the parameters of
// any ISA.
#pragma once

#include <string>

#include "isa/spec/loader.h"
#include "isa/spec/spec.h"
#include "tests/isa/program/random_program.h"

namespace cosim::isa::testing {

/// The text of an ISA. Most elaborate and most of those have RTL; what does not is for the caller to skip.
SourceText RandomIsa(Random& random);

/// The text of a configuration of `isa` (its parameters with `min` and `max`) whose models stay small: some
/// parameters at their default, the others drawn from their range up to what a small model can have.
SourceText RandomConfig(const SourceText& isa, Random& random);

/// Draws what the hardware does not know: latencies, jitter and its seed, what the DRAM moves.
void RandomizeLatencies(MemorySystem& memory, Random& random);

/// The section `memory:` of a configuration.
std::string MemorySystemText(const MemorySystem& memory);

}  // namespace cosim::isa::testing
