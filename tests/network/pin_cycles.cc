// SPDX-License-Identifier: Apache-2.0
// Prints tests/network/cycles.txt anew: timing-only runs of every case.
#include <fmt/format.h>

#include "tests/network/cases.h"

int main() {
  fmt::print(
      "# Exact cycles: network, configuration, ISA, virtual threads, cycles. Written by "
      "scripts/pin-cycles.\n");
  for (const auto& c : cosim::testing::Cases()) {
    for (const int threads : {1, 2}) {
      std::string error;
      const auto spec = cosim::testing::SpecOf(c, error);
      cosim::session::Options options{.network = c.network, .timing_only = true, .virtual_threads = threads};
      const auto result = spec ? cosim::session::RunExperiment(*spec, options, error) : std::nullopt;
      if (!result) {
        fmt::print(stderr, "{}: {}\n", c.Name(), error);
        return 1;
      }
      fmt::print("{}\n", cosim::testing::CycleLine(c, threads, result->run.cycles));
    }
  }
  return 0;
}
