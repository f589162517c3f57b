// SPDX-License-Identifier: Apache-2.0
// Writes a kernel's instructions: runs the loops that are left and turns every leaf, with the loop variables'
// values in hand, into loads, stores, gemm and alu instructions, together with the exact sets of what they
// touch. What a field cannot hold is cut into several instructions where that is possible, else the kernel is
// refused.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/accel/affine.h"
#include "compiler/accel/instruction_fields.h"
#include "compiler/accel/ir.h"
#include "compiler/accel/leaf_plan.h"
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
  Refusal WriteByTurns(const KernelAt& first, const KernelAt& second, TurnSize size);

  const std::map<int, MicroOpStore>& micro_ops() const { return stores_; }

 private:
  /// Where an access begins: at `base` and what the loops around add.
  struct Place {
    int64_t base = 0;  ///< element of the memory
    IndexFunction offset;
  };
  /// What is known of a gemm or alu leaf, and its plans by extents (and bases, where micro-ops have them).
  struct LeafState {
    int format = -1;
    LeafRules rules;
    std::vector<IndexFunction> extents;
    std::vector<std::optional<Place>> places;   ///< by the micro-op's fields; nothing: none
    std::vector<std::vector<int64_t>> strides;  ///< likewise
    int result = 0;                             ///< field of the micro-op
    int64_t pitch = 0;                          ///< of the rows that a step reads
    std::map<std::vector<int64_t>, std::vector<LeafPart>> plans;
  };
  /// What is known of a transfer.
  struct TransferState {
    struct Dim {
      IndexFunction extent;
      std::vector<std::pair<IndexFunction, IndexFunction>> bounds;  ///< low, high
    };
    int memory = -1, format = -1;
    TransferLimits limits;
    Place sram;
    IndexFunction dram;
    std::vector<Dim> dims;
    std::vector<int64_t> pitches;  ///< positions of the buffer that one step of its dimensions skips
  };
  /// Where a leaf's elements begin: one an index of its micro-ops.
  using Bases = std::vector<int64_t>;

  void Enter(const KernelAt& kernel);
  void WriteLeaf(const Node& leaf, const Environment& env);
  /// What each of the entered kernel's leaves moves.
  std::vector<LeafTraffic> TrafficOf(const std::vector<LeafRun>& runs);
  void WriteTransfer(const TransferLeaf& leaf);
  void WriteGemm(const GemmLeaf& leaf);
  void WriteAlu(const AluLeaf& leaf);
  LeafState StateOf(const GemmLeaf& leaf);
  LeafState StateOf(const AluLeaf& leaf);
  void SetRules(LeafState& state, const std::vector<Dim>& dims);
  void AddOperand(LeafState& state, const isa::Operand& operand, const Access& access, bool write);
  TransferState StateOf(const TransferLeaf& leaf);
  /// The leaf's plan at this iteration of the loops around it; `bases` get where its elements begin.
  std::vector<LeafPart>& PlanOf(LeafState& state, Bases& bases);
  void WriteGemmPart(const GemmLeaf& leaf, const LeafState& state, LeafPart& part, const Bases& bases,
                     bool first);
  void WriteAluPart(const AluLeaf& leaf, const LeafState& state, LeafPart& part, const Bases& bases);
  /// Makes footprint_ that of a part whose micro-ops are `uops` and those behind it.
  void Touch(const LeafState& state, const LeafPart& part, const Bases& bases, int64_t uops);
  /// Whether the fields of micro-ops hold the indices of `nest`; refuses if not.
  bool FitMicroOps(const isa::Memory& memory, const HardwareNest& nest);
  /// Makes the part's micro-ops resident, loading them if need be; gives their first on-chip index.
  int64_t Require(int memory, LeafPart& part);
  /// Micro-ops an instruction of this format may bring along: half of the memory, so that the next list can
  /// load meanwhile.
  int64_t MicroOpLimit(const isa::InstructionFormat& format);
  TransferLimits LimitsOf(int format);
  void Set(isa::Instruction& instruction, FieldRole role, int64_t value);
  void SetField(isa::Instruction& instruction, int field, int64_t value);
  void SetNest(isa::Instruction& instruction, const LeafState& state, const LeafPart& part,
               const Bases& bases, int64_t uop_begin, int64_t uop_count);
  void SetPitch(isa::Instruction& instruction, int64_t pitch);
  void Refuse(std::string reason);
  std::vector<CopyDim> CopyDims(const TransferLeaf& leaf, const TransferState& state,
                                int64_t& dram_offset) const;
  /// Elements that are windows of an image.
  void WriteGather(const TransferLeaf& leaf, const TransferState& state);
  void WriteCopy(const TransferLeaf& leaf, const TransferState& state, int64_t sram, uint64_t dram,
                 const Copy2d& copy);
  void ClearFootprint();
  void AddOnChip(int memory, bool write, int64_t begin, int64_t count);
  /// With footprint_, and with the banks that its lock fields, if it has any, are to name.
  void Add(isa::Instruction instruction);
  Place PlaceOf(const Access& access) const;
  uint64_t DramAddress(const tir::Buffer& buffer) const;
  const OnChipBuffer& OnChip(const tir::Buffer& buffer) const;

  const isa::Spec& spec_;
  InstructionSink* sink_;
  InstructionFields fields_;
  std::map<int, uint64_t> micro_op_base_;
  std::map<int, MicroOpStore> stores_;
  const Environment* env_ = nullptr;
  const Kernel* kernel_ = nullptr;
  std::map<const tir::BufferNode*, const OnChipBuffer*> on_chip_;
  std::map<const tir::BufferNode*, uint64_t> dram_;
  std::unordered_map<const void*, LeafState> leaves_;  ///< of the kernels being written
  std::unordered_map<const void*, TransferState> transfers_;
  Footprint footprint_;       ///< of the instruction being written
  std::vector<int64_t> key_;  ///< scratch
  int tag_ = 0;
  Refusal refusal_;
};

/// Whether no element on chip belongs to buffers of both. Both have their places.
bool AreApart(const Kernel& a, const Kernel& b, const isa::Spec& spec);

/// What InstructionWriter::Write would refuse the kernel for, wherever its parameters stand. Cheaper than
/// writing it.
Refusal CheckInstructions(const Kernel& kernel, const isa::Spec& spec);

}  // namespace cosim::accel
