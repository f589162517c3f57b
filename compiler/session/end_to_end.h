// SPDX-License-Identifier: Apache-2.0
// What one frame takes from its input to its output: the accelerator's simulated time, and the host's and
// that of copies, both estimated. docs/rationale/host-time.md says what the estimate is worth.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/spec/host_processor.h"
#include "runtime/executor.h"
#include "runtime/network.h"

namespace cosim::session {

/// What is not known is absent, never 0.
struct EndToEnd {
  std::optional<double> accelerator_ms;  ///< absent: the device has no timing
  std::optional<double> host_ms;         ///< absent: there are host steps and no 'host:' says on what
  std::vector<double> layer_host_ms;     ///< as Network::layers; empty when host_ms is absent
  std::string host_model;                ///< "one of 2 cortex-a9 at 650 MHz"; empty: unknown
  /// Between the host's arrays and the accelerator's memory; absent: no 'host:' says how fast.
  std::optional<double> copies_ms;
  std::string copies_model;  ///< "at 70 MB/s, uncached"; empty: unknown

  /// The host's steps and the copies.
  std::optional<double> BesideMs() const;
  /// One frame after the other: the host waits for the accelerator, and it for the host.
  std::optional<double> FrameMs() const;
  /// The host's steps and copies of one frame while the accelerator has another. Absent when a frame takes no
  /// time.
  std::optional<double> PipelinedFramesPerSecond() const;
};

EndToEnd EndToEndOf(const runtime::Network& network, const runtime::Run& run, double clock_mhz,
                    const std::optional<isa::HostProcessor>& host);

}  // namespace cosim::session
