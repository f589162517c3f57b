// SPDX-License-Identifier: Apache-2.0
// Tokens, places and command queues by the issue rules of docs/rationale/microarchitecture.md, without time.
#include "tests/network/timings.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <numeric>
#include <optional>

#include "sim/cycle/timing_engine.h"

namespace cosim::testing {
namespace {

template <typename Function>
void ForEachBit(uint64_t bits, Function function) {
  for (; bits != 0; bits &= bits - 1) function(std::countr_zero(bits));
}

enum class Move { kIssue, kEffect, kRetire };
constexpr int kMoves = 3;

struct Choice {
  int unit;
  Move move;
};

class Machine {
 public:
  Machine(const isa::Spec& spec, std::span<const isa::Decoded> program)
      : spec_(spec),
        program_(program),
        units_(spec.units.size()),
        tokens_(spec.queues.size()),
        taken_(tokens_) {
    Dispatch();
  }

  std::vector<Choice> Choices() const {
    std::vector<Choice> choices;
    for (int u = 0; u < static_cast<int>(units_.size()); ++u) {
      if (CanIssue(u)) choices.push_back({u, Move::kIssue});
      if (!units_[u].issued.empty()) choices.push_back({u, Move::kEffect});
      if (!units_[u].done.empty()) choices.push_back({u, Move::kRetire});
    }
    return choices;
  }

  void Take(Choice choice) {
    UnitState& unit = units_[choice.unit];
    if (choice.move == Move::kIssue) {
      const isa::Decoded& head = program_[unit.commands.front()];
      ForEachBit(head.pops, [&](int q) { --tokens_[q], --taken_[q]; });
      ForEachBit(head.pushes, [&](int q) { ++taken_[q]; });
      Pass(unit.commands, unit.issued);
      Dispatch();
    } else if (choice.move == Move::kEffect) {
      order_.push_back(unit.issued.front());
      Pass(unit.issued, unit.done);
    } else {
      ForEachBit(program_[unit.done.front()].pushes, [&](int q) { ++tokens_[q]; });
      unit.done.pop_front();
      ++retired_;
    }
  }

  bool finished() const { return retired_ == program_.size(); }
  std::vector<int64_t>& order() { return order_; }

 private:
  struct UnitState {
    std::deque<int64_t> commands, issued, done;  // dispatched; then issued; then also their effect is there
  };

  static void Pass(std::deque<int64_t>& from, std::deque<int64_t>& to) {
    to.push_back(from.front());
    from.pop_front();
  }

  bool CanIssue(int u) const {
    const UnitState& unit = units_[u];
    if (unit.commands.empty()) return false;
    const size_t flying = unit.issued.size() + unit.done.size();
    const size_t room = spec_.units[u].overlap ? static_cast<size_t>(spec_.units[u].commands) : 1;
    if (flying >= room) return false;
    const isa::Decoded& head = program_[unit.commands.front()];
    bool can = true;
    ForEachBit(head.pushes, [&](int q) { can &= taken_[q] < spec_.queues[q].capacity; });
    ForEachBit(head.pops, [&](int q) { can &= tokens_[q] > 0; });
    return can;
  }

  void Dispatch() {
    for (; next_ < program_.size(); ++next_) {
      const int unit = program_[next_].unit;
      if (units_[unit].commands.size() >= static_cast<size_t>(spec_.units[unit].commands)) return;
      units_[unit].commands.push_back(static_cast<int64_t>(next_));
    }
  }

  const isa::Spec& spec_;
  std::span<const isa::Decoded> program_;
  std::vector<UnitState> units_;
  std::vector<int> tokens_, taken_;  // by queue: to be popped; places not free
  size_t next_ = 0, retired_ = 0;
  std::vector<int64_t> order_;
};

/// Picks at random; some moves of some units are rare for a while.
class RandomPick {
 public:
  RandomPick(size_t units, isa::testing::Random& random) : random_(random), weights_(units * kMoves) {}

  Choice operator()(const std::vector<Choice>& choices) {
    if (picked_++ % 64 == 0) {
      for (int64_t& weight : weights_) weight = int64_t{1} << (5 * random_.Uniform(0, 3));
    }
    int64_t sum = 0;
    for (const Choice& choice : choices) sum += Weight(choice);
    int64_t at = random_.Uniform(0, sum - 1);
    for (const Choice& choice : choices) {
      at -= Weight(choice);
      if (at < 0) return choice;
    }
    return choices.back();
  }

 private:
  int64_t Weight(const Choice& choice) const {
    return weights_[choice.unit * kMoves + static_cast<int>(choice.move)];
  }
  isa::testing::Random& random_;
  std::vector<int64_t> weights_;
  int64_t picked_ = 0;
};

Choice PickByRank(const Schedule& schedule, const std::vector<Choice>& choices) {
  auto key = [&](const Choice& choice) {
    const bool first = schedule.issue_first && choice.move == Move::kIssue;
    // A unit that may go on retires what is done before it takes more effects.
    return std::tuple(!first, schedule.rank[choice.unit], -static_cast<int>(choice.move));
  };
  return *std::ranges::min_element(choices, {}, key);
}

isa::Spec WithOtherSpeeds(isa::Spec spec, isa::testing::Random& random) {
  auto one_of = [&](std::vector<int> values) {
    return values[static_cast<size_t>(random.Uniform(0, static_cast<int64_t>(values.size()) - 1))];
  };
  for (isa::Unit& unit : spec.units) unit.latency = one_of({1, 2, unit.latency, 60, 3000});
  for (isa::AluOp& op : spec.alu_ops) op.initiation_interval *= one_of({1, 1, 40});
  spec.dram.latency = one_of({2, spec.dram.latency, 400, 20000});
  spec.dram.write_latency = one_of({1, spec.dram.write_latency, 5000});
  spec.dram.jitter = one_of({0, 50, 4000});
  spec.dram.outstanding = one_of({1, spec.dram.outstanding, 16});
  spec.dram.seed = random.Next();
  return spec;
}

}  // namespace

std::vector<Schedule> Schedules(const isa::Spec& spec, int random_ones) {
  std::vector<Schedule> schedules;
  for (size_t u = 0; u < spec.units.size(); ++u) {
    for (const int rank : {-1, 1}) {
      for (const bool issue_first : {false, true}) {
        Schedule& schedule = schedules.emplace_back();
        schedule.rank.assign(spec.units.size(), 0);
        schedule.rank[u] = rank;
        schedule.issue_first = issue_first;
      }
    }
  }
  schedules.resize(schedules.size() + static_cast<size_t>(random_ones));
  return schedules;
}

EffectOrder RunSchedule(const isa::Spec& spec, std::span<const isa::Decoded> program,
                        const Schedule& schedule, isa::testing::Random& random) {
  Machine machine(spec, program);
  RandomPick pick(spec.units.size(), random);
  for (auto choices = machine.Choices(); !choices.empty(); choices = machine.Choices()) {
    machine.Take(schedule.rank.empty() ? pick(choices) : PickByRank(schedule, choices));
  }
  return {std::move(machine.order()), !machine.finished()};
}

EffectOrder RunCycles(const isa::Spec& spec, std::span<const isa::Decoded> program, uint64_t code_address,
                      isa::testing::Random& random) {
  const isa::Spec other = WithOtherSpeeds(spec, random);
  const runtime::Counters counters =
      sim::TimingEngine(other).Run(program, code_address, {.record_instructions = true, .layer_of = {}});
  if (!counters.completed) return {{}, true};
  const int64_t mode = random.Uniform(0, 2);
  std::vector<int64_t> effect(program.size()), last(spec.units.size(), -1);
  for (size_t i = 0; i < program.size(); ++i) {
    const auto [issue, retire] = counters.instructions[i];
    const int64_t at = mode == 0 ? issue : mode == 1 ? retire : random.Uniform(issue, retire);
    effect[i] = last[program[i].unit] = std::max(at, last[program[i].unit]);
  }
  EffectOrder order;
  order.instructions.resize(program.size());
  std::iota(order.instructions.begin(), order.instructions.end(), int64_t{0});
  std::ranges::stable_sort(order.instructions, {}, [&](int64_t i) { return effect[i]; });
  return order;
}

}  // namespace cosim::testing
