// SPDX-License-Identifier: Apache-2.0
// The memory of a configuration: physical units, what a --set replaces, and its settings low and high.
#include <gmock/gmock.h>

#include "isa/spec/config_memory.h"
#include "tests/isa/spec/testing.h"

namespace cosim::isa {
namespace {

using testing::Complaints;
using testing::kConfig;
using testing::kIsa;
using testing::Replace;

const std::string kPhysical =
    Replace(Replace(kConfig, "  latency: 12\n", "  latency_ns: 400\n"), "  write_latency: 6\n",
            "  write_latency_ns: 200\n  low:\n    latency_ns: 210\n"
            "  high:\n    latency_ns: 700\n    write_latency_ns: 350\n    bandwidth_mb_s: 1575\n");

MemorySystem Read(const std::string& config, const std::vector<Override>& overrides = {}) {
  Diagnostics diags;
  const auto spec = Elaborate({"isa.yaml", kIsa}, {"config.yaml", config}, overrides, diags);
  EXPECT_TRUE(spec.has_value()) << diags.Render();
  return spec ? spec->dram : MemorySystem{};
}

MemorySystem Shipped(const std::string& config, const std::vector<Override>& overrides = {}) {
  Diagnostics diags;
  const auto spec = LoadSpec(config, "", overrides, diags);
  EXPECT_TRUE(spec.has_value()) << diags.Render();
  return spec ? spec->dram : MemorySystem{};
}

TEST(Memory, BoardsKeepTheirCyclesAtTheirClocks) {
  for (const char* config : {"pynq", "pynq-max", "ultra96"}) {
    EXPECT_EQ(Shipped(config).latency, 40) << config;
    EXPECT_EQ(Shipped(config).write_latency, 20) << config;
  }
  for (const char* config : {"pynq", "pynq-max"}) EXPECT_EQ(Shipped(config).dram_bytes, 0) << config;
  EXPECT_EQ(Shipped("ultra96").dram_bytes, 19.71875) << "3,944 MB/s, in whole 64ths of a byte a cycle";
}

TEST(Memory, TimesGrowWithTheClock) {
  EXPECT_EQ(Shipped("pynq", {{"clock_mhz", "200"}}).latency, 80);
  EXPECT_EQ(Shipped("pynq", {{"clock_mhz", "50"}}).latency, 20);
  EXPECT_EQ(Shipped("ultra96", {{"clock_mhz", "187.5"}}).latency, 38)
      << "200 ns at 187.5 MHz are 37.5 cycles";
  EXPECT_EQ(Shipped("tiny", {{"clock_mhz", "200"}}).latency, 12) << "cycles stay cycles";
}

// A latency rounds upwards, a bandwidth downwards, neither to 0.
TEST(Memory, RoundsAgainstTheAccelerator) {
  EXPECT_EQ(Read(kPhysical, {{"clock_mhz", "142.5"}}).latency, 57);
  EXPECT_EQ(Read(kPhysical, {{"clock_mhz", "142.6"}}).latency, 58);
  EXPECT_EQ(Read(kPhysical, {{"clock_mhz", "0.001"}}).latency, 1);
  EXPECT_EQ(Read(kConfig, {{"memory.bandwidth_mb_s", "4264"}}).dram_bytes, 42.625);
  EXPECT_EQ(Read(kConfig, {{"memory.bandwidth_mb_s", "4269"}}).dram_bytes, 42.6875);
  EXPECT_EQ(Read(kConfig, {{"memory.bandwidth_mb_s", "4300"}}).dram_bytes, 43);
  EXPECT_EQ(Read(kConfig, {{"memory.bandwidth_mb_s", "0.5"}}).dram_bytes, 1);
  EXPECT_EQ(Read(kConfig, {{"memory.bandwidth_mb_s", "4264"}, {"clock_mhz", "0.001"}}).dram_bytes, 65536);
  EXPECT_EQ(Read(kConfig, {{"memory.dram_bytes", "0"}}).dram_bytes, 0);
  EXPECT_EQ(Read(kConfig, {{"memory.dram_bytes", "19.72"}}).dram_bytes, 19.71875);
  EXPECT_EQ(Read(kConfig, {{"memory.dram_bytes", "65536"}}).dram_bytes, 65536);
  EXPECT_EQ(Read(kConfig, {{"memory.jitter_ns", "25"}}).jitter, 3);
}

TEST(Memory, ASetReplacesTheOtherForm) {
  EXPECT_EQ(Read(kPhysical, {{"memory.latency", "80"}}).latency, 80);
  EXPECT_EQ(Read(kConfig, {{"memory.latency_ns", "800"}}).latency, 80);
  EXPECT_EQ(Read(kConfig, {{"memory.latency_ns", "800"}, {"memory.latency", "7"}}).latency, 7);
  EXPECT_EQ(Read(kConfig, {{"memory.dram_bytes", "9"}, {"memory.bandwidth_mb_s", "800"}}).dram_bytes, 8);
}

TEST(Memory, HasSettings) {
  const MemorySystem low = Read(kPhysical, {{"memory.setting", "low"}}),
                     high = Read(kPhysical, {{"memory.setting", "high"}});
  EXPECT_EQ(low.latency, 21);
  EXPECT_EQ(low.write_latency, 20) << "typical where it says nothing";
  EXPECT_EQ(high.latency, 70);
  EXPECT_EQ(high.write_latency, 35);
  EXPECT_EQ(high.dram_bytes, 15.75);
  EXPECT_EQ(high.outstanding, 4);
  EXPECT_EQ(Read(kPhysical, {{"memory.setting", "typical"}}).latency, 40);
  EXPECT_EQ(MemorySetting({"config.yaml", kPhysical}, {{"memory.setting", "high"}}), "high");
  EXPECT_EQ(MemorySetting({"config.yaml", kPhysical}, {}), "typical");
}

// What the user says of the memory holds in all its settings, unless it is said of one of them.
TEST(Memory, ASetHoldsInEverySetting) {
  for (const char* setting : {"low", "typical", "high"}) {
    const MemorySystem dram = Read(kPhysical, {{"memory.latency", "80"}, {"memory.setting", setting}});
    EXPECT_EQ(dram.latency, 80) << setting;
  }
  EXPECT_EQ(Read(kPhysical, {{"memory.latency", "80"}, {"memory.setting", "high"}}).write_latency, 35);
  EXPECT_EQ(Read(kPhysical, {{"memory.high.latency", "99"}, {"memory.setting", "high"}}).latency, 99);
  EXPECT_EQ(Read(kPhysical, {{"memory.high.latency", "99"}}).latency, 40);
}

TEST(Memory, EverySettingIsTheSameHardware) {
  Diagnostics diags;
  const auto load = [&](const char* setting) {
    return LoadSpec("ultra96", "", {{"memory.setting", setting}}, diags)->fingerprint;
  };
  EXPECT_EQ(load("low"), load("typical"));
  EXPECT_EQ(load("high"), load("typical"));
}

TEST(Memory, SettingsOfTheBoardsAreInOrder) {
  for (const char* config : {"pynq", "pynq-max", "ultra96"}) {
    const MemorySystem low = Shipped(config, {{"memory.setting", "low"}}), typical = Shipped(config),
                       high = Shipped(config, {{"memory.setting", "high"}});
    EXPECT_LT(low.latency, typical.latency) << config;
    EXPECT_LT(typical.latency, high.latency) << config;
    EXPECT_LT(low.write_latency, typical.write_latency) << config;
    EXPECT_LT(typical.write_latency, high.write_latency) << config;
    EXPECT_GT(high.dram_bytes, 0) << config;
  }
}

TEST(MemoryDiagnostics, RejectsBothForms) {
  EXPECT_EQ(Complaints(kIsa, Replace(kConfig, "  latency: 12\n", "  latency: 12\n  latency_ns: 120\n")),
            R"~(config.yaml:9:15: error[E0006]: 'latency' and 'latency_ns' of 'memory' say the same thing
    9 |   latency_ns: 120
      |               ^~~
  hint: keep one of them
)~");
}

TEST(MemoryDiagnostics, RejectsMoreCyclesThanThereAre) {
  EXPECT_EQ(
      Complaints(kIsa, kConfig, {{"memory.latency_ns", "1e8"}}),
      R"~(--set memory.latency_ns=1e8: error[E0010]: 'latency_ns' of 'memory' is 1e+08 ns, at 100 MHz more than 1000000 cycles
)~");
  EXPECT_EQ(
      Complaints(kIsa, kConfig, {{"memory.latency_ns", "0"}}),
      R"~(--set memory.latency_ns=0: error[E0010]: 'latency_ns' of 'memory' is 0, but has to be above 0 and at most 1000000000
)~");
}

TEST(MemoryDiagnostics, RejectsLessThanAByteACycle) {
  EXPECT_EQ(
      Complaints(kIsa, kConfig, {{"memory.dram_bytes", "0.5"}}),
      R"~(--set memory.dram_bytes=0.5: error[E0010]: 'dram_bytes' of 'memory' is 0.5, but has to be 0 or at least 1
)~");
  EXPECT_EQ(
      Complaints(kIsa, kConfig, {{"memory.dram_bytes", "65537"}}),
      R"~(--set memory.dram_bytes=65537: error[E0010]: 'dram_bytes' of 'memory' is 65537, but has to be above 0 and at most 65536
)~");
}

TEST(MemoryDiagnostics, RejectsSettingsThatThereAreNot) {
  EXPECT_EQ(
      Complaints(kIsa, kPhysical, {{"memory.setting", "worst"}}),
      R"~(--set memory.setting=worst: error[E0010]: 'setting' of 'memory' is 'worst', but has to be low, typical or high
)~");
  EXPECT_EQ(Complaints(kIsa, kConfig, {{"memory.setting", "high"}}),
            R"~(--set memory.setting=high: error[E0007]: 'memory' has no 'high' to be set to
)~");
}

// The number of bursts in flight is the accelerator's too: another RTL, not another day.
TEST(MemoryDiagnostics, RejectsHardwareInASetting) {
  EXPECT_EQ(Complaints(kIsa, Replace(kPhysical, "  high:\n", "  high:\n    outstanding: 2\n")),
            R"~(config.yaml:13:5: error[E0005]: unknown key 'outstanding' in 'high' of 'memory'
   13 |     outstanding: 2
      |     ^~~~~~~~~~~
  hint: known here: latency, latency_ns, write_latency, write_latency_ns, jitter, jitter_ns, dram_bytes, bandwidth_mb_s
)~");
}

TEST(BoardDiagnostics, RejectsBoardsThatThereAreNot) {
  EXPECT_EQ(Complaints(kIsa, kConfig, {{"board", "ultra69"}}),
            R"~(--set board=ultra69: error[E0013]: there is no board 'ultra69'
  hint: did you mean 'ultra96'?
)~");
  EXPECT_EQ(Complaints(kIsa, kConfig, {{"board", "zcu104"}}),
            R"~(--set board=zcu104: error[E0013]: there is no board 'zcu104'
  hint: known here: pynq, ultra96, none
)~");
}

TEST(BoardDiagnostics, RejectsAddressesThatAreNone) {
  for (const char* right : {"ssh://pynq", "ssh://xilinx@192.168.2.99:22"})
    EXPECT_EQ(Complaints(kIsa, std::string(kConfig) + "board_address: " + right + "\n"), "");
  EXPECT_EQ(Complaints(kIsa, kConfig, {{"board_address", "pynq"}}),
            R"~(--set board_address=pynq: error[E0014]: 'board_address' is no address of a board
  hint: as in ssh://pynq or ssh://xilinx@192.168.2.99:22
)~");
}

}  // namespace
}  // namespace cosim::isa
