// SPDX-License-Identifier: Apache-2.0
// What a process is asked, and what it answers, are lines: numbers, and schedules as text.
#include "compiler/tune/host_timing.h"

#include <fmt/format.h>
#include <sys/time.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>

#include "compiler/cpu/jit.h"
#include "compiler/cpu/lower_group.h"
#include "compiler/network/compile.h"
#include "compiler/tune/clock.h"
#include "isa/check.h"
#include "runtime/host_executor.h"

namespace cosim::tune {
namespace {

using graph::Tensor;
using schedules::ContractionSchedule;
using schedules::ContractionSchedules;

constexpr int kFewestRounds = 5, kMostRounds = 60;

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Has SIGALRM end this process in so many seconds; 0: never.
void EndAfter(double seconds) {
  const double whole = std::floor(seconds);
  const itimerval timer{{}, {static_cast<time_t>(whole), static_cast<suseconds_t>(1e6 * (seconds - whole))}};
  setitimer(ITIMER_REAL, &timer, nullptr);
}

/// Numbers as a network might have them: no zeros, no denormals.
Tensor RandomTensor(const graph::TensorType& type, std::mt19937_64& random) {
  Tensor tensor(type);
  if (type.dtype == graph::DType::kFloat32) {
    for (float& value : tensor.mutable_data<float>())
      value = static_cast<float>(random() % 2001) / 1000 - 1.0005F;
  } else {
    for (uint8_t& byte : tensor.mutable_bytes()) byte = static_cast<uint8_t>(random());
  }
  return tensor;
}

/// A kernel with its arrays; those that kernels of one group read, and what they write, they share.
struct Timed {
  runtime::CpuKernelPtr kernel;
  std::vector<graph::TensorPtr> tables;
  std::vector<void*> args;
  std::vector<double> seconds;

  void Run() {
    const double begin = Now();
    kernel->Run(args);
    seconds.push_back(Now() - begin);
  }
};

class GroupTiming {
 public:
  GroupTiming(const graph::Graph& graph, std::span<const graph::ValueId> group, const std::string& workload,
              const std::vector<ContractionSchedule>& schedules, const cpu::HostTarget& target)
      : graph_(graph), compiler_(target), output_(graph.node(group.back()).type) {
    std::vector<tir::Function> functions;
    std::vector<cpu::LoweredGroup> lowered;
    const cpu::HostGroup nodes{{group.begin(), group.end()}};
    for (const ContractionSchedule& schedule : schedules) {
      lowered.push_back(cpu::LowerForCpu(graph, nodes, compiler_.target(), {{workload, schedule}}));
      functions.push_back(lowered.back().function);
    }
    const auto kernels = compiler_.CompileAll(functions);
    for (size_t i = 0; i < kernels.size(); ++i) Add(kernels[i], lowered[i]);
  }

  /// "ratio seconds" of each, by turns for about so many seconds.
  std::string Measure(double budget) {
    const double begin = Now();
    for (Timed& each : timed_) each.Run();  // touches code and memory for the first time
    const double round = std::max(Now() - begin, 1e-7);
    const int rounds = std::clamp(static_cast<int>(budget / round), kFewestRounds, kMostRounds);
    for (Timed& each : timed_) each.seconds.clear();
    for (int r = 0; r < rounds; ++r)
      for (size_t i = 0; i < timed_.size(); ++i)
        timed_[(i + static_cast<size_t>(r)) % timed_.size()].Run();  // each behind another
    std::string text;
    for (const Timed& each : timed_) {
      std::vector<double> ratios;
      for (int r = 0; r < rounds; ++r)
        ratios.push_back(each.seconds[static_cast<size_t>(r)] /
                         timed_.front().seconds[static_cast<size_t>(r)]);
      text += fmt::format("{} {}\n", Median(ratios), *std::ranges::min_element(each.seconds));
    }
    return text;
  }

 private:
  void Add(const runtime::CpuKernelPtr& kernel, const cpu::LoweredGroup& lowered) {
    Timed timed{kernel, lowered.tables, {}, {}};
    for (const graph::ValueId input : lowered.inputs) timed.args.push_back(InputOf(input));
    for (const graph::TensorPtr& table : lowered.tables)
      timed.args.push_back(const_cast<std::byte*>(
          reinterpret_cast<const std::byte*>(table->bytes().data())));  // a kernel writes its output only
    timed.args.push_back(output_.mutable_bytes().data());
    timed_.push_back(std::move(timed));
  }

  void* InputOf(graph::ValueId id) {
    auto at = std::ranges::find(inputs_, id, &std::pair<graph::ValueId, Tensor>::first);
    if (at == inputs_.end()) {
      const graph::Node& node = graph_.node(id);
      const auto* constant = node.As<graph::Constant>();
      inputs_.emplace_back(id, constant ? *constant->data : RandomTensor(node.type, random_));
      at = inputs_.end() - 1;
    }
    return at->second.mutable_bytes().data();
  }

  const graph::Graph& graph_;
  cpu::JitCompiler compiler_;
  std::mt19937_64 random_{1};
  Tensor output_;
  std::vector<std::pair<graph::ValueId, Tensor>> inputs_;
  std::vector<Timed> timed_;
};

std::string MeasureWhole(const graph::Graph& graph, const cpu::HostTarget& target,
                         const ContractionSchedules& schedules, int rounds) {
  cpu::JitCompiler plain(target), tuned(target, schedules);
  const auto before = network::CompileForHost(graph, false, plain),
             after = network::CompileForHost(graph, false, tuned);
  runtime::HostExecutor first(before), second(after);
  std::mt19937_64 random(1);
  std::vector<std::vector<uint8_t>> inputs;
  for (const graph::ValueId id : graph.inputs()) {
    const auto bytes = RandomTensor(graph.node(id).type, random);
    inputs.emplace_back(bytes.bytes().begin(), bytes.bytes().end());
  }
  first.Run(inputs), second.Run(inputs);
  std::vector<double> ratios, befores;
  for (int r = 0; r < rounds; ++r) {
    const double early = (r % 2 == 0 ? first : second).Run(inputs).wall;
    const double late = (r % 2 == 0 ? second : first).Run(inputs).wall;
    befores.push_back(r % 2 == 0 ? early : late);
    ratios.push_back(r % 2 == 0 ? late / early : early / late);
  }
  return fmt::format("{} {}\n", Median(ratios), *std::ranges::min_element(befores));
}

}  // namespace

HostTimer::HostTimer(const graph::Graph& graph, const cpu::HostTarget& target, double limit_s)
    : graph_(graph),
      target_(target),
      limit_s_(limit_s),
      worker_(1, [this](const std::string& item) { return Answer(item); }) {}

std::string HostTimer::Answer(const std::string& item) const {
  EndAfter(limit_s_);
  std::istringstream lines(item);
  std::string what, line;
  std::getline(lines, what);
  std::string answer;
  if (what == "whole") {
    int rounds = 0;
    lines >> rounds;
    std::getline(lines, line);
    ContractionSchedules schedules;
    for (std::string workload; std::getline(lines, workload) && std::getline(lines, line);)
      schedules[workload] = *schedules::ParseContractionSchedule(line);
    answer = MeasureWhole(graph_, target_, schedules, rounds);
  } else {
    double seconds = 0;
    size_t count = 0;
    lines >> seconds >> count;
    std::vector<graph::ValueId> group(count);
    for (graph::ValueId& id : group) lines >> id;
    std::getline(lines, line);
    std::vector<ContractionSchedule> schedules;
    while (std::getline(lines, line)) schedules.push_back(*schedules::ParseContractionSchedule(line));
    answer = GroupTiming(graph_, group, what, schedules, target_).Measure(seconds);
  }
  EndAfter(0);
  return answer;
}

std::optional<std::vector<HostTiming>> HostTimer::Ask(const HostKernelCase& kernel,
                                                      std::span<const ContractionSchedule> schedules,
                                                      double seconds, std::string* why) {
  std::string item = fmt::format("{}\n{} {}", kernel.workload, seconds, kernel.group.size());
  for (const graph::ValueId id : kernel.group) item += fmt::format(" {}", id);
  for (const ContractionSchedule& schedule : schedules) item += "\n" + ToString(schedule);
  std::optional<std::vector<HostTiming>> timings;
  worker_.Run({item}, [&](const explore::Answer& answer) {
    if (!answer.death.empty()) {
      if (why) *why = answer.death;
      return true;
    }
    std::istringstream numbers(answer.text);
    timings.emplace();
    for (HostTiming timing; numbers >> timing.ratio >> timing.seconds;) timings->push_back(timing);
    COSIM_CHECK(timings->size() == schedules.size(), "{}", answer.text);
    return true;
  });
  return timings;
}

std::vector<std::optional<HostTiming>> HostTimer::Time(const HostKernelCase& kernel,
                                                       std::span<const ContractionSchedule> schedules,
                                                       double seconds, std::string* why) {
  COSIM_CHECK(!schedules.empty());
  std::vector<std::optional<HostTiming>> result(schedules.size());
  if (const auto all = Ask(kernel, schedules, seconds, why)) {
    std::ranges::copy(*all, result.begin());
    return result;
  }
  // One of them ended the process: each beside the first alone.
  for (size_t i = 0; i < schedules.size(); ++i) {
    const ContractionSchedule pair[] = {schedules[0], schedules[i]};
    if (const auto both = Ask(kernel, pair, seconds / static_cast<double>(schedules.size()), why))
      result[i] = both->back();
    if (i == 0 && !result[0]) break;
  }
  return result;
}

std::optional<HostTimer::WholeTiming> HostTimer::TimeWhole(const ContractionSchedules& schedules,
                                                           int rounds) {
  std::string item = fmt::format("whole\n{}", rounds);
  for (const auto& [workload, schedule] : schedules) item += "\n" + workload + "\n" + ToString(schedule);
  std::optional<WholeTiming> timing;
  worker_.Run({item}, [&](const explore::Answer& answer) {
    if (!answer.death.empty()) return true;
    timing.emplace();
    std::istringstream numbers(answer.text);
    numbers >> timing->ratio >> timing->before_s;
    COSIM_CHECK(!numbers.fail(), "{}", answer.text);
    return true;
  });
  return timing;
}

}  // namespace cosim::tune
