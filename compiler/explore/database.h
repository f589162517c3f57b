// SPDX-License-Identifier: Apache-2.0
// The rows of a sweep in a file of SQLite's: each stands there for good as soon as its point has run.
// docs/reference/sweep.md describes the tables.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/explore/plan.h"

struct sqlite3;

namespace cosim::explore {

/// A text that points were elaborated from.
struct SourceFile {
  std::string sha256, kind, path, text;  ///< kind: "isa", "config" or "energy"
};

/// What a database says of the sweep it holds.
struct SweepHead {
  std::string digest;   ///< of everything that its rows follow from; one database holds one such sweep
  std::string plan;     ///< the plan's text, or the command's arguments
  std::string version;  ///< "cosim 0.1.0"
  int64_t points = 0;   ///< of the plan; of a search, the most that it may run
  bool is_search = false;
};

/// How a search came upon a point.
struct Birth {
  int64_t generation = 1;
  std::vector<int64_t> parents;  ///< designs, by their places in the search, from 1
};

/// A point with what came of it. `result` is the JSON of a run, empty of a point that has none.
struct Row {
  int64_t id = 0;
  std::string network, config, isa, name;
  std::vector<isa::Override> settings;
  std::string status;      ///< "done", "failed" or "excluded"
  std::string diagnostic;  ///< of the latter two
  std::string result;
  double violation = 0;        ///< of an excluded point: Violation(); kept of a search
  std::optional<Birth> birth;  ///< of a search
};

/// What a database that is made keeps beside it while it is written: a log, which is quick and one machine's
/// only; or a rollback journal, with which several machines may have the file open on a file system that they
/// share, and one that falls loses nothing.
enum class Journal { kOneMachine, kSeveralMachines };

class Database {
 public:
  /// Opens `path` for a sweep, made if it is not there. Nothing, and `error` set, when it is no database of
  /// sweeps, of another version, or holds another sweep.
  static std::optional<Database> Make(const std::string& path, const SweepHead& head,
                                      const std::vector<SourceFile>& files, std::string& error,
                                      Journal journal = Journal::kOneMachine);
  /// Opens one that is there, for reading.
  static std::optional<Database> Open(const std::string& path, std::string& error);

  /// Raises the number of points that a search may run, and keeps the plan's text that says so. False, and
  /// `error` set, when that is fewer than before, or the file takes no more.
  bool Extend(const SweepHead& head, std::string& error);
  /// The texts that points follow from, by digest. False, and `error` set, when the file is damaged.
  bool ReadSources(std::vector<SourceFile>& sources, std::string& error) const;
  const SweepHead& head() const { return head_; }
  /// How many rows there are; nothing while another process keeps the file.
  std::optional<int64_t> Count() const;
  /// Of the rows there are but those of that status.
  std::set<int64_t> Ids(const std::string& but_status = "") const;
  /// Writes a row; one of that id is replaced. False, and `error` set, when the file takes no more.
  bool Add(const Row& row, std::string& error);
  /// Rows between the two are written together, which is faster. False, and `error` set, when they are not.
  bool Begin(std::string& error);
  bool Commit(std::string& error);
  /// In the order of their ids. False, and `error` set, when the file is damaged.
  bool ForEach(const std::function<void(const Row&)>& visit, std::string& error) const;
  std::optional<Row> Find(int64_t id, std::string& error) const;

 private:
  struct Closer {
    void operator()(sqlite3* database) const;
  };
  explicit Database(sqlite3* handle) : handle_(handle) {}
  bool AddPoint(const Row& row, std::string& error);
  bool AddBirth(const Row& row, std::string& error);
  bool Execute(const char* sql, std::string& error);
  bool Create(const SweepHead& head, const std::vector<SourceFile>& files, Journal journal,
              std::string& error);
  bool ReadHead(const std::string& path, std::string& error);

  std::unique_ptr<sqlite3, Closer> handle_;
  SweepHead head_;
};

}  // namespace cosim::explore
