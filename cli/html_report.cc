// SPDX-License-Identifier: Apache-2.0
// cosim report: a run or a sweep as one page for a browser, which needs no network.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/model_files.h"
#include "cli/module.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/page/page.h"
#include "cli/page/run_page.h"
#include "cli/page/sweep_page.h"
#include "cli/page/timeline.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/provenance.h"
#include "cli/report.h"
#include "cli/text.h"
#include "cli/verbs.h"
#include "compiler/import/import.h"
#include "compiler/session/session.h"
#include "isa/spec/config_host.h"

namespace cosim::cli {
namespace po = boost::program_options;
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// What the page shows, and what it is called.
struct Subject {
  std::string title;
  Json data;
};

enum class Kind { kRun, kSweep, kNetwork };

/// What the argument names: a file by what it begins with, else by how its name ends.
Kind KindOf(const std::string& what) {
  std::error_code none;
  if (import::IsModelFile(what) || NamesModule(what)) return Kind::kNetwork;
  if (fs::is_regular_file(what, none)) {
    char head[6] = {};
    std::ifstream(what, std::ios::binary).read(head, sizeof head);
    return std::string_view(head, sizeof head) == "SQLite" ? Kind::kSweep : Kind::kRun;
  }
  if (what.ends_with(".json")) return Kind::kRun;
  return what.ends_with(".sqlite") ? Kind::kSweep : Kind::kNetwork;
}

std::optional<Subject> RunFromFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) return Fail(path + " cannot be read"), std::nullopt;
  Json run = Json::parse(text.str(), nullptr, /*allow_exceptions=*/false);
  std::string hint;
  const std::string fault = RunFault(run, hint);
  if (!fault.empty()) return Fail(path + " " + fault, hint), std::nullopt;
  const std::string title = RunTitle(run);
  return Subject{title, RunPage(path, std::move(run), nullptr, nullptr)};
}

std::optional<Subject> SweepFromFile(const std::string& path) {
  std::string error;
  const auto database = explore::Database::Open(path, error);
  std::vector<explore::Row> rows;
  if (!database || !database->ForEach([&](const explore::Row& row) { rows.push_back(row); }, error))
    return Fail(error, "`cosim sweep … --db=FILE.sqlite` writes one"), std::nullopt;
  return Subject{"sweep " + fs::path(path).filename().string(), SweepPage(path, database->head(), rows)};
}

bool ReadOptions(const po::variables_map& values, session::Options& run) {
  run.network = values["MODEL"].as<std::string>();
  run.seed = values["seed"].as<uint64_t>();
  run.virtual_threads = values["virtual-threads"].as<int>();
  run.timing_only = values.count("timing-only") > 0;
  if (run.virtual_threads < 1 || run.virtual_threads > 8)
    return Fail("--virtual-threads: from 1 to 8"), false;
  if (NamesModule(run.network))
    return Fail(run.network + " is a module", "`cosim run FILE.cosim --json=run.json`, then its report"),
           false;
  return LoadNetwork(values, run);
}

/// Runs it, as `cosim run` does, and keeps what the JSON has no place for.
std::optional<Subject> RunHere(const po::variables_map& values) {
  session::Options run;
  const auto loaded = ReadOptions(values, run) ? LoadSpecWithSource(values) : std::nullopt;
  if (!loaded) return std::nullopt;
  const auto activation_bits = ActivationBitsIn(values, loaded->spec);
  if (!activation_bits) return std::nullopt;
  run.activation_bits = *activation_bits;
  run.host = isa::HostOf(loaded->source.config, loaded->source.overrides);
  std::string error;
  auto result = [&] {
    ProgressLine line;
    run.progress = line.Teller();
    return session::RunExperiment(loaded->spec, run, error);
  }();
  run.progress = {};
  const session::ExperimentKey key{NetworkIdentity(values), run.seed, run.activation_bits,
                                   run.virtual_threads};
  if (!result || !Describe(*loaded, key, *result, error)) return Fail(error), std::nullopt;
  auto timeline = TimelineJson(loaded->spec, result->network, error);
  if (!timeline) return Fail(error), std::nullopt;
  Json json = RunObject(*result, loaded->spec, run);
  const std::string title = RunTitle(json);
  return Subject{title, RunPage("", std::move(json), DramJson(result->network), std::move(*timeline))};
}

/// Options that say how to run, where nothing is run.
bool NoneOfRunning(const po::variables_map& values) {
  for (const char* option : {"config", "isa", "set", "memory", "virtual-threads", "seed", "timing-only",
                             "activation-bits", "shape"})
    if (values.count(option) && !values[option].defaulted())
      return Fail(fmt::format("--{} is for a network; {} has been run", option,
                              values["MODEL"].as<std::string>())),
             false;
  return true;
}

std::optional<Subject> SubjectOf(const po::variables_map& values) {
  const std::string what = values["MODEL"].as<std::string>();
  const Kind kind = KindOf(what);
  if (kind == Kind::kNetwork) return RunHere(values);
  if (!NoneOfRunning(values)) return std::nullopt;
  return kind == Kind::kRun ? RunFromFile(what) : SweepFromFile(what);
}

}  // namespace

int ReportVerb(const Arguments& arguments) {
  po::options_description options("options");
  AddSpecOptions(options);
  options.add_options()(
      "output,o", po::value<std::string>()->value_name("FILE")->default_value("report.html"),
      "the page to write; - is standard output")("timing-only", "count cycles without computing data")(
      "virtual-threads", po::value<int>()->value_name("N")->default_value(2), "virtual threads a kernel")(
      "seed", po::value<uint64_t>()->value_name("S")->default_value(1), "seed of weights and inputs");
  AddActivationBits(options);
  AddShapeOption(options);
  const auto parsed = Parse(arguments, options,
                            "report RUN.json|FILE.sqlite|NETWORK|FILE.tflite|FILE.onnx [-o FILE] [options]",
                            "cosim report resnet18 --config=pynq.yaml -o report.html", "MODEL");
  if (parsed.exit) return *parsed.exit;
  const std::string path = parsed.values["output"].as<std::string>();
  if (!CheckWritable(path)) return 1;
  const auto library = LoadChartLibrary();
  if (!library) return 1;
  const auto subject = SubjectOf(parsed.values);
  if (!subject) return 1;
  const auto page = PageText(subject->title, subject->data, *library);
  if (!page || !WriteFile(path, *page)) return 1;
  if (path != "-")
    Print("{}: {}, {} KiB\n", path, subject->title, Grouped(static_cast<int64_t>(page->size() / 1024)));
  return 0;
}

}  // namespace cosim::cli
