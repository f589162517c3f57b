// SPDX-License-Identifier: Apache-2.0
// What a point of a sweep is kept as.
#pragma once

#include <string>

#include "compiler/explore/point_runner.h"

namespace cosim::cli {

/// Of a point that is done, on one line: the JSON of `run`, but for what was measured on this machine, which
/// differs each time.
std::string OutcomeJson(const explore::Outcome& outcome, const session::Options& options);

}  // namespace cosim::cli
