// SPDX-License-Identifier: Apache-2.0
// Writes a kernel's instructions: runs the loops that are left and turns every leaf, with the loop variables'
// values in hand, into loads, stores, gemm and alu instructions, together with the exact sets of what they
// touch. What a field cannot hold is cut into several instructions where that is possible, else the kernel is
// refused.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/accel/affine.h"
#include "compiler/accel/ir.h"
#include "compiler/accel/leaf_runs.h"
#include "compiler/accel/micro_ops.h"
#include "compiler/accel/passes.h"
#include "compiler/accel/take_turns.h"
#include "compiler/accel/tokens.h"
#include "compiler/accel/transfers.h"
#include "isa/program/program.h"
#include "isa/spec/spec.h"

namespace cosim::accel {

/// A kernel with the byte address of each of its params. `tag` marks the instructions (their layer).
struct KernelAt {
  const Kernel* kernel = nullptr;
  std::vector<uint64_t> addresses;
  int tag = 0;
};

class InstructionWriter {
 public:
  /// Micro-ops of memory m will stand in DRAM from micro_op_base[m] on (bytes; whole beats).
  /// Without `sink` nothing is written and only what Write returns counts.
  InstructionWriter(const isa::Spec& spec, InstructionSink* sink, std::map<int, uint64_t> micro_op_base);

  /// Refuses a kernel that the ISA's instructions or the widths of their fields do not allow; what was
  /// written until then is useless.
  Refusal Write(const KernelAt& kernel);

  /// Both, by turns (take_turns.h). Before: their on-chip buffers are apart (AreApart), and nothing that one
  /// of them writes to DRAM is where the other's params are but what the second reads.
  Refusal WriteByTurns(const KernelAt& first, const KernelAt& second);

  const std::map<int, MicroOpStore>& micro_ops() const { return stores_; }

 private:
  void Enter(const KernelAt& kernel);
  void WriteLeaf(const LeafRun& run);
  /// What each of the entered kernel's leaves moves.
  std::vector<LeafTraffic> TrafficOf(const std::vector<LeafRun>& runs);
  void WriteTransfer(const TransferLeaf& leaf);
  void WriteGemm(const GemmLeaf& leaf);
  void WriteAlu(const AluLeaf& leaf);
  void WriteGemmSpace(const GemmLeaf& leaf, const IndexSpace& space, bool first);
  void WriteAluSpace(const AluLeaf& leaf, const IndexSpace& space);
  void WriteAluNest(const AluLeaf& leaf, const IndexSpace& space, const HardwareNest& nest);
  /// Whether the fields of micro-ops hold the indices of `nest`; refuses if not.
  bool FitMicroOps(const isa::Memory& memory, const HardwareNest& nest);
  /// Makes the micro-ops resident, loading them if need be; gives their first on-chip index.
  int64_t Require(int memory, const HardwareNest& nest);
  /// Micro-ops an instruction of this format may bring along: half of the memory, so that the next list can
  /// load meanwhile.
  int64_t MicroOpLimit(const isa::InstructionFormat& format) const;
  TransferLimits LimitsOf(int format) const;
  /// The most a field holds; 0 if there is none.
  int64_t MostOf(int format, const char* field) const;
  isa::Instruction Make(int format) const;
  void Set(isa::Instruction& instruction, const char* field, int64_t value);
  void SetField(isa::Instruction& instruction, int field, int64_t value);
  void SetNest(isa::Instruction& instruction, const HardwareNest& nest, int64_t uop_begin, int64_t uop_count);
  void Refuse(std::string reason);
  std::vector<CopyDim> CopyDims(const TransferLeaf& leaf, int64_t& dram_offset) const;
  /// Elements that are windows of an image.
  void WriteGather(const TransferLeaf& leaf);
  void WriteCopy(const TransferLeaf& leaf, int format, int64_t sram, uint64_t dram, const Copy2d& copy);
  /// With the banks that its lock fields, if it has any, are to name.
  void Add(isa::Instruction instruction, const Footprint& footprint);
  /// Each element that the index reaches, with the `parts` - 1 behind it.
  void AddOnChip(Footprint& footprint, int memory, bool write, const IndexSpace& space, int index,
                 int64_t parts = 1) const;
  void AddMicroOps(Footprint& footprint, int memory, int64_t begin, int64_t count) const;
  /// One index of the space for each field of the micro-op; `access_of(name)` gives the leaf's access or
  /// null.
  template <typename AccessOf>
  IndexSpace MakeSpace(int format, const std::vector<Dim>& dims, const std::string& result,
                       AccessOf access_of) const;
  int64_t BaseOf(const Access& access) const;
  uint64_t DramAddress(const tir::Buffer& buffer) const;
  const OnChipBuffer& OnChip(const tir::Buffer& buffer) const;

  const isa::Spec& spec_;
  InstructionSink* sink_;
  std::map<int, uint64_t> micro_op_base_;
  std::map<int, MicroOpStore> stores_;
  Environment env_;
  const Kernel* kernel_ = nullptr;
  std::map<const tir::BufferNode*, const OnChipBuffer*> on_chip_;
  std::map<const tir::BufferNode*, uint64_t> dram_;
  int tag_ = 0;
  Refusal refusal_;
};

/// Whether no element on chip belongs to buffers of both. Both have their places.
bool AreApart(const Kernel& a, const Kernel& b, const isa::Spec& spec);

/// What InstructionWriter::Write would refuse the kernel for, wherever its parameters stand. Cheaper than
/// writing it.
Refusal CheckInstructions(const Kernel& kernel, const isa::Spec& spec);

}  // namespace cosim::accel
