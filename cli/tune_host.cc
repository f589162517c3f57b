// SPDX-License-Identifier: Apache-2.0
#include "cli/tune_host.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/host_target.h"
#include "cli/model_files.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/text.h"
#include "cli/tune_options.h"
#include "cli/version.h"
#include "compiler/import/import.h"
#include "compiler/session/host.h"
#include "compiler/tune/tune_host.h"

namespace cosim::cli {
namespace po = boost::program_options;
namespace {

using Json = nlohmann::ordered_json;

double Percent(double ratio) { return 100 * (1 - ratio); }

std::string WorkloadLine(const tune::TunedWorkload& each) {
  std::string layer = each.layers.front();
  if (each.layers.size() > 1) layer += fmt::format(" and {} more", each.layers.size() - 1);
  if (each.found.trials == 0) return fmt::format("{:<32} no schedule could be run\n", layer);
  return fmt::format("{:<32} {:>9} {:>7} {:>9.3f} {:>9.3f} {:>6.1f} %  {}\n", layer,
                     Grouped(static_cast<int64_t>(each.space)), each.found.trials, 1e3 * each.untuned_s,
                     1e3 * (each.taken ? each.tuned_s : each.untuned_s),
                     each.taken ? Percent(each.tuned_s / each.untuned_s) : 0,
                     each.taken ? each.after : "as it was");
}

std::string Text(const tune::TunedHost& tuned, const std::string& model, const std::string& file,
                 const po::variables_map& values) {
  std::string text = fmt::format("{:<32} {:>9} {:>7} {:>9} {:>9} {:>8}  {}\n", "layer", "schedules", "trials",
                                 "ms before", "ms after", "less", "schedule");
  for (const tune::TunedWorkload& each : tuned.workloads) text += WorkloadLine(each);
  text += fmt::format("\n{} on {}, 1 thread: {:.2f} ms instead of {:.2f}, {:.1f} % less\n", model,
                      tuned.processor, 1e3 * tuned.tuned_s, 1e3 * tuned.untuned_s, Percent(tuned.ratio));
  const auto measured = tuned.trials + tuned.remembered;
  text += fmt::format("{} trials in {:.1f} s, {} of them remembered", Grouped(measured), tuned.search_s,
                      Grouped(tuned.remembered));
  if (tuned.failed > 0) text += fmt::format(", {} ended their process", Grouped(tuned.failed));
  return text + fmt::format("\ncosim run {} --device=host{} --tuned={} takes them\n", model,
                            values.count("float32") ? " --float32" : "", file);
}

Json JsonOf(const tune::TunedHost& tuned, const std::string& model, const tune::HostTuneOptions& options,
            const std::string& method) {
  Json workloads = Json::array();
  for (const tune::TunedWorkload& each : tuned.workloads) {
    Json curve = Json::array();
    for (const auto& [trial, millionths] : each.found.curve)
      curve.push_back({trial, static_cast<double>(millionths) / 1e6});
    workloads.push_back({{"workload", each.workload},
                         {"layers", each.layers},
                         {"schedules", each.space},
                         {"trials", each.found.trials},
                         {"untuned_ms", 1e3 * each.untuned_s},
                         {"tuned_ms", 1e3 * each.tuned_s},
                         {"before", each.before},
                         {"after", each.after},
                         {"taken", each.taken},
                         {"curve", std::move(curve)}});
  }
  return {{"schema", 1},
          {"network", model},
          {"device", "host"},
          {"processor", tuned.processor},
          {"version", COSIM_VERSION},
          {"method", method},
          {"seed", options.seed},
          {"untuned_ms", 1e3 * tuned.untuned_s},
          {"tuned_ms", 1e3 * tuned.tuned_s},
          {"ratio", tuned.ratio},
          {"trials", tuned.trials},
          {"remembered", tuned.remembered},
          {"failed", tuned.failed},
          {"search_s", tuned.search_s},
          {"workloads", std::move(workloads)}};
}

/// What only an accelerator has; prints a mistake.
bool HasNoAcceleratorOptions(const po::variables_map& values) {
  for (const char* option :
       {"config", "isa", "set", "memory", "virtual-threads", "most-threads", "activation-bits", "jobs"})
    if (values.count(option) && !values[option].defaulted())
      return Fail(fmt::format("--{}: the host device has no accelerator, and measures one kernel at a time",
                              option),
                  "leave it out"),
             false;
  return true;
}

std::optional<graph::Graph> GraphOf(const po::variables_map& values, const std::string& model) {
  if (import::IsModelFile(model)) {
    if (values.count("float32"))
      return Fail("--float32 is for networks of the zoo: a model from a file runs as it is"), std::nullopt;
    const auto imported = ImportModel(values, model);
    return imported ? std::optional(imported->graph) : std::nullopt;
  }
  if (!CheckNetwork(model)) return std::nullopt;
  const session::Options run{.network = model, .seed = values["seed"].as<uint64_t>()};
  return session::HostGraph(run, {.float32 = values.count("float32") > 0});
}

}  // namespace

void AddHostTuneOptions(po::options_description& options) {
  options.add_options()("device", po::value<std::string>()->value_name("NAME")->default_value("cycle"),
                        "cycle: for the accelerator, by the timing engine; host: for this machine's "
                        "processor, by running kernels on it")(
      "float32", "a network of the zoo in float32, not quantized (host device)");
  AddHostTarget(options, cpu::kNativeTarget);
}

bool HasNoHostTuneOptions(const po::variables_map& values) {
  if (values.count("float32")) return Fail("--float32 is for --device=host"), false;
  if (values["host-target"].defaulted()) return true;
  return Fail("--host-target is for --device=host"), false;
}

int TuneOnHost(const po::variables_map& values) {
  if (!HasNoAcceleratorOptions(values)) return 1;
  const std::string model = values["MODEL"].as<std::string>(), json = values["json"].as<std::string>();
  const std::string file = values.count("db") ? values["db"].as<std::string>() : model + ".tuning";
  tune::HostTuneOptions options;
  if (!ReadSearchOptions(values, options) || (!json.empty() && !CheckWritable(json))) return 1;
  const auto target = HostTargetIn(values);
  if (!target) return 1;
  if (!cpu::RunsHere(*target))
    return Fail(fmt::format("--host-target={}: this machine does not run such code", target->name),
                "schedules are found by running them: tune where they are to run");
  const auto graph = GraphOf(values, model);
  if (!graph) return 1;
  std::string error;
  auto log = tune::TuningLog::Make(file, error);
  if (!log) return Fail(error);
  const auto tuned = [&] {
    ProgressLine line;
    options.progress = [&](const std::string& what) { line.Say(what); };
    options.step = line.Steps();
    return tune::TuneHost(*graph, *target, COSIM_VERSION, options, *log, error);
  }();
  if (!tuned) return Fail(error);
  if (tuned->workloads.empty())
    return Fail(fmt::format("{} has no convolution or product with schedules to choose from", model));
  if (json != "-") Print("{}", Text(*tuned, model, file, values));
  const Json report = JsonOf(*tuned, model, options, values["method"].as<std::string>());
  return json.empty() || WriteFile(json, JsonText(report)) ? 0 : 1;
}

}  // namespace cosim::cli
