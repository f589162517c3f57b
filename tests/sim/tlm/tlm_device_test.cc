// SPDX-License-Identifier: Apache-2.0
// The platform as a device: data and cycles as on the cycle device, run after run and spec after spec.
#include "sim/tlm/tlm_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/spec/spec.h"
#include "sim/cycle/cycle_device.h"
#include "sim/tlm/example_platform.h"
#include "tests/isa/program/random_program.h"
#include "tests/isa/program/testing.h"
#include "tests/sim/tlm/testing.h"

namespace cosim::sim {
namespace {

using isa::testing::MakeSpec;
using isa::testing::RandomProgram;
using isa::testing::TinySpec;
using testing::WithWords;

std::unique_ptr<TlmDevice> MakeDevice(const isa::Spec& spec) {
  std::string error;
  auto device = TlmDevice::Make(spec, BestSimdLevel(), error);
  EXPECT_TRUE(device) << error;
  return device;
}

std::vector<uint8_t> Dram(runtime::Device& device, const isa::Program& program) {
  std::vector<uint8_t> bytes(program.dram_bytes);
  device.Read(0, bytes);
  return bytes;
}

std::vector<runtime::Cycle> Entries(const runtime::LedgerRow& row) {
  std::vector<runtime::Cycle> entries = {row.busy, row.wait_push};
  entries.insert(entries.end(), row.wait_token.begin(), row.wait_token.end());
  entries.insert(entries.end(), {row.wait_port, row.wait_memory, row.idle});
  return entries;
}

void ExpectSame(const runtime::Counters& tlm, const runtime::Counters& cycle) {
  ASSERT_TRUE(tlm.completed) << tlm.error;
  ASSERT_TRUE(cycle.completed) << cycle.error;
  EXPECT_TRUE(tlm.timed);
  EXPECT_EQ(tlm.cycles, cycle.cycles);
  EXPECT_EQ(tlm.dram_read_bytes, cycle.dram_read_bytes);
  EXPECT_EQ(tlm.dram_write_bytes, cycle.dram_write_bytes);
  EXPECT_EQ(tlm.gemm_steps, cycle.gemm_steps);
  EXPECT_EQ(tlm.alu_steps, cycle.alu_steps);
  ASSERT_EQ(tlm.ledger.size(), cycle.ledger.size());
  for (size_t u = 0; u < tlm.ledger.size(); ++u) {
    EXPECT_EQ(tlm.ledger[u].unit, cycle.ledger[u].unit);
    EXPECT_EQ(Entries(tlm.ledger[u]), Entries(cycle.ledger[u])) << tlm.ledger[u].unit;
  }
  ASSERT_EQ(tlm.instructions.size(), cycle.instructions.size());
  for (size_t i = 0; i < tlm.instructions.size(); ++i)
    EXPECT_EQ(tlm.instructions[i].retire, cycle.instructions[i].retire) << i;
}

TEST(TlmDevice, DoesWhatTheCycleDeviceDoes) {
  for (const char* isa : {"cosim", "vta"}) {
    const isa::Spec spec = MakeSpec(isa);
    const auto tlm = MakeDevice(spec);
    ASSERT_TRUE(tlm);
    CycleDevice cycle(spec);
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      const isa::Program program = RandomProgram(spec, {.seed = seed});
      runtime::Counters counters[2];
      runtime::Device* devices[] = {tlm.get(), &cycle};
      for (int i = 0; i < 2; ++i) {
        runtime::LoadSegments(*devices[i], program);
        devices[i]->PoisonOnChip(seed);
        counters[i] = devices[i]->Execute(program, {.record_instructions = true});
      }
      ExpectSame(counters[0], counters[1]);
      EXPECT_TRUE(Dram(*tlm, program) == Dram(cycle, program)) << isa << " seed " << seed;
    }
  }
}

TEST(TlmDevice, SpendsItsCyclesInSimulatedTime) {
  const auto device = MakeDevice(TinySpec());
  ASSERT_TRUE(device);
  const isa::Program program = RandomProgram(TinySpec(), {.seed = 7});
  runtime::LoadSegments(*device, program);
  const sc_core::sc_time before = sc_core::sc_time_stamp();
  const runtime::Counters counters = device->Execute(program, {});
  ASSERT_TRUE(counters.completed) << counters.error;
  EXPECT_EQ(sc_core::sc_time_stamp() - before, sc_core::sc_time(1000 / TinySpec().clock_mhz, sc_core::SC_NS) *
                                                   static_cast<double>(counters.cycles));
}

TEST(TlmDevice, StartsWithClearedMemory) {
  std::vector<uint8_t> bytes = {1, 2, 3};
  MakeDevice(TinySpec())->Write(0x5000, bytes);
  MakeDevice(TinySpec())->Read(0x5000, bytes);
  EXPECT_THAT(bytes, ::testing::Each(0));
}

TEST(TlmDevice, IsOneAtATime) {
  auto first = MakeDevice(TinySpec());
  std::string error;
  EXPECT_EQ(TlmDevice::Make(TinySpec(), BestSimdLevel(), error), nullptr);
  EXPECT_EQ(error, "the tlm device is in use: SystemC has one design a process");
  first.reset();
  EXPECT_TRUE(MakeDevice(TinySpec()));
}

TEST(TlmDevice, RefusesTimingOnly) {
  const auto device = MakeDevice(TinySpec());
  ASSERT_TRUE(device);
  const runtime::Counters counters =
      device->Execute(RandomProgram(TinySpec(), {.seed = 1}), {.timing_only = true});
  EXPECT_FALSE(counters.completed);
  EXPECT_THAT(counters.error, ::testing::HasSubstr("timing only"));
}

TEST(TlmDevice, ReportsAStuckProgramAndRunsTheNextOne) {
  const isa::Program stuck = WithWords(R"(.dram 0x9000
.code 0x8000
sync_store pop(alu_to_store)
)");
  const auto device = MakeDevice(TinySpec());
  ASSERT_TRUE(device);
  runtime::LoadSegments(*device, stuck);
  const runtime::Counters counters = device->Execute(stuck, {.layer_of = [](size_t) { return "conv7"; }});
  EXPECT_FALSE(counters.completed);
  EXPECT_THAT(counters.error, ::testing::HasSubstr("sync_store (layer conv7) waits for a token"));

  const isa::Program good = RandomProgram(TinySpec(), {.seed = 2});
  runtime::LoadSegments(*device, good);
  EXPECT_TRUE(device->Execute(good, {}).completed);
}

}  // namespace
}  // namespace cosim::sim
