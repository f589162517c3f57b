// SPDX-License-Identifier: Apache-2.0
// A module run where this program is not: outputs and times come from there, the simulated cycles they are
// held against from here.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/session/session.h"
#include "runtime/frames.h"
#include "runtime/module.h"

namespace cosim::session {

/// One run on a board. Seconds are by the board's clock.
struct BoardMeasurement {
  runtime::Cycle cycles = 0;
  std::vector<runtime::LedgerRow> ledger;
  std::vector<std::vector<uint8_t>> outputs;  ///< as Network::outputs
  double total_s = 0, accelerator_s = 0, host_s = 0, copies_s = 0;
  /// Hand-over.
  double RestSeconds() const { return total_s - accelerator_s - host_s - copies_s; }
};

/// Frames in flight there, in its seconds: from the first one's start to the last one's end; in host layers
/// and copies, summed over the frames; and what of that passed while the accelerator had another frame. By
/// the accelerator's counters, not the clock: `meanwhile`, without stretches if none were counted.
struct BoardFrames {
  std::vector<BoardMeasurement> frames;  ///< in their order
  double wall_s = 0, host_s = 0, overlapped_s = 0;
  runtime::Meanwhile meanwhile;
};

struct BoardResult {
  Result result;                       ///< cycles as simulated; outputs the board's, compared
  std::vector<BoardMeasurement> runs;  ///< at least one; the frames if there were several in flight
  std::optional<BoardFrames> frames;   ///< without its `frames`
  /// Of a part over all runs, each for itself: medians of parts do not add up to the median of the sum.
  /// `seconds` is a member of BoardMeasurement. Of an even number of runs the larger of the middle two.
  using Seconds = std::function<double(const BoardMeasurement&)>;
  double Median(const Seconds& seconds) const;
  double Least(const Seconds& seconds) const;
  /// The run whose total is the median; its parts add up to it.
  const BoardMeasurement& MedianRun() const;
};

using BoardRunner = std::function<std::optional<BoardMeasurement>(
    const std::vector<std::vector<uint8_t>>& inputs, const Result& simulated)>;

/// Simulates the module's programs, then calls `board` `repeat` times with the inputs: `options.inputs`, or
/// the module's first sample, whose outputs are then compared with those of every run. The module is linked
/// with NativeCode::kLeaveOut: its machine code is not for here. Nothing when `board` gave nothing, or with
/// `error` set when the module cannot be simulated or a board's outputs have other sizes.
std::optional<BoardResult> RunOnBoard(const isa::Spec& spec, runtime::Module module, const Options& options,
                                      int repeat, const BoardRunner& board, std::string& error);

using BoardFramesRunner = std::function<std::optional<BoardFrames>(
    const std::vector<std::vector<std::vector<uint8_t>>>& inputs, const Result& simulated)>;

/// Likewise `options.frames` frames by one call of `board`: on `options.inputs`, or on the module's samples
/// in turn.
std::optional<BoardResult> RunFramesOnBoard(const isa::Spec& spec, runtime::Module module,
                                            const Options& options, const BoardFramesRunner& board,
                                            std::string& error);

}  // namespace cosim::session
