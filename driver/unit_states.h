// SPDX-License-Identifier: Apache-2.0
// What the units of an accelerator that does not come to an end are doing, from its ledger.
#pragma once

#include <string>

#include "driver/accelerator_registers.h"
#include "isa/spec/spec.h"

namespace cosim::driver {

/// Each unit with the counter of its row that grows: "load waits for memory, gemm waits for a token of
/// load_gemm, alu has nothing to do". Reads the ledger twice while the run goes on, the low words only.
std::string UnitStates(const isa::Spec& spec, AcceleratorRegisters& registers);

}  // namespace cosim::driver
