// SPDX-License-Identifier: Apache-2.0
// Prints one lane of an ALU from the scalar programs of its ops. Sequencing and operand reads are
// hw/rtl/alu_unit.sv's, the lanes side by side alu.h's.
//
// Equal values of different ops are computed once. Multiplications share multipliers: an op starts so many
// cycles late that its multiplication falls into the same stage as the others', and a multiplier's operands
// are chosen by the op. An op's code and immediates stand still while it runs, so only values that depend on
// operands are registered.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/spec/spec.h"
#include "isa/sv/plan.h"

namespace cosim::isa {

/// `module alu_lane_<unit>`. Inputs: op_i, one bit an op of `alu.ops`; for each immediate `<field>_i`; for
/// each memory read
/// `<memory>_i`, one lane, and where an op reads a memory twice `<memory>_before_i`, the lane read first.
/// For each look-up, by number (SvLaneSize::tables), `index<n>_o` and in the same cycle `looked_up<n>_i`.
/// Outputs:
/// `<memory>_o`, alu.stages cycles later and not registered.
std::string SvAluLane(const Spec& spec, const SvUnit& unit);

/// What such a lane is printed with, in bits, before synthesis trims what nothing needs of them: what an
/// estimate of its size starts from.
struct SvLaneSize {
  int64_t registers = 0;  ///< but for those of `delays`
  int64_t delays = 0;     ///< bits that pass three registers or more, between which nothing reads them
  int64_t adders = 0;     ///< of sums and differences
  int64_t choices = 0;    ///< of values among which the op chooses
  int64_t compares = 0;   ///< compared for order or equality
  int64_t selects = 0;    ///< chosen by a comparison: min, max, clamp, saturation, ?:
  int64_t shifts = 0;     ///< bits shifted by an amount that is no constant, times the bits of that
  int64_t logic = 0;      ///< of and, or, xor, not
  struct Multiplier {
    int a_bits, b_bits, stages;  ///< as hw/rtl/pipelined_multiplier.sv has them
    bool three_parts;
  };
  std::vector<Multiplier> multipliers;
  struct Shifter {
    int width, out_bits, amount_bits, stages;  ///< as hw/rtl/rounding_shifter.sv has them
  };
  std::vector<Shifter> shifters;
  struct Table {
    int memory;  ///< that is looked up
    int bits;
    int64_t depth;
  };
  std::vector<Table> tables;
};
SvLaneSize SvAluLaneSize(const Spec& spec, const SvUnit& unit);

}  // namespace cosim::isa
