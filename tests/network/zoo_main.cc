// SPDX-License-Identifier: Apache-2.0
// Runs the whole zoo in full size on every configuration: verified, equal to the golden model, ledgers that
// sum, cycles as in zoo_cycles.txt. Prints one line a run; with --pin the table itself.
#include <fmt/format.h>

#include <string>

#include "tests/network/cases.h"

namespace {

using cosim::testing::Case;

/// What is wrong with a run; empty: nothing.
std::string FaultOf(const cosim::session::Result& result) {
  if (result.Values() == 0) return "nothing compared";
  if (result.Mismatches() != 0)
    return fmt::format("{} of {} values differ", result.Mismatches(), result.Values());
  for (const auto& row : result.run.ledger)
    if (row.Total() != result.run.cycles) return "the ledger of " + row.unit + " does not sum";
  for (const auto& layer : result.network.layers)
    if (!layer.on_accelerator && layer.reason.empty()) return layer.name + " is on the CPU without a reason";
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const std::string option = argc > 1 ? argv[1] : "";
  const bool pin = option == "--pin";
  const std::string only = option.starts_with("--only=") ? option.substr(7) : "";
  if (argc > 2 || (argc == 2 && !pin && only.empty())) {
    fmt::print(stderr, "usage: zoo [--pin | --only=NETWORK]\n");
    return 1;
  }
  const auto pinned = cosim::testing::PinnedCycles("zoo_cycles.txt");
  if (pin) fmt::print("# As cycles.txt, for the whole zoo in full size. Written by scripts/zoo --pin.\n");
  int failed = 0;
  for (const Case& c : cosim::testing::ZooCases()) {
    if (!only.empty() && c.network != only) continue;
    std::string fault;
    const auto spec = cosim::testing::SpecOf(c, fault);
    const auto result =
        spec ? cosim::session::RunExperiment(*spec, {.network = c.network}, fault) : std::nullopt;
    if (result) fault = FaultOf(*result);
    const std::string line = cosim::testing::CycleLine(c, 2, result ? result->run.cycles : 0);
    const auto expected = pinned.find(line.substr(0, line.rfind(' ')));
    const bool known = expected != pinned.end();
    if (fault.empty() && !pin && known && expected->second != line) fault = "pinned: " + expected->second;
    failed += !fault.empty();
    if (!pin || !fault.empty())
      fmt::print(pin ? stderr : stdout, "{} {}\n", line,
                 !fault.empty() ? "FAILED: " + fault
                 : known        ? "ok"
                                : "ok, but not pinned");
    if (pin && fault.empty()) fmt::print("{}\n", line);
    std::fflush(stdout);
  }
  return failed == 0 ? 0 : 1;
}
