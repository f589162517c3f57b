// SPDX-License-Identifier: Apache-2.0
#include "cli/run_host.h"

#include <fmt/format.h>

#include <optional>

#include "cli/host_report.h"
#include "cli/host_target.h"
#include "cli/model_files.h"
#include "cli/module.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/report_checks.h"
#include "cli/tuned_schedules.h"
#include "compiler/session/host.h"
#include "runtime/threads/thread_pool.h"

namespace cosim::cli {
namespace po = boost::program_options;
namespace {

constexpr int kMostRuns = 100'000;
constexpr int kMostThreads = 256;

/// What only an accelerator or its simulation could do something with; prints a mistake.
bool HasNoAcceleratorOptions(const po::variables_map& values) {
  for (const char* option : {"config", "isa", "set", "memory", "timing-only", "virtual-threads", "require",
                             "simd", "frames", "jobs", "timeline", "energy", "trust", "trace", "trace-from",
                             "trace-cycles", "board-program", "board-memory"})
    if (values.count(option) && !values[option].defaulted())
      return Fail(fmt::format("--{}: the host device has no accelerator", option),
                  "leave it out, or use --device=cycle"),
             false;
  return true;
}

/// Of a network of the zoo, or 0 where the default holds; prints mistakes.
std::optional<int> ActivationBits(const po::variables_map& values, bool from_file) {
  if (values.count("activation-bits") == 0) return 0;
  const int bits = values["activation-bits"].as<int>();
  if (from_file || values.count("float32")) {
    Fail("--activation-bits: nothing is quantized here", "it is for networks of the zoo, without --float32");
    return std::nullopt;
  }
  if (bits == 8 || bits == 16) return bits;
  Fail(fmt::format("--activation-bits={}: 8 or 16", bits));
  return std::nullopt;
}

/// The network or model with its inputs into `run`; prints mistakes.
bool FindNetwork(const po::variables_map& values, session::Options& run) {
  const bool from_file = import::IsModelFile(run.network);
  if (from_file && values.count("float32"))
    return Fail("--float32 is for networks of the zoo: a model from a file runs as it is"), false;
  const auto bits = ActivationBits(values, from_file);
  if (!bits) return false;
  run.activation_bits = *bits;
  return LoadNetwork(values, run);
}

}  // namespace

void AddHostOptions(po::options_description& options) {
  options.add_options()(
      "repeat", po::value<int>()->value_name("K"),
      "timed runs: of the host device, behind one that is not (default: 5); of a board (default: 1)")(
      "threads", po::value<int>()->value_name("N"),
      "that share its loops (host device; default: one a processor)")(
      "float32", "a network of the zoo in float32, not quantized (host device)");
  AddHostTarget(options, cpu::kNativeTarget);
}

bool HasNoHostOptions(const po::variables_map& values) {
  for (const char* option : {"repeat", "threads", "float32"})
    if (values.count(option))
      return Fail(fmt::format("--{} is for --device=host{}", option,
                              std::string_view(option) == "repeat" ? " and boards" : "")),
             false;
  if (values["host-target"].defaulted()) return true;
  return Fail("--host-target is for --device=host"), false;
}

int RunOnHost(const po::variables_map& values) {
  if (!HasNoAcceleratorOptions(values)) return 1;
  session::Options run;
  run.network = values["MODEL"].as<std::string>();
  run.device = "host";
  run.seed = values["seed"].as<uint64_t>();
  const auto check = CheckIn(values);
  if (!check) return 1;
  run.check = *check;
  run.report_quantization = *check == session::Check::kLayers;
  session::HostOptions host{.float32 = values.count("float32") > 0};
  if (values.count("repeat")) host.repeat = values["repeat"].as<int>();
  host.threads = values.count("threads") ? values["threads"].as<int>() : runtime::UsableProcessors();
  if (host.threads < 1 || host.threads > kMostThreads)
    return Fail(fmt::format("--threads: from 1 to {}", kMostThreads));
  const auto target = HostTargetIn(values);
  if (!target) return 1;
  if (!cpu::RunsHere(*target))
    return Fail(
        fmt::format("--host-target={}: this machine does not run such code", target->name),
        fmt::format("`cosim compile --host-target={}` makes a module for one that does", target->name));
  host.target = *target;
  auto schedules = TunedHostSchedules(values, *target);
  if (!schedules) return 1;
  host.schedules = std::move(*schedules);
  if (host.repeat < 1 || host.repeat > kMostRuns)
    return Fail(fmt::format("--repeat: from 1 to {}", kMostRuns));
  if (NamesModule(run.network))
    return Fail(fmt::format("{} is a module, compiled for an accelerator", run.network),
                "--device=host takes the model that it was compiled from");
  const std::string json = values["json"].as<std::string>();
  if ((!json.empty() && !CheckWritable(json)) || !CheckOutputOptions(values)) return 1;
  if (!FindNetwork(values, run)) return 1;

  const session::HostResult measured = [&] {
    ProgressLine line;
    run.progress = line.Teller();
    run.step = line.Steps();
    return session::RunOnHost(run, host);
  }();
  run.progress = {};
  run.step = {};
  // Standard output is the table's, unless something else was sent there.
  const bool is_taken = json == "-" || (values.count("output") && values["output"].as<std::string>() == "-");
  if (!is_taken) Print("{}", HostTable(measured, run));
  if (!json.empty() && !WriteFile(json, HostJson(measured, run))) return 1;
  if (!WriteOutputs(values, measured.result)) return 1;
  return measured.result.Mismatches() == 0 ? 0 : 1;
}

}  // namespace cosim::cli
