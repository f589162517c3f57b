// SPDX-License-Identifier: Apache-2.0
#include "cli/trace/network_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/timed_programs.h"
#include "cli/trace/trace_writer.h"

namespace cosim::cli {
namespace {

using runtime::Cycle;
using sim::Activity;

/// Tracks of one unit: what it does, and below that its instructions in flight, as many tracks as fly at a
/// time.
struct UnitTracks {
  TraceWriter::Track activity;
  std::vector<TraceWriter::Track> flights;
  std::vector<Cycle> flights_end;
};

class NetworkTracer {
 public:
  NetworkTracer(const isa::Spec& spec, const runtime::Network& network)
      : spec_(spec),
        network_(network),
        writer_(fmt::format("{} on {} ({})", network.name, spec.config, spec.isa)) {
    layers_ = writer_.AddTrack("layers", writer_.root());
    for (const isa::Unit& unit : spec.units)
      units_.push_back({writer_.AddTrack(unit.name, writer_.root()), {}, {}});
    for (const isa::Queue& queue : spec.queues)
      queues_.push_back(writer_.AddCounter("tokens " + queue.name, "tokens", writer_.root()));
    for (int port = 0; port < spec.ports; ++port) {
      const std::string name = spec.ports == 1 ? "memory port" : fmt::format("memory port {}", port);
      reads_.push_back(writer_.AddCounter(name + " reads", "MB/s", writer_.root()));
      writes_.push_back(writer_.AddCounter(name + " writes", "MB/s", writer_.root()));
    }
  }

  void Add(const TimedProgram& program) {
    for (const auto& window : program.layers)
      if (window.begin < window.end)
        writer_.AddSlice(layers_, At(program.begin + window.begin), At(program.begin + window.end),
                         LayerName(window.layer));
    for (size_t u = 0; u < units_.size(); ++u)
      for (const Activity& activity : program.record.units[u])
        writer_.AddSlice(units_[u].activity, At(program.begin + activity.begin),
                         At(program.begin + activity.end), writer_.Interned(NameOf(activity)));
    AddTokens(program, AddInstructions(program));
    for (size_t port = 0; port < reads_.size(); ++port) {
      AddTraffic(reads_[port], program.record.reads[port], program);
      AddTraffic(writes_[port], program.record.writes[port], program);
    }
  }

  std::string Bytes() const { return writer_.Bytes(); }

 private:
  uint64_t At(Cycle cycle) const {
    return static_cast<uint64_t>(std::llround(static_cast<double>(cycle) * 1e3 / spec_.clock_mhz));
  }
  uint32_t LayerName(int layer) { return writer_.Interned(network_.layers[static_cast<size_t>(layer)].name); }
  std::string NameOf(const Activity& activity) const {
    const std::string queue =
        activity.queue < 0 ? "" : " " + spec_.queues[static_cast<size_t>(activity.queue)].name;
    switch (activity.kind) {
      case Activity::Kind::kBusy:
        return "busy";
      case Activity::Kind::kWaitPush:
        return "wait_push" + queue;
      case Activity::Kind::kWaitToken:
        return "wait_token" + queue;
      case Activity::Kind::kWaitPort:
        return "wait_port";
      case Activity::Kind::kWaitMemory:
        return "wait_memory";
    }
    return "";
  }

  /// The first track of the unit's flights that is free in [begin, end), which it takes.
  TraceWriter::Track FlightTrack(size_t u, Cycle begin, Cycle end) {
    UnitTracks& unit = units_[u];
    size_t i = 0;
    while (i < unit.flights.size() && unit.flights_end[i] > begin) ++i;
    if (i == unit.flights.size()) {
      unit.flights.push_back(writer_.AddTrack(spec_.units[u].name + " instructions", unit.activity));
      unit.flights_end.push_back(0);
    }
    unit.flights_end[i] = end;
    return unit.flights[i];
  }

  /// The slice of each instruction, by its place in the program.
  std::vector<size_t> AddInstructions(const TimedProgram& program) {
    std::vector<size_t> slices;
    for (size_t i = 0; i < program.instructions.size(); ++i) {
      const isa::Decoded& instruction = program.instructions[i];
      const auto& times = program.counters.instructions[i];
      const Cycle begin = program.begin + times.issue, end = program.begin + times.retire + 1;
      slices.push_back(writer_.AddSlice(
          FlightTrack(static_cast<size_t>(instruction.unit), begin, end), At(begin), At(end),
          writer_.Interned(spec_.formats[static_cast<size_t>(instruction.format)].name),
          {program.first_instruction + static_cast<int64_t>(i), LayerName(program.step.layer_of[i])}));
    }
    return slices;
  }

  /// The n-th push to a queue is what its n-th pop takes: a flow, and a token in the queue in between.
  void AddTokens(const TimedProgram& program, const std::vector<size_t>& slices) {
    for (size_t q = 0; q < queues_.size(); ++q) {
      std::vector<size_t> pushes, pops;
      std::map<Cycle, int> changes;
      for (size_t i = 0; i < program.instructions.size(); ++i) {
        const auto& times = program.counters.instructions[i];
        if (program.instructions[i].pushes >> q & 1) {
          pushes.push_back(i);
          ++changes[program.begin + times.retire + 1];
        }
        if (program.instructions[i].pops >> q & 1) {
          pops.push_back(i);
          --changes[program.begin + times.issue];
        }
      }
      for (size_t n = 0; n < std::min(pushes.size(), pops.size()); ++n)
        writer_.AddFlow(slices[pushes[n]], slices[pops[n]]);
      int tokens = 0;
      writer_.AddCount(queues_[q], At(program.begin), 0);
      for (const auto& [cycle, change] : changes)
        if (change != 0) writer_.AddCount(queues_[q], At(cycle), tokens += change);
    }
  }

  void AddTraffic(TraceWriter::Track track, const sim::PortTraffic& traffic, const TimedProgram& program) {
    const double bytes = static_cast<double>(spec_.dram.beat_bytes()) * spec_.clock_mhz;
    const Cycle end = program.begin + program.counters.cycles;
    Cycle at = program.begin;
    double last = -1;
    for (const Cycle beats : traffic.beats()) {
      const Cycle cycles = std::min(traffic.window(), end - at);  // the last window ends with the program
      const double rate = static_cast<double>(beats) * bytes / static_cast<double>(cycles);
      if (rate != last) writer_.AddCount(track, At(at), last = rate);
      at += cycles;
    }
    if (last != 0) writer_.AddCount(track, At(at), 0);
  }

  const isa::Spec& spec_;
  const runtime::Network& network_;
  TraceWriter writer_;
  TraceWriter::Track layers_;
  std::vector<UnitTracks> units_;
  std::vector<TraceWriter::Track> queues_, reads_, writes_;
};

}  // namespace

std::optional<std::string> NetworkTrace(const isa::Spec& spec, const runtime::Network& network,
                                        std::string& error) {
  NetworkTracer tracer(spec, network);
  if (!ForEachTimedProgram(
          spec, network, /*with_record=*/true, [&](const TimedProgram& program) { tracer.Add(program); },
          error))
    return std::nullopt;
  return tracer.Bytes();
}

}  // namespace cosim::cli
