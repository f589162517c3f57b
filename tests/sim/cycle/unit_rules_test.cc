// SPDX-License-Identifier: Apache-2.0
// Rules U1 to U5 of docs/rationale/microarchitecture.md, each with cycles worked out by hand.
#include <gtest/gtest.h>

#include "tests/sim/cycle/testing/timeline.h"

namespace cosim::sim::testing {
namespace {

constexpr int kInpMemory = 0, kWgt = 1, kOut = 3;

isa::Spec WithoutOverlap(isa::Spec spec) {
  for (isa::Unit& unit : spec.units) unit.overlap = false;
  return spec;
}
/// One row of `beats` beats of 8-byte elements.
isa::Transfer Row(int64_t beats, uint64_t address = 4096) {
  return {.memory = kInpMemory, .dram = address, .rows = 1, .cols = beats};
}

TEST(U1Gemm, TakesACycleAStepAndThenItsLatency) {
  Timeline t(Plain());
  t.Add(Gemm(t.spec(), t.Unit("gemm"), 10));
  t.Run();
  t.ExpectIssuesAt(0, kT);
  t.ExpectRetiresAt(0, kT + 10 + 13);
}

TEST(U1Gemm, WithoutStepsCountsAsOne) {
  Timeline t(Plain());
  t.Add(Gemm(t.spec(), t.Unit("gemm"), 0));
  t.Run();
  t.ExpectRetiresAt(0, kT + 1 + 13);
}

TEST(U1Gemm, OverlapsTheNextAfterItsLastStep) {
  Timeline t(Plain());
  t.Add(Gemm(t.spec(), t.Unit("gemm"), 10));
  t.Add(Gemm(t.spec(), t.Unit("gemm"), 4));
  t.Run();
  t.ExpectIssuesAt(1, kT + 10);
  t.ExpectRetiresAt(1, kT + 10 + 4 + 13);
}

TEST(U1Gemm, WithoutOverlapIsReadyAfterRetirement) {
  Timeline t(WithoutOverlap(Plain()));
  t.Add(Gemm(t.spec(), t.Unit("gemm"), 10));
  t.Add(Gemm(t.spec(), t.Unit("gemm"), 4));
  t.Run();
  t.ExpectIssuesAt(1, kT + 10 + 13 + 1);
}

TEST(U1Gemm, AlongRowsTakesACycleAnElement) {
  Timeline t(Plain());
  isa::Decoded rows = Gemm(t.spec(), t.Unit("gemm"), 1);
  auto& gemm = std::get<isa::Gemm>(rows.body);
  gemm.nest.iter_out = 2;
  gemm.nest.iter_in = 7;
  gemm.nest.uop_end = gemm.nest.uop_begin + 3;
  gemm.sources = {{.inner = 2}};
  gemm.row_source = 0;
  gemm.taps = 3;
  t.Add(rows);
  t.Add(Gemm(t.spec(), t.Unit("gemm"), 4));
  t.Run();
  const int64_t cycles = 2 * 3 * (6 * 2 + 3);
  t.ExpectRetiresAt(0, kT + cycles + 13);
  t.ExpectIssuesAt(1, kT + cycles);
}

TEST(U2Alu, TakesItsInitiationIntervalAStep) {
  Timeline t(Plain());
  t.Add(Alu(t.spec(), t.Unit("alu"), 1, 5));  // an op of two cycles a step
  t.Add(Alu(t.spec(), t.Unit("alu"), 0, 5));
  t.Run();
  t.ExpectRetiresAt(0, kT + 5 * 2 + 12);
  t.ExpectIssuesAt(1, kT + 5 * 2 + 12 + 1);
  t.ExpectRetiresAt(1, kT + 5 * 2 + 12 + 1 + 5 + 12);
}

TEST(U3Sync, TakesOneStepOnAComputingUnit) {
  Timeline t(Plain());
  t.Add(Sync(t.spec(), t.Unit("gemm")));
  t.Add(Sync(t.spec(), t.Unit("gemm")));
  t.Run();
  t.ExpectRetiresAt(0, kT + 1 + 13);
  t.ExpectIssuesAt(1, kT + 1);
}

TEST(U3Sync, TakesOneCycleOfTheWriterOnALoadingUnit) {
  Timeline t(Plain());
  t.Add(Sync(t.spec(), t.Unit("load")));
  t.Run();
  t.ExpectRetiresAt(0, kT + 2 + 2 - 1);
}

TEST(U3Sync, WaitsForTheWriterBehindALoad) {
  Timeline t(Plain());
  t.Add(Load(t.spec(), t.Unit("load"), Row(16)));  // the writer is free again at kT + 40
  t.Add(Sync(t.spec(), t.Unit("load")));
  t.Run();
  t.ExpectIssuesAt(1, kT + 4);
  t.ExpectRetiresAt(1, kT + 40 + 1 + 2 - 1);
}

TEST(U4Load, WritesABurstFromTheCycleAfterItsFirstBeat) {
  Timeline t(Plain());
  t.Add(Load(t.spec(), t.Unit("load"), Row(16)));
  t.Run();
  // Accepted kT + 3, first beat kT + 23, written in [kT + 24, kT + 40).
  t.ExpectRetiresAt(0, kT + 40 + 2 - 1);
}

TEST(U4Load, IssuesTheNextAfterItsLastBurstIsAccepted) {
  Timeline t(Plain());
  t.Add(Load(t.spec(), t.Unit("load"), Row(32)));
  t.Add(Load(t.spec(), t.Unit("load"), Row(16)));
  t.Run();
  t.ExpectRetiresAt(0, kT + 40 + 16 + 2 - 1);
  t.ExpectIssuesAt(1, kT + 5);
  t.ExpectRetiresAt(1, kT + 40 + 32 + 2 - 1);
}

TEST(U4Load, WithoutOverlapIsReadyAfterRetirement) {
  Timeline t(WithoutOverlap(Plain()));
  t.Add(Load(t.spec(), t.Unit("load"), Row(16)));
  t.Add(Load(t.spec(), t.Unit("load"), Row(16)));
  t.Run();
  t.ExpectIssuesAt(1, kT + 42);
  t.ExpectRetiresAt(1, kT + 42 + 41);
}

TEST(U4Load, WaitsForRoomForAWholeBurst) {
  isa::Spec spec = Plain();
  spec.units[0].buffer_beats = 31;
  Timeline t(spec);
  t.Add(Load(t.spec(), t.Unit("load"), Row(32)));
  t.Run();
  // The second burst is presented at the first one's end, kT + 40; its first beat comes 20 later.
  t.ExpectRetiresAt(0, kT + 40 + 20 + 1 + 16 + 2 - 1);
}

TEST(U4Load, WritesPadsWithoutWaitingForData) {
  Timeline t(Plain());
  isa::Transfer transfer = Row(2);
  transfer.pad_top = 1;   // 1 x 9 pads from kT + 1 on
  transfer.pad_left = 4;  // up to kT + 14
  transfer.pad_right = 3;
  transfer.pad_bottom = 2;
  t.Add(Load(t.spec(), t.Unit("load"), transfer));
  t.Run();
  // Data in [kT + 24, kT + 26), then 3 pads and two rows of 9.
  t.ExpectRetiresAt(0, kT + 26 + 3 + 18 + 2 - 1);
}

TEST(U4Load, LetsPadsDelayData) {
  Timeline t(Plain());
  isa::Transfer transfer = Row(2);
  transfer.pad_left = 40;
  t.Add(Load(t.spec(), t.Unit("load"), transfer));
  t.Run();
  t.ExpectRetiresAt(0, kT + 1 + 40 + 2 + 2 - 1);
}

TEST(U4Load, TakesACycleAnElementWhenABeatHoldsSeveral) {
  isa::Spec spec = Plain();
  spec.memories[kInpMemory].stored_bytes = 2;
  Timeline t(spec);
  t.Add(Load(t.spec(), t.Unit("load"), Row(16)));  // 16 elements in 4 beats
  t.Run();
  t.ExpectRetiresAt(0, kT + 24 + 16 + 2 - 1);
}

TEST(U4Load, TakesACycleABeatWhenAnElementHasSeveral) {
  Timeline t(Plain());
  t.Add(Load(t.spec(), t.Unit("load"), {.memory = kWgt, .dram = 0, .rows = 1, .cols = 1}));
  t.Run();
  t.ExpectRetiresAt(0, kT + 24 + 16 + 2 - 1);
}

TEST(U4Load, HoldsAtMostAsManyInstructionsAsItsCommandQueue) {
  isa::Spec spec = Plain();
  spec.units[0].commands = 3;
  Timeline t(spec);
  t.Add(Load(t.spec(), t.Unit("load"), Row(16)));  // retires at kT + 41
  for (int i = 0; i < 3; ++i) t.Add(Sync(t.spec(), t.Unit("load")));
  t.Run();
  t.ExpectIssuesAt(2, kT + 5);
  t.ExpectIssuesAt(3, kT + 42);
}

TEST(U5Store, RetiresACycleAfterItsLastResponse) {
  Timeline t(Plain());
  t.Add(Store(t.spec(), t.Unit("store"), {.memory = kOut, .rows = 1, .cols = 32}));
  t.Run();
  // Accepted kT + 3 and kT + 4; beats leave in [kT + 5, kT + 37); the response comes 10 after kT + 36.
  t.ExpectRetiresAt(0, kT + 36 + 10 + 1);
}

TEST(U5Store, TakesACycleForEachElementWhereABeatHoldsSeveral) {
  isa::Spec spec = Plain();
  spec.memories[kOut].stored_bytes = spec.dram.beat_bytes() / 4;
  Timeline t(spec);
  t.Add(Store(t.spec(), t.Unit("store"), {.memory = kOut, .rows = 1, .cols = 32}));
  t.Run();
  // One burst of 8 beats, accepted kT + 3: its 32 elements take [kT + 5, kT + 37), the last beat leaves in kT
  // + 36.
  t.ExpectRetiresAt(0, kT + 36 + 10 + 1);
}

TEST(U5Store, IssuesTheNextAfterItsLastBurstIsAccepted) {
  Timeline t(Plain());
  t.Add(Store(t.spec(), t.Unit("store"), {.memory = kOut, .rows = 1, .cols = 32}));
  t.Add(Store(t.spec(), t.Unit("store"), {.memory = kOut, .rows = 1, .cols = 1}));
  t.Run();
  t.ExpectIssuesAt(1, kT + 5);
  t.ExpectRetiresAt(1, kT + 37 + 10 + 1);
}

TEST(U5Store, WithoutOverlapIsReadyAfterRetirement) {
  Timeline t(WithoutOverlap(Plain()));
  t.Add(Store(t.spec(), t.Unit("store"), {.memory = kOut, .rows = 1, .cols = 1}));
  t.Add(Store(t.spec(), t.Unit("store"), {.memory = kOut, .rows = 1, .cols = 1}));
  t.Run();
  t.ExpectIssuesAt(1, kT + 5 + 10 + 1 + 1);
}

TEST(U5Store, RetiresASyncAfterTheStoreBeforeIt) {
  Timeline t(Plain());
  t.Add(Store(t.spec(), t.Unit("store"), {.memory = kOut, .rows = 1, .cols = 1}));
  t.Add(Sync(t.spec(), t.Unit("store")));
  t.Run();
  t.ExpectRetiresAt(0, kT + 5 + 10 + 1);
  t.ExpectRetiresAt(1, kT + 5 + 10 + 2);
}

TEST(U5Store, RetiresALoneSyncAfterItsLatency) {
  Timeline t(Plain());
  t.Add(Sync(t.spec(), t.Unit("store")));
  t.Run();
  t.ExpectRetiresAt(0, kT + 1 + 2);
}

TEST(SeveralKinds, NeverOverlapAndKeepTheirRules) {
  isa::Spec spec = Timeline::PlainFetch(VtaLike());
  spec.units[1].overlap = true;  // has no effect on a unit with several kinds
  Timeline t(spec);
  t.Add(Load(t.spec(), t.Unit("compute"), Row(16)));
  t.Add(Gemm(t.spec(), t.Unit("compute"), 5));
  t.Add(Sync(t.spec(), t.Unit("compute")));
  t.Run();
  const Cycle loaded = kT + 40 + 13 - 1;
  t.ExpectRetiresAt(0, loaded);
  t.ExpectIssuesAt(1, loaded + 1);
  t.ExpectRetiresAt(1, loaded + 1 + 5 + 13);
  t.ExpectIssuesAt(2, loaded + 1 + 5 + 13 + 1);
}

}  // namespace
}  // namespace cosim::sim::testing
