// SPDX-License-Identifier: Apache-2.0
// RTL against models on hardware and programs that nobody wrote, for as long as one likes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>

#include "tests/hw/lockstep_coverage.h"

namespace cosim::testing {

struct SweepOptions {
  uint64_t seed = 1;
  std::string isa;                                       ///< file of the only ISA; empty: drawn
  double minutes = 1;                                    ///< begins no further configuration after these
  int configurations = std::numeric_limits<int>::max();  ///< ends after so many
  int programs = 100;                                    ///< for each configuration
  std::filesystem::path failures = "lockstep-failures";  ///< folder for what differs
};

struct SweepResult {
  int drawn = 0;           ///< pairs of ISA and configuration
  int configurations = 0;  ///< those that are legal and have RTL
  int64_t programs = 0;    ///< compared in timing, ledger and contents
  int64_t stalled = 0;     ///< of them, compared in contents once more with a bus that stalls at random
  int differences = 0;     ///< each saved below `failures`
  int64_t cycles = 0;      ///< of the RTL
  double build_seconds = 0, run_seconds = 0;
  Coverage coverage;
};

/// Prints a line for each configuration and a report for each difference; the first in a configuration ends
/// that configuration.
SweepResult Sweep(const SweepOptions& options);

/// Runs what a sweep saved. True if RTL and models agree.
bool Reproduce(const std::filesystem::path& folder);

}  // namespace cosim::testing
