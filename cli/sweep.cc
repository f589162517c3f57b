// SPDX-License-Identifier: Apache-2.0
// cosim sweep: the points of a plan, each a row of a database.
#include "compiler/explore/sweep.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "cli/options.h"
#include "cli/outcome_json.h"
#include "cli/output_file.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/sweep_merge.h"
#include "cli/sweep_plan.h"
#include "cli/sweep_report.h"
#include "cli/sweep_slurm.h"
#include "cli/verbs.h"
#include "cli/version.h"
#include "compiler/explore/networks.h"
#include "runtime/threads/thread_pool.h"

namespace cosim::cli {
namespace po = boost::program_options;
namespace {

/// "123 of 1000 points, 18.2 a second, 12 %, about 0:48 left".
std::string ProgressText(const explore::Progress& progress) {
  const double rate = progress.seconds > 0 ? static_cast<double>(progress.run) / progress.seconds : 0;
  // Points that are there already took no time of this run.
  return fmt::format("{} of {} points, {:.1f} a second, {}", progress.done, progress.total, rate,
                     LeftText(progress.run, progress.total - progress.done, progress.seconds));
}

std::optional<SweepPlan> PlanIn(const po::variables_map& values) {
  Diagnostics diags;
  auto plan = ReadSweepPlan(values, diags);
  std::optional<explore::Networks> networks;
  if (plan) networks = explore::LoadNetworks(plan->plan.networks, plan->path, diags);
  if (plan) explore::CheckFiles(plan->plan, diags);
  if (diags.HasErrors()) PrintError("{}", diags.Render());
  if (!plan || !networks || diags.HasErrors()) return std::nullopt;
  plan->networks = std::move(*networks);
  return plan;
}

/// "2/4"; all of it when empty. Nothing after printing a mistake.
std::optional<explore::Shard> ShardIn(const std::string& text) {
  explore::Shard shard;
  if (text.empty()) return shard;
  const char* end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, shard.index);
  const bool is_cut = index.ec == std::errc() && index.ptr != end && *index.ptr == '/';
  const auto count = is_cut ? std::from_chars(index.ptr + 1, end, shard.count) : index;
  if (is_cut && count.ec == std::errc() && count.ptr == end && shard.index >= 1 && shard.index <= shard.count)
    return shard;
  return Fail(fmt::format("--shard={}: not of the form I/N with I from 1 to N", text), "as in --shard=2/4"),
         std::nullopt;
}

/// On this machine or a cluster. Nothing after printing what kept it from that.
std::optional<explore::Database> RunAnywhere(const po::variables_map& values, const SweepPlan& plan,
                                             explore::SweepOptions sweep) {
  const bool terminal = ShowsProgress();
  if (terminal)
    sweep.progress = [](const explore::Progress& progress) { ShowProgress(ProgressText(progress)); };
  std::optional<explore::Database> database;
  std::string error;
  if (values.count("slurm")) {
    const auto slurm = SlurmOptionsIn(values);
    if (!slurm) return std::nullopt;
    database = explore::RunOnSlurm(plan.plan, plan.networks, sweep, *slurm, error);
  } else {
    database = explore::RunSweep(plan.plan, plan.networks, sweep, error);
  }
  if (terminal) ShowProgress("");
  if (!database) Fail(error);
  return database;
}

int Report(const po::variables_map& values, const explore::Database& database) {
  std::vector<explore::Row> rows;
  std::string error;
  if (!database.ForEach([&](const explore::Row& row) { rows.push_back(row); }, error)) return Fail(error);
  const std::string json = values["json"].as<std::string>(), csv = values["csv"].as<std::string>();
  if (json != "-" && csv != "-") Print("{}", SweepTable(rows));
  if (!json.empty() && !WriteFile(json, SweepJson(database.head(), rows))) return 1;
  if (!csv.empty() && !WriteFile(csv, SweepCsv(rows))) return 1;
  return 0;
}

}  // namespace

int SweepVerb(const Arguments& arguments) {
  if (!arguments.empty() && arguments[0] == "merge")
    return SweepMerge({arguments.begin() + 1, arguments.end()});
  po::options_description options("options");
  AddPlanOptions(options);
  options.add_options()("db", po::value<std::string>()->value_name("FILE")->default_value(""),
                        "keep the rows in this SQLite file, and go on with what it lacks")(
      "jobs", po::value<int>()->value_name("N")->default_value(runtime::UsableProcessors(), "all cores"),
      "points to run at a time")("check",
                                 "run with data and compare with the golden model, which takes long")(
      "retry", "run points again that failed")(
      "shard", po::value<std::string>()->value_name("I/N")->default_value(""),
      "run every N-th point only, from the I-th on; `cosim sweep merge` joins the databases")(
      "json", po::value<std::string>()->value_name("FILE")->default_value(""),
      "write the rows as JSON; - is standard output")(
      "csv", po::value<std::string>()->value_name("FILE")->default_value(""),
      "write the rows as CSV; - is standard output");
  AddSlurmOptions(options);
  const auto parsed = Parse(arguments, options, "sweep PLAN.yaml|NETWORK|FILE.tflite|FILE.onnx [options]",
                            "cosim sweep small_cnn --config=tiny.yaml --set memory.latency=20,40", "MODEL");
  if (parsed.exit) return *parsed.exit;
  const auto& values = parsed.values;
  const std::string json = values["json"].as<std::string>(), csv = values["csv"].as<std::string>();
  if (!json.empty() && json == csv) return Fail("--json and --csv both write there", "name two files");
  for (const std::string& file : {json, csv})
    if (!file.empty() && !CheckWritable(file)) return 1;
  const auto plan = PlanIn(values);
  if (!plan) return 1;
  explore::SweepOptions sweep;
  sweep.database = values["db"].as<std::string>();
  sweep.plan = plan->text;
  sweep.producer = fmt::format("cosim {} (commit {})", COSIM_VERSION, Commit());
  sweep.jobs = values["jobs"].as<int>();
  if (sweep.jobs < 1 || sweep.jobs > 256) return Fail("--jobs: from 1 to 256");
  sweep.retry = values.count("retry") > 0;
  const auto shard = ShardIn(values["shard"].as<std::string>());
  if (!shard) return 1;
  sweep.shard = *shard;
  // Parts are written where several machines see them.
  if (!values["shard"].as<std::string>().empty()) sweep.journal = explore::Journal::kSeveralMachines;
  sweep.run.check = values.count("check") > 0;
  const explore::PointRunner options_of(plan->networks, plan->plan.constraints, sweep.run);
  sweep.describe = [&](const explore::Point& point, const explore::Outcome& outcome) {
    return OutcomeJson(outcome, options_of.OptionsFor(point));
  };
  const auto database = RunAnywhere(values, *plan, sweep);
  return database ? Report(values, *database) : 1;
}

}  // namespace cosim::cli
