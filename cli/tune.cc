// SPDX-License-Identifier: Apache-2.0
// cosim tune: schedules of fewer cycles for a network, found by search, for run --tuned.
#include "compiler/tune/tune.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/model_files.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/provenance.h"
#include "cli/text.h"
#include "cli/tune_host.h"
#include "cli/tune_options.h"
#include "cli/tuned_schedules.h"
#include "cli/verbs.h"
#include "runtime/threads/thread_pool.h"

namespace cosim::cli {
namespace po = boost::program_options;
namespace {

using Json = nlohmann::ordered_json;

double Percent(runtime::Cycle before, runtime::Cycle after) {
  return before == 0 ? 0 : 100.0 * static_cast<double>(before - after) / static_cast<double>(before);
}

/// `turns`: said of the schedule behind it.
std::string TunedLine(const tune::TunedLayer& layer, const std::string& turns) {
  if (layer.found.trials == 0)
    return fmt::format("{:<28} {:>10}  no schedule makes a program\n", layer.name, Grouped(layer.space));
  const std::string as_it_was =
      layer.found.cycles < layer.untuned ? "as it was: the whole network gains nothing" : "as it was";
  return fmt::format("{:<28} {:>10} {:>7} {:>12} {:>12} {:>6.2f} %  {}\n", layer.name, Grouped(layer.space),
                     layer.found.trials, Grouped(layer.untuned), Grouped(layer.found.cycles),
                     Percent(layer.untuned, layer.found.cycles),
                     layer.taken ? layer.after + turns : as_it_was);
}

std::string TunedText(const tune::Tuned& tuned, const std::string& network, const std::string& config,
                      const isa::Spec& spec, const std::string& file) {
  std::string text = fmt::format("{:<28} {:>10} {:>7} {:>12} {:>12} {:>8}  {}\n", "layer", "schedules",
                                 "trials", "between two", "best found", "fewer", "schedule");
  for (const tune::TunedLayer& layer : tuned.layers) text += TunedLine(layer, "");
  for (const tune::TunedLayer& both : tuned.turns) text += TunedLine(both, " by turns");
  const auto measured = tuned.trials + tuned.remembered;
  text += fmt::format("\n{} on {} ({}): {} cycles instead of {}, {:.2f} % fewer\n", network, spec.config,
                      spec.isa, Grouped(tuned.cycles), Grouped(tuned.untuned),
                      Percent(tuned.untuned, tuned.cycles));
  text += fmt::format("{} trials in {:.1f} s, {} of them remembered; {:.0f} a second\n", Grouped(measured),
                      tuned.search_s, Grouped(tuned.remembered),
                      tuned.search_s > 0 ? static_cast<double>(measured) / tuned.search_s : 0);
  return text + fmt::format("cosim run {} --config={} --tuned={} takes them\n", network, config, file);
}

Json LayersJson(const std::vector<tune::TunedLayer>& layers) {
  Json json = Json::array();
  for (const tune::TunedLayer& layer : layers) {
    Json curve = Json::array();
    for (const auto& [trial, cycles] : layer.found.curve) curve.push_back({trial, cycles});
    json.push_back({{"name", layer.name},
                    {"workload", layer.workload},
                    {"schedules", layer.space},
                    {"trials", layer.found.trials},
                    {"untuned_cycles", layer.untuned},
                    {"best_cycles", layer.found.cycles},
                    {"before", layer.before},
                    {"after", layer.after},
                    {"taken", layer.taken},
                    {"curve", std::move(curve)}});
  }
  return json;
}

Json TunedJson(const tune::Tuned& tuned, const std::string& network, const tune::TuneOptions& options,
               const std::string& method, const session::Origin& origin) {
  Json json = {{"schema", 1},
               {"network", network},
               {"method", method},
               {"seed", options.seed},
               {"untuned_cycles", tuned.untuned},
               {"cycles", tuned.cycles},
               {"trials", tuned.trials},
               {"remembered", tuned.remembered},
               {"search_s", tuned.search_s},
               {"layers", LayersJson(tuned.layers)},
               {"turns", LayersJson(tuned.turns)}};
  json["provenance"] = OriginJson(origin);
  return json;
}

/// Nothing after printing a mistake.
std::optional<tune::TuneOptions> TuneOptionsIn(const po::variables_map& values) {
  tune::TuneOptions options;
  if (!ReadSearchOptions(values, options)) return std::nullopt;
  options.virtual_threads = values["virtual-threads"].as<int>();
  options.most_threads = values["most-threads"].as<int>();
  options.jobs = values.count("jobs") ? values["jobs"].as<int>() : runtime::UsableProcessors();
  if (options.virtual_threads < 1 || options.virtual_threads > 8)
    return Fail("--virtual-threads: from 1 to 8"), std::nullopt;
  if (options.most_threads < 1 || options.most_threads > 8)
    return Fail("--most-threads: from 1 to 8"), std::nullopt;
  if (options.jobs < 1 || options.jobs > 256) return Fail("--jobs: from 1 to 256"), std::nullopt;
  return options;
}

void AddTuneOptions(po::options_description& options) {
  AddSpecOptions(options);
  AddActivationBits(options);
  options.add_options()(
      "db", po::value<std::string>()->value_name("FILE"),
      "the log: trials are added, and taken from it when they stand there (default: MODEL.tuning)")(
      "trials", po::value<int>()->value_name("N")->default_value(64), "schedules to measure of each layer")(
      "layer", po::value<std::string>()->value_name("NAME")->default_value(""), "tune only this one")(
      "method", po::value<std::string>()->value_name("NAME")->default_value("ranker"),
      "ranker | genetic | analytic | random: what proposes schedules")(
      "virtual-threads", po::value<int>()->value_name("N")->default_value(2),
      "virtual threads of the schedules to start from")("most-threads",
                                                        po::value<int>()->value_name("N")->default_value(4),
                                                        "virtual threads of a schedule at most")(
      "search-seed", po::value<uint64_t>()->value_name("S")->default_value(1), "seed of the search")(
      "seed", po::value<uint64_t>()->value_name("S")->default_value(1), "seed of weights")(
      "jobs,j", po::value<int>()->value_name("N"), "measurements at a time (default: processors)")(
      "json", po::value<std::string>()->value_name("FILE")->default_value(""),
      "write everything as JSON, with the best after each trial; - is standard output");
  AddShapeOption(options);
  AddHostTuneOptions(options);
}

}  // namespace

int TuneVerb(const Arguments& arguments) {
  po::options_description options("options");
  AddTuneOptions(options);
  const auto parsed = Parse(arguments, options, "tune NETWORK|FILE.tflite|FILE.onnx [--db=FILE] [options]",
                            "cosim tune small_cnn --config=tiny.yaml --trials=16", "MODEL");
  if (parsed.exit) return *parsed.exit;
  const auto& values = parsed.values;
  const std::string device = values["device"].as<std::string>();
  if (device == "host") return TuneOnHost(values);
  if (device != "cycle") return Fail(fmt::format("--device={}: cycle or host", device));
  if (!HasNoHostTuneOptions(values)) return 1;
  const std::string model = values["MODEL"].as<std::string>(), json = values["json"].as<std::string>();
  const std::string file = values.count("db") ? values["db"].as<std::string>() : model + ".tuning";
  auto tuning = TuneOptionsIn(values);
  if (!tuning || (!json.empty() && !CheckWritable(json))) return 1;
  const auto loaded = LoadSpecWithSource(values);
  if (!loaded) return 1;
  const auto activation_bits = ActivationBitsIn(values, loaded->spec);
  if (!activation_bits) return 1;
  const uint64_t seed = values["seed"].as<uint64_t>();
  const auto graph = LoadGraph(values, loaded->spec, model, seed);
  if (!graph) return 1;
  std::string error;
  auto log = tune::TuningLog::Make(file, error);
  if (!log) return Fail(error);
  const tune::LogKey key = TuningKey(values, loaded->spec, *activation_bits, tuning->virtual_threads);
  const auto tuned = [&] {
    ProgressLine line;
    tuning->progress = [&](const std::string& what) { line.Say(what); };
    tuning->step = line.Steps();
    return tune::Tune(loaded->spec, *graph, key, *tuning, *log, error);
  }();
  if (!tuned) return Fail(error);
  if (tuned->layers.empty()) return Fail(fmt::format("nothing of {} runs on the accelerator", model));
  if (json != "-")
    Print("{}", TunedText(*tuned, model, values["config"].as<std::string>(), loaded->spec, file));
  const session::ExperimentKey experiment{NetworkIdentity(values), seed, *activation_bits,
                                          tuning->virtual_threads};
  const Json report =
      TunedJson(*tuned, model, *tuning, values["method"].as<std::string>(), OriginFor(*loaded, experiment));
  return json.empty() || WriteFile(json, JsonText(report)) ? 0 : 1;
}

}  // namespace cosim::cli
