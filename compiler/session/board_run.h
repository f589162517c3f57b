// SPDX-License-Identifier: Apache-2.0
// A module run where this program is not: outputs and times come from there, the simulated cycles they are
// held against from here.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/session/session.h"
#include "runtime/module.h"

namespace cosim::session {

/// One run on a board. Seconds are by the board's clock; of `total_s` what is neither the accelerator's nor
/// the host layers' is copies and hand-over.
struct BoardMeasurement {
  runtime::Cycle cycles = 0;
  std::vector<runtime::LedgerRow> ledger;
  std::vector<std::vector<uint8_t>> outputs;  ///< as Network::outputs
  double total_s = 0, accelerator_s = 0, host_s = 0;
};

struct BoardResult {
  Result result;                       ///< cycles as simulated; outputs the board's, compared
  std::vector<BoardMeasurement> runs;  ///< at least one
  double Median(double BoardMeasurement::* seconds) const;
  double Least(double BoardMeasurement::* seconds) const;
};

using BoardRunner = std::function<std::optional<BoardMeasurement>(
    const std::vector<std::vector<uint8_t>>& inputs, const Result& simulated)>;

/// Simulates the module's programs, then calls `board` `repeat` times with the inputs: `options.inputs`, or
/// the module's first sample, whose outputs are then compared with those of every run. The module is linked
/// with NativeCode::kLeaveOut: its machine code is not for here. Nothing when `board` gave nothing, or with
/// `error` set when the module cannot be simulated or a board's outputs have other sizes.
std::optional<BoardResult> RunOnBoard(const isa::Spec& spec, runtime::Module module, const Options& options,
                                      int repeat, const BoardRunner& board, std::string& error);

}  // namespace cosim::session
