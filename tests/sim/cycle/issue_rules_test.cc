// SPDX-License-Identifier: Apache-2.0
// Rules F1 to F3 and I1 to I3 of docs/rationale/microarchitecture.md, each with cycles worked out by hand.
#include <gtest/gtest.h>

#include "tests/sim/cycle/testing/timeline.h"

namespace cosim::sim::testing {
namespace {

TEST(F1Fetch, PresentsInCycleOneAndOnlyWhenThereIsRoom) {
  isa::Spec spec = Plain();
  spec.fetch_words = 4;  // bursts of two words
  Timeline t(spec);
  for (int i = 0; i < 6; ++i) t.Add(Sync(t.spec(), t.Unit("gemm")));
  t.Run();
  t.ExpectIssuesAt(0, kT);
  t.ExpectIssuesAt(3, kT + 3);
  // Words 0 and 1 are dispatched in 22 and 23: room for the third burst in 24, its first beat in 44.
  t.ExpectIssuesAt(4, 24 + 20 + 2);
  t.ExpectIssuesAt(5, 24 + 21 + 2);
}

TEST(F1Fetch, CutsItsBurstsAtTheLengthLimit) {
  isa::Spec spec = Plain();
  spec.dram.burst_beats = 2;
  spec.dram.outstanding = 1;
  Timeline t(spec);
  for (int i = 0; i < 3; ++i) t.Add(Sync(t.spec(), t.Unit("gemm")));
  t.Run();
  t.ExpectIssuesAt(1, kT + 1);
  // The first burst's last beat arrives in 22, so the second is accepted in 23 and arrives in 43.
  t.ExpectIssuesAt(2, 43 + 2);
}

TEST(F2Fetch, DispatchesAWordTheCycleAfterItsLastBeat) {
  isa::Spec spec = Plain();
  spec.word_bits = 256;  // four beats a word: word i is complete in cycle 24 + 4 i
  Timeline t(spec);
  t.Add(Sync(t.spec(), t.Unit("gemm")));
  t.Add(Sync(t.spec(), t.Unit("alu")));
  t.Run();
  t.ExpectIssuesAt(0, 24 + 1 + 1);
  t.ExpectIssuesAt(1, 28 + 1 + 1);
}

TEST(F3Dispatch, SendsOneWordACycleEvenIfABeatHoldsSeveral) {
  isa::Spec spec = Plain();
  spec.dram.port_bits = 128;
  Timeline t(spec);
  t.Add(Sync(t.spec(), t.Unit("gemm")));
  t.Add(Sync(t.spec(), t.Unit("alu")));
  t.Run();
  t.ExpectIssuesAt(0, kT);
  t.ExpectIssuesAt(1, kT + 1);
}

TEST(F3Dispatch, WaitsForRoomInTheCommandQueueAndHoldsUpOthers) {
  isa::Spec spec = Plain();
  spec.units[1].commands = 1;
  Timeline t(spec);
  t.Add(Gemm(t.spec(), t.Unit("gemm"), 10));  // issues at kT: room again at kT + 1
  t.Add(Gemm(t.spec(), t.Unit("gemm"), 10));  // dispatched at kT + 1, issues at kT + 10: room at kT + 11
  t.Add(Gemm(t.spec(), t.Unit("gemm"), 10));  // dispatched at kT + 11
  t.Add(Sync(t.spec(), t.Unit("store")));     // dispatched behind it
  t.Run();
  t.ExpectIssuesAt(1, kT + 10);
  t.ExpectIssuesAt(2, kT + 20);
  t.ExpectIssuesAt(3, kT + 13);
}

TEST(I1Issue, SeesATokenTheCycleAfterTheProducerRetired) {
  Timeline t(Plain());
  t.Add(Pushes(t.spec(), Gemm(t.spec(), t.Unit("gemm"), 10), "gemm_to_alu"));
  t.Add(Pops(t.spec(), Sync(t.spec(), t.Unit("alu")), "gemm_to_alu"));
  t.Run();
  t.ExpectRetiresAt(0, kT + 23);
  t.ExpectIssuesAt(1, kT + 24);
}

TEST(I1Issue, SeesAFreePlaceTheCycleAfterTheConsumerPopped) {
  isa::Spec spec = Plain();
  for (isa::Queue& queue : spec.queues) queue.capacity = 1;
  Timeline t(spec);
  t.Add(Pushes(t.spec(), Sync(t.spec(), t.Unit("gemm")), "gemm_to_alu"));  // retires at kT + 14
  t.Add(Pushes(t.spec(), Sync(t.spec(), t.Unit("gemm")), "gemm_to_alu"));
  t.Add(Pops(t.spec(), Sync(t.spec(), t.Unit("alu")), "gemm_to_alu"));
  t.Run();
  t.ExpectIssuesAt(2, kT + 15);
  t.ExpectIssuesAt(1, kT + 16);
}

TEST(I1Issue, TakesItsPlaceAtIssueNotAtRetirement) {
  isa::Spec spec = Plain();
  for (isa::Queue& queue : spec.queues) queue.capacity = 2;
  Timeline t(spec);
  for (int i = 0; i < 3; ++i) t.Add(Pushes(t.spec(), Sync(t.spec(), t.Unit("gemm")), "gemm_to_alu"));
  t.Add(Pops(t.spec(), Sync(t.spec(), t.Unit("alu")), "gemm_to_alu"));
  t.Run();
  t.ExpectIssuesAt(1, kT + 1);  // both places are taken though nothing retired yet
  t.ExpectIssuesAt(2, kT + 16);
}

TEST(I1Issue, IssuesAtMostOneInstructionACycleInOrder) {
  isa::Spec spec = Plain();
  spec.units[0].latency = 5;
  Timeline t(spec);
  t.Add(Pops(t.spec(), Sync(t.spec(), t.Unit("load")), "gemm_to_load"));
  t.Add(Sync(t.spec(), t.Unit("load")));
  t.Add(Pushes(t.spec(), Sync(t.spec(), t.Unit("gemm")), "gemm_to_load"));  // retires at kT + 2 + 14
  t.Run();
  t.ExpectIssuesAt(0, kT + 17);
  t.ExpectIssuesAt(1, kT + 18);
}

TEST(I2Locks, HoldABankFromIssueToRetirement) {
  Timeline t(Plain());
  t.Add(Locks(t.spec(), Gemm(t.spec(), t.Unit("gemm"), 10), "acc", 0b0011));  // retires at kT + 23
  t.Add(Locks(t.spec(), Alu(t.spec(), t.Unit("alu"), 0, 1), "acc", 0b0110));
  t.Run();
  t.ExpectIssuesAt(1, kT + 24);
}

TEST(I2Locks, LeaveOtherBanksAndOtherMemoriesFree) {
  Timeline t(Plain());
  t.Add(Locks(t.spec(), Gemm(t.spec(), t.Unit("gemm"), 10), "acc", 0b0011));
  t.Add(Locks(t.spec(), Locks(t.spec(), Alu(t.spec(), t.Unit("alu"), 0, 1), "acc", 0b1100), "inp", 0b0011));
  t.Run();
  t.ExpectIssuesAt(1, kT + 1);
}

TEST(I2Locks, DoNotStopTheUnitThatHoldsThem) {
  Timeline t(Plain());
  t.Add(Locks(t.spec(), Gemm(t.spec(), t.Unit("gemm"), 10), "acc", 0b0001));
  t.Add(Locks(t.spec(), Gemm(t.spec(), t.Unit("gemm"), 10), "acc", 0b0001));  // retires at kT + 33
  t.Add(Locks(t.spec(), Alu(t.spec(), t.Unit("alu"), 0, 1), "acc", 0b0001));
  t.Run();
  t.ExpectIssuesAt(1, kT + 10);
  t.ExpectIssuesAt(2, kT + 34);
}

TEST(I2Locks, GoToTheLaterUnitWhenTwoAskInOneCycle) {
  Timeline t(Plain());
  // Both wait for the load's retirement, kT + 3, and could issue at kT + 4.
  t.Add(Pushes(t.spec(), Pushes(t.spec(), Sync(t.spec(), t.Unit("load")), "load_to_gemm"), "load_to_alu"));
  t.Add(Pops(t.spec(), Locks(t.spec(), Gemm(t.spec(), t.Unit("gemm"), 1), "acc", 0b0001), "load_to_gemm"));
  t.Add(Pops(t.spec(), Locks(t.spec(), Alu(t.spec(), t.Unit("alu"), 0, 1), "acc", 0b0001), "load_to_alu"));
  t.Run();
  t.ExpectIssuesAt(2, kT + 4);
  t.ExpectRetiresAt(2, kT + 4 + 1 + 12);
  t.ExpectIssuesAt(1, kT + 4 + 1 + 12 + 1);
}

TEST(I3Retirement, IsInOrderSoThatTokensAre) {
  Timeline t(Plain());
  // The sync could be done at kT + 5, but the store before it responds later.
  t.Add(Store(t.spec(), t.Unit("store"), {.memory = 3, .rows = 1, .cols = 1}));  // retires at kT + 16
  t.Add(Pushes(t.spec(), Sync(t.spec(), t.Unit("store")), "store_to_load"));
  t.Add(Pops(t.spec(), Sync(t.spec(), t.Unit("load")), "store_to_load"));
  t.Run();
  t.ExpectRetiresAt(1, kT + 17);
  t.ExpectIssuesAt(2, kT + 18);
}

TEST(Done, IsSeenTheCycleAfterTheLastRetirement) {
  Timeline t(Plain());
  t.Add(Sync(t.spec(), t.Unit("gemm")));
  t.Run();
  EXPECT_TRUE(t.counters().completed);
  EXPECT_EQ(t.counters().cycles, kT + 14 + 1);
}

}  // namespace
}  // namespace cosim::sim::testing
