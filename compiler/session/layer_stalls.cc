// SPDX-License-Identifier: Apache-2.0
// Within a layer's window a unit does steps, of this layer or of others, or waits; what it waited for is the
// token that arrived last, if the instruction issued in the cycle in which it was seen.
#include "compiler/session/layer_stalls.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "isa/check.h"
#include "runtime/layer_windows.h"
#include "sim/cycle/unit_state.h"
#include "sim/functional/transfer.h"

namespace cosim::session {
namespace {

using runtime::Cycle;
using runtime::LayerWindow;

/// A stretch of a unit's time: steps of a layer, or a wait.
struct Stretch {
  Cycle begin, end;
  int layer;           ///< -1: a wait
  std::string reason;  ///< of the wait
};

/// Cycles of an instruction's steps.
Cycle Steps(const isa::Spec& spec, const isa::Decoded& instruction) {
  if (const auto* gemm = std::get_if<isa::Gemm>(&instruction.body)) return gemm->Cycles();
  if (const auto* alu = std::get_if<isa::Alu>(&instruction.body))
    return alu->op < 0 ? 0 : alu->nest.Steps() * spec.alu_ops[alu->op].initiation_interval;
  return 0;
}

class UnitTime {
 public:
  UnitTime(const isa::Spec& spec, const std::vector<int>& layer_of, std::span<const isa::Decoded> program,
           std::span<const runtime::InstructionTimes> times, Cycle cycles)
      : spec_(spec), layer_of_(layer_of), program_(program), times_(times), cycles_(cycles) {
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
    const auto until = [&](Cycle end, int layer, const std::string& reason) {
      if (end > now) stretches.push_back({now, end, layer, reason});
      now = std::max(now, end);
    };
    for (size_t i = 0; i < program_.size(); ++i) {
      if (program_[i].unit != unit) continue;
      until(times_[i].issue, -1, ReasonBefore(i));
      until(times_[i].issue + Steps(spec_, program_[i]), layer_of_[i], "");
      if (!overlap)
        until(times_[i].retire + 1, -1,
              fmt::format("{} waits for its own pipeline to drain between instructions",
                          spec_.units[unit].name));
    }
    until(cycles_, -1, fmt::format("{} has nothing left to do", spec_.units[unit].name));
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
  const std::vector<int>& layer_of_;
  std::span<const isa::Decoded> program_;
  std::span<const runtime::InstructionTimes> times_;
  Cycle cycles_;
  std::vector<Token> latest_;  ///< by instruction: the token of those it pops that was seen last
};

void AddStretches(const std::vector<Stretch>& stretches, const LayerWindow& window, LayerExplanation& layer) {
  std::map<std::string, Cycle> stalls;
  for (const Stretch& stretch : stretches) {
    const Cycle cycles =
        std::max<Cycle>(0, std::min(stretch.end, window.end) - std::max(stretch.begin, window.begin));
    if (stretch.layer == window.layer) layer.elsewhere += stretch.end - stretch.begin - cycles;
    if (cycles == 0) continue;
    if (stretch.layer == window.layer) {
      layer.busy += cycles;
    } else {
      stalls[stretch.layer < 0 ? stretch.reason : WorksElsewhere(layer.unit)] += cycles;
    }
  }
  for (const auto& [reason, cycles] : stalls) layer.stalls.push_back({reason, cycles});
  std::ranges::stable_sort(layer.stalls, std::greater(), &Stall::cycles);
}

/// What went through the two halves of each memory port, in bytes.
class PortBytes {
 public:
  explicit PortBytes(const isa::Spec& spec) : spec_(spec), read_(spec.ports), written_(spec.ports) {}
  void Add(int port, bool is_store, uint64_t bytes) {
    (is_store ? written_ : read_)[static_cast<size_t>(port)] += bytes;
  }
  Traffic Sum() const {
    const uint64_t busiest = std::max(*std::ranges::max_element(read_), *std::ranges::max_element(written_));
    Traffic sum{.read_bytes = std::accumulate(read_.begin(), read_.end(), uint64_t{0}),
                .write_bytes = std::accumulate(written_.begin(), written_.end(), uint64_t{0}),
                .cycles = static_cast<Cycle>(busiest / static_cast<uint64_t>(spec_.dram.beat_bytes()))};
    if (spec_.dram.dram_bytes > 0) {
      const auto bytes = static_cast<double>(sum.read_bytes + sum.write_bytes);
      sum.cycles = std::max(sum.cycles, static_cast<Cycle>(bytes / spec_.dram.dram_bytes));
    }
    return sum;
  }

 private:
  const isa::Spec& spec_;
  std::vector<uint64_t> read_, written_;
};

/// The least that a transfer of `bytes` moves within the window: whatever time it has outside, it moves at
/// most a beat a cycle there.
uint64_t LeastWithin(uint64_t bytes, const runtime::InstructionTimes& times, const LayerWindow& window,
                     int beat_bytes) {
  const Cycle before = std::max<Cycle>(0, std::min(times.retire + 1, window.begin) - times.issue);
  const Cycle after = std::max<Cycle>(0, times.retire + 1 - std::max(times.issue, window.end));
  return bytes - std::min(bytes, static_cast<uint64_t>((before + after) * beat_bytes));
}

void AddTraffic(const isa::Spec& spec, const std::vector<int>& layer_of,
                std::span<const isa::Decoded> program, std::span<const runtime::InstructionTimes> times,
                const LayerWindow& window, LayerExplanation& layer) {
  PortBytes all(spec), own(spec);
  for (size_t i = 0; i < program.size(); ++i) {
    const auto* transfer = std::get_if<isa::Transfer>(&program[i].body);
    if (transfer == nullptr || layer_of[i] != window.layer) continue;
    const int port = spec.units[program[i].unit].port;
    const uint64_t bytes =
        sim::TransferBytes(*transfer, spec.memories[transfer->memory].stored_bytes, spec.dram.beat_bytes());
    all.Add(port, transfer->is_store, bytes);
    own.Add(port, transfer->is_store, LeastWithin(bytes, times[i], window, spec.dram.beat_bytes()));
  }
  layer.traffic = all.Sum();
  layer.own_traffic = own.Sum();
}

/// The unit that computes a layer: of those that multiply and accumulate, if the layer does, the one that
/// makes the most steps; the array should never wait.
int UnitOf(const isa::Spec& spec, const std::vector<int>& layer_of, std::span<const isa::Decoded> program,
           int layer, bool has_macs) {
  std::vector<Cycle> array(spec.units.size()), any(spec.units.size());
  for (size_t i = 0; i < program.size(); ++i) {
    if (layer_of[i] != layer) continue;
    any[program[i].unit] += Steps(spec, program[i]);
    if (std::holds_alternative<isa::Gemm>(program[i].body)) array[program[i].unit] += Steps(spec, program[i]);
  }
  const bool uses_array = has_macs && std::ranges::any_of(array, [](Cycle steps) { return steps > 0; });
  const auto& work = uses_array ? array : any;
  return static_cast<int>(std::ranges::max_element(work) - work.begin());
}

}  // namespace

std::vector<LayerExplanation> ExplainProgram(const isa::Spec& spec, const runtime::Network& network,
                                             const runtime::AcceleratorStep& step,
                                             std::span<const isa::Decoded> program,
                                             std::span<const runtime::InstructionTimes> times, Cycle cycles) {
  const UnitTime unit_time(spec, step.layer_of, program, times, cycles);
  std::vector<std::vector<Stretch>> stretches;
  for (size_t u = 0; u < spec.units.size(); ++u) stretches.push_back(unit_time.Of(static_cast<int>(u)));
  std::vector<LayerExplanation> layers;
  for (const LayerWindow& window : runtime::LayerWindows(step.layer_of, program, times, cycles)) {
    LayerExplanation& out = layers.emplace_back();
    out.layer = network.layers[window.layer];
    out.cycles = window.end - window.begin;
    out.ideal = (out.layer.macs + spec.MacsPerCycle() - 1) / spec.MacsPerCycle();
    const int unit = UnitOf(spec, step.layer_of, program, window.layer, out.layer.macs > 0);
    out.unit = spec.units[unit].name;
    AddStretches(stretches[unit], window, out);
    AddTraffic(spec, step.layer_of, program, times, window, out);
  }
  return layers;
}

}  // namespace cosim::session
