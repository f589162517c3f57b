// SPDX-License-Identifier: Apache-2.0
// Prints what of an ALU the ops decide: the operand table and the lanes. Sequencing is hw/rtl/alu_unit.sv's.
#pragma once

#include <string>

#include "isa/spec/spec.h"
#include "isa/sv/plan.h"

namespace cosim::isa {

/// `module alu_<unit>`: takes code and immediates when an instruction issues, says which memories each step
/// reads by which index, and computes the lanes of a group from the elements read. A result is there
/// alu.stages + 1 cycles after fire.
std::string SvAluDatapath(const Spec& spec, const SvUnit& unit);

}  // namespace cosim::isa
