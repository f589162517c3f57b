// SPDX-License-Identifier: Apache-2.0
// Bit maps of what has been written. Steps are walked only where an instruction may read its own results.
#include "isa/verify/uninitialized.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <variant>

namespace cosim::isa {

struct WrittenChecker::OwnResults {
  const Nest* nest = nullptr;
  std::optional<Index> write;
  std::vector<Index> reads;
};

WrittenChecker::WrittenChecker(const Spec& spec, std::span<const Decoded> decoded, VerifyReport& report)
    : spec_(spec), decoded_(decoded), report_(report), written_(spec.memories.size()) {
  for (size_t m = 0; m < written_.size(); ++m) written_[m].Reset(spec.memories[m].depth);
}

void WrittenChecker::Execute(int64_t i, std::span<const OnChipAccess> accesses,
                             const MicroOpMemories& micro_ops) {
  for (const OnChipAccess& access : accesses) {
    IndexSet& written = written_[access.memory];
    if (access.is_write || written.Contains(*access.elements)) continue;
    missing_ = *access.elements;
    missing_.Remove(written);
    DropOwnResults(decoded_[i], access.memory, micro_ops, missing_);
    if (missing_.Empty()) continue;
    Report(i, access.memory, missing_);
    written.Add(missing_);
  }
  if (const auto* load = std::get_if<Transfer>(&decoded_[i].body); load != nullptr && load->gathers) {
    AddPieces(*load);
    return;
  }
  for (const OnChipAccess& access : accesses) {
    if (access.is_write) written_[access.memory].Add(*access.elements);
  }
}

void WrittenChecker::AddPieces(const Transfer& load) {
  const Memory& memory = spec_.memories[load.memory];
  const int64_t bytes = (memory.element_bits + 7) / 8;
  IndexSet& written = written_[load.memory];
  for (int64_t element = load.sram; element < load.sram + load.rows * load.cols; ++element) {
    if (written.Has(element)) continue;
    std::vector<bool>& pieces = pieces_[{load.memory, element}];
    pieces.resize(bytes);
    const int64_t end = std::min(bytes, load.piece_first + load.piece_bytes);
    for (int64_t byte = load.piece_first; byte < end; ++byte) pieces[byte] = true;
    if (std::ranges::all_of(pieces, std::identity{})) {
      written.Add(element);
      pieces_.erase({load.memory, element});
    }
  }
}

WrittenChecker::OwnResults WrittenChecker::FindOwnResults(const Decoded& decoded, int memory) const {
  OwnResults own;
  auto add = [&](const Operand& operand, const Index& index) {
    if (Storage(spec_, operand.memory) == memory) own.reads.push_back(index);
  };
  if (const auto* gemm = std::get_if<Gemm>(&decoded.body)) {
    const Intrinsic& intrinsic = *spec_.formats[decoded.format].intrinsic;
    if (Storage(spec_, intrinsic.dst.memory) != memory) return own;
    own.nest = &gemm->nest;
    own.write = gemm->dst;
    if (!gemm->overwrite && !gemm->reset) own.reads.push_back(gemm->dst);
    for (size_t s = 0; s < gemm->sources.size() && !gemm->reset; ++s)
      add(intrinsic.sources[s], gemm->sources[s]);
  } else if (const auto* alu = std::get_if<Alu>(&decoded.body)) {
    const AluOp& op = spec_.alu_ops[alu->op];
    if (Storage(spec_, op.result.memory) != memory) return own;
    own.nest = &alu->nest;
    own.write = alu->result;
    for (size_t s = 0; s < alu->operands.size(); ++s) add(op.operands[s], alu->operands[s]);
  }
  return own;
}

void WrittenChecker::DropOwnResults(const Decoded& decoded, int memory, const MicroOpMemories& micro_ops,
                                    IndexSet& missing) const {
  const OwnResults own = FindOwnResults(decoded, memory);
  if (!own.write) return;
  // A loop that moves no index shows in its first round who comes first.
  Nest nest = *own.nest;
  auto moves = [&](int64_t Index::* stride) {
    return (*own.write).*stride != 0 ||
           std::ranges::any_of(own.reads, [&](const Index& read) { return read.*stride != 0; });
  };
  if (!moves(&Index::outer)) nest.iter_out = 1;
  if (!moves(&Index::inner)) nest.iter_in = 1;
  IndexSet undecided = missing, results;
  results.Reset(spec_.memories[memory].depth);
  ForEachStep(nest, [&](int64_t out, int64_t in, int64_t u) {
    for (const Index& read : own.reads) undecided.Erase(ElementAt(nest, read, micro_ops, out, in, u));
    const int64_t result = ElementAt(nest, *own.write, micro_ops, out, in, u);
    if (undecided.Has(result)) {
      results.Add(result);
      undecided.Erase(result);
    }
    return !undecided.Empty();
  });
  missing.Remove(results);
}

std::string WrittenChecker::Hint(int64_t i, int memory, int64_t element) const {
  for (size_t later = static_cast<size_t>(i) + 1; later < decoded_.size(); ++later) {
    const auto* load = std::get_if<Transfer>(&decoded_[later].body);
    if (load == nullptr || load->is_store || Storage(spec_, load->memory) != memory) continue;
    if (load->sram > element || load->sram + load->SramElements() <= element) continue;
    return fmt::format("; {} does so later", report_.Name(static_cast<int64_t>(later)));
  }
  std::vector<std::string> writers;
  for (const InstructionFormat& format : spec_.formats) {
    if (format.kind == Kind::kLoad && format.memory == memory) writers.push_back(format.name);
    if (format.kind == Kind::kGemm && format.intrinsic->dst.memory == memory) {
      const bool resets = format.FieldIndex("reset") >= 0;
      const bool overwrites = format.FieldIndex("overwrite") >= 0;
      writers.push_back(format.name + (overwrites ? " with overwrite=1" : resets ? " with reset=1" : ""));
    }
  }
  std::string ops;
  for (const AluOp& op : spec_.alu_ops) {
    if (op.result.memory != memory || !op.available) continue;
    ops += fmt::format("{}{}", ops.empty() ? "" : "|", op.name);
  }
  if (!ops.empty()) writers.push_back(fmt::format("an alu op ({})", ops));
  return fmt::format("; '{}' is written by {}", report_.MemoryName(memory), fmt::join(writers, ", "));
}

void WrittenChecker::Report(int64_t i, int memory, const IndexSet& missing) {
  if (!report_.Count()) return;
  const int64_t first = missing.First(), more = missing.Count() - 1;
  report_.Add({.kind = FindingKind::kUninitializedRead,
               .instructions = {i},
               .memory = memory,
               .element = first,
               .message = fmt::format(
                   "{} of unit '{}' reads {}[{}]{}, which nothing before it has written{}", report_.Name(i),
                   spec_.units[decoded_[i].unit].name, report_.MemoryName(memory), first,
                   more > 0 ? fmt::format(" and {} more", more) : "", Hint(i, memory, first))});
}

}  // namespace cosim::isa
