// SPDX-License-Identifier: Apache-2.0
// One accelerator program from a run of kernels: instructions with tokens, micro-op segments, constants,
// encoded words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/accel/ir.h"
#include "compiler/accel/take_turns.h"
#include "compiler/accel/tokens.h"
#include "runtime/network.h"

namespace cosim::network {

/// A kernel with the addresses of its params.
struct PlacedKernel {
  const accel::Kernel* kernel = nullptr;
  std::vector<uint64_t> addresses;
  int layer = -1;
  std::optional<accel::TurnSize> by_turns = {};  ///< with the one behind it, which reads what it writes
};

/// What kernels come to, in words of no ISA yet.
struct WrittenKernels {
  std::vector<isa::Instruction> instructions;
  std::vector<int> layer_of;
  std::vector<isa::Segment> micro_ops;
  uint64_t code_address = 0;
};

/// Of what stands in DRAM, the kernels write in `written` only. Micro-ops and code are put from `free_from`
/// on, which moves to the code. Nothing, and `error` set, as BuildProgram.
std::optional<WrittenKernels> WriteKernels(const isa::Spec& spec, const std::vector<PlacedKernel>& kernels,
                                           std::vector<accel::DramRange> written, uint64_t& free_from,
                                           std::string& error);

/// Values stand in [0, values_end); constants already placed in `constants`. Micro-ops and words are put from
/// `free_from` on, which moves past them. Nothing, and `error` set, when the instructions' address fields do
/// not reach that far; of kernels that accel::CheckInstructions has passed nothing else is refused.
std::optional<runtime::AcceleratorStep> BuildProgram(const isa::Spec& spec,
                                                     const std::vector<PlacedKernel>& kernels,
                                                     std::vector<isa::Segment> constants, uint64_t values_end,
                                                     uint64_t& free_from, std::string& error);

}  // namespace cosim::network
