// SPDX-License-Identifier: Apache-2.0
// What VTA's instructions do at their edges, known in advance, on the simulators and on the RTL: shifts in
// both directions, padded weights and accumulators, and a reset whose other indices lead nowhere.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "isa/verify/verify.h"
#include "sim/cycle/cycle_device.h"
#include "sim/functional/functional_device.h"
#include "tests/hw/lockstep.h"
#include "tests/hw/models.h"
#include "tests/isa/program/testing.h"

namespace cosim::sim {
namespace {

using cosim::testing::Compare;
using cosim::testing::MakeModel;
using cosim::testing::SpecOf;
using ::testing::ElementsAre;

constexpr int kShifts = 70;  // by immediate; as many by accumulator
constexpr uint64_t kStored = 0x6000;
constexpr std::array<int32_t, 4> kValues = {0x12345678, -1, -0x7fffffff, 5};

std::string Bytes(const std::vector<int32_t>& values) {
  std::string text;
  for (const int32_t value : values) {
    for (int byte = 0; byte < 4; ++byte)
      text += fmt::format(" {:02x}", (static_cast<uint32_t>(value) >> (8 * byte)) & 255);
  }
  return text;
}

/// By which accumulator k of the second half is shifted.
int32_t Amount(int k) { return k % 5 == 0 ? k * 12345678 : k - kShifts / 2; }

/// acc[k] shifted by k - 35, acc[70 + k] by an accumulator, and stored: their lowest bytes.
std::string Shifts() {
  std::string uops, amounts, alus;
  for (int k = 0; k < kShifts; ++k) {
    uops += fmt::format("  uop dst={} src={}\n", k, k);
    amounts += "  " + Bytes({Amount(k), Amount(k), Amount(k), Amount(k)}) + "\n";
    alus += fmt::format("alu op=shri uop=[{},{}) iter_out=1 iter_in=1 imm={}\n", k, k + 1, k - kShifts / 2);
  }
  return fmt::format(R"(.dram 0x10000
.code 0x8000
.instructions code 0x8000
.micro_ops uops 0x1000 {{
{0}  uop dst=70 src=140
  uop dst=105 src=175
}}
.constants values 0x2000 {{
  {1}
}}
.constants amounts 0x3000 {{
{2}}}
load_uop dram=0x1000 rows=1 cols=72
load_acc dram=0x2000 rows=140 cols=1 stride=0
load_acc sram=140 dram=0x3000 rows=1 cols=70
{3}alu op=shr uop=[70,71) iter_out=1 iter_in=35 dst_in=1 src_in=1 imm=0
alu op=shr uop=[71,72) iter_out=1 iter_in=35 dst_in=1 src_in=1 imm=-9 push(compute_to_store)
store_out dram=0x6000 rows=1 cols=140 pop(compute_to_store)
)",
                     uops, Bytes({kValues.begin(), kValues.end()}), amounts, alus);
}

uint8_t Shifted(int32_t value, int32_t by, bool left) {
  const uint32_t distance = (left ? 0 - static_cast<uint32_t>(by) : static_cast<uint32_t>(by)) & 31;
  return static_cast<uint8_t>(left ? static_cast<uint32_t>(value) << distance
                                   : static_cast<uint32_t>(value >> distance));
}

/// Six weight tiles of which four are padding, and accumulators of which the second is; a reset whose
/// activations and weights lie beyond their memories; then the sum over the tiles.
constexpr char kPadded[] = R"(.dram 0x10000
.code 0x8000
.instructions code 0x8000
.micro_ops uops 0x1000 {
  uop dst=8
  uop dst=9
}
.constants inp 0x2000 {
  01 02 03 04
}
.constants wgt 0x2100 {
  01 01 01 01 02 02 02 02 03 03 03 03 04 04 04 04
  01 01 01 01 01 01 01 01 01 01 01 01 01 01 01 01
}
.constants acc 0x2200 {
  07 00 00 00 06 00 00 00 05 00 00 00 04 00 00 00
}
load_inp dram=0x2000 rows=1 cols=1
load_wgt dram=0x2100 rows=2 cols=1 stride=1 pad_top=1 pad_right=1 push(load_to_compute)
load_uop dram=0x1000 rows=1 cols=2
load_acc sram=9 dram=0x2200 rows=1 cols=1 pad_bottom=1
gemm reset=1 uop=[0,1) iter_out=2 iter_in=1 dst_out=0 src_out=511 wgt_out=255 src_in=511 wgt_in=255
gemm reset=1 uop=[0,1) iter_out=3 iter_in=1 src_out=511 wgt_out=255
gemm uop=[0,1) iter_out=1 iter_in=6 wgt_in=1 pop(load_to_compute) push(compute_to_store)
store_out sram=8 dram=0x6000 rows=1 cols=3 pop(compute_to_store)
)";

/// The bytes stored at kStored, after every simulator and the RTL agreed on them.
std::vector<uint8_t> Stored(const std::string& text, size_t bytes) {
  const isa::Spec& spec = SpecOf("tiny_vta");
  const isa::Program program = isa::testing::FromText(spec, text);
  const isa::VerifyResult verified = isa::Verify(spec, program);
  EXPECT_TRUE(verified.ok()) << verified.Render();
  EXPECT_EQ(Compare(*MakeModel("tiny_vta"), spec, program).difference, "");
  FunctionalDevice functional(spec);
  CycleDevice cycle(spec);
  std::vector<uint8_t> stored(bytes), again(bytes);
  const auto run = [&](runtime::Device& device, std::vector<uint8_t>& out) {
    runtime::LoadSegments(device, program);
    device.PoisonOnChip(3);
    const runtime::Counters counters = device.Execute(program, {});
    EXPECT_TRUE(counters.completed) << counters.error;
    device.Read(kStored, out);
  };
  run(functional, stored);
  run(cycle, again);
  EXPECT_EQ(stored, again);
  return stored;
}

TEST(VtaOnTheRtl, ShiftsInBothDirections) {
  const std::vector<uint8_t> stored = Stored(Shifts(), size_t{kShifts} * 2 * 4);
  for (int k = 0; k < kShifts; ++k) {
    for (int lane = 0; lane < 4; ++lane) {
      const int32_t value = kValues[static_cast<size_t>(lane)], by = k - kShifts / 2;
      ASSERT_EQ(stored[static_cast<size_t>(4 * k + lane)], Shifted(value, by, by < 0))
          << value << " by " << by;
      ASSERT_EQ(stored[static_cast<size_t>(4 * (kShifts + k) + lane)],
                Shifted(value, Amount(k), k >= kShifts / 2))
          << value << " by accumulator " << Amount(k);
    }
  }
}

TEST(VtaOnTheRtl, PadsAndResetsWhereverSourcesLead) {
  EXPECT_THAT(Stored(kPadded, 12), ElementsAre(20, 30, 40, 50, 7, 6, 5, 4, 0, 0, 0, 0));
}

}  // namespace
}  // namespace cosim::sim
