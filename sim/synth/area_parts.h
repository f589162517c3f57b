// SPDX-License-Identifier: Apache-2.0
// What the files that count the blocks of area_blocks.h share.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/spec/spec.h"
#include "isa/sv/plan.h"
#include "sim/synth/area_blocks.h"
#include "sim/synth/ram_mapping.h"

namespace cosim::synth {

/// Bits of a count from 0 to `most`, at least 1.
int CountBits(int64_t most);

/// Bits of an element of a memory that are written on their own; all of them: the whole element.
int64_t SliceBits(const isa::Spec& spec, const isa::SvPlan& plan, int memory);

/// Halves of a RAMB36 of all memories and read buffers.
int BlockRamsOf(const isa::Spec& spec, const isa::SvPlan& plan);

/// Bits of a product from which on Yosys puts it into a DSP.
inline constexpr int kLeastProduct = 9;

/// DSPs of all products of matrices and of the lanes.
int DspsOf(const isa::Spec& spec, const isa::SvPlan& plan);

void AddGemmBlocks(const isa::Spec& spec, const isa::SvUnit& unit, std::vector<AreaBlock>& blocks);
void AddAluBlocks(const isa::Spec& spec, const isa::SvUnit& unit, std::vector<AreaBlock>& blocks);
void AddMemoryBlocks(const isa::Spec& spec, const isa::SvPlan& plan, std::vector<AreaBlock>& blocks);

}  // namespace cosim::synth
