// SPDX-License-Identifier: Apache-2.0
// The text of a deadlock: read from the state in which the simulation stopped.
#include "sim/cycle/stuck_report.h"

#include <fmt/format.h>

#include <string_view>

namespace cosim::sim {
namespace {

class Report {
 public:
  Report(const isa::Spec& spec, std::span<const isa::Decoded> program, const Simulation& simulation,
         const TimingOptions& options)
      : spec_(spec), program_(program), simulation_(simulation), options_(options) {}

  std::string Text() const {
    size_t retired = 0;
    for (size_t u = 0; u < spec_.units.size(); ++u) retired += simulation_.unit(u).retired;
    std::string text = fmt::format("{} in cycle {}: {} of {} instructions have not retired",
                                   simulation_.NothingAhead() ? "deadlock" : "watchdog", simulation_.now(),
                                   program_.size() - retired, program_.size());
    for (size_t u = 0; u < spec_.units.size(); ++u) text += UnitLines(u);
    return text + FetchLine();
  }

 private:
  /// "#12 gemm (layer conv1)".
  std::string Name(size_t instruction) const {
    const auto format = static_cast<size_t>(program_[instruction].format);
    std::string text = fmt::format("#{} {}", instruction, spec_.formats[format].name);
    const std::string layer = options_.layer_of ? options_.layer_of(instruction) : "";
    return layer.empty() ? text : fmt::format("{} (layer {})", text, layer);
  }

  std::string UnitLines(size_t u) const {
    const UnitState& unit = simulation_.unit(u);
    std::string text;
    if (unit.retired < unit.issued.size()) {
      text += fmt::format("\n  {}: {} is in flight", unit.unit->name, Name(unit.issued[unit.retired]));
      if (unit.load.HasBurst()) {
        text += fmt::format(", its next burst has {} beats (the data buffer holds {})",
                            unit.load.burst().beats, unit.unit->buffer_beats);
      }
    }
    if (!unit.commands.Empty() && unit.ReadyTime() <= simulation_.now()) {
      text += fmt::format("\n  {}: {} waits for {}", unit.unit->name, Name(unit.commands.Head()), Lack(u));
    }
    return text;
  }

  std::string Lack(size_t u) const {
    Cycle next = 0;
    const Wait wait = simulation_.WaitOfHead(u, simulation_.now(), next);
    switch (wait.kind) {
      case Wait::Kind::kPlace: {
        const isa::Queue& queue = spec_.queues[static_cast<size_t>(wait.queue)];
        return fmt::format("a place in queue '{}' (all {} taken), which {}", queue.name, queue.capacity,
                           Helper(queue.to, wait.queue, &isa::Decoded::pops, "pop"));
      }
      case Wait::Kind::kToken: {
        const isa::Queue& queue = spec_.queues[static_cast<size_t>(wait.queue)];
        return fmt::format("a token in queue '{}', which {}", queue.name,
                           Helper(queue.from, wait.queue, &isa::Decoded::pushes, "push"));
      }
      case Wait::Kind::kBank: {
        const BankMasks& masks = program_[simulation_.unit(u).commands.Head()].locks;
        const int holder = simulation_.locks().Holder(static_cast<int>(u), masks, simulation_.now());
        return holder < 0 ? std::string("its banks")
                          : fmt::format("a bank that unit '{}' holds",
                                        spec_.units[static_cast<size_t>(holder)].name);
      }
      case Wait::Kind::kNothing:
        break;
    }
    return "its turn";
  }

  /// The first instruction of `unit` not issued that does `verb` to `queue`.
  std::string Helper(int unit, int queue, uint64_t isa::Decoded::* flags, const char* verb) const {
    const UnitState& state = simulation_.unit(static_cast<size_t>(unit));
    const size_t from = state.issued.empty() ? 0 : state.issued.back() + size_t{1};
    for (size_t i = from; i < program_.size(); ++i) {
      if (program_[i].unit != unit || ((program_[i].*flags >> queue) & 1) == 0) continue;
      const char* place = i >= simulation_.fetch().NextWord() ? "not fetched yet" : "not issued yet";
      return fmt::format("{} ({}) would {}", Name(i), place, verb);
    }
    return fmt::format("no further instruction of unit '{}' {}{}", state.unit->name, verb,
                       std::string_view(verb) == "pop" ? "s" : "es");
  }

  std::string FetchLine() const {
    const Fetch& fetch = simulation_.fetch();
    if (fetch.AllDispatched()) return "";
    if (fetch.Starved()) return "\n  fetch: its buffer has no room for the words of one burst";
    const isa::Unit& unit = spec_.units[static_cast<size_t>(program_[fetch.NextWord()].unit)];
    return fmt::format("\n  fetch: {} waits for room in the command queue of unit '{}' (all {} taken)",
                       Name(fetch.NextWord()), unit.name, unit.commands);
  }

  const isa::Spec& spec_;
  std::span<const isa::Decoded> program_;
  const Simulation& simulation_;
  const TimingOptions& options_;
};

}  // namespace

std::string StuckReport(const isa::Spec& spec, std::span<const isa::Decoded> program,
                        const Simulation& simulation, const TimingOptions& options) {
  return Report(spec, program, simulation, options).Text();
}

}  // namespace cosim::sim
