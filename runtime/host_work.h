// SPDX-License-Identifier: Apache-2.0
// What a CPU step does, as counts that hold on any processor, and the time a processor would take for it by
// the model of docs/rationale/host-time.md. An estimate: nothing of it is measured.
#pragma once

#include <array>
#include <cstdint>

#include "isa/spec/host_processor.h"

namespace cosim::runtime {

struct HostWork {
  std::array<int64_t, isa::kHostOps> scalar{};   ///< operations, by isa::HostOp
  std::array<int64_t, isa::kHostOps> vector{};   ///< bytes that vector operations work on; kGather: elements
  int64_t iterations = 0;                        ///< of loops, those of vectors counted once a vector
  int64_t bytes = 0;                             ///< of all arrays, each once
  int64_t routine_values = 0, routine_macs = 0;  ///< of a routine of the library: all else but bytes is 0
  friend bool operator==(const HostWork&, const HostWork&) = default;
};

/// Cycles of its loops or its routine, with all arrays in the first cache.
double ComputeCycles(const HostWork& work, const isa::HostCosts& costs);

/// Milliseconds of one step that does `work`, called once.
double EstimateMs(const HostWork& work, const isa::HostProcessor& host);

}  // namespace cosim::runtime
