// SPDX-License-Identifier: Apache-2.0
// Runs a plan into a database: what is not there yet, on all cores, each row as its point ends.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "compiler/explore/database.h"
#include "compiler/explore/plan.h"
#include "compiler/explore/point_row.h"
#include "compiler/explore/point_runner.h"
#include "isa/diagnostics.h"

namespace cosim::explore {

struct Progress {
  int64_t done = 0, total = 0;  ///< rows there are, points of the plan
  int64_t run = 0;              ///< points run now
  double seconds = 0;           ///< since the first of them began
};

/// Every `count`-th point of a plan, from the `index`-th on, which counts from 1: what one of `count`
/// machines runs.
struct Shard {
  int64_t index = 1, count = 1;
  bool Has(int64_t id) const { return (id - 1) % count == index - 1; }
  /// How many it has of so many.
  int64_t Points(int64_t of) const { return of < index ? 0 : (of - index) / count + 1; }
};

struct SweepOptions {
  std::string database;  ///< a file; empty: rows are kept in memory only
  std::string plan;      ///< its text, for the database
  std::string producer;  ///< version and commit: rows of another one do not mix with these
  int jobs = 1;          ///< processes
  bool retry = false;    ///< run points again that have failed
  Shard shard;
  Journal journal = Journal::kOneMachine;  ///< of a database that is made
  RunOptions run;
  DescribeOutcome describe;
  std::function<void(const Progress&)> progress;  ///< may be empty
};

/// The database of the sweep, made if it is not there, and nothing run. Nothing, and `error` set, as below.
std::optional<Database> OpenSweep(const Plan& plan, const Networks& networks, const SweepOptions& options,
                                  std::string& error);

/// The database with a row for each point. Nothing, and `error` set, when there is none to be had or it takes
/// no more.
std::optional<Database> RunSweep(const Plan& plan, const Networks& networks, const SweepOptions& options,
                                 std::string& error);

/// Whether the files that all points want are there; reports those that are not.
bool CheckFiles(const Plan& plan, Diagnostics& diags);

}  // namespace cosim::explore
