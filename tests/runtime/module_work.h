// SPDX-License-Identifier: Apache-2.0
// How long a module's programs are, for those who run modules that nobody has made: a loop of one instruction
// may take hours.
#pragma once

#include "isa/program/decode.h"
#include "runtime/network.h"

namespace cosim::runtime::testing {

/// Elements moved and steps, of programs that the verifier has passed; beyond `most` it stops counting.
inline int64_t WorkOf(const isa::Spec& spec, const Network& network, int64_t most) {
  const isa::Decoder decode(spec);
  int64_t work = 0;
  for (const auto& step : network.steps) {
    const auto* accelerator = std::get_if<AcceleratorStep>(&step);
    if (accelerator == nullptr) continue;
    for (const isa::Instruction& instruction : accelerator->program.instructions) {
      const isa::Decoded decoded = decode(instruction);
      if (const auto* transfer = std::get_if<isa::Transfer>(&decoded.body)) work += transfer->SramElements();
      if (const auto* gemm = std::get_if<isa::Gemm>(&decoded.body)) work += gemm->nest.Steps();
      if (const auto* alu = std::get_if<isa::Alu>(&decoded.body)) work += alu->nest.Steps();
      if (work > most) return work;
    }
  }
  return work;
}

}  // namespace cosim::runtime::testing
