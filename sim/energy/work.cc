// SPDX-License-Identifier: Apache-2.0
#include "sim/energy/work.h"

#include <algorithm>
#include <variant>

#include "isa/check.h"
#include "sim/functional/transfer.h"

namespace cosim::sim {
namespace {

class Counter {
 public:
  explicit Counter(const isa::Spec& spec) : spec_(spec) {
    work_.macs.resize(spec.formats.size());
    work_.lane_ops.resize(spec.alu_ops.size());
    work_.memories.resize(spec.memories.size());
  }

  void Count(const isa::Decoded& instruction) {
    ++work_.instructions;
    format_ = static_cast<size_t>(instruction.format);
    std::visit([&](const auto& body) { Add(body); }, instruction.body);
  }
  /// The mirrors' writes are known at the end.
  Work Take() {
    for (size_t m = 0; m < work_.memories.size(); ++m)
      if (const int original = spec_.memories[m].mirrors; original >= 0)
        work_.memories[m].writes = work_.memories[static_cast<size_t>(original)].writes;
    return std::move(work_);
  }

 private:
  Work::Accesses& Of(int memory) { return work_.memories[static_cast<size_t>(memory)]; }
  static uint64_t Steps(const isa::Nest& nest) {
    return static_cast<uint64_t>(std::max<int64_t>(0, nest.Steps()));
  }
  void ReadMicroOps(const isa::Nest& nest, uint64_t times) {
    if (nest.micro_ops >= 0) Of(nest.micro_ops).reads += times;
  }

  void Add(const isa::Sync&) {}
  void Add(const isa::Transfer& transfer) {
    const isa::Memory& memory = spec_.memories[static_cast<size_t>(transfer.memory)];
    (transfer.is_store ? work_.dram_written : work_.dram_read) +=
        TransferBytes(transfer, memory.stored_bytes, spec_.dram.beat_bytes());
    if (transfer.is_store) {
      Of(transfer.memory).reads += static_cast<uint64_t>(transfer.rows * transfer.cols);
    } else {
      Of(transfer.memory).writes += static_cast<uint64_t>(transfer.SramElements());
    }
  }
  void Add(const isa::Gemm& gemm) {
    const uint64_t steps = Steps(gemm.nest),
                   cycles = static_cast<uint64_t>(std::max<int64_t>(0, gemm.Cycles()));
    ReadMicroOps(gemm.nest, cycles);
    const isa::Intrinsic& intrinsic = *spec_.formats[format_].intrinsic;
    Of(intrinsic.dst.memory).writes += steps;
    if (gemm.reset) return;
    if (!gemm.overwrite) Of(intrinsic.dst.memory).reads += steps;
    for (const isa::Operand& source : intrinsic.sources)
      Of(source.memory).reads += source.row_axis >= 0 ? cycles * static_cast<uint64_t>(source.lines) : steps;
    uint64_t lanes = 1;
    for (const isa::Intrinsic::Axis& axis : intrinsic.axes) lanes *= static_cast<uint64_t>(axis.extent);
    work_.macs[format_] += steps * lanes;
  }
  void Add(const isa::Alu& alu) {
    const uint64_t steps = Steps(alu.nest);
    ReadMicroOps(alu.nest, steps);
    if (alu.op < 0) return;
    const isa::AluOp& op = spec_.alu_ops[static_cast<size_t>(alu.op)];
    for (const isa::Operand& operand : op.operands)
      Of(operand.memory).reads += steps * static_cast<uint64_t>(operand.parts);
    Of(op.result.memory).writes += steps;
    const uint64_t lanes =
        steps * static_cast<uint64_t>(spec_.memories[static_cast<size_t>(op.result.memory)].LaneCount());
    for (const isa::ScalarNode& node : op.program.nodes)
      if (node.op == isa::ScalarOp::kLookup) Of(op.program.tables[node.input].memory).reads += lanes;
    work_.lane_ops[static_cast<size_t>(alu.op)] += lanes;
  }

  const isa::Spec& spec_;
  Work work_;
  size_t format_ = 0;
};

}  // namespace

Work& Work::operator+=(const Work& other) {
  COSIM_CHECK(memories.size() == other.memories.size() && macs.size() == other.macs.size() &&
              lane_ops.size() == other.lane_ops.size());
  instructions += other.instructions;
  dram_read += other.dram_read;
  dram_written += other.dram_written;
  for (size_t i = 0; i < macs.size(); ++i) macs[i] += other.macs[i];
  for (size_t i = 0; i < lane_ops.size(); ++i) lane_ops[i] += other.lane_ops[i];
  for (size_t i = 0; i < memories.size(); ++i) {
    memories[i].reads += other.memories[i].reads;
    memories[i].writes += other.memories[i].writes;
  }
  return *this;
}

Work WorkOf(const isa::Spec& spec, std::span<const isa::Decoded> program) {
  Counter counter(spec);
  for (const isa::Decoded& instruction : program) counter.Count(instruction);
  return counter.Take();
}

}  // namespace cosim::sim
