// SPDX-License-Identifier: Apache-2.0
// What the parts of a synthesized accelerator take, and the longest paths between their registers.
//
// A part is what an instance of the module `accelerator` is named after: a unit of the spec with its queue,
// decoder and engines, a memory, the dependency queues, or one of the others (fetch, locks, …).
#pragma once

#include <string>
#include <vector>

#include "isa/spec/spec.h"
#include "sim/synth/cells.h"
#include "sim/synth/netlist.h"

namespace cosim::synth {

/// From a register, memory or input to the next register, memory or output.
struct Path {
  int levels = 0;        ///< look-up tables and carry chains, one after the other
  std::string from, to;  ///< the signals there; empty without a path
};

struct Part {
  std::string name;  ///< "gemm", "memory wgt", "queues", …
  Resources resources;
  Path longest;  ///< of those that end in this part
};

/// A multiplier that skips registers it has. Its inside is not timed by nextpnr, so a path through it is not
/// seen.
struct PartlyRegisteredDsp {
  std::string name;     ///< in the design
  std::string missing;  ///< "AREG PREG"
};

struct Analysis {
  std::vector<Part> parts;  ///< units, memories, others; each in the order of the spec or by name
  Resources total;
  Path longest;
  int unregistered_dsps = 0;  ///< multipliers whose product goes through logic in the same cycle
  std::vector<PartlyRegisteredDsp> partly_registered_dsps;
};

/// The netlist's top is `accelerator`, or holds it.
Analysis Analyze(const Netlist& netlist, const isa::Spec& spec);

}  // namespace cosim::synth
