// SPDX-License-Identifier: Apache-2.0
// Checks of single accesses. Bounds come from closed forms; only alu instructions that may read their own
// results are walked step by step.
#include "isa/verify/access.h"

#include <algorithm>
#include <limits>
#include <variant>

#include "isa/wide.h"

namespace cosim::isa {
namespace {

int64_t Limited(Wide value) {
  return static_cast<int64_t>(std::min<Wide>(value, std::numeric_limits<int64_t>::max()));
}

/// Whether it has exactly `steps` of them, however large its counts.
bool HasSteps(const Nest& nest, int64_t steps) {
  int64_t product = 0;
  return !__builtin_mul_overflow(nest.iter_out, nest.iter_in, &product) &&
         !__builtin_mul_overflow(product, nest.uop_end - nest.uop_begin, &product) && product == steps;
}

/// The round of a loop to look at behind `round`. Where a loop moves no index, all of its rounds are as the
/// second one, and what the last one writes is what comes behind the loop finds.
int64_t NextRound(int64_t round, int64_t count, bool moves) {
  return !moves && round == 1 && count > 2 ? count - 1 : round + 1;
}

}  // namespace

AccessChecker::AccessChecker(const Spec& spec, const Program& program, VerifyReport& report)
    : spec_(spec), program_(program), report_(report) {
  const uint64_t code_end = program.code_address + program.instructions.size() * spec.word_bytes();
  bool code_is_segment = false;
  for (const Segment& segment : program.segments) {
    if (segment.bytes.empty()) continue;
    ranges_.push_back({segment.address, segment.address + segment.bytes.size(), segment.name});
    code_is_segment |= segment.address == program.code_address;
  }
  if (!code_is_segment) ranges_.push_back({program.code_address, code_end, "instructions"});
  std::ranges::sort(ranges_, {}, &ProgramRange::begin);
}

void AccessChecker::Add(FindingKind kind, int64_t i, int memory, std::string message) {
  if (!report_.Count()) return;
  report_.Add({.kind = kind,
               .instructions = {i},
               .memory = memory,
               .message = fmt::format("{}: {}", report_.Name(i), message)});
}

bool AccessChecker::CheckNotProgram(int64_t i, const Transfer& transfer) {
  const uint64_t element = spec_.memories[transfer.memory].stored_bytes;
  for (int64_t row = 0; row < transfer.rows; ++row) {
    const uint64_t begin = transfer.dram + static_cast<uint64_t>(row * transfer.stride) * element;
    const uint64_t end = begin + transfer.cols * element;
    const auto range = std::ranges::upper_bound(ranges_, begin, {}, &ProgramRange::end);
    // Ranges are disjoint: none that starts later can end earlier.
    if (range == ranges_.end()) return true;
    if (range->begin >= end) continue;
    Add(FindingKind::kProgramOverwritten, i, transfer.memory,
        fmt::format(
            "row {} stores to DRAM bytes [{:#x}, {:#x}), but [{:#x}, {:#x}) holds '{}' of the program", row,
            begin, end, range->begin, range->end, range->name));
    return false;
  }
  return true;
}

bool AccessChecker::CheckTransfer(int64_t i, const Decoded& decoded) {
  if (!std::holds_alternative<Transfer>(decoded.body)) return true;
  const auto& transfer = std::get<Transfer>(decoded.body);
  const Memory& memory = spec_.memories[transfer.memory];
  const Wide rows = Wide{transfer.rows} + transfer.pad_top + transfer.pad_bottom;
  const Wide cols = Wide{transfer.cols} + transfer.pad_left + transfer.pad_right;
  const Wide sram_end = transfer.sram + rows * cols;  // a store has no pads
  const int64_t depth = spec_.memories[Storage(spec_, transfer.memory)].depth;
  bool ok = true;
  if (sram_end > depth) {
    Add(FindingKind::kOnChipBounds, i, transfer.memory,
        fmt::format("touches {}[{}..{}], but its last element is {}", memory.name, transfer.sram,
                    Limited(sram_end - 1), depth - 1));
    ok = false;
  }
  const uint64_t element = memory.stored_bytes;
  const auto alignment = static_cast<uint64_t>(DramAlignment(spec_, memory));
  if (!transfer.gathers && transfer.dram % alignment != 0) {
    Add(FindingKind::kDramAlignment, i, transfer.memory,
        fmt::format("DRAM address {:#x} is not a multiple of {} bytes ({})", transfer.dram, alignment,
                    alignment == element ? fmt::format("an element of '{}'", memory.name) : "a beat"));
    ok = false;
  }
  // Rows that fit on chip are few enough for the product.
  const Wide end = sram_end > depth ? Wide{0} : transfer.dram + ReachOf(transfer, memory.stored_bytes);
  if (end > program_.dram_bytes) {
    Add(FindingKind::kDramBounds, i, transfer.memory,
        fmt::format("touches DRAM up to {:#x}, but the program's DRAM ends at {:#x}", Limited(end),
                    program_.dram_bytes));
    ok = false;
  }
  return ok && (!transfer.is_store || CheckNotProgram(i, transfer));
}

bool AccessChecker::CheckMicroOps(int64_t i, const Nest& nest, const MicroOpMemories& micro_ops) {
  const Memory& memory = spec_.memories[nest.micro_ops];
  if (nest.uop_end > memory.depth) {
    Add(FindingKind::kOnChipBounds, i, nest.micro_ops,
        fmt::format("uses {}[{}..{}], but its last element is {}", memory.name, nest.uop_begin,
                    nest.uop_end - 1, memory.depth - 1));
    return false;
  }
  for (int64_t u = nest.uop_begin; u < nest.uop_end; ++u) {
    if (micro_ops.Known(nest.micro_ops, u)) continue;
    Add(FindingKind::kMicroOpUnknown, i, nest.micro_ops,
        fmt::format("uses {}[{}], which no load before it has brought from the program's segments",
                    memory.name, u));
    return false;
  }
  return true;
}

bool AccessChecker::CheckIndex(int64_t i, const Nest& nest, const Index& index, const Operand& operand,
                               const MicroOpMemories& micro_ops, Wide last_line) {
  const Memory& memory = spec_.memories[operand.memory];
  const int64_t depth = spec_.memories[Storage(spec_, operand.memory)].depth;
  const IndexBounds bounds = BoundsOf(nest, index, micro_ops);
  const int64_t behind = Limited(last_line + operand.parts - 1);
  if (bounds.low >= 0 && bounds.high < depth - behind) return true;
  const std::string parts = behind <= 0 ? ""
                            : operand.lines == 1
                                ? fmt::format(", each with the {} behind it", behind)
                                : fmt::format(", each with others up to {} behind it", behind);
  Add(FindingKind::kOnChipBounds, i, operand.memory,
      fmt::format("index {} of '{}' runs from {} to {}{}, but the last element of '{}' is {}", operand.index,
                  memory.name, bounds.low, bounds.high, parts, memory.name, depth - 1));
  return false;
}

bool AccessChecker::CheckNest(int64_t i, const Decoded& decoded, const MicroOpMemories& micro_ops) {
  if (const auto* gemm = std::get_if<Gemm>(&decoded.body)) {
    if (!CheckMicroOps(i, gemm->nest, micro_ops)) return false;
    const Intrinsic& intrinsic = *spec_.formats[decoded.format].intrinsic;
    bool ok = CheckIndex(i, gemm->nest, gemm->dst, intrinsic.dst, micro_ops);
    for (size_t s = 0; s < gemm->sources.size() && !gemm->reset; ++s) {
      ok &= CheckIndex(i, gemm->nest, gemm->sources[s], intrinsic.sources[s], micro_ops, gemm->LastLine(s));
    }
    return ok;
  }
  if (const auto* alu = std::get_if<Alu>(&decoded.body)) {
    if (!CheckMicroOps(i, alu->nest, micro_ops)) return false;
    const AluOp& op = spec_.alu_ops[alu->op];
    bool ok = CheckIndex(i, alu->nest, alu->result, op.result, micro_ops);
    for (size_t s = 0; s < alu->operands.size(); ++s) {
      ok &= CheckIndex(i, alu->nest, alu->operands[s], op.operands[s], micro_ops);
    }
    return ok;
  }
  return true;
}

void AccessChecker::CheckBanks(int64_t i, const Decoded& decoded, std::span<const OnChipAccess> accesses) {
  for (auto [memory, mask] : decoded.locks) {
    const Memory& what = spec_.memories[memory];
    const int64_t size = what.depth / what.banks;
    for (int bank = 0; bank < what.banks; ++bank) {
      bool reads = false, writes = false;  // without holding it
      for (const OnChipAccess& access : accesses) {
        if (access.memory != memory || (what.LockMask(bank, access.is_write) & ~uint64_t{mask}) == 0)
          continue;
        (access.is_write ? writes : reads) |= access.elements->AnyIn(bank * size, (bank + 1) * size);
      }
      const auto report = [&](std::string_view does, std::string_view port) {
        Add(FindingKind::kBankNotLocked, i, memory,
            fmt::format("{} bank {} of '{}' (elements {}..{}), {} lock_{} does not name", does, bank,
                        what.name, bank * size, (bank + 1) * size - 1, port, what.name));
      };
      if (!what.locks_ports && (reads || writes)) report("touches", "which");
      if (what.locks_ports && reads) report("reads", "whose read port");
      if (what.locks_ports && writes) report("writes", "whose write port");
    }
  }
}

void AccessChecker::CheckDistances(int64_t i, const Decoded& decoded, std::span<const OnChipAccess> accesses,
                                   const MicroOpMemories& micro_ops) {
  if (const auto* alu = std::get_if<Alu>(&decoded.body)) {
    const AluOp& op = spec_.alu_ops[alu->op];
    if (op.min_distance <= 1) return;
    // The footprint: micro-ops, result, operands.
    const OnChipAccess& result = accesses[1];
    const bool writes_once = HasSteps(alu->nest, result.elements->Count());
    for (size_t s = 0; s < alu->operands.size(); ++s) {
      const OnChipAccess& operand = accesses[2 + s];
      if (operand.memory != result.memory || !operand.elements->Intersects(*result.elements)) continue;
      if (writes_once && op.operands[s].index == op.result.index)
        continue;  // each reads what no other step writes
      WalkDistances(i, {&alu->nest, result.memory, alu->operands[s], alu->result, op.min_distance, op.name},
                    micro_ops);
    }
  } else if (const auto* gemm = std::get_if<Gemm>(&decoded.body); gemm != nullptr && !gemm->reset) {
    // The adder forwards sums, but not to the multipliers.
    const Intrinsic& intrinsic = *spec_.formats[decoded.format].intrinsic;
    const int memory = Storage(spec_, intrinsic.dst.memory);
    for (size_t s = 0; s < gemm->sources.size(); ++s) {
      if (Storage(spec_, intrinsic.sources[s].memory) != memory) continue;
      WalkDistances(i,
                    {&gemm->nest, memory, gemm->sources[s], gemm->dst, spec_.units[decoded.unit].latency,
                     spec_.formats[decoded.format].name},
                    micro_ops);
    }
  }
}

void AccessChecker::WalkDistances(int64_t i, const OwnRead& own, const MicroOpMemories& micro_ops) {
  constexpr int64_t kNever = std::numeric_limits<int64_t>::min() / 2;
  last_write_.assign(spec_.memories[own.memory].depth, kNever);
  const Nest& nest = *own.nest;
  const bool outer_moves = own.read.outer != 0 || own.write.outer != 0;
  const bool inner_moves = own.read.inner != 0 || own.write.inner != 0;
  for (int64_t out = 0; out < nest.iter_out; out = NextRound(out, nest.iter_out, outer_moves)) {
    for (int64_t in = 0; in < nest.iter_in; in = NextRound(in, nest.iter_in, inner_moves)) {
      for (int64_t u = nest.uop_begin; u < nest.uop_end; ++u) {
        const int64_t step = (out * nest.iter_in + in) * (nest.uop_end - nest.uop_begin) + u - nest.uop_begin;
        const int64_t element = ElementAt(nest, own.read, micro_ops, out, in, u);
        if (const int64_t distance = step - last_write_[element]; distance < own.min_distance) {
          Add(FindingKind::kReadTooSoon, i, own.memory,
              fmt::format("step {} reads {}[{}], which step {} writes; '{}' needs a distance of {} steps",
                          step, spec_.memories[own.memory].name, element, step - distance, own.name,
                          own.min_distance));
          return;
        }
        last_write_[ElementAt(nest, own.write, micro_ops, out, in, u)] = step;
      }
    }
  }
}

}  // namespace cosim::isa
