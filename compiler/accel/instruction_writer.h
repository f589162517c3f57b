// SPDX-License-Identifier: Apache-2.0
// Writes a kernel's instructions: runs the loops that are left and turns every leaf, with the loop variables' values in
// hand, into loads, stores, gemm and alu instructions, together with the exact sets of what they touch.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/accel/affine.h"
#include "compiler/accel/ir.h"
#include "compiler/accel/micro_ops.h"
#include "compiler/accel/tokens.h"
#include "isa/program.h"
#include "isa/spec.h"

namespace cosim::accel {

class InstructionWriter {
 public:
  /// Micro-ops of memory m will stand in DRAM from micro_op_base[m] on (bytes; whole beats).
  InstructionWriter(const isa::Spec& spec, TokenInserter& tokens, std::map<int, uint64_t> micro_op_base);

  /// `addresses`: byte address of each of the kernel's params. `tag` marks the instructions (their layer).
  void Write(const Kernel& kernel, const std::vector<uint64_t>& addresses, int tag);

  const std::map<int, MicroOpStore>& micro_ops() const { return stores_; }

 private:
  void Run(const Nodes& nodes);
  void WriteTransfer(const TransferLeaf& leaf);
  void WriteGemm(const GemmLeaf& leaf);
  void WriteAlu(const AluLeaf& leaf);
  void WriteGemmSpace(const GemmLeaf& leaf, const IndexSpace& space, bool first);
  void WriteAluSpace(const AluLeaf& leaf, const IndexSpace& space);
  /// Makes the micro-ops resident, loading them if need be; gives their first on-chip index.
  int64_t Require(int memory, const HardwareNest& nest);
  isa::Instruction Make(int format) const;
  void Set(isa::Instruction& instruction, const char* field, int64_t value) const;
  void SetNest(isa::Instruction& instruction, const HardwareNest& nest, int64_t uop_begin, int64_t uop_count) const;
  void SetLocks(isa::Instruction& instruction, const Footprint& footprint) const;
  void AddOnChip(Footprint& footprint, int memory, bool write, const IndexSpace& space, int index) const;
  /// One index of the space for each field of the micro-op; `access_of(name)` gives the leaf's access or null.
  template <typename AccessOf>
  IndexSpace MakeSpace(int format, const std::vector<Dim>& dims, AccessOf access_of) const;
  int64_t BaseOf(const Access& access) const;
  uint64_t DramAddress(const tir::Buffer& buffer) const;
  const OnChipBuffer& OnChip(const tir::Buffer& buffer) const;

  const isa::Spec& spec_;
  TokenInserter& tokens_;
  std::map<int, uint64_t> micro_op_base_;
  std::map<int, MicroOpStore> stores_;
  Environment env_;
  const Kernel* kernel_ = nullptr;
  std::map<const tir::BufferNode*, const OnChipBuffer*> on_chip_;
  std::map<const tir::BufferNode*, uint64_t> dram_;
  int tag_ = 0;
};

}  // namespace cosim::accel
