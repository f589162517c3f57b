// SPDX-License-Identifier: Apache-2.0
// Random configurations and random programs for the comparison of engine and reference. Values come from a
// fixed integer generator, so a seed means the same case everywhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/program/decode.h"
#include "isa/spec/spec.h"

namespace cosim::sim::testing {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x2545F4914F6CDD1Du + 1) {}
  uint64_t Next();
  /// Uniform in [low, high].
  int64_t In(int64_t low, int64_t high);
  bool Chance(int percent) { return In(0, 99) < percent; }
  /// One of the values.
  template <typename T>
  T Of(const std::vector<T>& values) {
    return values[static_cast<size_t>(In(0, static_cast<int64_t>(values.size()) - 1))];
  }

 private:
  uint64_t state_;
};

struct Case {
  isa::Spec spec;
  std::vector<isa::Decoded> program;
  uint64_t code_address = 0;
};

enum class Shape {
  kCosim,   ///< units and queues of CosimLike
  kVta,     ///< of VtaLike
  kAnyIsa,  ///< random units, kinds, queues, memories
};

/// Other numbers in every place that timing reads: memory system, latencies, capacities, buffers.
void Randomize(isa::Spec& spec, Random& random);

/// A random configuration and program. Token-correct programs push before they pop in program order and never
/// exceed a capacity, so they cannot deadlock; others may.
Case RandomCase(Shape shape, bool token_correct, int instructions, uint64_t seed);

/// Random instructions for a spec; see RandomCase.
std::vector<isa::Decoded> RandomProgram(const isa::Spec& spec, bool token_correct, int instructions,
                                        Random& random);

/// The case as text: configuration and one line an instruction.
std::string Describe(const Case& c);

}  // namespace cosim::sim::testing
