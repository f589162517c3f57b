// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/tune_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/cpu/jit.h"
#include "compiler/cpu/lower_group.h"
#include "compiler/network/group.h"
#include "compiler/tune/clock.h"
#include "compiler/tune/host_space.h"
#include "compiler/tune/host_timing.h"
#include "isa/digest.h"
#include "isa/yaml/reader.h"

namespace cosim::tune {
namespace {

using schedules::ContractionSchedule;
using schedules::ContractionSchedules;

constexpr double kLimit = 120;          // seconds that a batch of kernels may take
constexpr double kBatchSeconds = 0.25;  // of measuring, without compiling
constexpr double kFinalSeconds = 1;     // of the best ones
constexpr size_t kFinalists = 4;
constexpr double kWorthTaking = 0.985;  // of the untuned time
constexpr int kWholeRuns = 40;
constexpr double kMillion = 1e6;

class HostTuner {
 public:
  HostTuner(const graph::Graph& graph, const cpu::HostTarget& target, const std::string& version,
            const HostTuneOptions& options, TuningLog& log)
      : graph_(graph),
        target_(target),
        version_(version),
        options_(options),
        log_(log),
        timer_(graph, target, kLimit) {
    tuned_.processor = target.cpu;
  }

  std::optional<TunedHost> Run(std::string& error) {
    const double begin = Now();
    FindWorkloads();
    if (!options_.layer.empty() && !HasLayer(error)) return std::nullopt;
    for (size_t i = 0; i < cases_.size(); ++i) {
      const auto& layers = cases_[i].result.layers;
      if (!options_.layer.empty() && std::ranges::count(layers, options_.layer) == 0) continue;
      if (options_.progress)
        options_.progress(fmt::format("workload {} of {}: {}", i + 1, cases_.size(), layers.front()));
      if (!TuneWorkload(cases_[i], error)) return std::nullopt;
      if (options_.step) options_.step(i + 1, cases_.size());
    }
    if (!Judge(error)) return std::nullopt;
    tuned_.search_s = Now() - begin;
    return tuned_;
  }

 private:
  struct Case {
    HostKernelCase kernel;
    ContractionSchedule chosen;
    std::vector<ContractionSchedule> all;
    TunedWorkload result;
  };

  void FindWorkloads() {
    const schedules::CpuTarget processor = cpu::TargetOf(target_);
    for (const auto& group : network::HostGroups(graph_))
      for (const cpu::FoundContraction& found : cpu::ContractionsOf(graph_, group, processor)) {
        auto at =
            std::ranges::find(cases_, found.workload, [](const Case& each) { return each.kernel.workload; });
        if (at == cases_.end()) {
          cases_.push_back({{group, found.workload}, found.chosen, found.all, {}});
          at = cases_.end() - 1;
          at->result.workload = found.workload;
          at->result.before = at->result.after = ToString(found.chosen);
        }
        at->result.layers.push_back(graph_.node(group.front()).name);
      }
  }

  bool HasLayer(std::string& error) const {
    std::vector<std::string> names;
    for (const Case& each : cases_)
      names.insert(names.end(), each.result.layers.begin(), each.result.layers.end());
    if (std::ranges::count(names, options_.layer) > 0) return true;
    error = fmt::format("'{}' is no layer that has schedules to choose from", options_.layer);
    if (const std::string hint = isa::NameHint(options_.layer, names); !hint.empty()) error += "; " + hint;
    return false;
  }

  bool TuneWorkload(Case& each, std::string& error) {
    const HostSpace space(each.chosen, each.all);
    each.result.space = space.size();
    std::vector<size_t> starts = {0};
    for (const ContractionSchedule& known : log_.HostSchedulesOf(each.kernel.workload))
      if (const auto point = space.Find(known)) starts.push_back(*point);
    const std::string context = Context(each, "");
    const auto found =
        Search(space, starts, options_.method, options_.trials, options_.seed, [&](auto points) {
          std::vector<ContractionSchedule> schedules;
          for (const size_t point : points) schedules.push_back(space.schedule(point));
          return Measure(each, context, schedules, kBatchSeconds, error);
        });
    if (!error.empty()) return false;
    if (found) {
      each.result.found = *found;
      if (!Confirm(each, context, error)) return false;
    }
    if (each.result.taken)
      best_[each.kernel.workload] = *schedules::ParseContractionSchedule(each.result.after);
    tuned_.workloads.push_back(each.result);
    return true;
  }

  std::string Context(const Case& each, const std::string& what) const {
    const std::string text =
        fmt::format("{}\n{}\n{}\n{}{}", version_, target_.cpu, target_.features, each.kernel.workload, what);
    return isa::Sha256Hex(text).substr(0, 32);
  }

  /// The best ones again, for longer: what was the best of many short measurements was lucky too.
  bool Confirm(Case& each, const std::string& context, std::string& error) {
    auto best = log_.BestTrials(context, kFinalists);
    std::vector<ContractionSchedule> finalists = {each.chosen};
    for (const std::string& text : best)
      if (const auto schedule = schedules::ParseContractionSchedule(text);
          schedule && *schedule != each.chosen)
        finalists.push_back(*schedule);
    const auto again = Measure(each, Context(each, "\nagain"), finalists, kFinalSeconds, error);
    if (!error.empty()) return false;
    size_t least = 0;
    for (size_t i = 1; i < again.size(); ++i)
      if (again[i] && again[least] && *again[i] < *again[least]) least = i;
    if (!again[0] || least == 0) return true;
    const double ratio = static_cast<double>(*again[least]) / kMillion;
    each.result.tuned_s = each.result.untuned_s * ratio;
    each.result.taken = ratio < kWorthTaking;
    if (each.result.taken) each.result.after = ToString(finalists[least]);
    return true;
  }

  /// Millionths of the time by the schedule that the model chose.
  std::vector<std::optional<runtime::Cycle>> Measure(Case& each, const std::string& context,
                                                     const std::vector<ContractionSchedule>& schedules,
                                                     double seconds, std::string& error) {
    std::vector<std::optional<runtime::Cycle>> measured(schedules.size());
    std::vector<ContractionSchedule> unknown = {each.chosen};
    std::vector<size_t> places = {schedules.size()};
    for (size_t i = 0; i < schedules.size(); ++i) {
      const auto known = log_.Trial(context, ToString(schedules[i]));
      if (known) measured[i] = *known;
      if (!known) unknown.push_back(schedules[i]), places.push_back(i);
    }
    tuned_.remembered += static_cast<int64_t>(schedules.size() - (unknown.size() - 1));
    if (unknown.size() == 1) return measured;
    tuned_.trials += static_cast<int64_t>(unknown.size() - 1);
    const auto timings = timer_.Time(each.kernel, unknown, seconds);
    if (timings[0] && (each.result.untuned_s == 0 || timings[0]->seconds < each.result.untuned_s))
      each.result.untuned_s = timings[0]->seconds;
    std::vector<TuningLog::NewTrial> trials;
    for (size_t k = 1; k < unknown.size(); ++k) {
      if (timings[k]) measured[places[k]] = std::llround(timings[k]->ratio * kMillion);
      if (!timings[k]) ++tuned_.failed;
      trials.push_back({context, ToString(unknown[k]), measured[places[k]]});
    }
    if (!log_.Add(trials, error)) std::ranges::fill(measured, std::nullopt);
    return measured;
  }

  /// The whole network, without what was found and with it: it is not taken if that is no gain.
  bool Judge(std::string& error) {
    const auto whole = timer_.TimeWhole(best_, kWholeRuns);
    if (!whole) return error = "the network cannot be run in a process of its own", false;
    tuned_.untuned_s = whole->before_s;
    tuned_.tuned_s = whole->before_s * whole->ratio;
    tuned_.ratio = whole->ratio;
    if (best_.empty() || whole->ratio >= 1) {
      for (TunedWorkload& each : tuned_.workloads) each.taken = false, each.after = each.before;
      tuned_.tuned_s = tuned_.untuned_s;
      tuned_.ratio = 1;
      return true;
    }
    std::vector<LoggedHostSchedule> rows;
    for (const TunedWorkload& each : tuned_.workloads)
      if (each.taken)
        rows.push_back(
            {each.workload, *schedules::ParseContractionSchedule(each.after), each.untuned_s, each.tuned_s});
    return log_.PutHost(target_.cpu, version_, rows, error);
  }

  const graph::Graph& graph_;
  const cpu::HostTarget target_;
  const std::string version_;
  const HostTuneOptions& options_;
  TuningLog& log_;
  HostTimer timer_;
  std::vector<Case> cases_;
  ContractionSchedules best_;
  TunedHost tuned_;
};

}  // namespace

std::optional<TunedHost> TuneHost(const graph::Graph& graph, const cpu::HostTarget& target,
                                  const std::string& version, const HostTuneOptions& options, TuningLog& log,
                                  std::string& error) {
  return HostTuner(graph, target, version, options, log).Run(error);
}

}  // namespace cosim::tune
