// SPDX-License-Identifier: Apache-2.0
// cosim compare: what differs between runs, each given as its JSON, a configuration to run, or a sweep's
// point.
#include "compiler/explore/compare.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/compare_report.h"
#include "cli/options.h"
#include "cli/outcome_json.h"
#include "cli/output_file.h"
#include "cli/print.h"
#include "cli/verbs.h"
#include "compiler/explore/database.h"
#include "compiler/explore/networks.h"

namespace cosim::cli {
namespace po = boost::program_options;
namespace {

using nlohmann::ordered_json;

/// Nothing after printing why; `what` is what the user named.
std::optional<ordered_json> ParseRun(const std::string& what, const std::string& text) {
  ordered_json json = ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_object()) return json;
  return Fail(what + " is no JSON of `cosim run`"), std::nullopt;
}

std::optional<ordered_json> JsonOfFile(const std::string& path) {
  std::error_code none;
  std::ifstream file;
  if (std::filesystem::is_regular_file(path, none)) file.open(path, std::ios::binary);
  std::ostringstream text;
  if (!file.is_open() || !(text << file.rdbuf())) return Fail(path + " cannot be read"), std::nullopt;
  return ParseRun(path, text.str());
}

std::optional<ordered_json> JsonOfPoint(const std::string& path, const std::string& number) {
  int64_t id = 0;
  const auto [rest, bad] = std::from_chars(number.data(), number.data() + number.size(), id);
  if (bad != std::errc() || rest != number.data() + number.size())
    return Fail(fmt::format("{}:{}: '{}' is no point's number", path, number, number)), std::nullopt;
  std::string error;
  const auto database = explore::Database::Open(path, error);
  const auto row = database ? database->Find(id, error) : std::nullopt;
  if (!row) return Fail(database ? path + ": " + error : error), std::nullopt;
  if (row->status != "done")
    return Fail(fmt::format("point {} of {} has no result: {}", id, path, row->status), row->diagnostic),
           std::nullopt;
  return ParseRun(fmt::format("{}:{}", path, id), row->result);
}

/// Runs --model under the configuration, timing only.
std::optional<ordered_json> JsonOfConfig(const std::string& config, const po::variables_map& values) {
  if (!values.count("model"))
    return Fail(config + " is a configuration: there is nothing to run under it",
                "name a network: --model=resnet18"),
           std::nullopt;
  const std::string model = values["model"].as<std::string>();
  Diagnostics diags;
  const auto networks = explore::LoadNetworks({model}, "--model", diags);
  if (!networks) return PrintError("{}", diags.Render()), std::nullopt;
  const std::vector<explore::Constraint> none;
  const explore::RunOptions options;
  explore::PointRunner runner(*networks, none, options);
  const explore::Point point{.id = 1, .network = model, .config = config};
  const explore::Outcome outcome = runner.Run(point);
  if (outcome.status == explore::Status::kDone)
    return ParseRun(config, OutcomeJson(outcome, runner.OptionsFor(point)));
  PrintError("{}\n", outcome.diagnostic);
  return std::nullopt;
}

std::optional<ordered_json> RunOf(const std::string& what, const po::variables_map& values) {
  const size_t colon = what.rfind(".sqlite:");
  if (colon != std::string::npos) return JsonOfPoint(what.substr(0, colon + 7), what.substr(colon + 8));
  if (what.ends_with(".sqlite"))
    return Fail(what + ": which of its points?", fmt::format("{}:1 is the first", what)), std::nullopt;
  if (what.ends_with(".json")) return JsonOfFile(what);
  return JsonOfConfig(what, values);
}

}  // namespace

int CompareVerb(const Arguments& arguments) {
  po::options_description options("options");
  options.add_options()("model", po::value<std::string>()->value_name("MODEL"),
                        "the network or model file to run under configurations")(
      "layers", po::value<int>()->value_name("N")->default_value(20),
      "layers to print, those that lost most first")(
      "json", po::value<std::string>()->value_name("FILE")->default_value(""),
      "write everything as JSON; - is standard output");
  const auto parsed =
      Parse(arguments, options, "compare A B [C...] [options], each RUN.json, FILE.sqlite:ID or CONFIG",
            "cosim compare tiny.yaml pynq.yaml --model=small_cnn", "RUNS", Positionals::kSeveral);
  if (parsed.exit) return *parsed.exit;
  const auto& values = parsed.values;
  const auto names = values["RUNS"].as<std::vector<std::string>>();
  if (names.size() < 2) return Fail("one run alone differs in nothing", "name another one");
  const int layers = values["layers"].as<int>();
  if (layers < 0) return Fail("--layers: from 0");
  const std::string json = values["json"].as<std::string>();
  if (!json.empty() && !CheckWritable(json)) return 1;
  std::vector<ordered_json> runs;
  for (const std::string& name : names) {
    auto run = RunOf(name, values);
    if (!run) return 1;
    runs.push_back(std::move(*run));
  }
  ordered_json all = {{"schema", 1}, {"base", names[0]}, {"comparisons", ordered_json::array()}};
  for (size_t i = 1; i < runs.size(); ++i) {
    std::string error;
    const auto comparison = explore::Compare(runs[0], runs[i], error);
    if (!comparison) return Fail(fmt::format("{} and {}: {}", names[0], names[i], error));
    if (json != "-") Print("{}", CompareText(names[0], names[i], *comparison, static_cast<size_t>(layers)));
    all["comparisons"].push_back(CompareJson(names[i], *comparison));
  }
  return json.empty() || WriteFile(json, JsonText(all)) ? 0 : 1;
}

}  // namespace cosim::cli
