// SPDX-License-Identifier: Apache-2.0
// Two kernels written at once. See instruction_writer.h.
#include <array>

#include "compiler/accel/instruction_writer.h"
#include "isa/check.h"

namespace cosim::accel {
namespace {

/// Keeps what the instructions of a leaf move.
class TrafficSink : public InstructionSink {
 public:
  void Add(isa::Instruction, const Footprint& footprint, int) override {
    for (const Footprint::Dram& range : footprint.dram) ranges.push_back({range.begin, range.end});
  }
  std::vector<LeafTraffic::Range> ranges;
};

bool Overlap(const OnChipBuffer& a, const OnChipBuffer& b, const isa::Spec& spec) {
  const auto side = [&](const OnChipBuffer& buffer) {
    const int mirrored = spec.memories[buffer.memory].mirrors;
    return mirrored >= 0 ? mirrored : buffer.memory;
  };
  if (side(a) != side(b)) return false;
  for (int i = 0; i < a.copies; ++i)
    for (int j = 0; j < b.copies; ++j) {
      const int64_t of_a = a.address + i * a.copy_stride, of_b = b.address + j * b.copy_stride;
      if (of_a < of_b + b.elements && of_b < of_a + a.elements) return true;
    }
  return false;
}

}  // namespace

bool AreApart(const Kernel& a, const Kernel& b, const isa::Spec& spec) {
  for (const OnChipBuffer& one : a.buffers)
    for (const OnChipBuffer& other : b.buffers)
      if (Overlap(one, other, spec)) return false;
  return true;
}

std::vector<LeafTraffic> InstructionWriter::TrafficOf(const std::vector<LeafRun>& runs) {
  std::vector<LeafTraffic> traffic;
  InstructionSink* const sink = sink_;
  for (const LeafRun& run : runs) {
    LeafTraffic& leaf = traffic.emplace_back();
    const auto* transfer = std::get_if<TransferLeaf>(&run.leaf->node);
    if (!transfer) continue;
    leaf.is_store = transfer->is_store;
    TrafficSink moved;
    sink_ = &moved;
    WriteLeaf(*run.leaf, run.env);
    leaf.ranges = std::move(moved.ranges);
  }
  sink_ = sink;
  return traffic;
}

Refusal InstructionWriter::WriteByTurns(const KernelAt& first, const KernelAt& second, TurnSize size) {
  refusal_ = {};
  leaves_.clear();
  transfers_.clear();
  COSIM_CHECK(AreApart(*first.kernel, *second.kernel, spec_), "{} and {} share elements", first.kernel->name,
              second.kernel->name);
  const std::array<const KernelAt*, 2> kernels = {&first, &second};
  std::array<std::vector<LeafRun>, 2> runs;
  std::array<std::vector<LeafTraffic>, 2> traffic;
  for (size_t k = 0; k < 2; ++k) {
    Enter(*kernels[k]);
    runs[k] = LeafRuns(*kernels[k]->kernel);
    traffic[k] = TrafficOf(runs[k]);
  }
  int entered = 1;
  for (const Turn& turn : TakeTurns(traffic[0], traffic[1], size)) {
    if (turn.kernel != entered) Enter(*kernels[turn.kernel]);
    entered = turn.kernel;
    for (size_t i = turn.begin; i < turn.end && !refusal_; ++i)
      WriteLeaf(*runs[turn.kernel][i].leaf, runs[turn.kernel][i].env);
  }
  return refusal_;
}

}  // namespace cosim::accel
