// SPDX-License-Identifier: Apache-2.0
// Happens-before by vector clocks. A clock holds, for each unit, the number of the last instruction known to
// have retired; since a unit retires in order, one number stands for all before it.
#include "isa/verify/races.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string_view>
#include <variant>

namespace cosim::isa {
namespace {

template <typename Function>
void ForEachBit(uint64_t bits, Function function) {
  for (; bits != 0; bits &= bits - 1) function(std::countr_zero(bits));
}

/// A gemm that multiplies what stands in the memory it accumulates in: sums are forwarded to the adder only.
bool ReadsOwnSums(const Spec& spec, const InstructionFormat& format) {
  const int memory = Storage(spec, format.intrinsic->dst.memory);
  return std::ranges::any_of(format.intrinsic->sources,
                             [&](const Operand& source) { return Storage(spec, source.memory) == memory; });
}

uint64_t RowBegin(const Spec& spec, const Transfer& transfer, int64_t row) {
  return transfer.dram +
         static_cast<uint64_t>(row * transfer.StrideBytes(spec.memories[transfer.memory].stored_bytes));
}

uint64_t RowBytes(const Spec& spec, const Transfer& transfer) {
  return static_cast<uint64_t>(transfer.RowBytes(spec.memories[transfer.memory].stored_bytes));
}

uint64_t TransferEnd(const Spec& spec, const Transfer& transfer) {
  return RowBegin(spec, transfer, transfer.rows - 1) + RowBytes(spec, transfer);
}

}  // namespace

StoredDram::StoredDram(const Spec& spec, std::span<const Decoded> decoded) : spec_(spec) {
  std::vector<Range> rows;
  for (const Decoded& instruction : decoded) {
    const auto* store = std::get_if<Transfer>(&instruction.body);
    if (store == nullptr || !store->is_store) continue;
    for (int64_t row = 0; row < store->rows; ++row) {
      const uint64_t begin = RowBegin(spec, *store, row), end = begin + RowBytes(spec, *store);
      if (!rows.empty() && rows.back().end == begin) {
        rows.back().end = end;
      } else {
        rows.push_back({begin, end});
      }
    }
  }
  std::ranges::sort(rows, {}, &Range::begin);
  for (const Range& row : rows) {
    if (!ranges_.empty() && row.begin <= ranges_.back().end) {
      ranges_.back().end = std::max(ranges_.back().end, row.end);
    } else {
      ranges_.push_back(row);
    }
  }
  // Every transfer that meets a range must be whole granules: all addresses are multiples of the elements'
  // bytes, those of pieces any.
  uint64_t granule = 0;
  for (const Decoded& instruction : decoded) {
    const auto* transfer = std::get_if<Transfer>(&instruction.body);
    if (transfer == nullptr) continue;
    const auto range = std::ranges::upper_bound(ranges_, transfer->dram, {}, &Range::end);
    if (range == ranges_.end() || range->begin >= TransferEnd(spec, *transfer)) continue;
    const int64_t alignment = transfer->gathers ? 1 : DramAlignment(spec, spec.memories[transfer->memory]);
    granule = std::gcd(granule, static_cast<uint64_t>(alignment));
  }
  granule_bytes_ = std::max<uint64_t>(granule, 1);
  for (Range& range : ranges_) {
    range.first = granules_;
    granules_ += static_cast<int64_t>((range.end - range.begin) / granule_bytes_);
  }
}

template <typename Function>
void StoredDram::ForEachRow(const Transfer& transfer, Function function) const {
  auto range = std::ranges::upper_bound(ranges_, transfer.dram, {}, &Range::end);
  if (range == ranges_.end() || range->begin >= TransferEnd(spec_, transfer)) return;
  for (int64_t row = 0; row < transfer.rows; ++row) {
    const uint64_t begin = RowBegin(spec_, transfer, row), end = begin + RowBytes(spec_, transfer);
    while (range != ranges_.end() && range->end <= begin) ++range;
    for (auto at = range; at != ranges_.end() && at->begin < end; ++at) {
      const uint64_t from = std::max(begin, at->begin), to = std::min(end, at->end);
      function(at->first + static_cast<int64_t>((from - at->begin) / granule_bytes_),
               at->first + static_cast<int64_t>((to - at->begin) / granule_bytes_));
    }
  }
}

uint64_t StoredDram::Address(int64_t granule) const {
  const auto after = std::ranges::upper_bound(ranges_, granule, {}, &Range::first);
  const Range& range = *std::prev(after);
  return range.begin + static_cast<uint64_t>(granule - range.first) * granule_bytes_;
}

RaceChecker::RaceChecker(const Spec& spec, std::span<const Decoded> decoded, VerifyReport& report)
    : spec_(spec),
      decoded_(decoded),
      report_(report),
      dram_(spec, decoded),
      units_(static_cast<int>(spec.units.size())),
      pipelines_(spec.units.size(), Pipeline::kInOrder),
      clocks_(spec.units.size(), std::vector<int32_t>(spec.units.size(), 0)),
      issued_(spec.units.size()),
      tokens_(spec.queues.size()) {
  for (const InstructionFormat& format : spec.formats) {
    if (!spec.units[format.unit].overlap || format.kind == Kind::kSync) continue;
    const Pipeline kind = format.kind == Kind::kLoad                                  ? Pipeline::kLoads
                          : format.kind == Kind::kStore                               ? Pipeline::kStores
                          : format.kind == Kind::kGemm && !ReadsOwnSums(spec, format) ? Pipeline::kGemms
                                                                                      : Pipeline::kAlus;
    Pipeline& pipeline = pipelines_[format.unit];
    pipeline = pipeline == Pipeline::kInOrder || pipeline == kind ? kind : Pipeline::kMixed;
  }
  for (const Memory& memory : spec.memories) storages_.push_back({.size = memory.depth});
  storages_.push_back({.size = dram_.granules()});
  for (Storage& storage : storages_) storage.by_unit.resize(units_);
}

void RaceChecker::MoveClocks(const Decoded& decoded) {
  std::vector<int32_t>& clock = clocks_[decoded.unit];
  if (!spec_.units[decoded.unit].overlap) clock[decoded.unit] = current_.number - 1;
  ForEachBit(decoded.pops, [&](int q) {
    const std::vector<int32_t>& learnt = tokens_[q].front();
    for (int unit = 0; unit < units_; ++unit) clock[unit] = std::max(clock[unit], learnt[unit]);
    tokens_[q].pop_front();
  });
  if (decoded.pushes == 0) return;
  std::vector<int32_t> given = clock;
  given[decoded.unit] = current_.number;  // pushed when it retires
  ForEachBit(decoded.pushes, [&](int q) { tokens_[q].push_back(given); });
}

void RaceChecker::Execute(int64_t i, std::span<const OnChipAccess> accesses) {
  const Decoded& decoded = decoded_[i];
  issued_[decoded.unit].push_back(i);
  current_ = {i, decoded.unit, static_cast<int32_t>(issued_[decoded.unit].size()), clocks_[decoded.unit]};
  MoveClocks(decoded);
  // All accesses are compared before any is recorded: an instruction does not race with itself.
  ForEachWord(decoded, accesses, [&](int where, int64_t word, uint64_t mask, bool is_write) {
    Compare(where, word, mask, is_write);
  });
  ForEachWord(decoded, accesses, [&](int where, int64_t word, uint64_t mask, bool is_write) {
    Record(where, word, mask, is_write);
  });
  if (!conflicts_.empty()) ReportConflicts();
}

template <typename Function>
void RaceChecker::ForEachWord(const Decoded& decoded, std::span<const OnChipAccess> accesses,
                              Function function) const {
  for (const OnChipAccess& access : accesses) {
    const std::vector<uint64_t>& words = access.elements->words();
    for (size_t w = 0; w < words.size(); ++w) {
      if (words[w] != 0) function(access.memory, static_cast<int64_t>(w), words[w], access.is_write);
    }
  }
  const auto* transfer = std::get_if<Transfer>(&decoded.body);
  if (transfer == nullptr) return;
  const int dram = static_cast<int>(spec_.memories.size());
  dram_.ForEachRow(*transfer, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t word = begin / 64, stop = std::min(end, (word + 1) * 64), count = stop - begin;
      const uint64_t ones = count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
      function(dram, word, ones << (begin % 64), transfer->is_store);
      begin = stop;
    }
  });
}

bool RaceChecker::OwnOrderSuffices(FindingKind kind) const {
  switch (pipelines_[current_.unit]) {
    case Pipeline::kInOrder:  // the clock says so already
    case Pipeline::kMixed:
      return false;
    case Pipeline::kLoads:
    case Pipeline::kStores:
      return kind == FindingKind::kWriteAfterWrite;
    case Pipeline::kGemms:
      return true;
    case Pipeline::kAlus:
      return kind != FindingKind::kReadAfterWrite;
  }
  return false;
}

void RaceChecker::Compare(int where, int64_t word, uint64_t mask, bool is_write) {
  const Storage& storage = storages_[where];
  for (int unit = 0; unit < units_; ++unit) {
    const Shadow* other = storage.by_unit[unit].get();
    if (other == nullptr) continue;
    const int32_t seen = current_.seen[unit];
    if (other->write_word[word] > seen) {
      const FindingKind kind = is_write ? FindingKind::kWriteAfterWrite : FindingKind::kReadAfterWrite;
      AddConflicts(where, word, mask, kind, unit, other->write);
    }
    if (is_write && other->read_word[word] > seen) {
      AddConflicts(where, word, mask, FindingKind::kWriteAfterRead, unit, other->read);
    }
  }
}

void RaceChecker::Record(int where, int64_t word, uint64_t mask, bool is_write) {
  Storage& storage = storages_[where];
  std::unique_ptr<Shadow>& own = storage.by_unit[current_.unit];
  if (own == nullptr) own = std::make_unique<Shadow>(storage.size);
  (is_write ? own->write_word : own->read_word)[word] = current_.number;
  int32_t* last = (is_write ? own->write : own->read).data() + word * 64;
  if (mask == ~uint64_t{0}) {
    std::fill_n(last, 64, current_.number);
  } else {
    ForEachBit(mask, [&](int bit) { last[bit] = current_.number; });
  }
}

void RaceChecker::AddConflicts(int where, int64_t word, uint64_t mask, FindingKind kind, int unit,
                               const std::vector<int32_t>& last) {
  if (unit == current_.unit && OwnOrderSuffices(kind)) return;
  ForEachBit(mask, [&](int bit) {
    const int64_t element = word * 64 + bit;
    const int32_t number = last[element];
    if (number <= current_.seen[unit]) return;
    std::vector<Conflict>& found = conflicts_[{where, issued_[unit][number - 1]}];
    auto same = std::ranges::find(found, kind, &Conflict::kind);
    if (same == found.end()) same = found.insert(found.end(), {kind, element, 0});
    ++same->count;
  });
}

std::string RaceChecker::Describe(int where, const Conflict& conflict) const {
  if (where < static_cast<int>(spec_.memories.size())) {
    const std::string more = conflict.count > 1 ? fmt::format(" and {} more", conflict.count - 1) : "";
    return fmt::format("{}[{}]{}", spec_.memories[where].name, conflict.first, more);
  }
  return fmt::format("DRAM from {:#x} on ({} bytes)", dram_.Address(conflict.first),
                     conflict.count * static_cast<int64_t>(dram_.granule_bytes()));
}

void RaceChecker::ReportConflicts() {
  for (const auto& [key, conflicts] : conflicts_) {
    const auto [where, other] = key;
    for (const Conflict& conflict : conflicts) {
      if (!report_.Count()) continue;
      const std::string_view now = conflict.kind == FindingKind::kReadAfterWrite ? "reads" : "writes";
      const std::string_view before = conflict.kind == FindingKind::kWriteAfterRead ? "reads" : "writes";
      const int from = decoded_[other].unit;
      std::string_view why = "no tokens order them";
      if (from == current_.unit) why = "they overlap in their unit and no tokens order them";
      const bool on_chip = where < static_cast<int>(spec_.memories.size());
      report_.Add({.kind = conflict.kind,
                   .instructions = {current_.instruction, other},
                   .memory = on_chip ? where : -1,
                   .message = fmt::format("{} {} {}, which {} {}; {}", report_.Name(current_.instruction),
                                          now, Describe(where, conflict), report_.Name(other), before, why)});
    }
  }
  conflicts_.clear();
}

}  // namespace cosim::isa
