// SPDX-License-Identifier: Apache-2.0
// Runs the benchmarks and, behind Google Benchmark's own report, prints the summary.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include "tests/bench/summary.h"

namespace cosim::bench {
namespace {

/// "run_resnet18/cosim/cycle" of "run_resnet18/cosim/cycle/iterations:3/manual_time".
std::string PlainName(const std::string& name) {
  std::string plain = name;
  for (const char* suffix : {"/iterations:", "/manual_time", "/real_time", "/min_time:"})
    if (const size_t at = plain.find(suffix); at != std::string::npos) plain.resize(at);
  return plain;
}

class Collector : public benchmark::ConsoleReporter {
 public:
  Collector() : ConsoleReporter(isatty(STDOUT_FILENO) ? OO_ColorTabular : OO_Tabular) {}
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs)
      for (const auto& [name, counter] : run.counters)
        figures_[PlainName(run.benchmark_name()) + " " + name] = counter.value;
  }
  const Figures& figures() const { return figures_; }

 private:
  Figures figures_;
};

}  // namespace
}  // namespace cosim::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  cosim::bench::Collector collector;
  benchmark::RunSpecifiedBenchmarks(&collector);
  fmt::print("\n{}", cosim::bench::SummaryTable(collector.figures()));
  return 0;
}
