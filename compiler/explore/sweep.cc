// SPDX-License-Identifier: Apache-2.0
#include "compiler/explore/sweep.h"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <new>
#include <set>
#include <utility>

#include "compiler/explore/workers.h"
#include "isa/digest.h"
#include "isa/spec/config_energy.h"
#include "isa/spec/loader.h"
#include "sim/energy/energy_table.h"

namespace cosim::explore {
namespace {

std::string StatusName(Status status) {
  switch (status) {
    case Status::kDone:
      return "done";
    case Status::kFailed:
      return "failed";
    case Status::kExcluded:
      return "excluded";
  }
  return "failed";
}

/// What of a point says which files it wants.
std::string FilesKey(const Point& point) {
  std::string key = point.config + '\n' + point.isa;
  for (const isa::Override& setting : point.settings)
    if (setting.path == "isa" || setting.path == "energy") key += '\n' + setting.path + '=' + setting.value;
  return key;
}

/// The texts that points follow from, each once. A point that has none fails by itself.
std::vector<SourceFile> SourcesOf(const std::vector<Point>& points) {
  std::set<std::string> seen;
  std::map<std::string, SourceFile> sources;
  const auto add = [&](const char* kind, const isa::SourceText& text) {
    SourceFile file{isa::Sha256Hex(text.text), kind, text.path, text.text};
    sources.emplace(file.sha256, std::move(file));
  };
  for (const Point& point : points) {
    if (seen.count(FilesKey(point)) > 0) continue;
    Diagnostics none;
    const auto texts = isa::FindSpecTexts(point.config, point.isa, point.settings, none);
    if (!texts) continue;
    seen.insert(FilesKey(point));
    add("isa", texts->isa);
    add("config", texts->config);
    const std::string energy = isa::EnergyTableOf(texts->config, point.settings);
    if (energy.empty()) continue;
    if (const auto table = sim::FindEnergyTable(energy, FolderOf(texts->config), none)) add("energy", *table);
  }
  std::vector<SourceFile> list;
  for (auto& [digest, file] : sources) list.push_back(std::move(file));
  return list;
}

/// Of everything that the rows follow from.
std::string DigestOf(const Plan& plan, const std::vector<Point>& points, const Networks& networks,
                     const std::vector<SourceFile>& sources, const SweepOptions& options) {
  std::string text = fmt::format("{}\ncheck {}\n", options.producer, options.run.check);
  for (const SourceFile& file : sources) text += file.sha256 + '\n';
  for (const auto& [name, network] : networks) text += name + '\n' + network.identity + '\n';
  for (const Constraint& constraint : plan.constraints) text += constraint.text() + '\n';
  for (const Point& p : points) {
    text +=
        fmt::format("{}\n{}\n{}\n{}\n{} {}\n", p.network, p.config, p.isa, p.name, p.virtual_threads, p.seed);
    for (const isa::Override& setting : p.settings) text += setting.path + '=' + setting.value + '\n';
  }
  return isa::Sha256Hex(text);
}

Row RowOf(const Point& point) {
  Row row{.id = point.id, .network = point.network, .config = point.config, .isa = point.isa};
  row.name = point.name;
  row.settings = point.settings;
  return row;
}

// What a worker answers: status, the ISA's name, diagnostic and result, the first three each behind its
// length.
std::string Packed(const Row& row) {
  std::string text;
  for (const std::string* part : {&row.status, &row.isa, &row.diagnostic})
    text += std::to_string(part->size()) + ' ' + *part;
  return text + row.result;
}

void Unpack(const std::string& text, Row& row) {
  size_t at = 0;
  for (std::string* part : {&row.status, &row.isa, &row.diagnostic}) {
    const size_t space = text.find(' ', at), length = std::stoull(text.substr(at, space - at));
    *part = text.substr(space + 1, length);
    at = space + 1 + length;
  }
  row.result = text.substr(at);
}

/// In a worker.
Row RunPoint(const Point& point, PointRunner& runner, const SweepOptions& options) {
  Row row = RowOf(point);
  Outcome outcome;
  try {
    outcome = runner.Run(point);
  } catch (const std::bad_alloc&) {
    outcome = {};
    outcome.diagnostic = "there is not enough memory for that";
  }
  row.status = StatusName(outcome.status);
  row.diagnostic = outcome.diagnostic;
  if (outcome.spec) row.isa = outcome.spec->isa;
  if (outcome.status == Status::kDone) row.result = options.describe(point, outcome);
  return row;
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
      missing, options.jobs, [&](int64_t id) { return Packed(RunPoint(point(id), runner, options)); },
      [&](const Answer& answer) {
        Row row = RowOf(point(answer.item));
        row.status = "failed";
        row.diagnostic = answer.death;
        if (answer.death.empty()) Unpack(answer.text, row);
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
