// SPDX-License-Identifier: Apache-2.0
// A layer's window ends with its last retirement. Within a window a unit does steps or waits; what it waited
// for is the token that arrived last, if the instruction issued in the cycle in which it was seen.
#include "compiler/session/layer_stalls.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "isa/check.h"
#include "sim/cycle/unit_state.h"
#include "sim/functional/transfer.h"

namespace cosim::session {
namespace {

using runtime::Cycle;

struct Window {
  int layer;
  Cycle begin, end;
};

/// A stretch of a unit's time: steps (no reason) or a wait.
struct Stretch {
  Cycle begin, end;
  std::string reason;
};

std::vector<Window> WindowsOf(const runtime::AcceleratorStep& step,
                              std::span<const runtime::InstructionTimes> times, Cycle cycles) {
  std::map<int, Cycle> last;  // by layer, whose numbers ascend
  for (size_t i = 0; i < times.size(); ++i) {
    Cycle& at = last[step.layer_of[i]];
    at = std::max(at, times[i].retire);
  }
  std::vector<Window> windows;
  Cycle begin = 0;
  for (const auto& [layer, retire] : last) {
    windows.push_back({layer, begin, std::max(begin, retire)});
    begin = windows.back().end;
  }
  if (!windows.empty()) windows.back().end = cycles;
  return windows;
}

/// Cycles of an instruction's steps.
Cycle Steps(const isa::Spec& spec, const isa::Decoded& instruction) {
  if (const auto* gemm = std::get_if<isa::Gemm>(&instruction.body)) return gemm->nest.Steps();
  if (const auto* alu = std::get_if<isa::Alu>(&instruction.body))
    return alu->op < 0 ? 0 : alu->nest.Steps() * spec.alu_ops[alu->op].initiation_interval;
  return 0;
}

class UnitTime {
 public:
  UnitTime(const isa::Spec& spec, std::span<const isa::Decoded> program,
           std::span<const runtime::InstructionTimes> times, Cycle cycles)
      : spec_(spec), program_(program), times_(times), cycles_(cycles) {
    // By rule, the k-th push of a queue meets its k-th pop.
    std::vector<std::vector<size_t>> pushers(spec.queues.size());
    for (size_t i = 0; i < program.size(); ++i) {
      for (uint64_t rest = program[i].pushes; rest != 0; rest &= rest - 1)
        pushers[std::countr_zero(rest)].push_back(i);
    }
    std::vector<size_t> popped(spec.queues.size());
    latest_.resize(program.size(), {-1, -1});
    for (size_t i = 0; i < program.size(); ++i) {
      for (uint64_t rest = program[i].pops; rest != 0; rest &= rest - 1) {
        const int queue = std::countr_zero(rest);
        const Cycle seen = times[pushers[queue][popped[queue]++]].retire + 1;
        if (seen > latest_[i].seen) latest_[i] = {queue, seen};
      }
    }
  }

  /// All of the unit's time, without gaps.
  std::vector<Stretch> Of(int unit) const {
    const bool overlap = sim::TraitsOf(spec_, unit).overlap;
    std::vector<Stretch> stretches;
    Cycle now = 0;
    const auto until = [&](Cycle end, const std::string& reason) {
      if (end > now) stretches.push_back({now, end, reason});
      now = std::max(now, end);
    };
    for (size_t i = 0; i < program_.size(); ++i) {
      if (program_[i].unit != unit) continue;
      until(times_[i].issue, ReasonBefore(i));
      until(times_[i].issue + Steps(spec_, program_[i]), "");
      if (!overlap)
        until(times_[i].retire + 1, fmt::format("{} waits for its own pipeline to drain between instructions",
                                                spec_.units[unit].name));
    }
    until(cycles_, fmt::format("{} has nothing left to do", spec_.units[unit].name));
    return stretches;
  }

 private:
  struct Token {
    int queue;
    Cycle seen;
  };
  std::string ReasonBefore(size_t i) const {
    const std::string& unit = spec_.units[program_[i].unit].name;
    if (latest_[i].seen < times_[i].issue)
      return fmt::format("{} waits for an instruction, a bank or a place in a queue", unit);
    const isa::Queue& queue = spec_.queues[latest_[i].queue];
    const sim::UnitTraits from = sim::TraitsOf(spec_, queue.from);
    const char* why = from.computes ? "is not done with it"
                      : from.stores ? "has not stored it"
                                    : "has not brought it";
    return fmt::format("{} waits for {}, which {} ({})", unit, spec_.units[queue.from].name, why, queue.name);
  }

  const isa::Spec& spec_;
  std::span<const isa::Decoded> program_;
  std::span<const runtime::InstructionTimes> times_;
  Cycle cycles_;
  std::vector<Token> latest_;  ///< by instruction: the token of those it pops that was seen last
};

void AddStretches(const std::vector<Stretch>& stretches, const Window& window, LayerExplanation& layer) {
  std::map<std::string, Cycle> stalls;
  for (const Stretch& stretch : stretches) {
    const Cycle cycles = std::min(stretch.end, window.end) - std::max(stretch.begin, window.begin);
    if (cycles <= 0) continue;
    (stretch.reason.empty() ? layer.busy : stalls[stretch.reason]) += cycles;
  }
  for (const auto& [reason, cycles] : stalls) layer.stalls.push_back({reason, cycles});
  std::ranges::stable_sort(layer.stalls, std::greater(), &Stall::cycles);
}

/// What went through the two halves of each memory port, in bytes.
class Traffic {
 public:
  explicit Traffic(const isa::Spec& spec) : spec_(spec), read_(spec.ports), written_(spec.ports) {}
  void Add(int unit, const isa::Transfer& transfer) {
    (transfer.is_store ? written_ : read_)[static_cast<size_t>(spec_.units[unit].port)] +=
        sim::TransferBytes(transfer, spec_.memories[transfer.memory].stored_bytes, spec_.dram.beat_bytes());
  }
  uint64_t Read() const { return std::accumulate(read_.begin(), read_.end(), uint64_t{0}); }
  uint64_t Written() const { return std::accumulate(written_.begin(), written_.end(), uint64_t{0}); }
  /// Of the busiest half, or of the DRAM behind all of them.
  Cycle LeastCycles() const {
    const uint64_t busiest = std::max(*std::ranges::max_element(read_), *std::ranges::max_element(written_));
    const uint64_t cycles = busiest / static_cast<uint64_t>(spec_.dram.beat_bytes());
    if (spec_.dram.dram_bytes == 0) return static_cast<Cycle>(cycles);
    return static_cast<Cycle>(
        std::max(cycles, (Read() + Written()) / static_cast<uint64_t>(spec_.dram.dram_bytes)));
  }

 private:
  const isa::Spec& spec_;
  std::vector<uint64_t> read_, written_;
};

}  // namespace

std::vector<LayerExplanation> ExplainProgram(const isa::Spec& spec, const runtime::Network& network,
                                             const runtime::AcceleratorStep& step,
                                             std::span<const isa::Decoded> program,
                                             std::span<const runtime::InstructionTimes> times, Cycle cycles) {
  const UnitTime unit_time(spec, program, times, cycles);
  std::vector<std::vector<Stretch>> stretches;
  for (size_t u = 0; u < spec.units.size(); ++u) stretches.push_back(unit_time.Of(static_cast<int>(u)));
  std::vector<LayerExplanation> layers;
  for (const Window& window : WindowsOf(step, times, cycles)) {
    LayerExplanation& out = layers.emplace_back();
    out.layer = network.layers[window.layer];
    out.cycles = window.end - window.begin;
    out.ideal = (out.layer.macs + spec.MacsPerCycle() - 1) / spec.MacsPerCycle();
    std::vector<Cycle> work(spec.units.size());
    Traffic traffic(spec);
    for (size_t i = 0; i < program.size(); ++i) {
      if (step.layer_of[i] != window.layer) continue;
      // Where there are multiply-accumulates, it is the array that should never wait.
      const bool is_gemm = std::holds_alternative<isa::Gemm>(program[i].body);
      if (is_gemm || out.layer.macs == 0) work[program[i].unit] += Steps(spec, program[i]);
      if (const auto* transfer = std::get_if<isa::Transfer>(&program[i].body))
        traffic.Add(program[i].unit, *transfer);
    }
    out.read_bytes = traffic.Read();
    out.write_bytes = traffic.Written();
    out.port = traffic.LeastCycles();
    const auto unit = std::ranges::max_element(work) - work.begin();
    out.unit = spec.units[unit].name;
    AddStretches(stretches[unit], window, out);
  }
  return layers;
}

}  // namespace cosim::session
