// SPDX-License-Identifier: Apache-2.0
// Tokens from orders, with one clock a unit that tells what is known to be ordered already.
#include "tests/isa/program/orderer.h"

#include <algorithm>
#include <utility>

#include "isa/program/codec.h"

namespace cosim::isa::testing {

Orderer::Orderer(const Spec& spec, Program& program)
    : spec_(spec),
      program_(program),
      decoder_(spec),
      sync_(spec.units.size(), -1),
      clocks_(spec.units.size(), std::vector<int64_t>(spec.units.size(), 0)),
      issued_(spec.units.size()),
      last_push_(spec.queues.size(), -1) {
  for (size_t f = 0; f < spec.formats.size(); ++f) {
    if (spec.formats[f].kind == Kind::kSync) sync_[spec.formats[f].unit] = static_cast<int>(f);
  }
}

int64_t Orderer::Known(int from, int to) const {
  return from == to && !spec_.units[to].overlap ? Issued(to) : clocks_[to][from];
}

void Orderer::Order(int from, int64_t number, int to) {
  if (Known(from, to) >= number) return;
  const std::vector<int> path = Path(from, to);
  // An instruction pops a queue once: let a sync take what is pending.
  if (std::ranges::find(pending_, path.back()) != pending_.end()) Append(Sync(to));
  PushFrom(path.front(), from, number);
  for (size_t hop = 0; hop + 1 < path.size(); ++hop) {
    Instruction sync = Sync(spec_.queues[path[hop]].to);
    SetPop(sync, path[hop]);
    SetPush(sync, path[hop + 1]);
    Emit(std::move(sync));
  }
  pending_.push_back(path.back());
}

int64_t Orderer::Append(Instruction instruction) {
  for (int queue : pending_) SetPop(instruction, queue);
  pending_.clear();
  return Emit(std::move(instruction));
}

Instruction Orderer::Sync(int unit) const { return BlankInstruction(spec_, sync_[unit]); }

std::vector<int> Orderer::Path(int from, int to) const {
  if (sync_[from] < 0 || sync_[to] < 0) return {};
  std::vector<int> arrived_by(spec_.units.size(), -1);
  std::queue<int> open;
  open.push(from);
  while (!open.empty()) {
    const int unit = open.front();
    open.pop();
    for (int q = 0; q < static_cast<int>(spec_.queues.size()); ++q) {
      const int next = spec_.queues[q].to;
      if (spec_.queues[q].from != unit || arrived_by[next] >= 0 || sync_[next] < 0) continue;
      if (next == from && next != to) continue;
      arrived_by[next] = q;
      if (next != to) {
        open.push(next);
        continue;
      }
      std::vector<int> path{q};
      while (spec_.queues[path.back()].from != from)
        path.push_back(arrived_by[spec_.queues[path.back()].from]);
      std::ranges::reverse(path);
      return path;
    }
  }
  return {};
}

int64_t Orderer::MostTokens(int q, int64_t position) const {
  int64_t tokens = 0, most = 0;
  for (int64_t i = 0; i < static_cast<int64_t>(program_.instructions.size()); ++i) {
    const Instruction& what = program_.instructions[i];
    const InstructionFormat& format = spec_.formats[what.format];
    for (auto [queue, field] : format.pops) tokens -= queue == q ? what.values[field] : 0;
    for (auto [queue, field] : format.pushes) tokens += queue == q ? what.values[field] : 0;
    if (i >= position) most = std::max(most, tokens);
  }
  return most;
}

void Orderer::PushFrom(int q, int unit, int64_t number) {
  const int64_t position = issued_[unit][number - 1];
  if (position > last_push_[q] && MostTokens(q, position) < spec_.queues[q].capacity) {
    SetPush(program_.instructions[position], q);
    last_push_[q] = position;
    std::vector<int64_t> given = seen_[position];
    given[unit] = number;
    tokens_[q].push(std::move(given));
    return;
  }
  Instruction sync = Sync(unit);
  SetPush(sync, q);
  Emit(std::move(sync));
}

void Orderer::SetPop(Instruction& instruction, int q) const {
  for (auto [queue, field] : spec_.formats[instruction.format].pops) {
    if (queue == q) instruction.values[field] = 1;
  }
}
void Orderer::SetPush(Instruction& instruction, int q) const {
  for (auto [queue, field] : spec_.formats[instruction.format].pushes) {
    if (queue == q) instruction.values[field] = 1;
  }
}

int64_t Orderer::Emit(Instruction instruction) {
  const Decoded decoded = decoder_(instruction);
  const int unit = decoded.unit;
  const int64_t position = static_cast<int64_t>(program_.instructions.size());
  std::vector<int64_t>& clock = clocks_[unit];
  clock[unit] = Known(unit, unit);
  issued_[unit].push_back(position);
  for (int q = 0; q < static_cast<int>(spec_.queues.size()); ++q) {
    if ((decoded.pops >> q & 1) == 0) continue;
    for (size_t u = 0; u < clock.size(); ++u) clock[u] = std::max(clock[u], tokens_[q].front()[u]);
    tokens_[q].pop();
  }
  seen_.push_back(clock);
  std::vector<int64_t> given = clock;
  given[unit] = Issued(unit);
  for (int q = 0; q < static_cast<int>(spec_.queues.size()); ++q) {
    if ((decoded.pushes >> q & 1) == 0) continue;
    tokens_[q].push(given);
    last_push_[q] = position;
  }
  program_.instructions.push_back(std::move(instruction));
  return Issued(unit);
}

}  // namespace cosim::isa::testing
