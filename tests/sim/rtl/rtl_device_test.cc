// SPDX-License-Identifier: Apache-2.0
// The RTL as a device: data, cycles and ledger as on the cycle device, run after run, and what it refuses.
#include "sim/rtl/rtl_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <fstream>
#include <sstream>

#include "isa/spec/registers.h"
#include "sim/cycle/cycle_device.h"
#include "sim/rtl/rtl_compare.h"
#include "sim/rtl/rtl_library.h"
#include "tests/hw/models.h"
#include "tests/isa/program/random_program.h"
#include "tests/isa/program/testing.h"

namespace cosim::sim {
namespace {

using cosim::testing::LibraryOf;
using cosim::testing::SpecOf;
using isa::testing::RandomProgram;
using ::testing::HasSubstr;

std::vector<uint8_t> Dram(runtime::Device& device, const isa::Program& program) {
  std::vector<uint8_t> bytes(program.dram_bytes);
  device.Read(0, bytes);
  return bytes;
}

runtime::Counters RunOn(runtime::Device& device, const isa::Program& program, uint64_t seed) {
  runtime::LoadSegments(device, program);
  device.PoisonOnChip(seed);
  return device.Execute(program, {.record_instructions = true});
}

TEST(RtlDevice, DoesWhatTheCycleDeviceDoes) {
  for (const char* name : {"tiny_cosim", "tiny_vta"}) {
    const isa::Spec& spec = SpecOf(name);
    RtlDevice rtl(spec, LibraryOf(name));
    CycleDevice cycle(spec);
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      const isa::Program program = RandomProgram(spec, {.seed = seed});
      const runtime::Counters of_rtl = RunOn(rtl, program, seed), of_cycle = RunOn(cycle, program, seed);
      ASSERT_TRUE(of_rtl.completed) << of_rtl.error;
      ASSERT_TRUE(of_rtl.timed);
      ASSERT_EQ(of_rtl.ledger.size(), spec.units.size());
      for (const runtime::LedgerRow& row : of_rtl.ledger) EXPECT_EQ(row.Total(), of_rtl.cycles) << row.unit;
      ASSERT_EQ(CompareTiming(spec, program, of_rtl, of_cycle), "") << name << " seed " << seed;
      EXPECT_EQ(of_rtl.model_cycles, of_cycle.cycles);
      EXPECT_TRUE(Dram(rtl, program) == Dram(cycle, program)) << name << " seed " << seed;
    }
  }
}

/// Twice the built-in latency: a memory of the user's own.
class SlowMemory final : public MemoryTiming {
 public:
  explicit SlowMemory(const isa::Spec& spec) : memory_(Slower(spec.dram)) {}
  void Reset() override { memory_.Reset(); }
  Cycle ReadFirstBeat(int port, Cycle accepted, const Burst& burst) override {
    return memory_.ReadFirstBeat(port, accepted, burst);
  }
  Cycle WriteResponse(int port, Cycle last_beat, const Burst& burst) override {
    return memory_.WriteResponse(port, last_beat, burst);
  }

 private:
  static isa::MemorySystem Slower(isa::MemorySystem system) {
    system.latency *= 2;
    system.write_latency *= 2;
    return system;
  }
  BuiltInMemory memory_;
};

TEST(RtlDevice, RunsOnAMemoryOfTheUsers) {
  const isa::Spec& spec = SpecOf("tiny_cosim");
  SlowMemory slow(spec);
  RtlDevice rtl(spec, LibraryOf("tiny_cosim"), &slow);
  CycleDevice slow_cycle(spec, BestSimdLevel(), &slow), fast_cycle(spec);
  const isa::Program program = RandomProgram(spec, {.seed = 3});
  const runtime::Counters counters = RunOn(rtl, program, 3);
  ASSERT_TRUE(counters.completed) << counters.error;
  EXPECT_EQ(counters.cycles, RunOn(slow_cycle, program, 3).cycles);
  EXPECT_GT(counters.cycles, RunOn(fast_cycle, program, 3).cycles);
}

TEST(RtlDevice, SaysWhatTheAcceleratorReports) {
  const isa::Spec& spec = SpecOf("tiny_cosim");
  RtlDevice device(spec, LibraryOf("tiny_cosim"));
  isa::Program program = RandomProgram(spec, {.seed = 4});
  runtime::LoadSegments(device, program);
  // Memory does not hold what the program says: the words are no instructions.
  device.Write(
      program.code_address,
      std::vector<uint8_t>(static_cast<size_t>(spec.word_bytes()) * program.instructions.size(), 0xFF));
  const runtime::Counters broken = device.Execute(program, {});
  EXPECT_FALSE(broken.completed);
  EXPECT_EQ(broken.error, "the accelerator reports: a word that no instruction format claims");
  const runtime::Counters good = RunOn(device, program, 4);
  EXPECT_TRUE(good.completed) << good.error;
}

TEST(RtlDevice, NamesTheQueueOfAProgramThatGetsStuck) {
  const isa::Spec& spec = SpecOf("tiny_cosim");
  RtlDevice device(spec, LibraryOf("tiny_cosim"));
  const isa::Program stuck =
      isa::testing::FromText(spec, ".dram 0x9000\n.code 0x8000\nsync_store pop(alu_to_store)\n");
  const runtime::Counters counters = RunOn(device, stuck, 1);
  EXPECT_FALSE(counters.completed);
  EXPECT_THAT(counters.error, HasSubstr("sync_store waits for a token"));
  EXPECT_TRUE(RunOn(device, RandomProgram(spec, {.seed = 6}), 6).completed);
}

TEST(RtlDevice, RefusesTimingOnly) {
  RtlDevice device(SpecOf("tiny_cosim"), LibraryOf("tiny_cosim"));
  const runtime::Counters counters =
      device.Execute(RandomProgram(SpecOf("tiny_cosim"), {.seed = 1}), {.timing_only = true});
  EXPECT_FALSE(counters.completed);
  EXPECT_THAT(counters.error, HasSubstr("timing only"));
}

/// The header of an FST file: its first block.
struct FstHeader {
  uint64_t start = 0, end = 0, variables = 0;
};

FstHeader ReadFstHeader(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  const std::string bytes = text.str();
  constexpr size_t kHeaderBytes = 330;
  FstHeader header;
  EXPECT_GT(bytes.size(), kHeaderBytes);
  if (bytes.size() <= kHeaderBytes) return header;
  EXPECT_EQ(bytes[0], 0);  // a header block
  const auto number = [&](size_t at) {
    uint64_t value = 0;
    for (size_t i = 0; i < 8; ++i) value = value << 8 | static_cast<uint8_t>(bytes[at + i]);
    return value;
  };
  EXPECT_EQ(number(1), kHeaderBytes - 1);
  header.start = number(9);
  header.end = number(17);
  header.variables = number(49);
  return header;
}

TEST(RtlDevice, WritesWavesOfTheCyclesAskedFor) {
  const isa::Spec& spec = SpecOf("narrow");
  Diagnostics diags;
  const auto library = BuildRtl(spec, {.assertions = true, .trace = true}, diags);
  ASSERT_TRUE(library) << diags.Render();
  const std::filesystem::path file = ::testing::TempDir() + "/rtl_device_test.fst";
  std::filesystem::remove(file);
  RtlDevice device(spec, *library);
  device.Trace({.file = file, .from = 20, .cycles = 30});
  const isa::Program program = RandomProgram(spec, {.seed = 8});
  const runtime::Counters traced = RunOn(device, program, 8);
  ASSERT_TRUE(traced.completed) << traced.error;
  const uint64_t period = static_cast<uint64_t>(1e6 / spec.clock_mhz);
  const FstHeader header = ReadFstHeader(file);
  EXPECT_EQ(header.start, 20 * period);
  EXPECT_EQ(header.end, 49 * period + period / 2);
  EXPECT_GT(header.variables, 100u);

  EXPECT_TRUE(device.traced());

  // Cycles count over programs; a run that is over before they begin has none.
  std::filesystem::remove(file);
  device.Trace({.file = file, .from = traced.cycles + 1000, .cycles = 10});
  EXPECT_TRUE(RunOn(device, program, 8).completed);
  EXPECT_FALSE(device.traced());
  EXPECT_FALSE(std::filesystem::exists(file));
  device.Trace({.file = file, .from = traced.cycles + 10, .cycles = 10});
  EXPECT_TRUE(RunOn(device, program, 8).completed);
  EXPECT_TRUE(RunOn(device, program, 8).completed);
  EXPECT_TRUE(device.traced());
  EXPECT_EQ(ReadFstHeader(file).start, 10 * period);
}

}  // namespace
}  // namespace cosim::sim
