// SPDX-License-Identifier: Apache-2.0
// One accelerator program from a run of kernels: instructions with tokens, micro-op segments, constants,
// encoded words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/network/lower_group.h"
#include "runtime/network.h"

namespace cosim::network {

/// A kernel with the addresses of its params.
struct PlacedKernel {
  const AcceleratorGroup* group = nullptr;
  std::vector<uint64_t> addresses;
  int layer = -1;
  bool by_turns = false;  ///< with the one behind it, which reads what it writes
};

/// Values stand in [0, values_end); constants already placed in `constants`. Micro-ops and words are put from
/// `free_from` on, which moves past them. Nothing, and `error` set, when the instructions' address fields do
/// not reach that far; of kernels that accel::CheckInstructions has passed nothing else is refused.
std::optional<runtime::AcceleratorStep> BuildProgram(const isa::Spec& spec,
                                                     const std::vector<PlacedKernel>& kernels,
                                                     std::vector<isa::Segment> constants, uint64_t values_end,
                                                     uint64_t& free_from, std::string& error);

}  // namespace cosim::network
