// SPDX-License-Identifier: Apache-2.0
// A program that loads a pattern, takes it across the chip by driver/copy_path.h and stores it elsewhere, for
// any spec, with what must then be in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/program/program.h"
#include "isa/spec/spec.h"

namespace cosim::driver {

struct CopyProgram {
  isa::Program program;           ///< verified; its segments do not hold the pattern
  std::string way;                ///< PathText
  uint64_t from = 0, to = 0;      ///< addresses
  std::vector<uint8_t> pattern;   ///< at `from` before a run
  std::vector<uint8_t> expected;  ///< at `to` after it
};

/// Bytes before `to` and behind the last expected one that belong to nobody, inside of dram_bytes.
inline constexpr uint64_t kCopyGuard = 64;

/// As large as the spec's memories and fields allow, up to a thousand elements. `seed` tells patterns apart.
/// Nothing when the spec has no way across, or no queue between two units of it.
std::optional<CopyProgram> MakeCopyProgram(const isa::Spec& spec, uint64_t seed);

}  // namespace cosim::driver
