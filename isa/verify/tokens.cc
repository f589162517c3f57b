// SPDX-License-Identifier: Apache-2.0
// Tokens: first the rule that needs one pass over the program, then, if that does not hold, one untimed run.
// The run's outcome is timing's too: a unit that may issue stays able to until it does, whatever the others
// do first.
#include "isa/verify/tokens.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <string>

namespace cosim::isa {
namespace {

template <typename Function>
void ForEachQueue(uint64_t queues, Function function) {
  for (; queues != 0; queues &= queues - 1) function(std::countr_zero(queues));
}

bool IsForward(const Spec& spec, std::span<const Decoded> decoded) {
  std::vector<int64_t> tokens(spec.queues.size(), 0);
  bool forward = true;
  for (const Decoded& instruction : decoded) {
    ForEachQueue(instruction.pushes, [&](int q) { forward &= tokens[q] < spec.queues[q].capacity; });
    ForEachQueue(instruction.pops, [&](int q) { forward &= tokens[q]-- > 0; });
    ForEachQueue(instruction.pushes, [&](int q) { ++tokens[q]; });
    if (!forward) return false;
  }
  return true;
}

/// Issues instructions, each as soon as it can, until nothing moves.
class UntimedRun {
 public:
  UntimedRun(const Spec& spec, std::span<const Decoded> decoded)
      : spec_(spec), decoded_(decoded), commands_(spec.units.size()), tokens_(spec.queues.size(), 0) {}

  bool Run() {
    for (bool moved = true; moved;) {
      moved = Dispatch();
      for (std::deque<int64_t>& queue : commands_) {
        for (; !queue.empty() && Blocker(queue.front()).queue < 0; moved = true) Issue(queue);
      }
    }
    return order_.size() == decoded_.size();
  }

  /// Describes what the first blocked unit waits for, step by step, until it closes a circle or leads
  /// nowhere.
  Finding Explain(const VerifyReport& report) const;

  const std::vector<int64_t>& order() const { return order_; }

 private:
  struct Wait {
    int queue = -1;  // -1: none
    bool for_place = false;
  };

  Wait Blocker(int64_t instruction) const {
    const Decoded& what = decoded_[instruction];
    Wait wait;
    ForEachQueue(what.pushes, [&](int q) {
      if (wait.queue < 0 && tokens_[q] >= spec_.queues[q].capacity) wait = {q, true};
    });
    ForEachQueue(what.pops, [&](int q) {
      if (wait.queue < 0 && tokens_[q] == 0) wait = {q, false};
    });
    return wait;
  }

  bool Dispatch() {
    bool moved = false;
    for (; next_ < static_cast<int64_t>(decoded_.size()); ++next_, moved = true) {
      const int unit = decoded_[next_].unit;
      if (static_cast<int>(commands_[unit].size()) >= spec_.units[unit].commands) break;
      commands_[unit].push_back(next_);
    }
    return moved;
  }

  void Issue(std::deque<int64_t>& queue) {
    const Decoded& what = decoded_[queue.front()];
    ForEachQueue(what.pops, [&](int q) { --tokens_[q]; });
    ForEachQueue(what.pushes, [&](int q) { ++tokens_[q]; });
    order_.push_back(queue.front());
    queue.pop_front();
  }

  /// The first instruction not yet issued that pushes (or pops) `queue`, or -1.
  int64_t FirstPending(int queue, bool pushes) const {
    const int unit = pushes ? spec_.queues[queue].from : spec_.queues[queue].to;
    auto uses = [&](int64_t i) {
      return ((pushes ? decoded_[i].pushes : decoded_[i].pops) >> queue & 1) != 0;
    };
    for (int64_t i : commands_[unit]) {
      if (uses(i)) return i;
    }
    for (int64_t i = next_; i < static_cast<int64_t>(decoded_.size()); ++i) {
      if (uses(i)) return i;
    }
    return -1;
  }

  const Spec& spec_;
  std::span<const Decoded> decoded_;
  std::vector<std::deque<int64_t>> commands_;  // by unit: dispatched, not issued
  std::vector<int64_t> tokens_;                // by queue
  int64_t next_ = 0;                           // to dispatch
  std::vector<int64_t> order_;
};

Finding UntimedRun::Explain(const VerifyReport& report) const {
  struct Step {
    int64_t head;
    int queue;
    int64_t giver;
    std::string text;
  };
  std::vector<Step> steps;
  const auto blocked = std::ranges::find_if(commands_, [](const auto& queue) { return !queue.empty(); });
  int64_t head = blocked->front();
  size_t circle = 0;
  while (true) {
    const auto seen = std::ranges::find(steps, head, &Step::head);
    if (seen != steps.end()) {
      circle = static_cast<size_t>(seen - steps.begin());
      break;
    }
    const Wait wait = Blocker(head);
    const Queue& queue = spec_.queues[wait.queue];
    const int64_t giver = FirstPending(wait.queue, !wait.for_place);
    std::string text = report.Name(head);
    text += wait.for_place
                ? fmt::format(" waits for a free place in '{}' (capacity {})", queue.name, queue.capacity)
                : fmt::format(" waits for a token of '{}'", queue.name);
    if (giver < 0) {
      text +=
          wait.for_place ? ", but no further instruction pops it" : ", but no further instruction pushes it";
      steps.push_back({head, wait.queue, giver, std::move(text)});
      circle = steps.size() - 1;
      break;
    }
    text += fmt::format(", which {} would {}", report.Name(giver), wait.for_place ? "pop" : "push");
    int64_t next = giver;
    const int unit = decoded_[giver].unit;
    if (!commands_[unit].empty()) {
      next = commands_[unit].front();
      if (next != giver) text += fmt::format(" but which stands behind {}", report.Name(next));
    } else {
      const int full = decoded_[next_].unit;
      next = commands_[full].front();
      text += fmt::format(
          " but which is not dispatched: the command queue of '{}' (capacity {}) is full behind {}",
          spec_.units[full].name, spec_.units[full].commands, report.Name(next));
    }
    steps.push_back({head, wait.queue, giver, std::move(text)});
    head = next;
  }
  Finding finding{.kind = FindingKind::kDeadlock, .queue = steps[circle].queue, .message = "deadlock: "};
  for (size_t i = circle; i < steps.size(); ++i) {
    finding.message += (i == circle ? "" : "; ") + steps[i].text;
    for (int64_t instruction : {steps[i].head, steps[i].giver}) {
      if (instruction >= 0 &&
          std::ranges::find(finding.instructions, instruction) == finding.instructions.end()) {
        finding.instructions.push_back(instruction);
      }
    }
  }
  return finding;
}

void CheckLeftOver(const Spec& spec, std::span<const Decoded> decoded, VerifyReport& report) {
  for (int q = 0; q < static_cast<int>(spec.queues.size()); ++q) {
    std::vector<int64_t> pushes;
    size_t pops = 0;
    for (size_t i = 0; i < decoded.size(); ++i) {
      if (decoded[i].pushes >> q & 1) pushes.push_back(static_cast<int64_t>(i));
      pops += decoded[i].pops >> q & 1;
    }
    if (pushes.size() <= pops || !report.Count()) continue;
    const int64_t first = pushes[pops];
    report.Add({.kind = FindingKind::kTokensLeft,
                .instructions = {first},
                .queue = q,
                .message = fmt::format("{} of the {} tokens of '{}' are never popped, the first pushed by {}",
                                       pushes.size() - pops, pushes.size(), spec.queues[q].name,
                                       report.Name(first))});
  }
}

}  // namespace

TokenOrder CheckTokens(const Spec& spec, std::span<const Decoded> decoded, VerifyReport& report) {
  TokenOrder result{.forward = IsForward(spec, decoded)};
  if (!result.forward) {
    UntimedRun run(spec, decoded);
    if (!run.Run()) {
      if (report.Count()) report.Add(run.Explain(report));
      return result;
    }
    result.order = run.order();
  }
  CheckLeftOver(spec, decoded, report);
  return result;
}

}  // namespace cosim::isa
