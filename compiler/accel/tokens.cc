// SPDX-License-Identifier: Apache-2.0
// See tokens.h. Vector clocks decide what is implied; a backward sweep keeps the queues within their
// capacities.
#include "compiler/accel/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <queue>
#include <utility>

#include "isa/check.h"

namespace cosim::accel {
namespace {

constexpr int64_t kGranule = 8;      // bytes of DRAM that share a shadow cell
constexpr int64_t kOrderGap = 1024;  // room between neighbours in program order

int SideOf(const isa::Spec& spec, int memory) {
  return spec.memories[memory].mirrors >= 0 ? spec.memories[memory].mirrors : memory;
}

/// Units that a chain of queues leads to from `start`.
std::vector<bool> Reachable(const isa::Spec& spec, int start) {
  std::vector<bool> seen(spec.units.size(), false);
  std::vector<int> todo = {start};
  seen[start] = true;
  while (!todo.empty()) {
    const int at = todo.back();
    todo.pop_back();
    for (const auto& queue : spec.queues) {
      if (queue.from != at || seen[queue.to]) continue;
      seen[queue.to] = true;
      todo.push_back(queue.to);
    }
  }
  return seen;
}

}  // namespace

std::string MissingOrder(const isa::Spec& spec) {
  const auto has = [&](size_t unit, bool sync) {
    return std::any_of(spec.formats.begin(), spec.formats.end(), [&](const auto& format) {
      return format.unit == static_cast<int>(unit) && (format.kind == isa::Kind::kSync) == sync;
    });
  };
  for (size_t from = 0; from < spec.units.size(); ++from) {
    if (!has(from, false)) continue;
    if (!has(from, true)) return fmt::format("unit '{}' has no sync instruction", spec.units[from].name);
    const std::vector<bool> reached = Reachable(spec, static_cast<int>(from));
    for (size_t to = 0; to < spec.units.size(); ++to)
      if (has(to, false) && !reached[to])
        return fmt::format("no chain of queues leads from unit '{}' to unit '{}'", spec.units[from].name,
                           spec.units[to].name);
  }
  return {};
}

TokenInserter::TokenInserter(const isa::Spec& spec, std::vector<DramRange> tracked)
    : spec_(spec),
      units_(static_cast<int>(spec.units.size())),
      unit_bits_(std::bit_width(spec.units.size())),
      memories_(spec.memories.size()),
      queue_of_(static_cast<size_t>(units_) * units_, -1),
      by_unit_(units_),
      clock_(units_, std::vector<int32_t>(units_, 0)),
      tokens_(spec.queues.size()),
      pending_pops_(units_),
      deps_(units_) {
  for (size_t m = 0; m < memories_.size(); ++m)
    if (spec.memories[m].mirrors < 0) Resize(memories_[m], spec.memories[m].depth);
  int64_t cells = 0;
  for (const DramRange& range : tracked) {
    const DramRange whole = {range.begin / kGranule * kGranule, range.end};
    tracked_.push_back({whole, cells});
    cells += static_cast<int64_t>((whole.end - whole.begin + kGranule - 1) / kGranule);
  }
  Resize(dram_, cells);
  for (size_t q = spec.queues.size(); q-- > 0;)
    queue_of_[spec.queues[q].from * units_ + spec.queues[q].to] = static_cast<int>(q);
}

void TokenInserter::Resize(Shadow& shadow, int64_t elements) const {
  shadow.writer.assign(elements, 0);
  shadow.readers.resize(units_);
}

void TokenInserter::FollowWriters(const Shadow& shadow, int64_t begin, int64_t end) {
  constexpr int64_t kTogether = 16;
  const int32_t* const writer = shadow.writer.data();
  int32_t last = 0;  // nobody
  for (int64_t e = begin; e < end;) {
    if (end - e >= kTogether) {  // neighbours mostly have one writer
      int32_t differ = 0;
      for (int64_t i = 0; i < kTogether; ++i) differ |= writer[e + i] ^ last;
      if (differ == 0) {
        e += kTogether;
        continue;
      }
    }
    for (const int64_t stop = std::min(end, e + kTogether); e < stop; ++e) {
      if (writer[e] == last) continue;
      last = writer[e];
      int32_t& dep = deps_[last & ((1 << unit_bits_) - 1)];
      dep = std::max(dep, last >> unit_bits_);
    }
  }
}

void TokenInserter::Touch(Shadow& shadow, int64_t begin, int64_t end, bool write, int unit) {
  const int32_t self = static_cast<int32_t>(by_unit_[unit].size()) + 1;
  FollowWriters(shadow, begin, end);
  if (!write) {
    std::vector<int32_t>& readers = shadow.readers[unit];
    if (readers.empty()) readers.assign(shadow.writer.size(), 0);
    std::fill(readers.data() + begin, readers.data() + end, self);
    return;
  }
  for (int u = 0; u < units_; ++u) {
    if (shadow.readers[u].empty()) continue;
    int32_t* const readers = shadow.readers[u].data();
    int32_t last = deps_[u];
    for (int64_t e = begin; e < end; ++e) last = std::max(last, readers[e]);
    std::fill(readers + begin, readers + end, 0);
    deps_[u] = last;
  }
  std::fill(shadow.writer.data() + begin, shadow.writer.data() + end, self << unit_bits_ | unit);
}

void TokenInserter::TouchDram(const Footprint::Dram& range, int unit) {
  const auto behind = [&](const Cells& cells) { return cells.range.end <= range.begin; };
  for (auto cells = std::ranges::partition_point(tracked_, behind);
       cells != tracked_.end() && cells->range.begin < range.end; ++cells) {
    const uint64_t begin = std::max(range.begin, cells->range.begin),
                   end = std::min(range.end, cells->range.end);
    if (begin >= end) continue;
    Touch(dram_, cells->first + static_cast<int64_t>((begin - cells->range.begin) / kGranule),
          cells->first + static_cast<int64_t>((end - 1 - cells->range.begin) / kGranule) + 1, range.write,
          unit);
  }
}

void TokenInserter::Add(isa::Instruction instruction, const Footprint& footprint, int tag) {
  const int unit = spec_.formats[instruction.format].unit;
  std::fill(deps_.begin(), deps_.end(), 0);
  for (bool write : {false, true}) {  // reads first: an instruction does not depend on its own writes
    for (const auto& part : footprint.on_chip) {
      if (part.write != write) continue;
      Touch(memories_[SideOf(spec_, part.memory)], part.begin, part.end, write, unit);
    }
    for (const auto& range : footprint.dram)
      if (range.write == write) TouchDram(range, unit);
  }
  // Units with a queue of their own first: what they tell may make a routed order unnecessary.
  wanted_ = deps_;
  for (bool direct : {true, false})
    for (int u = units_ - 1; u >= 0; --u)
      if (u != unit && wanted_[u] > clock_[unit][u] && (FindQueue(u, unit) >= 0) == direct)
        Order(u, wanted_[u], unit, tag);
  Append(std::move(instruction), unit, tag);
}

int TokenInserter::Append(isa::Instruction instruction, int unit, int tag) {
  const int index = static_cast<int>(entries_.size());
  COSIM_CHECK(index < std::numeric_limits<int32_t>::max() >> unit_bits_, "a program of {} instructions",
              index);
  entries_.push_back({std::move(instruction), tag, unit, index * kOrderGap});
  known_.insert(known_.end(), clock_[unit].begin(), clock_[unit].end());
  by_unit_[unit].push_back(index);
  for (int queue : pending_pops_[unit]) tokens_[queue].back().pop = index;
  pending_pops_[unit].clear();
  clock_[unit][unit] = static_cast<int32_t>(by_unit_[unit].size());
  return index;
}

int TokenInserter::NextHop(int from, int to) const {
  // Breadth first from `to` backwards: the first unit found that `from` has a queue to is on a shortest path.
  std::vector<bool> seen(units_, false);
  std::queue<int> todo;
  todo.push(to);
  seen[to] = true;
  while (!todo.empty()) {
    const int at = todo.front();
    todo.pop();
    if (at != to && FindQueue(from, at) >= 0) return at;
    for (const auto& queue : spec_.queues)
      if (queue.to == at && !seen[queue.from]) {
        seen[queue.from] = true;
        todo.push(queue.from);
      }
  }
  COSIM_CHECK(false, "units {} and {} are not connected by queues", spec_.units[from].name,
              spec_.units[to].name);
}

isa::Instruction TokenInserter::MakeSync(int unit) const {
  for (size_t f = 0; f < spec_.formats.size(); ++f) {
    const auto& format = spec_.formats[f];
    if (format.unit != unit || format.kind != isa::Kind::kSync) continue;
    isa::Instruction sync{static_cast<int>(f), std::vector<int64_t>(format.fields.size(), 0)};
    for (const auto& [field, value] : format.match) sync.values[field] = value;
    return sync;
  }
  COSIM_CHECK(false, "unit {} has no sync instruction", spec_.units[unit].name);
}

void TokenInserter::Order(int producer, int32_t number, int consumer, int tag) {
  if (number <= clock_[consumer][producer]) return;
  const int queue = FindQueue(producer, consumer);
  if (queue < 0) {
    const int via = NextHop(producer, consumer);
    // The first instruction of `via` that already follows the producer will do; else a sync is made for it.
    const auto& list = by_unit_[via];
    auto first = std::partition_point(list.begin(), list.end(),
                                      [&](int entry) { return Known(entry, producer) < number; });
    if (first == list.end()) {
      Order(producer, number, via, tag);
      Append(MakeSync(via), via, tag);
      first = list.end() - 1;
    }
    Order(via, static_cast<int32_t>(first - list.begin()) + 1, consumer, tag);
    return;
  }
  const int push = by_unit_[producer][number - 1];
  auto& tokens = tokens_[queue];
  COSIM_CHECK(tokens.empty() || entries_[tokens.back().push].order < entries_[push].order);
  if (!tokens.empty() && tokens.back().pop < 0) {  // one pop a queue: the later producer implies the earlier
    tokens.back().push = push;
  } else {
    tokens.push_back({push, -1});
    pending_pops_[consumer].push_back(queue);
  }
  auto& clock = clock_[consumer];
  for (int u = 0; u < units_; ++u) clock[u] = std::max(clock[u], Known(push, u));
  clock[producer] = std::max(clock[producer], number);
}

void TokenInserter::LimitOccupancy(int queue) {
  auto& tokens = tokens_[queue];
  const int capacity = spec_.queues[queue].capacity, consumer = spec_.queues[queue].to;
  auto& list = by_unit_[consumer];
  const auto before = [&](int entry, int64_t order) { return entries_[entry].order < order; };
  // Backwards: token m must be gone when token m + capacity comes, and before token m + 1 is popped.
  for (int m = static_cast<int>(tokens.size()) - 1 - capacity; m >= 0; --m) {
    const int64_t limit =
        std::min(entries_[tokens[m + capacity].push].order, entries_[tokens[m + 1].pop].order);
    if (entries_[tokens[m].pop].order < limit) continue;
    auto at = std::lower_bound(list.begin(), list.end(), limit, before);
    if (at != list.begin() && entries_[*(at - 1)].order > entries_[tokens[m].push].order) {
      tokens[m].pop = *(at - 1);
      continue;
    }
    const int index = static_cast<int>(entries_.size());
    entries_.push_back({MakeSync(consumer), entries_[tokens[m].push].tag, consumer, limit - 1});
    COSIM_CHECK(entries_[index].order > entries_[tokens[m].push].order, "no room for a sync");
    list.insert(at, index);
    tokens[m].pop = index;
  }
}

void TokenInserter::SetFlag(int entry, int queue, bool push) {
  auto& instruction = entries_[entry].instruction;
  const auto& format = spec_.formats[instruction.format];
  for (const auto& [q, field] : push ? format.pushes : format.pops)
    if (q == queue) {
      COSIM_CHECK(instruction.values[field] == 0);
      instruction.values[field] = 1;
      return;
    }
  COSIM_CHECK(false, "{} has no flag for queue {}", format.name, spec_.queues[queue].name);
}

TokenInserter::Result TokenInserter::Finish() {
  for (size_t q = 0; q < tokens_.size(); ++q) LimitOccupancy(static_cast<int>(q));
  for (size_t q = 0; q < tokens_.size(); ++q)
    for (const Token& token : tokens_[q]) {
      SetFlag(token.push, static_cast<int>(q), true);
      SetFlag(token.pop, static_cast<int>(q), false);
    }
  std::vector<int> order(entries_.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return entries_[a].order < entries_[b].order; });
  Result result;
  result.instructions.reserve(order.size());
  for (int i : order) {
    result.instructions.push_back(std::move(entries_[i].instruction));
    result.tags.push_back(entries_[i].tag);
  }
  return result;
}

}  // namespace cosim::accel
