// SPDX-License-Identifier: Apache-2.0
// Runs the whole zoo in full size on every configuration: verified, equal to the golden model, ledgers that
// sum, cycles as in zoo_cycles.txt. Prints one line a run; with --pin the table itself.
#include <fmt/format.h>

#include <optional>
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

struct Selection {
  bool pin = false;
  std::string only, config;  ///< empty: all
  bool Takes(const Case& c) const {
    return (only.empty() || c.network == only) && (config.empty() || c.config == config);
  }
};

std::optional<Selection> ReadArguments(int argc, char** argv) {
  Selection selection;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--pin") {
      selection.pin = true;
    } else if (option.starts_with("--only=")) {
      selection.only = option.substr(7);
    } else if (option.starts_with("--config=")) {
      selection.config = option.substr(9);
    } else {
      return std::nullopt;
    }
  }
  return selection;
}

/// The cycles of a case, or nothing and what is wrong with it.
std::optional<int64_t> CyclesOf(const Case& c, std::string& fault) {
  const auto spec = cosim::testing::SpecOf(c, fault);
  const auto result =
      spec ? cosim::session::RunExperiment(*spec, {.network = c.network}, fault) : std::nullopt;
  if (result) fault = FaultOf(*result);
  return fault.empty() && result ? std::optional(result->run.cycles) : std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  const auto selection = ReadArguments(argc, argv);
  if (!selection) {
    fmt::print(stderr, "usage: zoo [--pin] [--only=NETWORK] [--config=CONFIG]\n");
    return 1;
  }
  const auto pinned = cosim::testing::PinnedCycles("zoo_cycles.txt");
  if (selection->pin)
    fmt::print("# As cycles.txt, for the whole zoo in full size. Written by scripts/zoo --pin.\n");
  int failed = 0;
  for (const Case& c : cosim::testing::ZooCases()) {
    const std::string key = cosim::testing::CycleLine(c, 2, 0);
    const auto expected = pinned.find(key.substr(0, key.rfind(' ')));
    const bool known = expected != pinned.end();
    if (!selection->Takes(c)) {
      if (selection->pin && known) fmt::print("{}\n", expected->second);
      continue;
    }
    std::string fault;
    const auto cycles = CyclesOf(c, fault);
    const std::string line = cosim::testing::CycleLine(c, 2, cycles.value_or(0));
    if (fault.empty() && !selection->pin && known && expected->second != line)
      fault = "pinned: " + expected->second;
    failed += !fault.empty();
    if (!fault.empty()) {
      fmt::print(selection->pin ? stderr : stdout, "{} FAILED: {}\n", line, fault);
    } else {
      fmt::print("{}{}\n", line, selection->pin ? "" : known ? " ok" : " ok, but not pinned");
    }
    std::fflush(stdout);
  }
  return failed == 0 ? 0 : 1;
}
