// SPDX-License-Identifier: Apache-2.0
#include "compiler/explore/sweep.h"

#include <fmt/format.h>

#include <chrono>
#include <set>
#include <utility>

#include "compiler/explore/point_row.h"
#include "compiler/explore/workers.h"
#include "isa/digest.h"
#include "isa/spec/loader.h"

namespace cosim::explore {
namespace {

/// Of everything that the rows follow from.
std::string DigestOf(const Plan& plan, const std::vector<Point>& points, const Networks& networks,
                     const std::vector<SourceFile>& sources, const SweepOptions& options) {
  std::string text = fmt::format("{}\ncheck {}\n", options.producer, options.run.check);
  for (const SourceFile& file : sources) text += file.sha256 + '\n';
  for (const auto& [name, network] : networks) text += name + '\n' + network.identity + '\n';
  for (const Constraint& constraint : plan.constraints) text += constraint.text() + '\n';
  if (plan.accuracy > 0) text += fmt::format("accuracy {}\n", plan.accuracy);
  for (const Point& p : points) {
    text +=
        fmt::format("{}\n{}\n{}\n{}\n{} {}\n", p.network, p.config, p.isa, p.name, p.virtual_threads, p.seed);
    for (const isa::Override& setting : p.settings) text += setting.path + '=' + setting.value + '\n';
  }
  return isa::Sha256Hex(text);
}

}  // namespace

bool CheckFiles(const Plan& plan, Diagnostics& diags) {
  const size_t errors = diags.list().size();
  for (const std::string& config : plan.configs) isa::FindFile(config, "configs", diags);
  if (!plan.isa.empty()) isa::FindFile(plan.isa, "isa", diags);
  return diags.list().size() == errors;
}

std::optional<Database> OpenSweep(const Plan& plan, const Networks& networks, const SweepOptions& options,
                                  std::string& error) {
  const std::vector<Point> points = PointsOf(plan);
  const std::vector<SourceFile> sources = SourcesOf(points);
  const SweepHead head{DigestOf(plan, points, networks, sources, options), options.plan, options.producer,
                       static_cast<int64_t>(points.size())};
  return Database::Make(options.database.empty() ? ":memory:" : options.database, head, sources, error,
                        options.journal);
}

std::optional<Database> RunSweep(const Plan& plan, const Networks& networks, const SweepOptions& options,
                                 std::string& error) {
  auto database = OpenSweep(plan, networks, options, error);
  if (!database) return std::nullopt;
  const std::vector<Point> points = PointsOf(plan);
  const std::set<int64_t> there = database->Ids(options.retry ? "failed" : "");
  std::vector<int64_t> missing;
  Progress progress;
  for (const Point& point : points) {
    if (!options.shard.Has(point.id)) continue;
    ++progress.total;
    if (there.count(point.id) > 0)
      ++progress.done;
    else
      missing.push_back(point.id);
  }

  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  PointRunner runner(networks, plan.constraints, options.run);
  const auto point = [&](int64_t id) -> const Point& { return points[static_cast<size_t>(id - 1)]; };
  RunInProcesses(
      missing, options.jobs,
      [&](int64_t id) { return PackRow(RunPoint(point(id), runner, options.describe)); },
      [&](const Answer& answer) {
        Row row = RowOf(point(answer.item));
        row.status = "failed";
        row.diagnostic = answer.death;
        if (answer.death.empty()) UnpackRow(answer.text, row);
        if (!database->Add(row, error)) return false;
        ++progress.done;
        ++progress.run;
        progress.seconds = std::chrono::duration<double>(Clock::now() - start).count();
        if (options.progress) options.progress(progress);
        return true;
      });
  if (!error.empty()) return error = fmt::format("{}: {}", options.database, error), std::nullopt;
  return database;
}

}  // namespace cosim::explore
