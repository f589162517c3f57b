// SPDX-License-Identifier: Apache-2.0
// The blocks that are routed for themselves: which register of the design belongs to which. A block is the
// registers (and memories) it owns with all logic between them and the registers before, wherever that logic
// stands. So every path from register to register is in the block of the register where it ends, and a
// register without a block is a path that nothing looks at.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/spec/spec.h"

namespace cosim::synth {

/// "load_front" (a unit's queue, decoder, issue and what issue loads), "load_engine", "gemm_slice" (one
/// output of the array), "alu_lane", "fetch", "locks", "registers", "read_port", "write_port", "memory_wgt",
/// …; in a fixed order. Where a unit has engines of several kinds: "compute_gemm_slice".
std::vector<std::string> PlaceBlocks(const isa::Spec& spec);

/// The block of a register, memory or output of cosim_accelerator, by its hierarchical name
/// ("i_accelerator.i_load_load.flying_q"); "" if no block has it.
std::string PlaceBlockOf(std::string_view object, const isa::Spec& spec);

struct PlacePartition {
  struct Block {
    std::string name;
    std::vector<std::string> objects;
  };
  std::vector<Block> blocks;           ///< as PlaceBlocks; those without an object too
  int alike = 0;                       ///< objects left out because the same of another lane stands for them
  std::vector<std::string> uncovered;  ///< objects of no block
};

/// Of the lanes of the array, of its accumulators and of the alu, which are equal, the first is kept.
PlacePartition PartitionObjects(const std::vector<std::string>& objects, const isa::Spec& spec);

}  // namespace cosim::synth
