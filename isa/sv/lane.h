// SPDX-License-Identifier: Apache-2.0
// Prints one lane of an ALU from the scalar programs of its ops. Sequencing and operand reads are
// hw/rtl/alu_unit.sv's, the lanes side by side alu.h's.
//
// Equal values of different ops are computed once. Multiplications share multipliers: an op starts so many
// cycles late that its multiplication falls into the same stage as the others', and a multiplier's operands
// are chosen by the op. An op's code and immediates stand still while it runs, so only values that depend on
// operands are registered.
#pragma once

#include <string>

#include "isa/spec/spec.h"
#include "isa/sv/plan.h"

namespace cosim::isa {

/// `module alu_lane_<unit>`. Inputs: op_i, one bit an op of `alu.ops`; for each immediate `<field>_i`; for
/// each memory read
/// `<memory>_i`, one lane, and where an op reads a memory twice `<memory>_before_i`, the lane read first.
/// Outputs:
/// `<memory>_o`, alu.stages cycles later and not registered.
std::string SvAluLane(const Spec& spec, const SvUnit& unit);

}  // namespace cosim::isa
