// SPDX-License-Identifier: Apache-2.0
// Runs a search into a database, a generation after the other, each on all cores. A search that was killed
// goes on by proposing all of it again, from its seed and the rows that are there, and running what is not.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/explore/database.h"
#include "compiler/explore/point_row.h"
#include "compiler/explore/point_runner.h"
#include "compiler/explore/search/search_plan.h"

namespace cosim::explore {

struct SearchProgress {
  int64_t generation = 0;
  int64_t points = 0, most = 0;  ///< that have run, or were there; that the plan allows
  int64_t run = 0;               ///< now
  double seconds = 0;            ///< since the first of them began
};

struct SearchOptions {
  std::string database;  ///< a file; empty: rows are kept in memory only
  std::string plan;      ///< its text, for the database
  std::string producer;  ///< version and commit: rows of another one do not mix with these
  int jobs = 1;          ///< processes
  RunOptions run;
  DescribeOutcome describe;
  std::function<void(const SearchProgress&)> progress;  ///< may be empty
};

/// The database with a row for each point; the points of a design, one a network, follow each other. Nothing,
/// and `error` set, when there is none to be had, it takes no more, its rows are not those of this search, or
/// no point has a figure that is an objective.
std::optional<Database> RunSearch(const SearchPlan& plan, const Networks& networks,
                                  const SearchOptions& options, std::string& error);

/// What a row says of its point. Names of figures that a row which is done lacks go to `missing`.
Fitness FitnessOf(const Row& row, const std::vector<Objective>& objectives,
                  std::vector<std::string>& missing);

/// Of a design under several networks: the mean of each cost, or the largest violation.
Fitness Combined(const std::vector<Fitness>& networks);

struct Design {
  int64_t place = 0;  ///< in the search, from 1
  Fitness fitness;
  bool on_front = false;  ///< it meets all conditions, and no other design dominates it
};
/// Of rows in the order of their ids, so many networks each. A design whose last rows are not there is left
/// out.
std::vector<Design> DesignsOf(const std::vector<Row>& rows, size_t networks,
                              const std::vector<Objective>& objectives);

}  // namespace cosim::explore
