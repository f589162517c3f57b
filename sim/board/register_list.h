// SPDX-License-Identifier: Apache-2.0
// The register map (isa/spec/registers.h) as tools want it that know words of 32 bits only: a register of 64
// bits is two, and each counter of the ledger has a name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/spec/registers.h"
#include "isa/spec/spec.h"

namespace cosim::board {

struct RegisterBit {
  std::string name, doc;
  int bit;
};

struct RegisterWord {
  std::string name;  ///< "Status", "Cycles_low", "Ledger_gemm_busy_high"
  std::string doc;
  uint32_t offset;  ///< in bytes
  isa::registers::Access access;
  std::vector<RegisterBit> bits;
};

/// In the order of their offsets.
std::vector<RegisterWord> RegisterWords(const isa::Spec& spec);

}  // namespace cosim::board
