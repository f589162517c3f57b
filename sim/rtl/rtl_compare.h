// SPDX-License-Identifier: Apache-2.0
// Where the RTL and the timing engine part ways on a program.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "isa/program/program.h"
#include "isa/spec/spec.h"
#include "runtime/profile.h"

namespace cosim::sim {

/// Empty if both agree on every instruction's issue and retirement, on the cycles of the run, on the ledger
/// and on all other counters. Else a line for the first instruction that differs, in the order of the cycles,
/// with both cycles, and one for each counter that differs. An instruction that did not issue or retire has
/// -1 there. `layer_of` names the layer an instruction came from; may be empty.
std::string CompareTiming(const isa::Spec& spec, const isa::Program& program, const runtime::Counters& rtl,
                          const runtime::Counters& model,
                          const std::function<std::string(size_t)>& layer_of = {});

/// Those counters alone that do not depend on when things happen: bytes and steps, not cycles. Empty if they
/// agree, else a line for each that differs.
std::string CompareWork(const runtime::Counters& rtl, const runtime::Counters& model);

/// Holds a run of the RTL against the model's: sets its `model_cycles`, `error` and `completed`. A run that
/// failed on its own keeps its error.
void HoldAgainst(const isa::Spec& spec, const isa::Program& program, const runtime::Counters& model,
                 const std::function<std::string(size_t)>& layer_of, runtime::Counters& rtl);

}  // namespace cosim::sim
