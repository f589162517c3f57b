// SPDX-License-Identifier: Apache-2.0
// What a run's record says when, against the ledger and the counters of the same run.
#include "sim/cycle/activity.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/cycle/timing_engine.h"
#include "tests/sim/cycle/testing/random_case.h"

namespace cosim::sim::testing {
namespace {

using Kind = Activity::Kind;

TEST(Activity, IsTheFirstThatACycleHas) {
  const UnitTrail trail = {.busy = {{Kind::kBusy, -1, 5, 8}, {Kind::kBusy, -1, 20, 22}},
                           .head_waits = {{Kind::kWaitToken, 3, 6, 12}},
                           .lost_turns = {{Kind::kWaitPort, -1, 14, 15}},
                           .flights = {{Kind::kWaitMemory, -1, 4, 16}, {Kind::kWaitMemory, -1, 19, 22}}};
  const std::vector<Activity> expected = {{Kind::kWaitMemory, -1, 4, 5},   {Kind::kBusy, -1, 5, 8},
                                          {Kind::kWaitToken, 3, 8, 12},    {Kind::kWaitMemory, -1, 12, 14},
                                          {Kind::kWaitPort, -1, 14, 15},   {Kind::kWaitMemory, -1, 15, 16},
                                          {Kind::kWaitMemory, -1, 19, 20}, {Kind::kBusy, -1, 20, 22}};
  EXPECT_EQ(ActivitiesOf(trail), expected);
  EXPECT_TRUE(ActivitiesOf({}).empty());
}

TEST(Activity, CyclesDoNotDependOnWhetherALedgerIsKept) {
  int completed = 0;
  for (uint64_t seed = 0; seed < 120; ++seed) {
    const Case c = RandomCase(seed % 2 == 0 ? Shape::kCosim : Shape::kAnyIsa, seed % 5 != 0, 100, seed);
    const auto with = TimingEngine(c.spec).Run(c.program, c.code_address, {.record_instructions = true});
    const auto without =
        TimingEngine(c.spec).Run(c.program, c.code_address, {.record_instructions = true, .ledger = false});
    ASSERT_EQ(without.completed, with.completed) << seed;
    EXPECT_EQ(without.error, with.error) << seed;
    EXPECT_EQ(without.cycles, with.cycles) << seed;
    EXPECT_EQ(without.dram_read_bytes, with.dram_read_bytes) << seed;
    ASSERT_EQ(without.instructions.size(), with.instructions.size());
    for (size_t i = 0; i < with.instructions.size(); ++i)
      EXPECT_EQ(without.instructions[i].retire, with.instructions[i].retire) << seed << " " << i;
    EXPECT_TRUE(without.ledger.empty());
    completed += with.completed;
  }
  EXPECT_GT(completed, 50);
}

TEST(Activity, AddsUpToTheLedger) {
  int completed = 0;
  for (uint64_t seed = 0; seed < 120; ++seed) {
    const Case c = RandomCase(seed % 2 == 0 ? Shape::kCosim : Shape::kAnyIsa, seed % 5 != 0, 100, seed);
    ActivityRecord record;
    const runtime::Counters counters =
        TimingEngine(c.spec).Run(c.program, c.code_address, {.record = &record});
    if (!counters.completed) continue;
    ++completed;
    ASSERT_EQ(record.units.size(), counters.ledger.size());
    for (size_t u = 0; u < record.units.size(); ++u) {
      runtime::LedgerRow sum;
      sum.wait_token.resize(c.spec.queues.size());
      Cycle end = 0;
      for (const Activity& activity : record.units[u]) {
        const Cycle cycles = activity.end - activity.begin;
        ASSERT_GT(cycles, 0);
        ASSERT_GE(activity.begin, end);
        end = activity.end;
        if (activity.kind == Kind::kBusy) sum.busy += cycles;
        if (activity.kind == Kind::kWaitPush) sum.wait_push += cycles;
        if (activity.kind == Kind::kWaitToken) sum.wait_token[static_cast<size_t>(activity.queue)] += cycles;
        if (activity.kind == Kind::kWaitPort) sum.wait_port += cycles;
        if (activity.kind == Kind::kWaitMemory) sum.wait_memory += cycles;
      }
      const runtime::LedgerRow& row = counters.ledger[u];
      EXPECT_LE(end, counters.cycles);
      EXPECT_EQ(sum.busy, row.busy) << seed << " " << row.unit;
      EXPECT_EQ(sum.wait_push, row.wait_push) << seed << " " << row.unit;
      EXPECT_EQ(sum.wait_token, row.wait_token) << seed << " " << row.unit;
      EXPECT_EQ(sum.wait_port, row.wait_port) << seed << " " << row.unit;
      EXPECT_EQ(sum.wait_memory, row.wait_memory) << seed << " " << row.unit;
    }
  }
  EXPECT_GT(completed, 90);
}

TEST(Activity, HasEveryBeatOfThePorts) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Case c = RandomCase(Shape::kCosim, /*token_correct=*/true, 200, seed);
    ActivityRecord record;
    const runtime::Counters counters =
        TimingEngine(c.spec).Run(c.program, c.code_address, {.record = &record});
    ASSERT_TRUE(counters.completed);
    uint64_t reads = 0, writes = 0;
    for (const PortTraffic& port : record.reads)
      for (const Cycle beats : port.beats()) reads += static_cast<uint64_t>(beats);
    for (const PortTraffic& port : record.writes)
      for (const Cycle beats : port.beats()) writes += static_cast<uint64_t>(beats);
    const auto beat_bytes = static_cast<uint64_t>(c.spec.dram.beat_bytes());
    EXPECT_EQ(reads * beat_bytes, counters.dram_read_bytes);
    EXPECT_EQ(writes * beat_bytes, counters.dram_write_bytes);
  }
}

TEST(Activity, RecordingChangesNothing) {
  const Case c = RandomCase(Shape::kCosim, /*token_correct=*/true, 200, 7);
  ActivityRecord record;
  const runtime::Counters with = TimingEngine(c.spec).Run(c.program, c.code_address, {.record = &record});
  const runtime::Counters without = TimingEngine(c.spec).Run(c.program, c.code_address);
  EXPECT_EQ(with.cycles, without.cycles);
  for (size_t u = 0; u < with.ledger.size(); ++u) EXPECT_EQ(with.ledger[u].busy, without.ledger[u].busy);
}

TEST(PortTraffic, DoublesItsWindowsAndLosesNothing) {
  PortTraffic traffic;
  traffic.Add(60, 8);  // four in each of two windows
  EXPECT_EQ(traffic.beats(), (std::vector<Cycle>{4, 4}));
  const Cycle far = 4 * PortTraffic::kFirstWindow * PortTraffic::kMostWindows - 16;
  traffic.Add(far, 16);
  EXPECT_EQ(traffic.window(), 4 * PortTraffic::kFirstWindow);
  EXPECT_EQ(traffic.beats().size(), static_cast<size_t>(PortTraffic::kMostWindows));
  EXPECT_EQ(traffic.beats().front(), 8);
  EXPECT_EQ(traffic.beats().back(), 16);
  EXPECT_EQ(std::count(traffic.beats().begin(), traffic.beats().end(), 0), PortTraffic::kMostWindows - 2);
}

}  // namespace
}  // namespace cosim::sim::testing
