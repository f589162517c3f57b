// SPDX-License-Identifier: Apache-2.0
// Random programs that are legal under any spec: in bounds, tokens from dataflow, banks named, distances
// kept, no races. For the verifier's property tests and for holding two models of the accelerator against
// each other.
#pragma once

#include <cstdint>

#include "isa/program/program.h"
#include "isa/spec/spec.h"
#include "isa/verify/verify.h"

namespace cosim::isa::testing {

/// SplitMix64: the same numbers on every platform.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next();
  /// Evenly from [low, high].
  int64_t Uniform(int64_t low, int64_t high);
  bool Percent(int chance) { return Uniform(0, 99) < chance; }

 private:
  uint64_t state_;
};

struct RandomProgramOptions {
  uint64_t seed = 1;
  int instructions = 60;                            ///< without the syncs that tokens make necessary
  int64_t max_steps = 48;                           ///< of a gemm or alu instruction
  int64_t max_rows = 4, max_cols = 6, max_pad = 2;  ///< of a load or store
  int64_t data_bytes = 1 << 14;                     ///< of the part of DRAM that loads and stores share
  int extra_tokens = 10;  ///< percent of instructions given one token more than they need
  int sync = 5;           ///< percent of instructions that only take and give tokens
};

/// How to verify one: it reads on-chip elements that nothing has written. Whoever compares two models on it
/// gives both the same contents.
inline VerifyOptions OnWrittenMemories(int max_findings = 20) {
  return {.layer = {}, .max_findings = max_findings, .memories_start_written = true};
}

/// Segments hold the instructions, micro-ops for every micro-op memory, and constants to load from. Token
/// order is forward (isa/verify/verify.h). May have fewer instructions than asked for when the spec has no
/// way to order one.
Program RandomProgram(const Spec& spec, const RandomProgramOptions& options);

}  // namespace cosim::isa::testing
