// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/tuning_log.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>

#include "compiler/explore/statement.h"
#include "compiler/tune/tile_text.h"

namespace cosim::tune {
namespace {

using explore::Statement;

constexpr int64_t kApplication = 0x636f7475;  // "cotu"
constexpr int64_t kVersion = 3;               // of the tables
constexpr int kBusyMilliseconds = 10'000;
constexpr int kMostElsewhere = 8;

constexpr const char* kTables = R"sql(
CREATE TABLE trial (context TEXT NOT NULL, tile TEXT NOT NULL, cycles INTEGER, PRIMARY KEY (context, tile)) WITHOUT ROWID;
CREATE TABLE network (
  hardware TEXT NOT NULL, network TEXT NOT NULL, config TEXT NOT NULL, isa TEXT NOT NULL,
  untuned INTEGER NOT NULL, tuned INTEGER NOT NULL, PRIMARY KEY (hardware, network));
CREATE TABLE schedule (
  hardware TEXT NOT NULL, network TEXT NOT NULL, layer TEXT NOT NULL, workload TEXT NOT NULL, tile TEXT NOT NULL,
  PRIMARY KEY (hardware, network, layer, workload));
CREATE TABLE host_schedule (
  processor TEXT NOT NULL, version TEXT NOT NULL, workload TEXT NOT NULL, schedule TEXT NOT NULL,
  untuned_us REAL NOT NULL, tuned_us REAL NOT NULL, PRIMARY KEY (processor, version, workload));
)sql";

/// A row if the tables have none.
constexpr const char* kNothing =
    "SELECT 1 WHERE NOT EXISTS (SELECT * FROM trial) AND NOT EXISTS (SELECT * FROM network) AND NOT EXISTS "
    "(SELECT * FROM host_schedule)";

}  // namespace

void TuningLog::Closer::operator()(sqlite3* database) const {
  const bool is_vain = !made.empty() && Statement(database, kNothing).Step() == SQLITE_ROW;
  sqlite3_close(database);
  std::error_code none;
  if (is_vain) std::filesystem::remove(made, none);
}

bool TuningLog::Execute(const std::string& sql, std::string& error) {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return true;
  error = sqlite3_errmsg(handle_.get());
  return false;
}

bool TuningLog::End(bool good, std::string& error) {
  if (good) return Execute("COMMIT", error);
  error = sqlite3_errmsg(handle_.get());
  sqlite3_exec(handle_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  return false;
}

std::optional<TuningLog> TuningLog::Connect(const std::string& path, int flags, std::string& error) {
  sqlite3* handle = nullptr;
  const int opened = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
  TuningLog log(handle);
  if (opened != SQLITE_OK) return error = fmt::format("{}: {}", path, sqlite3_errmsg(handle)), std::nullopt;
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
  return log;
}

std::optional<TuningLog> TuningLog::Make(const std::string& path, std::string& error) {
  std::error_code none;
  const bool is_new = !std::filesystem::exists(path, none);
  auto log = Connect(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
  if (!log) return std::nullopt;
  if (is_new) log->handle_.get_deleter().made = path;
  sqlite3* handle = log->handle_.get();
  const bool is_empty = explore::IsEmpty(handle);
  if (is_empty &&
      !log->Execute(fmt::format("BEGIN; PRAGMA application_id = {}; PRAGMA user_version = {}; {} COMMIT",
                                kApplication, kVersion, kTables),
                    error))
    return error = path + ": " + error, std::nullopt;
  if (explore::Pragma(handle, "application_id") != kApplication)
    return error = fmt::format("{} is no file that `cosim tune` made", path), std::nullopt;
  if (explore::Pragma(handle, "user_version") != kVersion)
    return error = fmt::format("{} is a tuning log of another version", path), std::nullopt;
  // A process that is killed leaves whole batches; only a machine that falls may lose the last ones.
  sqlite3_exec(handle, "PRAGMA synchronous = NORMAL", nullptr, nullptr, nullptr);
  return log;
}

std::optional<TuningLog> TuningLog::Open(const std::string& path, std::string& error) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none))
    return error = fmt::format("{}: there is no such file", path), std::nullopt;
  auto log = Connect(path, SQLITE_OPEN_READONLY, error);
  if (!log) return std::nullopt;
  if (explore::Pragma(log->handle_.get(), "application_id") != kApplication ||
      explore::Pragma(log->handle_.get(), "user_version") != kVersion)
    return error = fmt::format("{} is no file that `cosim tune` made, or of another version", path),
           std::nullopt;
  return log;
}

std::optional<std::optional<runtime::Cycle>> TuningLog::Trial(const std::string& context,
                                                              const std::string& tile) const {
  Statement find(handle_.get(), "SELECT ifnull(cycles, -1) FROM trial WHERE context = ? AND tile = ?");
  if (find.Bind(context).Bind(tile).Step() != SQLITE_ROW) return std::nullopt;
  const runtime::Cycle cycles = find.Integer(0);
  return cycles < 0 ? std::optional<runtime::Cycle>() : cycles;
}

bool TuningLog::Add(const std::vector<NewTrial>& trials, std::string& error) {
  if (trials.empty()) return true;
  if (!Execute("BEGIN IMMEDIATE", error)) return false;
  bool good = true;
  for (const NewTrial& trial : trials) {
    Statement insert(handle_.get(), "INSERT OR REPLACE INTO trial VALUES (?, ?, nullif(?, -1))");
    good = good && insert.Bind(trial.context).Bind(trial.tile).Bind(trial.cycles.value_or(-1)).Done();
  }
  return End(good, error);
}

std::vector<std::string> TuningLog::BestTrials(const std::string& context, size_t count) const {
  Statement rows(
      handle_.get(),
      "SELECT tile FROM trial WHERE context = ? AND cycles IS NOT NULL ORDER BY cycles, tile LIMIT ?");
  rows.Bind(context).Bind(static_cast<int64_t>(count));
  std::vector<std::string> tiles;
  while (rows.Step() == SQLITE_ROW) tiles.push_back(rows.Text(0));
  return tiles;
}

bool TuningLog::PutHost(const std::string& processor, const std::string& version,
                        const std::vector<LoggedHostSchedule>& schedules, std::string& error) {
  if (!Execute("BEGIN IMMEDIATE", error)) return false;
  bool good = true;
  for (const LoggedHostSchedule& each : schedules) {
    Statement insert(handle_.get(), "INSERT OR REPLACE INTO host_schedule VALUES (?, ?, ?, ?, ?, ?)");
    insert.Bind(processor).Bind(version).Bind(each.workload).Bind(ToString(each.schedule));
    good = good && insert.BindReal(each.untuned_s * 1e6).BindReal(each.tuned_s * 1e6).Done();
  }
  return End(good, error);
}

schedules::ContractionSchedules TuningLog::HostSchedules(const std::string& processor,
                                                         const std::string& version) const {
  Statement rows(handle_.get(),
                 "SELECT workload, schedule FROM host_schedule WHERE processor = ? AND version = ?");
  rows.Bind(processor).Bind(version);
  schedules::ContractionSchedules found;
  while (rows.Step() == SQLITE_ROW)
    if (const auto schedule = schedules::ParseContractionSchedule(rows.Text(1)))
      found[rows.Text(0)] = *schedule;
  return found;
}

std::vector<schedules::ContractionSchedule> TuningLog::HostSchedulesOf(const std::string& workload) const {
  Statement rows(handle_.get(),
                 fmt::format("SELECT DISTINCT schedule FROM host_schedule WHERE workload = ? ORDER BY "
                             "schedule LIMIT {}",
                             kMostElsewhere));
  rows.Bind(workload);
  std::vector<schedules::ContractionSchedule> found;
  while (rows.Step() == SQLITE_ROW)
    if (const auto schedule = schedules::ParseContractionSchedule(rows.Text(0))) found.push_back(*schedule);
  return found;
}

std::vector<std::string> TuningLog::Processors() const {
  std::vector<std::string> names;
  Statement rows(handle_.get(), "SELECT DISTINCT processor FROM host_schedule ORDER BY processor");
  while (rows.Step() == SQLITE_ROW) names.push_back(rows.Text(0));
  return names;
}

bool TuningLog::Put(const LogKey& key, const LoggedNetwork& network, std::string& error) {
  if (!Execute("BEGIN IMMEDIATE", error)) return false;
  Statement forget(handle_.get(), "DELETE FROM schedule WHERE hardware = ? AND network = ?");
  Statement put(handle_.get(), "INSERT OR REPLACE INTO network VALUES (?, ?, ?, ?, ?, ?)");
  bool good = forget.Bind(key.hardware).Bind(key.network).Done();
  put.Bind(key.hardware).Bind(key.network).Bind(network.config).Bind(network.isa);
  good = good && put.Bind(network.untuned).Bind(network.tuned).Done();
  for (const LoggedSchedule& schedule : network.schedules) {
    Statement insert(handle_.get(), "INSERT INTO schedule VALUES (?, ?, ?, ?, ?)");
    insert.Bind(key.hardware).Bind(key.network).Bind(schedule.layer).Bind(schedule.workload);
    good = good && insert.Bind(ToString(schedule.tile)).Done();
  }
  return End(good, error);
}

std::optional<LoggedNetwork> TuningLog::Get(const LogKey& key) const {
  Statement find(handle_.get(),
                 "SELECT config, isa, untuned, tuned FROM network WHERE hardware = ? AND network = ?");
  if (find.Bind(key.hardware).Bind(key.network).Step() != SQLITE_ROW) return std::nullopt;
  LoggedNetwork network{find.Text(0), find.Text(1), find.Integer(2), find.Integer(3), {}};
  Statement rows(
      handle_.get(),
      "SELECT layer, workload, tile FROM schedule WHERE hardware = ? AND network = ? ORDER BY rowid");
  rows.Bind(key.hardware).Bind(key.network);
  while (rows.Step() == SQLITE_ROW)
    if (const auto tile = ParseTile(rows.Text(2)))
      network.schedules.push_back({rows.Text(0), rows.Text(1), *tile});
  return network;
}

std::vector<kernels::Tile> TuningLog::Elsewhere(const LogKey& key, const std::string& workload) const {
  Statement rows(
      handle_.get(),
      fmt::format("SELECT DISTINCT tile FROM schedule WHERE workload = ? AND NOT (hardware = ? AND "
                  "network = ?) ORDER BY tile LIMIT {}",
                  kMostElsewhere));
  rows.Bind(workload).Bind(key.hardware).Bind(key.network);
  std::vector<kernels::Tile> tiles;
  while (rows.Step() == SQLITE_ROW)
    if (const auto tile = ParseTile(rows.Text(0))) tiles.push_back(*tile);
  return tiles;
}

std::vector<std::pair<kernels::Tile, kernels::Tile>> TuningLog::Elsewhere(const LogKey& key,
                                                                          const LayerKey& first,
                                                                          const LayerKey& second) const {
  Statement rows(
      handle_.get(),
      fmt::format(
          "SELECT DISTINCT a.tile, b.tile FROM schedule a JOIN schedule b USING (hardware, network) WHERE "
          "a.layer = ? AND a.workload = ? AND b.layer = ? AND b.workload = ? AND NOT (hardware = ? AND "
          "network = ?) ORDER BY a.tile, b.tile LIMIT {}",
          kMostElsewhere));
  rows.Bind(first.first).Bind(first.second).Bind(second.first).Bind(second.second);
  rows.Bind(key.hardware).Bind(key.network);
  std::vector<std::pair<kernels::Tile, kernels::Tile>> pairs;
  while (rows.Step() == SQLITE_ROW) {
    const auto a = ParseTile(rows.Text(0)), b = ParseTile(rows.Text(1));
    if (a && b) pairs.emplace_back(*a, *b);
  }
  return pairs;
}

std::vector<std::string> TuningLog::Contents() const {
  std::vector<std::string> contents;
  Statement rows(handle_.get(),
                 "SELECT DISTINCT network || ' on ' || config || ' (' || isa || ')' FROM network");
  while (rows.Step() == SQLITE_ROW) contents.push_back(rows.Text(0));
  return contents;
}

}  // namespace cosim::tune
