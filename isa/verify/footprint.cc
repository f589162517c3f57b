// SPDX-License-Identifier: Apache-2.0
// On-chip footprints. An index is a sum of independent terms (base, two loops, a micro-op's offset), so its
// set is the set of sums: a progression repeated twice, then added to the set of distinct offsets.
#include "isa/verify/footprint.h"

#include <algorithm>
#include <limits>
#include <variant>

#include "isa/wide.h"

namespace cosim::isa {
namespace {

std::span<const int64_t> Offsets(const Nest& nest, const Index& index, const MicroOpMemories& micro_ops) {
  if (index.uop_field < 0) return {};
  return micro_ops.Values(nest.micro_ops, index.uop_field)
      .subspan(nest.uop_begin, nest.uop_end - nest.uop_begin);
}

/// What a loop adds at most and at least.
struct LoopBounds {
  LoopBounds(int64_t stride, int64_t count) {
    const Wide last = Wide{stride} * (count - 1);
    (last < 0 ? low : high) = last;
  }
  Wide low = 0, high = 0;
};

int64_t Clamped(Wide value) {
  constexpr Wide kMost = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::clamp(value, -kMost, kMost));
}

}  // namespace

IndexBounds BoundsOf(const Nest& nest, const Index& index, const MicroOpMemories& micro_ops) {
  const LoopBounds outer(index.outer, nest.iter_out), inner(index.inner, nest.iter_in);
  Wide least = index.base + outer.low + inner.low, greatest = index.base + outer.high + inner.high;
  if (const auto offsets = Offsets(nest, index, micro_ops); !offsets.empty()) {
    const auto [low, high] = std::ranges::minmax_element(offsets);
    least += *low;
    greatest += *high;
  }
  return {Clamped(least), Clamped(greatest)};
}

IndexSet& FootprintBuilder::NewSet(int memory, bool is_write) {
  const size_t used = accesses_.size();
  if (used == sets_.size()) sets_.emplace_back();
  sets_[used].Reset(spec_.memories[memory].depth);
  accesses_.push_back({memory, is_write, &sets_[used]});
  return sets_[used];
}

void FootprintBuilder::AddNest(int memory, bool is_write, const Nest& nest, const Index& index,
                               const MicroOpMemories& micro_ops, const Block& block) {
  memory = Storage(spec_, memory);
  IndexSet& set = NewSet(memory, is_write);
  const int64_t depth = spec_.memories[memory].depth;
  const auto offsets = Offsets(nest, index, micro_ops);
  const int64_t least = offsets.empty() ? 0 : *std::ranges::min_element(offsets);
  // Negative strides run the same progression from its other end.
  const auto start = static_cast<int64_t>(index.base + least + LoopBounds(index.outer, nest.iter_out).low +
                                          LoopBounds(index.inner, nest.iter_in).low);
  IndexSet& affine = offsets.empty() ? set : affine_;
  affine.Reset(depth);
  affine.AddRange(start, start + block.parts);
  affine.Repeat(block.pitch, block.lines);
  affine.Repeat(index.inner < 0 ? -index.inner : index.inner, nest.iter_in);
  affine.Repeat(index.outer < 0 ? -index.outer : index.outer, nest.iter_out);
  if (offsets.empty()) return;
  offsets_.Reset(depth);
  for (int64_t offset : offsets) offsets_.Add(offset - least);
  set.AssignSums(affine, offsets_);
}

void FootprintBuilder::AddMicroOps(const Nest& nest) {
  if (nest.micro_ops >= 0) NewSet(nest.micro_ops, false).AddRange(nest.uop_begin, nest.uop_end);
}

std::span<const OnChipAccess> FootprintBuilder::Build(const Decoded& decoded,
                                                      const MicroOpMemories& micro_ops) {
  accesses_.clear();
  if (const auto* transfer = std::get_if<Transfer>(&decoded.body)) {
    const int64_t count = transfer->is_store ? transfer->rows * transfer->cols : transfer->SramElements();
    const int memory = Storage(spec_, transfer->memory);
    NewSet(memory, !transfer->is_store).AddRange(transfer->sram, transfer->sram + count);
  } else if (const auto* gemm = std::get_if<Gemm>(&decoded.body)) {
    const Intrinsic& intrinsic = *spec_.formats[decoded.format].intrinsic;
    AddMicroOps(gemm->nest);
    if (!gemm->overwrite && !gemm->reset)
      AddNest(intrinsic.dst.memory, false, gemm->nest, gemm->dst, micro_ops);
    AddNest(intrinsic.dst.memory, true, gemm->nest, gemm->dst, micro_ops);
    for (size_t i = 0; i < gemm->sources.size() && !gemm->reset; ++i) {
      const Operand& source = intrinsic.sources[i];
      AddNest(source.memory, false, gemm->nest, gemm->sources[i], micro_ops,
              {source.parts, source.lines, gemm->pitch});
    }
  } else if (const auto* alu = std::get_if<Alu>(&decoded.body)) {
    const AluOp& op = spec_.alu_ops[alu->op];
    AddMicroOps(alu->nest);
    AddNest(op.result.memory, true, alu->nest, alu->result, micro_ops);
    for (size_t i = 0; i < alu->operands.size(); ++i) {
      AddNest(op.operands[i].memory, false, alu->nest, alu->operands[i], micro_ops, {op.operands[i].parts});
    }
    for (const ScalarTable& table : op.program.tables)
      NewSet(table.memory, false).AddRange(0, spec_.memories[table.memory].depth);
  }
  return accesses_;
}

}  // namespace cosim::isa
