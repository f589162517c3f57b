// SPDX-License-Identifier: Apache-2.0
// Prints tests/network/cycles.txt anew: timing-only runs of every case.
#include <fmt/format.h>

#include "tests/network/cases.h"

namespace {

using cosim::testing::Case;

bool Print(const Case& c, int threads) {
  std::string error;
  const auto spec = cosim::testing::SpecOf(c, error);
  cosim::session::Options options{.network = c.network, .timing_only = true, .virtual_threads = threads};
  const auto result = spec ? cosim::session::RunExperiment(*spec, options, error) : std::nullopt;
  if (!result) {
    fmt::print(stderr, "{}: {}\n", c.Name(), error);
    return false;
  }
  fmt::print("{}\n", cosim::testing::CycleLine(c, threads, result->run.cycles));
  return true;
}

}  // namespace

int main() {
  fmt::print(
      "# Exact cycles: network, configuration, ISA, virtual threads, cycles. Written by "
      "scripts/pin-cycles.\n");
  for (const auto& c : cosim::testing::Cases())
    for (const int threads : {1, 2})
      if (!Print(c, threads)) return 1;
  for (const auto& c : cosim::testing::SampleCases())
    if (!Print(c, 2)) return 1;
  return 0;
}
