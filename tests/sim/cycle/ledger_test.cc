// SPDX-License-Identifier: Apache-2.0
// The ledger: what each cycle counts for, by hand, and that random cases meet every row often enough for the
// comparison with the reference to mean something.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/sim/cycle/testing/random_case.h"
#include "tests/sim/cycle/testing/timeline.h"

namespace cosim::sim::testing {
namespace {

TEST(Ledger, SplitsALoadIntoIdleMemoryAndBusy) {
  Timeline t(Timeline::PlainFetch(CosimLike()));
  t.Add(Load(t.spec(), 0, {.memory = 0, .dram = 4096, .rows = 1, .cols = 16}));
  t.Run();
  const runtime::LedgerRow& row = t.counters().ledger[0];
  EXPECT_EQ(row.unit, "load");
  EXPECT_EQ(row.idle, kT);         // before its issue
  EXPECT_EQ(row.wait_memory, 24);  // up to the first beat
  EXPECT_EQ(row.busy, 16 + 2);     // writing, and the latency after it
  EXPECT_EQ(row.Total(), t.counters().cycles);
}

TEST(Ledger, NamesTheFirstMissingQueue) {
  Timeline t(Timeline::PlainFetch(CosimLike()));
  t.Add(Pops(t.spec(), Pops(t.spec(), Gemm(t.spec(), 1, 4), "load_to_gemm"), "alu_to_gemm"));
  t.Add(Pushes(t.spec(), Sync(t.spec(), 0), "load_to_gemm"));  // issues kT + 1, token there from kT + 5 on
  t.Add(Pushes(t.spec(), Sync(t.spec(), 2), "alu_to_gemm"));   // issues kT + 2, retires kT + 15
  t.Run();
  const runtime::LedgerRow& row = t.counters().ledger[1];
  const auto first = static_cast<size_t>(t.spec().QueueIndex("load_to_gemm"));
  const auto second = static_cast<size_t>(t.spec().QueueIndex("alu_to_gemm"));
  EXPECT_EQ(row.wait_token[first], 5);
  EXPECT_EQ(row.wait_token[second], 11);
  EXPECT_EQ(row.busy, 4 + 13 + 1);
  EXPECT_EQ(row.idle, kT);
}

TEST(Ledger, CountsAWaitForABankAsWaitPort) {
  Timeline t(Timeline::PlainFetch(CosimLike()));
  t.Add(Locks(t.spec(), Gemm(t.spec(), 1, 10), "acc", 1));  // retires kT + 23
  t.Add(Locks(t.spec(), Alu(t.spec(), 2, 0, 1), "acc", 1));
  t.Run();
  EXPECT_EQ(t.counters().ledger[2].wait_port, 23);  // kT + 1 up to kT + 23
}

TEST(Ledger, CountsAFullQueueAsWaitPush) {
  isa::Spec spec = Timeline::PlainFetch(CosimLike());
  for (isa::Queue& queue : spec.queues) queue.capacity = 1;
  Timeline t(spec);
  t.Add(Pushes(t.spec(), Sync(t.spec(), 2), "alu_to_store"));  // retires kT + 13
  t.Add(Pushes(t.spec(), Sync(t.spec(), 2), "alu_to_store"));
  t.Add(Pops(t.spec(), Sync(t.spec(), 3), "alu_to_store"));  // pops kT + 14
  t.Run();
  EXPECT_EQ(t.counters().ledger[2].wait_push, 1);  // kT + 14: ready again, the place is free from kT + 15 on
}

TEST(Ledger, CountsTheBeatsOfAStoreAsBusy) {
  Timeline t(Timeline::PlainFetch(CosimLike()));
  t.Add(Store(t.spec(), 3, {.memory = 3, .rows = 1, .cols = 16}));
  t.Run();
  EXPECT_EQ(t.counters().ledger[3].busy, 16);
  EXPECT_EQ(t.counters().ledger[3].wait_memory, 5 + 11);
  EXPECT_EQ(t.counters().dram_write_bytes, 128u);
}

TEST(Ledger, IsMetInEveryRowByRandomCases) {
  runtime::LedgerRow sum;
  Cycle tokens = 0;
  int stuck = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Case c = RandomCase(seed % 2 == 0 ? Shape::kCosim : Shape::kAnyIsa, seed % 5 != 0, 100, seed);
    const runtime::Counters counters = TimingEngine(c.spec).Run(c.program, c.code_address);
    stuck += counters.completed ? 0 : 1;
    for (const runtime::LedgerRow& row : counters.ledger) {
      EXPECT_EQ(row.Total(), counters.cycles);
      sum.busy += row.busy;
      sum.wait_push += row.wait_push;
      tokens += std::accumulate(row.wait_token.begin(), row.wait_token.end(), Cycle{0});
      sum.wait_port += row.wait_port;
      sum.wait_memory += row.wait_memory;
      sum.idle += row.idle;
    }
  }
  const Cycle total = sum.Total() + tokens;
  for (const Cycle part : {sum.busy, sum.wait_push, tokens, sum.wait_port, sum.wait_memory, sum.idle}) {
    EXPECT_GT(part * 100, total) << "of " << total;
  }
  EXPECT_GT(stuck, 5);
  EXPECT_LT(stuck, 25);
}

}  // namespace
}  // namespace cosim::sim::testing
