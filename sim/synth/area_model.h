// SPDX-License-Identifier: Apache-2.0
// How large an accelerator is without mapping it to cells, within a millisecond: DSPs and block RAM by the
// rules that Yosys follows, LUTs and flip-flops as an estimate (docs/rationale/area.md says how far off). The
// coefficients are area_model.yaml's, fitted by scripts/fit-area.
#pragma once

#include <string>
#include <vector>

#include "isa/spec/spec.h"
#include "sim/synth/area_blocks.h"
#include "sim/synth/cells.h"

namespace cosim::synth {

struct PartArea {
  std::string part;  ///< as in cosim synth's table
  Resources resources;
};

/// The whole. The spec must pass isa::CheckSv.
Resources EstimateArea(const isa::Spec& spec);

/// Its parts in cosim synth's order, but for "control", which is the registers and what is between the parts:
/// their sum is that of EstimateArea but for rounding.
std::vector<PartArea> EstimateParts(const isa::Spec& spec);

/// LUTs and flip-flops of a block, not rounded.
struct BlockArea {
  double lut = 0, ff = 0;
};
BlockArea AreaOfBlock(const AreaBlock& block);

}  // namespace cosim::synth
