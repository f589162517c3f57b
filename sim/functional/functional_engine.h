// SPDX-License-Identifier: Apache-2.0
// What instructions do to data: DRAM, the on-chip memories, and one instruction at a time in program order.
// Tokens, timing and the order of execution are the devices' business.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "isa/program/decode.h"
#include "isa/program/program.h"
#include "isa/spec/spec.h"
#include "sim/functional/alu_unit.h"
#include "sim/functional/element_codec.h"
#include "sim/functional/gemm_unit.h"
#include "sim/functional/memories.h"
#include "sim/kernels/simd_level.h"

namespace cosim::sim {

class FunctionalEngine {
 public:
  /// `spec` must outlive the engine; `level` must be supported by this machine.
  explicit FunctionalEngine(const isa::Spec& spec, SimdLevel level = BestSimdLevel());
  FunctionalEngine(const FunctionalEngine&) = delete;
  FunctionalEngine& operator=(const FunctionalEngine&) = delete;

  /// Grows DRAM to at least `bytes`; new bytes are 0.
  void Reserve(uint64_t bytes);
  std::span<uint8_t> dram() { return dram_; }
  std::span<const uint8_t> dram() const { return dram_; }
  /// Both CHECK that the bytes lie within what is reserved.
  void WriteDram(uint64_t address, std::span<const uint8_t> bytes);
  void ReadDram(uint64_t address, std::span<uint8_t> bytes) const;

  const Memories& memories() const { return memories_; }
  void PoisonOnChip(uint64_t seed);

  /// Executes one instruction on the data; `decoded` is its Decode. Returns why it cannot be executed (an
  /// access out of bounds, an op that does not exist), and then nothing has changed; empty when all is well.
  [[nodiscard]] std::string Execute(const isa::Instruction& instruction, const isa::Decoded& decoded);

  // What has been executed so far.
  uint64_t gemm_steps() const { return gemm_steps_; }
  uint64_t alu_steps() const { return alu_steps_; }
  /// Data moved by loads and stores, in whole beats; fetching the program is not in it.
  uint64_t load_bytes() const { return load_bytes_; }
  uint64_t store_bytes() const { return store_bytes_; }
  void ResetCounts() { gemm_steps_ = alu_steps_ = load_bytes_ = store_bytes_ = 0; }

 private:
  std::string Run(const isa::Transfer& transfer);
  std::string Run(const isa::Gemm& gemm, int format);
  std::string Run(const isa::Alu& alu, const isa::Instruction& instruction);
  void Written(int memory, int64_t first, int64_t count);

  const isa::Spec& spec_;
  SimdLevel level_;
  std::vector<uint8_t> dram_;
  Memories memories_;
  std::vector<ElementCodec> codecs_;                   ///< by memory
  std::vector<std::unique_ptr<GemmUnit>> gemm_units_;  ///< by format; null for other kinds
  std::vector<std::unique_ptr<AluUnit>> alu_units_;    ///< by op; made when first used
  uint64_t gemm_steps_ = 0, alu_steps_ = 0, load_bytes_ = 0, store_bytes_ = 0;
};

}  // namespace cosim::sim
