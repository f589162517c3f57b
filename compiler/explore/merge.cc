// SPDX-License-Identifier: Apache-2.0
#include "compiler/explore/merge.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <optional>
#include <system_error>

#include "compiler/explore/database.h"

namespace cosim::explore {
namespace {

namespace fs = std::filesystem;

struct Known {
  Row row;
  std::string file;
};
using Rows = std::map<int64_t, Known>;

bool Same(const Row& a, const Row& b) {
  return a.status == b.status && a.result == b.result &&
         (a.status == "failed" || a.diagnostic == b.diagnostic);
}

/// Adds one file's row to those known. False after setting `error`.
bool AddRow(const Row& row, const std::string& file, Rows& rows, Merged& merged, std::string& error) {
  const auto [at, is_new] = rows.emplace(row.id, Known{row, file});
  if (is_new) return true;
  ++merged.twice;
  Row& known = at->second.row;
  if (Same(known, row)) return true;
  if (known.status != "failed" && row.status != "failed") {
    error = fmt::format("point {} is {} in {} and {} in {}, with another result", row.id, known.status,
                        at->second.file, row.status, file);
    return false;
  }
  ++merged.recovered;
  if (known.status == "failed") at->second = {row, file};
  return true;
}

bool Collect(const Database& database, const std::string& file, Rows& rows, Merged& merged,
             std::string& error) {
  bool good = true;
  std::string conflict;
  const auto add = [&](const Row& row) { good = good && AddRow(row, file, rows, merged, conflict); };
  if (!database.ForEach(add, error)) return error = file + ": " + error, false;
  if (!good) error = conflict;
  return good;
}

bool WriteAll(const std::string& path, const SweepHead& head, const std::vector<SourceFile>& sources,
              const Rows& rows, std::string& error) {
  auto database = Database::Make(path, head, sources, error);
  if (!database || !database->Begin(error)) return false;
  for (const auto& [id, known] : rows)
    if (!database->Add(known.row, error)) return error = path + ": " + error, false;
  return database->Commit(error);
}

}  // namespace

bool MergeSweeps(const std::vector<std::string>& inputs, const std::string& output, Merged& merged,
                 std::string& error) {
  std::optional<SweepHead> head;
  std::vector<SourceFile> sources;
  Rows rows;
  for (const std::string& file : inputs) {
    const auto database = Database::Open(file, error);
    if (!database) return false;
    if (head && head->digest != database->head().digest)
      return error = fmt::format(
                 "{} and {} hold different sweeps, by {} and {}: another plan, other options, or "
                 "files that read differently",
                 inputs.front(), file, head->version, database->head().version),
             false;
    if (!head && !database->ReadSources(sources, error)) return error = file + ": " + error, false;
    if (!head) head = database->head();
    if (!Collect(*database, file, rows, merged, error)) return false;
  }
  merged.points = head ? head->points : 0;
  merged.rows = static_cast<int64_t>(rows.size());
  const std::string made = fmt::format("{}.{}.tmp", output, getpid());
  bool good = head && WriteAll(made, *head, sources, rows, error);
  std::error_code failure;
  if (good) {
    fs::rename(made, output, failure);
    if (failure) error = fmt::format("{}: {}", output, failure.message());
    good = !failure;
  }
  if (!good)
    for (const char* part : {"", "-wal", "-shm"}) fs::remove(made + part, failure);
  return good;
}

}  // namespace cosim::explore
