// SPDX-License-Identifier: Apache-2.0
#include "compiler/explore/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "compiler/explore/statement.h"

namespace cosim::explore {
namespace {

constexpr int kApplication = 0x636f736d;  // "cosm"
constexpr int kVersion = 1;               // of the tables: docs/reference/versions.md
constexpr int kBusyMilliseconds = 10'000;

// What is in a result is a column too, so that SQL finds it; such columns take no room.
constexpr const char* kTables = R"sql(
CREATE TABLE sweep (digest TEXT NOT NULL, plan TEXT NOT NULL, version TEXT NOT NULL, points INTEGER NOT NULL);
CREATE TABLE source (sha256 TEXT PRIMARY KEY, kind TEXT NOT NULL, path TEXT NOT NULL, text TEXT NOT NULL);
CREATE TABLE point (
  id INTEGER PRIMARY KEY,
  network TEXT NOT NULL,
  config TEXT NOT NULL,
  isa TEXT NOT NULL,
  name TEXT NOT NULL,
  settings TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('done', 'failed', 'excluded')),
  diagnostic TEXT,
  result TEXT,
  cycles INTEGER AS (json_extract(result, '$.cycles')),
  ms REAL AS (json_extract(result, '$.ms')),
  frame_ms REAL AS (json_extract(result, '$.end_to_end.frame_ms')),
  host_ms REAL AS (json_extract(result, '$.end_to_end.host_ms')),
  dram_bytes INTEGER AS (json_extract(result, '$.dram_bytes')),
  utilization REAL AS (json_extract(result, '$.utilization')),
  macs_host INTEGER AS (json_extract(result, '$.macs_host')),
  hardware TEXT AS (json_extract(result, '$.provenance.hardware_fingerprint')),
  experiment TEXT AS (json_extract(result, '$.provenance.experiment_fingerprint'))
);
)sql";

// Of a search only. `violation` is NULL where it is not known.
constexpr const char* kSearchTable = R"sql(
CREATE TABLE search (id INTEGER PRIMARY KEY, generation INTEGER NOT NULL, parents TEXT NOT NULL, violation REAL);
)sql";

constexpr const char* kColumns = "id, network, config, isa, name, settings, status, diagnostic, result";

std::string SettingsJson(const std::vector<isa::Override>& settings) {
  auto json = nlohmann::ordered_json::array();
  for (const isa::Override& setting : settings) json.push_back({setting.path, setting.value});
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::vector<isa::Override> SettingsFrom(const std::string& text) {
  std::vector<isa::Override> settings;
  const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!json.is_array()) return settings;
  for (const auto& pair : json)
    if (pair.is_array() && pair.size() == 2 && pair[0].is_string() && pair[1].is_string())
      settings.push_back({pair[0], pair[1]});
  return settings;
}

std::vector<int64_t> ParentsFrom(const std::string& text) {
  std::vector<int64_t> parents;
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_array()) return parents;
  for (const auto& parent : json)
    if (parent.is_number_integer()) parents.push_back(parent);
  return parents;
}

Row RowAt(const Statement& statement) {
  Row row;
  row.id = statement.Integer(0);
  row.network = statement.Text(1);
  row.config = statement.Text(2);
  row.isa = statement.Text(3);
  row.name = statement.Text(4);
  row.settings = SettingsFrom(statement.Text(5));
  row.status = statement.Text(6);
  row.diagnostic = statement.Text(7);
  row.result = statement.Text(8);
  if (statement.Columns() <= 9 || statement.IsNull(9)) return row;
  row.birth = Birth{statement.Integer(9), ParentsFrom(statement.Text(10))};
  row.violation = statement.IsNull(11) ? std::numeric_limits<double>::infinity() : statement.Real(11);
  return row;
}

/// Rows in the order of their columns, those of a search with how it came upon them.
std::string SelectRows(bool is_search) {
  return is_search
             ? fmt::format("SELECT {}, generation, parents, violation FROM point LEFT JOIN search USING (id)",
                           kColumns)
             : fmt::format("SELECT {} FROM point", kColumns);
}

}  // namespace

void Database::Closer::operator()(sqlite3* database) const { sqlite3_close(database); }

std::optional<Database> Database::Make(const std::string& path, const SweepHead& head,
                                       const std::vector<SourceFile>& files, std::string& error,
                                       Journal journal) {
  sqlite3* handle = nullptr;
  const int opened =
      sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  Database database(handle);
  if (opened != SQLITE_OK) return error = fmt::format("{}: {}", path, sqlite3_errmsg(handle)), std::nullopt;
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
  // A process that is killed leaves whole rows; of one machine only, its fall may lose the last ones.
  const bool one = journal == Journal::kOneMachine;
  sqlite3_exec(handle, one ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL", nullptr, nullptr,
               nullptr);
  const bool is_empty = IsEmpty(handle);
  if (is_empty && Pragma(handle, "application_id") == 0 && !database.Create(head, files, journal, error)) {
    error = path + ": " + error;
    return std::nullopt;
  }
  if (!database.ReadHead(path, error)) return std::nullopt;
  if (database.head_.digest == head.digest) return database;
  error = fmt::format(
      "{} holds another sweep, by {}: another plan, other options, or files that read "
      "differently since",
      path, database.head_.version);
  return std::nullopt;
}

std::optional<Database> Database::Open(const std::string& path, std::string& error) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none))
    return error = fmt::format("{}: there is no such file", path), std::nullopt;
  sqlite3* handle = nullptr;
  const int opened = sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE, nullptr);
  Database database(handle);
  if (opened != SQLITE_OK) return error = fmt::format("{}: {}", path, sqlite3_errmsg(handle)), std::nullopt;
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
  if (!database.ReadHead(path, error)) return std::nullopt;
  return database;
}

bool Database::Create(const SweepHead& head, const std::vector<SourceFile>& files, Journal journal,
                      std::string& error) {
  const auto run = [&](const std::string& sql) {
    return sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  };
  const bool one = journal == Journal::kOneMachine;
  bool good = run(one ? "PRAGMA journal_mode = WAL" : "PRAGMA journal_mode = DELETE") && run("BEGIN") &&
              run(fmt::format("PRAGMA application_id = {}", kApplication)) &&
              run(fmt::format("PRAGMA user_version = {}", kVersion)) && run(kTables) &&
              (!head.is_search || run(kSearchTable));
  if (good)
    good = Statement(handle_.get(), "INSERT INTO sweep VALUES (?, ?, ?, ?)")
               .Bind(head.digest)
               .Bind(head.plan)
               .Bind(head.version)
               .Bind(head.points)
               .Done();
  for (const SourceFile& file : files)
    good = good && Statement(handle_.get(), "INSERT OR IGNORE INTO source VALUES (?, ?, ?, ?)")
                       .Bind(file.sha256)
                       .Bind(file.kind)
                       .Bind(file.path)
                       .Bind(file.text)
                       .Done();
  if (good && run("COMMIT")) return true;
  error = sqlite3_errmsg(handle_.get());
  return false;
}

bool Database::ReadHead(const std::string& path, std::string& error) {
  const int64_t application = Pragma(handle_.get(), "application_id");
  const int64_t version = Pragma(handle_.get(), "user_version");
  if (application != kApplication) {
    error = fmt::format("{} is no database of a sweep", path);
    return false;
  }
  if (version != kVersion) {
    error = fmt::format("{} has version {} of a sweep's tables, and this cosim reads {}", path, version,
                        kVersion);
    return false;
  }
  Statement statement(handle_.get(), "SELECT digest, plan, version, points FROM sweep");
  if (statement.Step() == SQLITE_ROW) {
    head_ = {statement.Text(0), statement.Text(1), statement.Text(2), statement.Integer(3)};
    Statement table(handle_.get(), "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'search'");
    head_.is_search = table.Step() == SQLITE_ROW;
    return true;
  }
  error = fmt::format("{} is damaged: {}", path, sqlite3_errmsg(handle_.get()));
  return false;
}

bool Database::ReadSources(std::vector<SourceFile>& sources, std::string& error) const {
  Statement statement(handle_.get(), "SELECT sha256, kind, path, text FROM source ORDER BY sha256");
  int step = statement.Step();
  for (; step == SQLITE_ROW; step = statement.Step())
    sources.push_back({statement.Text(0), statement.Text(1), statement.Text(2), statement.Text(3)});
  if (step != SQLITE_DONE) error = sqlite3_errmsg(handle_.get());
  return step == SQLITE_DONE;
}

std::optional<int64_t> Database::Count() const {
  Statement statement(handle_.get(), "SELECT count(*) FROM point");
  if (statement.Step() != SQLITE_ROW) return std::nullopt;
  return statement.Integer(0);
}

std::set<int64_t> Database::Ids(const std::string& but_status) const {
  std::set<int64_t> ids;
  Statement statement(handle_.get(), "SELECT id FROM point WHERE status <> ?");
  statement.Bind(but_status);
  while (statement.Step() == SQLITE_ROW) ids.insert(statement.Integer(0));
  return ids;
}

bool Database::Add(const Row& row, std::string& error) {
  if (!head_.is_search || !row.birth) return AddPoint(row, error);
  // Both or neither; inside of a transaction, too.
  return Execute("SAVEPOINT row", error) && AddBirth(row, error) && AddPoint(row, error) &&
         Execute("RELEASE row", error);
}

bool Database::AddPoint(const Row& row, std::string& error) {
  Statement statement(
      handle_.get(),
      fmt::format("INSERT OR REPLACE INTO point ({}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", kColumns));
  statement.Bind(row.id).Bind(row.network).Bind(row.config).Bind(row.isa).Bind(row.name);
  statement.Bind(SettingsJson(row.settings)).Bind(row.status);
  if (statement.BindOrNull(row.diagnostic).BindOrNull(row.result).Done()) return true;
  error = sqlite3_errmsg(handle_.get());
  return false;
}

bool Database::AddBirth(const Row& row, std::string& error) {
  Statement statement(handle_.get(), "INSERT OR REPLACE INTO search VALUES (?, ?, ?, ?)");
  statement.Bind(row.id).Bind(row.birth->generation).Bind(nlohmann::json(row.birth->parents).dump());
  if (std::isfinite(row.violation))
    statement.BindReal(row.violation);
  else
    statement.BindOrNull("");
  if (statement.Done()) return true;
  error = sqlite3_errmsg(handle_.get());
  return false;
}

bool Database::Extend(const SweepHead& head, std::string& error) {
  if (head.points == head_.points) return true;
  if (head.points < head_.points) {
    error = fmt::format("it holds a search of up to {} points, and the plan now says {}", head_.points,
                        head.points);
    return false;
  }
  Statement statement(handle_.get(), "UPDATE sweep SET plan = ?, points = ?");
  if (!statement.Bind(head.plan).Bind(head.points).Done())
    return error = sqlite3_errmsg(handle_.get()), false;
  head_.plan = head.plan;
  head_.points = head.points;
  return true;
}

bool Database::Execute(const char* sql, std::string& error) {
  if (sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK) return true;
  error = sqlite3_errmsg(handle_.get());
  return false;
}

bool Database::Begin(std::string& error) { return Execute("BEGIN", error); }
bool Database::Commit(std::string& error) { return Execute("COMMIT", error); }

bool Database::ForEach(const std::function<void(const Row&)>& visit, std::string& error) const {
  Statement statement(handle_.get(), SelectRows(head_.is_search) + " ORDER BY id");
  int step = statement.Step();
  for (; step == SQLITE_ROW; step = statement.Step()) visit(RowAt(statement));
  if (step != SQLITE_DONE) error = sqlite3_errmsg(handle_.get());
  return step == SQLITE_DONE;
}

std::optional<Row> Database::Find(int64_t id, std::string& error) const {
  Statement statement(handle_.get(), SelectRows(head_.is_search) + " WHERE id = ?");
  statement.Bind(id);
  const int step = statement.Step();
  if (step == SQLITE_ROW) return RowAt(statement);
  error = step == SQLITE_DONE ? fmt::format("there is no point {}", id) : sqlite3_errmsg(handle_.get());
  return std::nullopt;
}

}  // namespace cosim::explore
