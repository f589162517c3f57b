// SPDX-License-Identifier: Apache-2.0
// cosim run --timeline: the trace says what the JSON of the same run says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/cli/command.h"
#include "tests/cli/trace_reader.h"

namespace cosim::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using testing::ReadTrace;
using testing::Trace;
using testing::TraceSlice;
using testing::TraceTrack;

class TraceOfRun : public testing::Command, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    Good(std::string("run ") + GetParam() + " --timing-only --json=run.json --timeline=run.pftrace");
    run_ = json::parse(testing::ReadFile(folder_ / "run.json"));
    trace_ = ReadTrace(testing::ReadFile(folder_ / "run.pftrace"));
  }
  int64_t Cycles(uint64_t begin, uint64_t end) const { return CycleAt(end) - CycleAt(begin); }
  int64_t CycleAt(uint64_t ns) const {
    return std::llround(static_cast<double>(ns) * run_["clock_mhz"].get<double>() / 1e3);
  }
  /// Cycles of a track's slices by name.
  std::map<std::string, int64_t> Sums(const TraceTrack& track) const {
    std::map<std::string, int64_t> sums;
    for (const TraceSlice& slice : track.slices) sums[slice.name] += Cycles(slice.begin, slice.end);
    return sums;
  }
  /// What lies under the line from 0 to the end of the run, in bytes: MB/s times µs.
  static double Bytes(const TraceTrack& track) {
    double bytes = 0;
    for (size_t i = 0; i + 1 < track.counts.size(); ++i)
      bytes += track.counts[i].second *
               static_cast<double>(track.counts[i + 1].first - track.counts[i].first) / 1e3;
    EXPECT_EQ(track.counts.back().second, 0) << track.name;
    return bytes;
  }

  json run_;
  Trace trace_;
};

TEST_P(TraceOfRun, HasTheLedgerOfEachUnit) {
  for (const auto& [unit, row] : run_["ledger"].items()) {
    ASSERT_EQ(trace_.Named(unit).size(), 1u);
    std::map<std::string, int64_t> sums = Sums(*trace_.Named(unit)[0]), queues;
    EXPECT_EQ(sums["busy"], row["busy"]) << unit;
    EXPECT_EQ(sums["wait_port"], row["wait_port"]) << unit;
    EXPECT_EQ(sums["wait_memory"], row["wait_memory"]) << unit;
    int64_t pushes = 0;
    for (const auto& [name, cycles] : sums) {
      if (name.starts_with("wait_push ")) pushes += cycles;
      if (name.starts_with("wait_token ")) queues[name.substr(11)] = cycles;
    }
    EXPECT_EQ(pushes, row["wait_push"]) << unit;
    EXPECT_EQ(json(queues), row["wait_token"].empty() ? json::object() : row["wait_token"]) << unit;
  }
}

TEST_P(TraceOfRun, HasTheCyclesOfEachLayer) {
  ASSERT_EQ(trace_.Named("layers").size(), 1u);
  const std::map<std::string, int64_t> sums = Sums(*trace_.Named("layers")[0]);
  int64_t total = 0;
  for (const json& layer : run_["layers"]) {
    const auto at = sums.find(layer["name"]);
    EXPECT_EQ(at == sums.end() ? 0 : at->second, layer["cycles"]) << layer["name"];
    total += layer["cycles"].get<int64_t>();
  }
  EXPECT_EQ(total, run_["cycles"]);
}

TEST_P(TraceOfRun, HasEachInstructionOnceInItsLayer) {
  std::set<int64_t> seen;
  std::set<std::string> layers;
  for (const json& layer : run_["layers"]) layers.insert(layer["name"]);
  for (const auto& [unit, row] : run_["ledger"].items())
    for (const TraceTrack* track : trace_.Named(unit + " instructions")) {
      EXPECT_EQ(trace_.tracks.at(track->parent).name, unit);
      for (size_t i = 0; i < track->slices.size(); ++i) {
        const TraceSlice& slice = track->slices[i];
        EXPECT_TRUE(seen.insert(slice.instruction).second);
        EXPECT_EQ(layers.count(slice.layer), 1u) << slice.layer;
        EXPECT_LT(slice.begin, slice.end);
        const uint64_t before = i == 0 ? 0 : track->slices[i - 1].end;
        EXPECT_LE(before, slice.begin);
      }
    }
  EXPECT_EQ(static_cast<int64_t>(seen.size()), run_["instructions"]);
  EXPECT_EQ(*seen.rbegin(), run_["instructions"].get<int64_t>() - 1);
}

TEST_P(TraceOfRun, TokensGoFromOnePushToOnePop) {
  EXPECT_GT(trace_.flow_begins.size(), 0u);
  EXPECT_EQ(trace_.flow_begins.size(), trace_.flow_ends.size());
  for (const auto& [flow, begins] : trace_.flow_begins) {
    ASSERT_EQ(begins.size(), 1u);
    ASSERT_EQ(trace_.flow_ends[flow].size(), 1u);
    EXPECT_LT(begins[0], trace_.flow_ends[flow][0]);
  }
  size_t tokens = 0;
  for (const auto& [uuid, track] : trace_.tracks) {
    if (!track.name.starts_with("tokens ")) continue;
    double last = 0;
    for (const auto& [ns, count] : track.counts) {
      EXPECT_GE(count, 0) << track.name;
      EXPECT_LE(count, 64) << track.name;
      tokens += static_cast<size_t>(std::max(0.0, count - last));
      last = count;
    }
    EXPECT_EQ(last, 0) << track.name;
  }
  // A token that comes in the cycle in which another goes leaves no mark.
  EXPECT_GT(tokens, 0u);
  EXPECT_LE(tokens, trace_.flow_begins.size());
}

TEST_P(TraceOfRun, HasTheBytesOfTheMemoryPort) {
  double bytes = 0;
  for (const auto& [uuid, track] : trace_.tracks)
    if (track.name.starts_with("memory port")) {
      for (const auto& [ns, rate] : track.counts) EXPECT_GE(rate, 0);
      bytes += Bytes(track);
    }
  // The program's own words, of 16 or 32 bytes, are in it; times are rounded to ns.
  const double moved = run_["dram_bytes"], words = run_["instructions"];
  EXPECT_GE(bytes, 0.999 * (moved + 16 * words));
  EXPECT_LE(bytes, 1.001 * (moved + 32 * words) + 4096);
}

INSTANTIATE_TEST_SUITE_P(Runs, TraceOfRun,
                         ::testing::Values("small_cnn --config=tiny.yaml",
                                           "small_cnn --config=pynq.yaml --isa=vta",
                                           "small_cnn --config=ultra96.yaml", "small_cnn --isa=test/two_gemm",
                                           "small_cnn --config=tiny.yaml --set isa.alu_ops.max_inp=off"));

using TraceOption = testing::Command;

TEST_F(TraceOption, IsForDevicesThatCountCycles) {
  EXPECT_THAT(ErrorOf("run mlp --config=tiny.yaml --device=functional --timeline=t"),
              HasSubstr("has no timing"));
  EXPECT_THAT(ErrorOf("run mlp --device=host --timeline=t"), HasSubstr("--timeline: the host device"));
  EXPECT_THAT(ErrorOf("run mlp --config=tiny.yaml --timeline=no/such/t"), HasSubstr("no/such/t"));
  EXPECT_TRUE(Files().empty());
}

TEST_F(TraceOption, IsTheSameOfAModuleAndOnStandardOutput) {
  Good("compile mlp --config=tiny.yaml -o mlp.cosim");
  Good("run mlp.cosim --config=tiny.yaml --timeline=module.pftrace");
  const testing::Outcome outcome = Good("run mlp --config=tiny.yaml --timeline=-");
  EXPECT_GT(outcome.out.size(), 1000u);
  EXPECT_EQ(outcome.out, testing::ReadFile(folder_ / "module.pftrace"));
  EXPECT_EQ(ReadTrace(outcome.out).process, "mlp on tiny (cosim)");
}

}  // namespace
}  // namespace cosim::cli
