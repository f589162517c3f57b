// SPDX-License-Identifier: Apache-2.0
// What a board measured beside what was simulated: lines behind the table of `cosim run`, and a key of its
// JSON (docs/reference/run-json.md).
#pragma once

#include <string>

#include "compiler/session/board_run.h"

namespace cosim::cli {

/// `options.device` names the board.
std::string BoardLines(const session::BoardResult& board, const isa::Spec& spec,
                       const session::Options& options);

/// `run_json`, as RunJson gives it, with the key "board".
std::string WithBoard(const std::string& run_json, const session::BoardResult& board, const isa::Spec& spec,
                      const session::Options& options);

}  // namespace cosim::cli
