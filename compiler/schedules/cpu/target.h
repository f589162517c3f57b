// SPDX-License-Identifier: Apache-2.0
// What schedules know of a processor. Who reads it from where: compiler/cpu.
#pragma once

#include <cstdint>

namespace cosim::schedules {

/// Products of small integers that an instruction adds to each lane of 32 bits.
enum class Dot {
  kNone,
  kSingles,      ///< one product of int16
  kPairs,        ///< two products of int16
  kQuads,        ///< four products of uint8 by int8; pairs too
  kSignedQuads,  ///< four products of int8; single ones of int16 too
};

struct CpuTarget {
  /// 0: unknown. Loops are then left to LLVM's vectorizer.
  int64_t vector_bits = 0;
  int64_t vector_registers = 16;
  Dot dot = Dot::kNone;

  bool is_known() const { return vector_bits > 0; }
  int64_t lanes() const { return vector_bits / 32; }
};

}  // namespace cosim::schedules
