// SPDX-License-Identifier: Apache-2.0
// Rules M0 to M6 of docs/rationale/microarchitecture.md: bursts, ports and the built-in memory model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "sim/dram/burst_splitter.h"
#include "sim/dram/memory_timing.h"
#include "tests/sim/cycle/testing/timeline.h"

namespace cosim::sim::testing {
namespace {

using ::testing::ElementsAre;

std::vector<std::pair<uint64_t, int>> Bursts(uint64_t begin, uint64_t end, int beat_bytes, int burst_beats) {
  std::vector<std::pair<uint64_t, int>> list;
  for (BurstSplitter splitter(begin, end, beat_bytes, burst_beats); !splitter.Done();) {
    const Burst burst = splitter.Next();
    list.emplace_back(burst.address, burst.beats);
  }
  return list;
}

TEST(M1Bursts, HaveAtMostTheConfiguredLength) {
  EXPECT_THAT(Bursts(0, 20 * 8, 8, 16), ElementsAre(std::pair(0u, 16), std::pair(128u, 4)));
}

TEST(M1Bursts, StopAtFourKibibytes) {
  EXPECT_THAT(Bursts(4096 - 16, 4096 + 32, 8, 16), ElementsAre(std::pair(4080u, 2), std::pair(4096u, 4)));
  EXPECT_THAT(Bursts(0, 8192, 16, 256), ElementsAre(std::pair(0u, 256), std::pair(4096u, 256)));
}

TEST(M1Bursts, TakeTheWholeBeatsThatARowTouches) {
  EXPECT_THAT(Bursts(6, 10, 8, 16), ElementsAre(std::pair(0u, 2)));
  EXPECT_THAT(Bursts(15, 16, 8, 16), ElementsAre(std::pair(8u, 1)));
}

TEST(M1Bursts, OfNoBytesAreNone) { EXPECT_TRUE(Bursts(5, 5, 8, 16).empty()); }

TEST(M1Bursts, NeverMergeRows) {
  Timeline t(Plain());
  t.Add(Load(t.spec(), t.Unit("load"), {.memory = 0, .dram = 4096, .rows = 3, .cols = 1, .stride = 1}));
  t.Run();
  // Three bursts of one beat, accepted in kT + 3 to kT + 5; the program takes one beat more.
  EXPECT_EQ(t.counters().dram_read_bytes, 4u * 8);
  t.ExpectRetiresAt(0, kT + 24 + 3 + 2 - 1);
}

TEST(M2ReadPort, AcceptsWhileFewerThanOutstandingAreInFlight) {
  isa::Spec spec = Plain();
  spec.dram.outstanding = 2;
  Timeline t(spec);
  t.Add(Load(t.spec(), t.Unit("load"), {.memory = 0, .dram = 0, .rows = 3, .cols = 4, .stride = 4}));
  t.Run();
  // Accepted kT + 3 and kT + 4; the first one's last beat arrives in kT + 26: accepted kT + 27, first beat kT
  // + 47.
  t.ExpectRetiresAt(0, kT + 47 + 1 + 4 + 2 - 1);
}

/// Two load units, which a third one lets go in the same cycle.
isa::Spec TwoLoadUnits() {
  isa::Spec spec = EmptySpec();
  AddMemory(spec, "inp", 8);
  const int a = AddUnit(spec, "a", {isa::Kind::kLoad}, true, 2);
  const int b = AddUnit(spec, "b", {isa::Kind::kLoad}, true, 2);
  const int go = AddUnit(spec, "go", {isa::Kind::kGemm}, false, 1);
  AddQueue(spec, "go_a", go, a, 1);
  AddQueue(spec, "go_b", go, b, 1);
  return Timeline::PlainFetch(spec);
}

/// Three rows of an element each, by both units, which present from kT + 6 on.
void LoadByBoth(Timeline& t) {
  t.Add(
      Pushes(t.spec(), Pushes(t.spec(), Sync(t.spec(), t.Unit("go")), "go_a"), "go_b"));  // retires at kT + 2
  const isa::Transfer three_rows{.memory = 0, .dram = 0, .rows = 3, .cols = 1, .stride = 64};
  t.Add(Pops(t.spec(), Load(t.spec(), t.Unit("a"), three_rows), "go_a"));
  t.Add(Pops(t.spec(), Load(t.spec(), t.Unit("b"), three_rows), "go_b"));
  t.Run();
}

TEST(M0Ports, AcceptAndDeliverEachForItself) {
  isa::Spec spec = TwoLoadUnits();
  spec.ports = 2;
  spec.units[1].port = 1;
  Timeline t(spec);
  LoadByBoth(t);
  // a and b are accepted in kT + 6 to kT + 8, and neither loses a turn.
  for (const size_t load : {1, 2}) t.ExpectRetiresAt(load, kT + 8 + 20 + 1 + 1 + 1);
  for (const size_t unit : {0, 1}) EXPECT_EQ(t.counters().ledger[unit].wait_port, 0);
}

TEST(M0Ports, HaveAsManyBurstsInFlightEach) {
  isa::Spec spec = TwoLoadUnits();
  spec.dram.outstanding = 1;
  spec.ports = 2;
  spec.units[1].port = 1;
  Timeline t(spec);
  LoadByBoth(t);
  // The data of a burst come after 20 cycles, and the next one is accepted in the cycle after.
  for (const size_t load : {1, 2}) t.ExpectRetiresAt(load, kT + 6 + 3 * 20 + 2 + 1 + 1 + 1);
}

TEST(M0Ports, WriteEachForItself) {
  isa::Spec spec = EmptySpec();
  AddMemory(spec, "out", 8);
  for (const char* name : {"a", "b"}) AddUnit(spec, name, {isa::Kind::kStore}, true, 2);
  spec = Timeline::PlainFetch(spec);
  for (const int ports : {1, 2}) {
    spec.ports = ports;
    spec.units[1].port = ports - 1;
    Timeline t(spec);
    t.Add(Store(t.spec(), 0, {.memory = 0, .rows = 1, .cols = 16}));
    t.Add(Store(t.spec(), 1, {.memory = 0, .rows = 1, .cols = 16}));
    t.Run();
    // Accepted kT + 3 and kT + 4; the data channel of one port is taken by the first until kT + 21.
    t.ExpectRetiresAt(0, kT + 5 + 15 + 10 + 1);
    t.ExpectRetiresAt(1, ports == 1 ? kT + 5 + 31 + 10 + 1 : kT + 6 + 15 + 10 + 1);
  }
}

TEST(M2ReadPort, GoesRoundAmongRequesters) {
  Timeline t(TwoLoadUnits());
  LoadByBoth(t);
  const int a = t.Unit("a"), b = t.Unit("b");
  // Both present from kT + 6 on. Fetch was served last, so a, b, a, b, a, b are accepted in kT + 6 to kT
  // + 11.
  t.ExpectRetiresAt(1, kT + 10 + 20 + 1 + 1 + 1);
  t.ExpectRetiresAt(2, kT + 11 + 20 + 1 + 1 + 1);
  // b loses its turn in kT + 6, kT + 8 and kT + 10, a in kT + 7 and kT + 9.
  EXPECT_EQ(t.counters().ledger[static_cast<size_t>(a)].wait_port, 2);
  EXPECT_EQ(t.counters().ledger[static_cast<size_t>(b)].wait_port, 3);
}

TEST(M3ReadData, ComeInOrderABeatACycle) {
  BuiltInMemory memory({.latency = 20});
  EXPECT_EQ(memory.ReadFirstBeat(0, 5, {0, 16}), 25);
  EXPECT_EQ(memory.ReadFirstBeat(0, 6, {0, 4}), 41);
  EXPECT_EQ(memory.ReadFirstBeat(0, 30, {0, 1}), 50);
}

TEST(M3ReadData, AreLateByAHashOfSeedAndNumber) {
  const isa::MemorySystem system{.latency = 20, .jitter = 9, .seed = 7};
  BuiltInMemory memory(system);
  for (uint64_t number = 0; number < 100; ++number) {
    const Cycle accepted = static_cast<Cycle>(number) * 1000;
    EXPECT_EQ(memory.ReadFirstBeat(0, accepted, {0, 1}),
              accepted + 20 + static_cast<Cycle>(BurstHash(7, number) % 10));
  }
  memory.Reset();
  EXPECT_EQ(memory.ReadFirstBeat(0, 0, {0, 1}), 20 + static_cast<Cycle>(BurstHash(7, 0) % 10));
}

TEST(M3ReadData, AreLateByEachPortsOwnHash) {
  const isa::MemorySystem system{.latency = 20, .jitter = 9, .seed = 7};
  BuiltInMemory memory(system);
  for (uint64_t number = 0; number < 100; ++number) {
    const Cycle accepted = static_cast<Cycle>(number) * 1000;
    for (const int port : {0, 3}) {
      const uint64_t hash = BurstHash(7 + static_cast<uint64_t>(port), number);
      EXPECT_EQ(memory.ReadFirstBeat(port, accepted, {0, 1}), accepted + 20 + static_cast<Cycle>(hash % 10));
    }
  }
}

TEST(M3ReadData, HashIsSplitMix64) {
  // The generator's first outputs for seed 0.
  EXPECT_EQ(BurstHash(0, 0), 0xE220A8397B1DCDAFu);
  EXPECT_EQ(BurstHash(0, 1), 0x6E789E6AA1B965F4u);
}

TEST(M4WritePort, AcceptsWhileFewerThanOutstandingAreUnanswered) {
  isa::Spec spec = Plain();
  spec.dram.outstanding = 1;
  Timeline t(spec);
  t.Add(Store(t.spec(), t.Unit("store"), {.memory = 3, .rows = 2, .cols = 4, .stride = 4}));
  t.Run();
  // Accepted kT + 3, beats in [kT + 5, kT + 9), response kT + 18; accepted kT + 19, response kT + 34.
  t.ExpectRetiresAt(0, kT + 35);
}

TEST(M4WritePort, DoesNotSlowReads) {
  Timeline t(Plain());
  t.Add(Store(t.spec(), t.Unit("store"), {.memory = 3, .rows = 1, .cols = 16}));
  t.Add(Load(t.spec(), t.Unit("load"), {.memory = 0, .rows = 1, .cols = 16}));
  t.Run();
  t.ExpectRetiresAt(0, kT + 20 + 10 + 1);
  t.ExpectRetiresAt(1, kT + 1 + 40 + 2 - 1);
}

TEST(M6SharedDram, DoesNotSlowASinglePortThatItKeepsUpWith) {
  BuiltInMemory memory({.port_bits = 64, .latency = 20, .write_latency = 10, .dram_bytes = 8});
  EXPECT_EQ(memory.ReadFirstBeat(0, 5, {0, 16}), 25);
  EXPECT_EQ(memory.ReadFirstBeat(0, 6, {0, 4}), 41);
  EXPECT_EQ(memory.WriteResponse(0, 100, {0, 16}), 110);
}

TEST(M6SharedDram, MovesOneBurstAfterTheOther) {
  BuiltInMemory memory({.port_bits = 64, .latency = 20, .write_latency = 10, .dram_bytes = 12});
  // 128 bytes each: the first in 10 2/3 cycles from 5 on, the second until 26 1/3, so its last beat, the
  // sixteenth, comes in 26 + 20.
  EXPECT_EQ(memory.ReadFirstBeat(0, 5, {0, 16}), 25);
  EXPECT_EQ(memory.ReadFirstBeat(1, 5, {0, 16}), 26 + 20 - 15);
  // Its bytes came in cycles 9 to 24, but are moved until 37.
  EXPECT_EQ(memory.WriteResponse(2, 24, {0, 16}), 36 + 10);
  memory.Reset();
  EXPECT_EQ(memory.WriteResponse(2, 24, {0, 16}), 24 + 10);
}

TEST(M6SharedDram, MovesPartsOfABytePerCycle) {
  BuiltInMemory memory({.port_bits = 64, .latency = 20, .write_latency = 10, .dram_bytes = 10.25});
  // 128 bytes each, in 12.49 cycles: from 5 to 17.49, to 29.98, to 42.46.
  EXPECT_EQ(memory.ReadFirstBeat(0, 5, {0, 16}), 25);
  EXPECT_EQ(memory.ReadFirstBeat(1, 5, {0, 16}), 29 + 20 - 15);
  EXPECT_EQ(memory.WriteResponse(2, 24, {0, 16}), 42 + 10);
}

TEST(M6SharedDram, AnswersWritesOneACycle) {
  BuiltInMemory memory({.port_bits = 64, .write_latency = 10, .dram_bytes = 64});
  EXPECT_EQ(memory.ReadFirstBeat(0, 0, {0, 256}), 0);  // until 32
  EXPECT_EQ(memory.WriteResponse(0, 5, {0, 1}), 42);
  EXPECT_EQ(memory.WriteResponse(0, 6, {0, 1}), 43);
  EXPECT_EQ(memory.WriteResponse(1, 6, {0, 1}), 42);
}

/// Answers as the built-in model does and keeps the questions.
class RecordingMemory final : public MemoryTiming {
 public:
  explicit RecordingMemory(const isa::MemorySystem& system) : model_(system) {}
  void Reset() override { model_.Reset(); }
  Cycle ReadFirstBeat(int port, Cycle accepted, const Burst& burst) override {
    asked.emplace_back(accepted, 0, port);
    reads.push_back(burst);
    return model_.ReadFirstBeat(port, accepted, burst);
  }
  Cycle WriteResponse(int port, Cycle last_beat, const Burst& burst) override {
    asked.emplace_back(last_beat + 1, 1, port);
    writes.push_back(burst);
    return model_.WriteResponse(port, last_beat, burst);
  }
  std::vector<std::tuple<Cycle, int, int>> asked;  ///< time, read or write, port
  std::vector<Burst> reads, writes;

 private:
  BuiltInMemory model_;
};

TEST(M5AnyMemory, IsAskedInOrderOfTimeAboutEveryBurst) {
  isa::Spec spec = Plain();
  spec.ports = 2;
  spec.units[0].port = 1;
  std::vector<isa::Decoded> program;
  for (int i = 0; i < 4; ++i) {
    program.push_back(Store(spec, 3, {.memory = 3, .dram = 4096, .rows = 2, .cols = 20, .stride = 32}));
    program.push_back(Load(spec, 0, {.memory = 0, .dram = 8192, .rows = 3, .cols = 20, .stride = 32}));
  }
  RecordingMemory memory(spec.dram);
  const runtime::Counters counters = TimingEngine(spec, &memory).Run(program, 0);
  EXPECT_TRUE(counters.completed);
  EXPECT_TRUE(std::is_sorted(memory.asked.begin(), memory.asked.end()));
  EXPECT_EQ(memory.reads.size(), 1u + 4 * 3 * 2);
  EXPECT_EQ(memory.writes.size(), 4u * 2 * 2);
  EXPECT_EQ(memory.writes[1].address, 4096u + 128);
}

}  // namespace
}  // namespace cosim::sim::testing
