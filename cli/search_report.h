// SPDX-License-Identifier: Apache-2.0
// The designs of a search, for people and for programs (docs/reference/search.md).
#pragma once

#include <string>
#include <vector>

#include "compiler/explore/database.h"
#include "compiler/explore/search/search_plan.h"

namespace cosim::cli {

/// The front, one line a design, and how many designs came to what.
std::string SearchTable(const explore::SearchPlan& plan, const std::vector<explore::Row>& rows);
/// All rows, as a sweep's, with their design, how the search came upon it and whether it is on the front.
std::string SearchCsv(const explore::SearchPlan& plan, const std::vector<explore::Row>& rows);
std::string SearchJson(const explore::SearchPlan& plan, const explore::SweepHead& head,
                       const std::vector<explore::Row>& rows);

}  // namespace cosim::cli
