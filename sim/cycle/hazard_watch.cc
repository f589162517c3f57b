// SPDX-License-Identifier: Apache-2.0
// Compares each instruction with those retired since it was issued.
#include "sim/cycle/hazard_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace cosim::sim {
namespace {

const isa::Nest* NestOf(const isa::Decoded& instruction) {
  if (const auto* gemm = std::get_if<isa::Gemm>(&instruction.body)) return &gemm->nest;
  if (const auto* alu = std::get_if<isa::Alu>(&instruction.body)) return &alu->nest;
  return nullptr;
}

/// Rows of a transfer as byte ranges.
std::vector<std::pair<uint64_t, uint64_t>> Rows(const isa::Spec& spec, const isa::Transfer& transfer) {
  const int64_t stored = spec.memories[static_cast<size_t>(transfer.memory)].stored_bytes;
  const auto bytes = static_cast<uint64_t>(transfer.RowBytes(stored));
  std::vector<std::pair<uint64_t, uint64_t>> rows;
  for (int64_t r = 0; r < transfer.rows; ++r) {
    const uint64_t begin = transfer.dram + static_cast<uint64_t>(r * transfer.StrideBytes(stored));
    rows.emplace_back(begin, begin + bytes);
  }
  return rows;
}

}  // namespace

HazardWatch::HazardWatch(const isa::Spec& spec, const isa::Program& program,
                         std::span<const isa::Decoded> decoded,
                         std::span<const runtime::InstructionTimes> times, std::span<const size_t> order)
    : spec_(spec),
      decoded_(decoded),
      times_(times),
      order_(order),
      earliest_issue_(order.size()),
      micro_ops_(spec, program),
      footprints_(spec) {
  for (size_t i = order.size(); i-- > 0;) {
    const runtime::Cycle issue = times[order[i]].issue;
    earliest_issue_[i] = i + 1 < order.size() ? std::min(issue, earliest_issue_[i + 1]) : issue;
  }
}

bool HazardWatch::MicroOpsKnown(const isa::Decoded& instruction) const {
  const isa::Nest* nest = NestOf(instruction);
  if (nest == nullptr) return true;
  for (auto u = nest->uop_begin; u < nest->uop_end; ++u) {
    if (!micro_ops_.Known(nest->micro_ops, static_cast<int64_t>(u))) return false;
  }
  return nest->Steps() > 0;
}

std::string HazardWatch::Execute(const std::function<std::string(size_t)>& name) {
  while (!flown_.empty() && times_[flown_.front().instruction].retire < earliest_issue_[next_])
    flown_.pop_front();
  const size_t instruction = order_[next_++];
  const isa::Decoded& decoded = decoded_[instruction];
  micro_ops_.Execute(decoded);
  Flown now{instruction, {}};
  if (MicroOpsKnown(decoded)) {
    for (const isa::OnChipAccess& access : footprints_.Build(decoded, micro_ops_)) {
      now.accesses.push_back({access.memory, access.is_write, *access.elements});
    }
  }
  std::string conflict;
  for (const Flown& before : flown_) {
    if (times_[before.instruction].retire < times_[instruction].issue) continue;
    conflict = Conflict(before, now, name);
    if (!conflict.empty()) break;
  }
  flown_.push_back(std::move(now));
  return conflict;
}

bool HazardWatch::DramConflict(const Flown& before, const Flown& now) const {
  const auto* a = std::get_if<isa::Transfer>(&decoded_[before.instruction].body);
  const auto* b = std::get_if<isa::Transfer>(&decoded_[now.instruction].body);
  if (a == nullptr || b == nullptr || (!a->is_store && !b->is_store)) return false;
  const auto rows = Rows(spec_, *a);
  for (const auto& [begin, end] : Rows(spec_, *b)) {
    for (const auto& [other_begin, other_end] : rows) {
      if (begin < other_end && other_begin < end) return true;
    }
  }
  return false;
}

std::string HazardWatch::Conflict(const Flown& before, const Flown& now,
                                  const std::function<std::string(size_t)>& name) const {
  // Within a unit the pipelines are in order; only the alu's does not forward what it has not yet written.
  const bool same_unit = decoded_[before.instruction].unit == decoded_[now.instruction].unit;
  const bool is_alu = std::holds_alternative<isa::Alu>(decoded_[now.instruction].body);
  std::string where;
  for (const Access& a : before.accesses) {
    for (const Access& b : now.accesses) {
      if (a.memory != b.memory || (!a.is_write && !b.is_write)) continue;
      if (same_unit && !(is_alu && a.is_write && !b.is_write)) continue;
      if (a.elements.Intersects(b.elements)) where = spec_.memories[static_cast<size_t>(a.memory)].name;
    }
  }
  if (where.empty() && !same_unit && DramConflict(before, now)) where = "DRAM";
  if (where.empty()) return "";
  return fmt::format(
      "hazard: {} and {} are in flight together from cycle {} on and touch the same part of {}, one writing",
      name(before.instruction), name(now.instruction),
      std::max(times_[before.instruction].issue, times_[now.instruction].issue), where);
}

}  // namespace cosim::sim
