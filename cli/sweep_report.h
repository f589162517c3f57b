// SPDX-License-Identifier: Apache-2.0
// The rows of a sweep, for people and for programs (docs/reference/sweep.md).
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "compiler/explore/database.h"

namespace cosim::cli {

struct RowColumn {
  std::string title;
  std::function<std::string(const explore::Row&)> text;
};

/// What points are, apart from results: name, network, configuration, each key.
std::vector<RowColumn> PointColumns(const std::vector<explore::Row>& rows);
/// Those in which rows differ, with short titles.
std::vector<RowColumn> DifferingColumns(const std::vector<explore::Row>& rows);

/// One line a point, with what differs between points in columns of its own.
std::string SweepTable(const std::vector<explore::Row>& rows);
/// `more` columns behind the others.
std::string SweepCsv(const std::vector<explore::Row>& rows, const std::vector<RowColumn>& more = {});
nlohmann::ordered_json SweepObject(const explore::SweepHead& head, const std::vector<explore::Row>& rows);
std::string SweepJson(const explore::SweepHead& head, const std::vector<explore::Row>& rows);

}  // namespace cosim::cli
