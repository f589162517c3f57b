// SPDX-License-Identifier: Apache-2.0
// cosim search: the designs of a plan that no other beats, found by running some of them.
#include "compiler/explore/search/search.h"

#include <fmt/format.h>

#include "cli/options.h"
#include "cli/outcome_json.h"
#include "cli/output_file.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/search_report.h"
#include "cli/verbs.h"
#include "cli/version.h"
#include "compiler/explore/networks.h"
#include "compiler/explore/sweep.h"
#include "runtime/threads/thread_pool.h"

namespace cosim::cli {
namespace po = boost::program_options;
namespace {

struct LoadedSearch {
  explore::SearchPlan plan;
  std::string text;
  explore::Networks networks;
};

std::optional<LoadedSearch> SearchIn(const std::string& path) {
  Diagnostics diags;
  const auto text = isa::ReadSource(path, diags);
  auto plan = text ? explore::ReadSearchPlan(*text, diags) : std::nullopt;
  std::optional<explore::Networks> networks;
  if (plan) networks = explore::LoadNetworks(plan->plan.networks, path, diags);
  if (plan) explore::CheckFiles(plan->plan, diags);
  if (diags.HasErrors()) PrintError("{}", diags.Render());
  if (!plan || !networks || diags.HasErrors()) return std::nullopt;
  return LoadedSearch{std::move(*plan), text->text, std::move(*networks)};
}

/// "generation 7: 214 of 400 points, 2.3 a second, 53 %, about 1:20 left".
std::string SearchProgressText(const explore::SearchProgress& progress) {
  const double rate = progress.seconds > 0 ? static_cast<double>(progress.run) / progress.seconds : 0;
  return fmt::format("generation {}: {} of {} points, {:.1f} a second, {}", progress.generation,
                     progress.points, progress.most, rate,
                     LeftText(progress.run, progress.most - progress.points, progress.seconds));
}

int ReportSearch(const po::variables_map& values, const explore::SearchPlan& plan,
                 const explore::Database& database) {
  std::vector<explore::Row> rows;
  std::string error;
  if (!database.ForEach([&](const explore::Row& row) { rows.push_back(row); }, error)) return Fail(error);
  const std::string json = values["json"].as<std::string>(), csv = values["csv"].as<std::string>();
  if (json != "-" && csv != "-") Print("{}", SearchTable(plan, rows));
  if (!json.empty() && !WriteFile(json, SearchJson(plan, database.head(), rows))) return 1;
  if (!csv.empty() && !WriteFile(csv, SearchCsv(plan, rows))) return 1;
  return 0;
}

po::options_description SearchOptionsOfCommand() {
  po::options_description options("options");
  options.add_options()("db", po::value<std::string>()->value_name("FILE")->default_value(""),
                        "keep the rows in this SQLite file, and go on with what it lacks")(
      "jobs", po::value<int>()->value_name("N")->default_value(runtime::UsableProcessors(), "all cores"),
      "points to run at a time")("check",
                                 "run with data and compare with the golden model, which takes long")(
      "json", po::value<std::string>()->value_name("FILE")->default_value(""),
      "write all designs as JSON; - is standard output")(
      "csv", po::value<std::string>()->value_name("FILE")->default_value(""),
      "write all points as CSV; - is standard output");
  return options;
}

}  // namespace

int SearchVerb(const Arguments& arguments) {
  const auto parsed = Parse(arguments, SearchOptionsOfCommand(), "search PLAN.yaml [options]",
                            "cosim search plan.yaml --db=search.sqlite", "PLAN");
  if (parsed.exit) return *parsed.exit;
  const auto& values = parsed.values;
  const std::string json = values["json"].as<std::string>(), csv = values["csv"].as<std::string>();
  if (!json.empty() && json == csv) return Fail("--json and --csv both write there", "name two files");
  for (const std::string& file : {json, csv})
    if (!file.empty() && !CheckWritable(file)) return 1;
  explore::SearchOptions search;
  search.database = values["db"].as<std::string>();
  search.producer = fmt::format("cosim {} (commit {})", COSIM_VERSION, Commit());
  search.jobs = values["jobs"].as<int>();
  if (search.jobs < 1 || search.jobs > 256) return Fail("--jobs: from 1 to 256");
  search.run.check = values.count("check") > 0;
  const auto loaded = SearchIn(values["PLAN"].as<std::string>());
  if (!loaded) return 1;
  search.plan = loaded->text;
  const explore::PointRunner options_of(loaded->networks, loaded->plan.plan.constraints, search.run);
  search.describe = [&](const explore::Point& point, const explore::Outcome& outcome) {
    return OutcomeJson(outcome, options_of.OptionsFor(point));
  };
  const bool terminal = ShowsProgress();
  if (terminal)
    search.progress = [](const explore::SearchProgress& progress) {
      ShowProgress(SearchProgressText(progress));
    };
  std::string error;
  const auto database = explore::RunSearch(loaded->plan, loaded->networks, search, error);
  if (terminal) ShowProgress("");
  if (!database) return Fail(error);
  return ReportSearch(values, loaded->plan, *database);
}

}  // namespace cosim::cli
