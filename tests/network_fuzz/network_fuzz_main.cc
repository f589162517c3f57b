// SPDX-License-Identifier: Apache-2.0
// Runs random networks on random configurations until as many are done as asked for; see --help.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "tests/network_fuzz/network_case.h"
#include "tests/network_fuzz/random_file.h"

namespace {

using cosim::testing::NetworkCase;
using cosim::testing::Outcome;

constexpr int kSeconds = 120, kRtlSeconds = 600;  // for one case

int Usage() {
  fmt::print(
      "usage: network_fuzz [--count=N] [--seed=S]   N random cases, from seed S on\n"
      "         [--rtl=K]                           each Kth on the RTL too, where there is one\n"
      "         [--files]                           TensorFlow Lite files of all operators, and how many of "
      "each\n"
      "       network_fuzz --case='isa=… steps=…'   one case, as a failure prints it\n");
  return 1;
}

int RunOne(const std::string& text) {
  const auto c = cosim::testing::ParseCase(text);
  if (!c) return Usage();
  const Outcome outcome = cosim::testing::RunCase(*c);
  constexpr const char* kNames[] = {"equal", "refused", "FAILED"};
  fmt::print("{} {}\n", kNames[static_cast<int>(outcome.kind)], outcome.reason);
  return outcome.kind == Outcome::Kind::kFailed ? 1 : 0;
}

/// Why networks ran none of their sums on the accelerator, the most frequent reason first.
void PrintReasons(const std::map<std::string, int64_t>& reasons) {
  std::vector<std::pair<int64_t, std::string>> sorted;
  for (const auto& [reason, count] : reasons) sorted.emplace_back(-count, reason);
  std::ranges::sort(sorted);
  for (const auto& [count, reason] : sorted) fmt::print("{:6}  {}\n", -count, reason);
}

/// How often each operator of TensorFlow Lite was drawn; those that were not are missed.
int PrintOperators(const std::map<std::string, int64_t>& drawn) {
  std::string list, missing;
  for (const std::string& op : cosim::testing::KnownOperators())
    drawn.contains(op) ? list += fmt::format(" {} {}", op, drawn.at(op)) : missing += " " + op;
  fmt::print("operators:{}\nnever drawn:{}\n", list, missing.empty() ? " none" : missing);
  return missing.empty() ? 0 : 1;
}

int RunMany(uint64_t seed, int64_t count, uint64_t rtl_every, bool files) {
  std::map<std::string, int64_t> drawn;
  std::map<std::string, int64_t> reasons;
  int64_t kinds[3] = {}, on_accelerator = 0, on_cpu = 0, with_sums = 0, accelerated = 0;
  for (uint64_t s = seed; s < seed + static_cast<uint64_t>(count); ++s) {
    NetworkCase c = files ? cosim::testing::DrawFileCase(s) : cosim::testing::DrawCase(s);
    for (const auto& [op, uses] : cosim::testing::OperatorsOf(c)) drawn[op] += uses;
    c.rtl = rtl_every != 0 && (s - seed) % rtl_every == 0;
    const int seconds = c.rtl ? kRtlSeconds : kSeconds;
    const Outcome outcome = cosim::testing::RunIsolated(c, seconds);
    ++kinds[static_cast<int>(outcome.kind)];
    on_accelerator += outcome.on_accelerator;
    on_cpu += outcome.on_cpu;
    with_sums += outcome.sums_on_accelerator + outcome.sums_on_cpu > 0;
    accelerated += outcome.sums_on_accelerator > 0;
    if (outcome.sums_on_accelerator == 0 && outcome.sums_on_cpu > 0) ++reasons[outcome.reason];
    if (outcome.kind != Outcome::Kind::kFailed) continue;
    const NetworkCase small = cosim::testing::Shrink(c, [&](const NetworkCase& candidate) {
      return cosim::testing::RunIsolated(candidate, seconds).kind == Outcome::Kind::kFailed;
    });
    fmt::print("seed {} FAILED: {}\n  reproduce with --case='{}'\n", s, outcome.reason, ToString(small));
    std::fflush(stdout);
  }
  fmt::print("{} equal, {} refused, {} failed; {} layers on the accelerator, {} on the CPU\n", kinds[0],
             kinds[1], kinds[2], on_accelerator, on_cpu);
  fmt::print("{} of {} networks with convolutions or matrices ran such on the accelerator\n", accelerated,
             with_sums);
  PrintReasons(reasons);
  const int missed = files ? PrintOperators(drawn) : 0;
  return kinds[2] == 0 ? missed : 1;
}

}  // namespace

int main(int argc, char** argv) {
  int64_t count = 1000;
  uint64_t seed = 1, rtl_every = 0;
  bool files = false;
  for (int i = 1; i < argc; ++i) {
    const std::string text = argv[i];
    if (text.starts_with("--case=")) return RunOne(text.substr(7));
    if (text.starts_with("--count=")) {
      count = std::atoll(text.c_str() + 8);
    } else if (text.starts_with("--seed=")) {
      seed = std::strtoull(text.c_str() + 7, nullptr, 10);
    } else if (text == "--files") {
      files = true;
    } else if (text.starts_with("--rtl=")) {
      rtl_every = std::strtoull(text.c_str() + 6, nullptr, 10);
    } else {
      return Usage();
    }
  }
  return RunMany(seed, count, rtl_every, files);
}
