// SPDX-License-Identifier: Apache-2.0
// A point as a row of the database: run, sent from one process to another, and with the texts it follows
// from.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/explore/database.h"
#include "compiler/explore/plan.h"
#include "compiler/explore/point_runner.h"

namespace cosim::explore {

/// The JSON of a point that is done.
using DescribeOutcome = std::function<std::string(const Point& point, const Outcome& outcome)>;

/// What is known of a point before it has run.
Row RowOf(const Point& point);

/// Runs a point, in a worker: whatever it comes to is in the row.
Row RunPoint(const Point& point, PointRunner& runner, const DescribeOutcome& describe);

/// What came of a point as one text, and back into a row of that point.
std::string PackRow(const Row& row);
void UnpackRow(const std::string& text, Row& row);

/// The texts that points follow from, each once. A point that has none fails by itself.
std::vector<SourceFile> SourcesOf(const std::vector<Point>& points);

}  // namespace cosim::explore
