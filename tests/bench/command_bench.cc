// SPDX-License-Identifier: Apache-2.0
// `cosim run resnet18` as a whole: CPU seconds and peak memory of the process, for each ISA and device, and
// each row's CPU time by that of the first one (`ratio`), measured in the same run.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

namespace cosim {
namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

/// Runs the command with nothing on its terminal; false if it fails.
bool Run(const std::vector<std::string>& arguments, rusage& usage) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; ++fd) dup2(null, fd);
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  return child > 0 && wait4(child, &status, 0, &usage) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

double first_seconds = 0;

void Command(benchmark::State& state, const std::vector<std::string>& options) {
  std::vector<std::string> arguments = {COSIM_BINARY, "run", "resnet18", "--config=pynq.yaml"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  double total = 0, peak_mb = 0;
  for (auto _ : state) {
    rusage usage{};
    if (!Run(arguments, usage)) {
      state.SkipWithError("the command fails");
      return;
    }
    const double seconds = Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
    total += seconds;
    peak_mb = std::max(peak_mb, static_cast<double>(usage.ru_maxrss) / 1024);
    state.SetIterationTime(seconds);
  }
  const double mean = total / static_cast<double>(state.iterations());
  if (first_seconds == 0) first_seconds = mean;
  state.counters["cpu_s"] = mean;
  state.counters["peak_rss_mb"] = peak_mb;
  state.counters["ratio"] = mean / first_seconds;
}

const bool registered = [] {
  const std::vector<std::pair<std::string, std::vector<std::string>>> devices = {
      {"cycle", {}},
      {"unchecked", {"--check=none"}},
      {"timing_only", {"--timing-only"}},
      {"functional", {"--device=functional"}}};
  for (const std::string isa : {"cosim", "vta"}) {
    for (auto [device, options] : devices) {
      options.push_back("--isa=" + isa);
      benchmark::RegisterBenchmark(("run_resnet18/" + isa + "/" + device).c_str(), Command, options)
          ->UseManualTime()
          ->Unit(benchmark::kSecond)
          ->Iterations(3);
    }
  }
  return true;
}();

}  // namespace
}  // namespace cosim
