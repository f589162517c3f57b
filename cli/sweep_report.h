// SPDX-License-Identifier: Apache-2.0
// The rows of a sweep, for people and for programs (docs/reference/sweep.md).
#pragma once

#include <string>
#include <vector>

#include "compiler/explore/database.h"

namespace cosim::cli {

/// One line a point, with what differs between points in columns of its own.
std::string SweepTable(const std::vector<explore::Row>& rows);
std::string SweepCsv(const std::vector<explore::Row>& rows);
std::string SweepJson(const explore::SweepHead& head, const std::vector<explore::Row>& rows);

}  // namespace cosim::cli
