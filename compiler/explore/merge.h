// SPDX-License-Identifier: Apache-2.0
// Databases of one sweep, run in parts, as one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cosim::explore {

struct Merged {
  int64_t points = 0;     ///< of the plan
  int64_t rows = 0;       ///< there are now
  int64_t twice = 0;      ///< points that stood in several files
  int64_t recovered = 0;  ///< … of which one file had failed and another had not
};

/// Writes the rows of `inputs` to a database `output`, which is made whole or not at all and replaces what is
/// there; it may be one of them. Of a point that stands in several files, a row that failed gives way. False,
/// and `error` set, when a file is none of a sweep, they are not of the same one, or two have different
/// results for a point.
bool MergeSweeps(const std::vector<std::string>& inputs, const std::string& output, Merged& merged,
                 std::string& error);

}  // namespace cosim::explore
