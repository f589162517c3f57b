// SPDX-License-Identifier: Apache-2.0
// Walks a program in its order; each instruction's effect is the engine's.
#include "sim/functional/functional_device.h"

#include <fmt/format.h>

#include "isa/check.h"

namespace cosim::sim {
namespace {

/// Bytes fetched from DRAM as the program, in whole beats.
uint64_t FetchBytes(const isa::Spec& spec, const isa::Program& program) {
  const uint64_t beat = spec.dram.beat_bytes();
  return (program.instructions.size() * spec.word_bytes() + beat - 1) / beat * beat;
}

}  // namespace

runtime::Counters FunctionalDevice::Execute(const isa::Program& program,
                                            const runtime::ExecuteOptions& options) {
  COSIM_CHECK(program.fingerprint == spec_.fingerprint, "the program was made for another spec");
  runtime::Counters counters;
  if (options.timing_only) {
    counters.error = "the functional device has no timing";
    return counters;
  }
  engine_.Reserve(program.dram_bytes);
  engine_.ResetCounts();
  const isa::Decoder decode(spec_);
  for (size_t n = 0; n < program.instructions.size() && counters.error.empty(); ++n) {
    const isa::Instruction& instruction = program.instructions[n];
    const std::string error = engine_.Execute(instruction, decode(instruction));
    if (error.empty()) continue;
    counters.error = fmt::format("instruction {} ({}) {}", n, spec_.formats[instruction.format].name, error);
  }
  counters.completed = counters.error.empty();
  counters.dram_read_bytes = FetchBytes(spec_, program) + engine_.load_bytes();
  counters.dram_write_bytes = engine_.store_bytes();
  counters.gemm_steps = engine_.gemm_steps();
  counters.alu_steps = engine_.alu_steps();
  return counters;
}

}  // namespace cosim::sim
