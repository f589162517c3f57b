// SPDX-License-Identifier: Apache-2.0
// Frames in flight on simulated accelerators: two share one, each in its part of the memory.
#include "driver/frame_devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "runtime/frames.h"
#include "tests/driver/simulated_board.h"
#include "tests/runtime/small_module.h"

namespace cosim::driver {
namespace {

using runtime::FrameInputs;
using ::testing::HasSubstr;

constexpr uint64_t kFirstByte = 0x1000'0000, kMemorySize = 1 << 20;

class FrameDevicesTest : public ::testing::Test {
 protected:
  /// The example program, whose outputs are its inputs: its weights are the identity.
  FrameDevicesTest() {
    runtime::AcceleratorStep step;
    step.program = runtime::testing::ExampleProgram(spec_);
    step.layer_of.assign(step.program.instructions.size(), 0);
    network_.layers.resize(1);
    network_.dram_bytes = step.program.dram_bytes;
    runtime::Place in, out;
    in.address = 0x4000;
    out.address = 0x6000;
    in.bytes = in.plain_bytes = out.bytes = out.plain_bytes = 16;
    network_.inputs = {in};
    network_.outputs = {out};
    network_.steps = {step};
  }

  void ExpectFramesRight(int accelerators) {
    std::vector<std::unique_ptr<testing::SimulatedBoard>> boards;
    std::vector<OpenBoard> open;
    for (int i = 0; i < accelerators; ++i) {
      boards.push_back(std::make_unique<testing::SimulatedBoard>(spec_, kFirstByte, kMemorySize));
      open.push_back(testing::Opened(*boards.back()));
    }
    const auto devices = MakeFrameDevices(spec_, open, network_.dram_bytes, {}, diags_);
    ASSERT_EQ(devices.size(), accelerators * runtime::kFramesInFlight) << diags_.Render();
    std::vector<FrameInputs> inputs(7, {std::vector<uint8_t>(16)});
    for (size_t f = 0; f < inputs.size(); ++f)
      std::iota(inputs[f][0].begin(), inputs[f][0].end(), static_cast<uint8_t>(31 * f));
    const auto run = runtime::ExecuteFrames(network_, spec_, devices, inputs, 20);
    ASSERT_EQ(run.error, "");
    for (size_t f = 0; f < run.frames.size(); ++f) {
      EXPECT_EQ(run.frames[f].outputs, inputs[f % inputs.size()]) << f;
      EXPECT_EQ(run.frames[f].cycles, run.frames[0].cycles) << f;
    }
  }

  const isa::Spec spec_ = runtime::testing::TinySpec();
  runtime::Network network_;
  Diagnostics diags_;
};

TEST_F(FrameDevicesTest, FramesOfOneAcceleratorDoNotTouchEachOther) { ExpectFramesRight(1); }

TEST_F(FrameDevicesTest, AcceleratorsHaveTheirOwnFrames) { ExpectFramesRight(2); }

TEST_F(FrameDevicesTest, NeedMemoryForAllInFlight) {
  testing::SimulatedBoard board(spec_, kFirstByte, kMemorySize);
  std::vector<OpenBoard> open;
  open.push_back(testing::Opened(board));
  EXPECT_EQ(MakeFrameDevices(spec_, open, kMemorySize / 2, {}, diags_).size(), 2u);
  EXPECT_TRUE(MakeFrameDevices(spec_, open, kMemorySize / 2 + 1, {}, diags_).empty());
  EXPECT_THAT(diags_.Render(),
              HasSubstr("error[E0807]: 1056768 bytes of memory are needed, and cached memory"));
}

}  // namespace
}  // namespace cosim::driver
