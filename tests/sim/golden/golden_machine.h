// SPDX-License-Identifier: Apache-2.0
// The plainest interpreter of decoded instructions: one lane, one bit at a time, sharing no code with sim/.
// What the functional engine is held against.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/program/decode.h"
#include "isa/program/program.h"
#include "isa/spec/spec.h"

namespace cosim::testing {

class GoldenMachine {
 public:
  GoldenMachine(const isa::Spec& spec, std::vector<uint8_t> dram);

  void Execute(const isa::Instruction& instruction, const isa::Decoded& decoded);

  const std::vector<uint8_t>& dram() const { return dram_; }
  /// A lane of an element; of a mirror, wrapped to its type.
  int64_t Value(int memory, int64_t element, int64_t lane, int field) const;
  void Set(int memory, int64_t element, int64_t lane, int field, int64_t value);

 private:
  void Move(const isa::Transfer& transfer);
  void Gather(const isa::Transfer& transfer);
  void Multiply(const isa::Gemm& gemm, const isa::Intrinsic& intrinsic);
  void MultiplyOnce(const isa::Gemm& gemm, const isa::Intrinsic& intrinsic, int64_t i, int64_t j, int64_t u);
  void Calculate(const isa::Alu& alu, const isa::Instruction& instruction);
  int64_t Element(const isa::Nest& nest, const isa::Index& index, int64_t i, int64_t j, int64_t u) const;
  int64_t BitsAt(uint64_t byte, int64_t bit, isa::ScalarType type) const;

  const isa::Spec& spec_;
  std::vector<uint8_t> dram_;
  std::vector<std::vector<int64_t>> values_;  ///< by memory: [element][lane][field]
};

/// The low bits of `value` as `type` reads them.
int64_t Truncate(int64_t value, isa::ScalarType type);

}  // namespace cosim::testing
