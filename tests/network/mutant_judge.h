// SPDX-License-Identifier: Apache-2.0
// What a mutant of a program is: refused by the verifier, or harmless, or a hole in the verifier. Harmless is
// what leaves the same bytes under every timing tried and whatever the on-chip memories held before.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "isa/program/program.h"
#include "isa/spec/spec.h"
#include "isa/verify/verify.h"
#include "sim/functional/functional_engine.h"

namespace cosim::testing {

enum class MutantKind {
  kRefusedBroken,    ///< by the verifier, and something does break
  kRefusedUnbroken,  ///< by the verifier, though nothing tried breaks it: a false alarm, as far as one can
                     ///< see
  kEquivalent,       ///< accepted; computes what the program computes
  kOtherResult,      ///< accepted; computes something else, always the same
  kHole,             ///< accepted, and breaks
};
inline constexpr int kMutantKinds = 5;

struct MutantVerdict {
  MutantKind kind = MutantKind::kHole;
  isa::FindingKind finding = isa::FindingKind::kField;  ///< the verifier's first, if it refused
  std::string why;                                      ///< what broke
};

class MutantJudge {
 public:
  /// `program` is the one that is mutated; it must verify and be in order. What no segment holds of DRAM is
  /// drawn from `seed`.
  MutantJudge(const isa::Spec& spec, const isa::Program& program, uint64_t seed);

  /// `seed` decides the timings.
  MutantVerdict Judge(const isa::Program& mutant, uint64_t seed);

  /// What breaks when the program is run, or "": stuck, not executable, a result that depends on the timing
  /// or on what was on chip before. `orders`: to be tried besides those that tokens are seen to allow.
  std::string Break(const isa::Program& program, std::vector<std::vector<int64_t>> orders, uint64_t seed);

 private:
  struct Result {
    std::string error;
    std::vector<uint8_t> dram;
    uint64_t on_chip = 0;  ///< hash of all memories
  };

  Result Run(const isa::Program& program, std::span<const isa::Decoded> decoded,
             std::span<const int64_t> order, uint64_t poison);

  const isa::Spec& spec_;
  std::vector<uint8_t> data_;  // DRAM without segments
  sim::FunctionalEngine engine_;
  std::vector<uint8_t> expected_;
  Result first_;
};

}  // namespace cosim::testing
