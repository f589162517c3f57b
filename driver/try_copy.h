// SPDX-License-Identifier: Apache-2.0
// The accelerator's own side of memory: a pattern goes through its load and store units and comes back byte
// for byte.
#pragma once

#include <string>

#include "driver/board_device.h"

namespace cosim::driver {

struct CopyTrial {
  bool tried = true;    ///< false: the spec has no way across
  std::string problem;  ///< empty: right, as far as it was tried
  std::string text;     ///< what went which way, or why nothing was tried
};

/// At the beginning of the memory and at its end, each with a pattern of its own. `problem` names the first
/// byte that is wrong, what it should be, and how many others are; or what the accelerator reports. The
/// registers have to be those of `spec`.
CopyTrial TryCopy(const isa::Spec& spec, AcceleratorRegisters& registers, DmaMemory& memory,
                  const BoardOptions& options = {});

}  // namespace cosim::driver
