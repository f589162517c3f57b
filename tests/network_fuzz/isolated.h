// SPDX-License-Identifier: Apache-2.0
// A function in a child process, so that a crash is an outcome.
#pragma once

#include <functional>
#include <string>

namespace cosim::testing {

struct ChildResult {
  enum class Kind { kDone, kCrashed, kLate } kind = Kind::kDone;
  std::string text;  ///< kDone: what the function returned; kCrashed: what it said before, and how it ended
};

/// At most `seconds` long.
ChildResult RunInChild(const std::function<std::string()>& function, int seconds);

}  // namespace cosim::testing
