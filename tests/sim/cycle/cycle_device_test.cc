// SPDX-License-Identifier: Apache-2.0
// The cycle device: data as on the functional device, times as from the timing engine.
#include "sim/cycle/cycle_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/spec/loader.h"
#include "sim/functional/functional_device.h"
#include "tests/isa/program/random_program.h"
#include "tests/isa/program/testing.h"

namespace cosim::sim {
namespace {

isa::Spec Tiny(const std::string& isa) {
  Diagnostics diags;
  const auto spec = isa::LoadSpec("tiny.yaml", isa, {}, diags);
  if (!spec) throw std::runtime_error(diags.Render());
  return *spec;
}

std::vector<uint8_t> Dram(runtime::Device& device, const isa::Program& program) {
  std::vector<uint8_t> bytes(program.dram_bytes);
  device.Read(0, bytes);
  return bytes;
}

TEST(CycleDevice, ComputesWhatTheFunctionalDeviceDoes) {
  for (const char* isa : {"cosim", "vta"}) {
    const isa::Spec spec = Tiny(isa);
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      const isa::Program program = isa::testing::RandomProgram(spec, {.seed = seed});
      CycleDevice cycle(spec);
      FunctionalDevice functional(spec);
      for (runtime::Device* device :
           {static_cast<runtime::Device*>(&cycle), static_cast<runtime::Device*>(&functional)}) {
        runtime::LoadSegments(*device, program);
        device->PoisonOnChip(seed);
        const runtime::Counters counters = device->Execute(program, {});
        ASSERT_TRUE(counters.completed) << counters.error;
        EXPECT_EQ(counters.timed, device == &cycle);
      }
      EXPECT_TRUE(Dram(cycle, program) == Dram(functional, program)) << isa << " seed " << seed;
    }
  }
}

TEST(CycleDevice, TouchesNoDataWhenOnlyTiming) {
  const isa::Spec spec = Tiny("cosim");
  const isa::Program program = isa::testing::RandomProgram(spec, {.seed = 3, .instructions = 200});
  CycleDevice device(spec);
  runtime::LoadSegments(device, program);
  device.PoisonOnChip(1);  // so that stores have something to say
  const std::vector<uint8_t> before = Dram(device, program);
  const runtime::Counters timing = device.Execute(program, {.timing_only = true});
  EXPECT_TRUE(Dram(device, program) == before);
  const runtime::Counters full = device.Execute(program, {});
  EXPECT_FALSE(Dram(device, program) == before);
  EXPECT_EQ(timing.cycles, full.cycles);
  EXPECT_GT(timing.cycles, 0);
  EXPECT_EQ(timing.ledger.size(), spec.units.size());
}

TEST(CycleDevice, GivesTheSameCyclesAgainAndAgain) {
  const isa::Spec spec = Tiny("cosim");
  const isa::Program program = isa::testing::RandomProgram(spec, {.seed = 4});
  CycleDevice device(spec);
  runtime::LoadSegments(device, program);
  const runtime::Cycle first = device.Execute(program, {}).cycles;
  EXPECT_EQ(device.Execute(program, {}).cycles, first);
}

TEST(CycleDevice, RecordsInstructionsWhenAsked) {
  const isa::Spec spec = Tiny("cosim");
  const isa::Program program = isa::testing::RandomProgram(spec, {.seed = 5});
  CycleDevice device(spec);
  runtime::LoadSegments(device, program);
  EXPECT_TRUE(device.Execute(program, {}).instructions.empty());
  const runtime::Counters counters = device.Execute(program, {.record_instructions = true});
  ASSERT_EQ(counters.instructions.size(), program.instructions.size());
  runtime::Cycle last = 0;
  for (const runtime::InstructionTimes& times : counters.instructions) {
    EXPECT_LT(times.issue, times.retire);
    last = std::max(last, times.retire);
  }
  EXPECT_EQ(counters.cycles, last + 1);
}

TEST(CycleDevice, ExecutesInAnOrderThatTokensAllow) {
  // The consumer stands first in the program; only the token makes it run second.
  const isa::Spec spec = Tiny("cosim");
  const isa::Program program = isa::testing::FromText(spec, R"(.dram 0x9000
.code 0x8000
.constants ones 0x1000 {
  01 01 01 01 02 02 02 02
}
store_out dram=0x1010 rows=1 cols=1 pop(alu_to_store)
load_inp dram=0x1010 rows=1 cols=1 pop(store_to_load)
sync_store push(store_to_load)
sync_alu push(alu_to_store)
)");
  ASSERT_FALSE(program.instructions.empty());
  CycleDevice device(spec);
  runtime::LoadSegments(device, program);
  device.PoisonOnChip(1);
  const runtime::Counters counters =
      device.Execute(program, {.record_instructions = true, .watch_hazards = true});
  ASSERT_TRUE(counters.completed) << counters.error;
  EXPECT_GT(counters.instructions[0].issue, counters.instructions[3].retire);
  EXPECT_GT(counters.instructions[1].issue, counters.instructions[0].retire);
}

/// A unit may run far ahead of those that wait for it: 255 pushes in VTA.
TEST(CycleDevice, LetsVtaPushFarAheadOfItsPops) {
  std::string text = ".dram 0x20000\n.code 0x8000\n";
  for (int i = 0; i < 250; ++i) text += "sync_load push(load_to_compute)\n";
  for (int i = 0; i < 250; ++i) text += "sync_compute pop(load_to_compute)\n";
  const auto run = [&](int tokens) {
    const isa::Spec spec =
        isa::testing::MakeSpec("vta", "pynq", {{"parameters.tokens", std::to_string(tokens)}});
    const isa::Program program = isa::testing::FromText(spec, text);
    CycleDevice device(spec);
    runtime::LoadSegments(device, program);
    return device.Execute(program, {}).error;
  };
  EXPECT_EQ(run(255), "");
  EXPECT_THAT(run(16), ::testing::HasSubstr("waits for a place in queue 'load_to_compute' (all 16 taken)"));
}

TEST(CycleDevice, ChangesNoDataWhenTheProgramGetsStuck) {
  const isa::Spec spec = Tiny("cosim");
  isa::Program program = isa::testing::RandomProgram(spec, {.seed = 6});
  // Nobody pushes what the last instruction now waits for.
  for (size_t i = program.instructions.size(); i-- > 0;) {
    const isa::InstructionFormat& format = spec.formats[static_cast<size_t>(program.instructions[i].format)];
    if (format.name != "sync_store") continue;
    program.instructions.erase(program.instructions.begin() + static_cast<std::ptrdiff_t>(i));
  }
  isa::Instruction wait;
  wait.format = spec.FormatIndex("sync_store");
  const isa::InstructionFormat& format = spec.formats[static_cast<size_t>(wait.format)];
  wait.values.resize(format.fields.size());
  wait.values[0] = format.opcode;
  for (const auto& [queue, field] : format.pops) wait.values[static_cast<size_t>(field)] = 1;
  for (int i = 0; i < 40; ++i) program.instructions.insert(program.instructions.begin(), wait);
  CycleDevice device(spec);
  runtime::LoadSegments(device, program);
  const std::vector<uint8_t> before = Dram(device, program);
  const runtime::Counters counters =
      device.Execute(program, {.layer_of = [](size_t i) { return i == 0 ? "conv7" : ""; }});
  EXPECT_FALSE(counters.completed);
  EXPECT_THAT(counters.error,
              ::testing::HasSubstr("store: #0 sync_store (layer conv7) waits for a token in queue "
                                   "'alu_to_store'"));
  EXPECT_TRUE(Dram(device, program) == before);
}

}  // namespace
}  // namespace cosim::sim
