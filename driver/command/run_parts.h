// SPDX-License-Identifier: Apache-2.0
// What `cosim-board run` does alike with one frame and with several in flight.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/board_module.h"
#include "driver/command/arguments.h"
#include "driver/open_board.h"
#include "runtime/executor.h"

namespace cosim::driver {

using Arrays = std::vector<std::vector<uint8_t>>;  // of one frame

inline constexpr int64_t kMostFrames = 100'000;  ///< their outputs are kept until all are done

/// The inputs of frames: of all samples, or those of --input, all arrays one after the other. Nothing after
/// printing why not.
std::optional<std::vector<Arrays>> InputsOf(const runtime::Module& module, const Options& options);

void PrintLedger(const std::vector<runtime::LedgerRow>& ledger);

/// Writes the programs' images, and prints how long that took.
void LoadOnto(runtime::Device& device, const runtime::Network& network);

/// The number of bytes that differ. Floats have a tolerance, which only `cosim run` knows how to apply.
size_t Differing(const Arrays& is, const Arrays& want);

/// Holds outputs of frame i against the golden ones of sample i % samples and prints the count of bytes that
/// differ; with --input there are none. The exit status.
int CompareOutputs(const runtime::Module& module, const std::vector<const Arrays*>& frames,
                   const Options& options);

/// `cosim-board run --frames=N` (run_frames.cc). The exit status.
int RunFrames(const BoardModule& loaded, std::vector<OpenBoard>& boards, int frames,
              std::chrono::milliseconds timeout, const Options& options);

double Now();  ///< seconds of a clock that only goes forward

}  // namespace cosim::driver
