// SPDX-License-Identifier: Apache-2.0
// Frames in flight on simulated accelerators: two share one, each in its part of the memory.
#include "driver/frame_devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <span>
#include <thread>
#include <utility>

#include "runtime/frames.h"
#include "tests/driver/simulated_board.h"
#include "tests/runtime/small_module.h"

namespace cosim::driver {
namespace {

using runtime::FrameInputs;
using ::testing::HasSubstr;

constexpr uint64_t kFirstByte = 0x1000'0000, kMemorySize = 1 << 20, kBytes = 16;

using ReadProgress = std::function<runtime::Progress()>;

/// A host step that hands its argument on and takes until the accelerator has worked on. Where it stands
/// still for half a second no other frame may be left to run.
class UntilItWorked final : public runtime::CpuKernel {
 public:
  explicit UntilItWorked(ReadProgress read) : read_(std::move(read)) {}
  void RunOn(std::span<void* const> args, const runtime::Parallel&) const override {
    std::copy_n(static_cast<const uint8_t*>(args[0]), kBytes, static_cast<uint8_t*>(args[1]));
    const runtime::Cycle before = read_().cycles;
    for (int i = 0; i < 500 && read_().cycles == before; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

 private:
  const ReadProgress read_;
};

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
    in.bytes = in.plain_bytes = out.bytes = out.plain_bytes = kBytes;
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
    std::vector<FrameInputs> inputs(7, {std::vector<uint8_t>(kBytes)});
    for (size_t f = 0; f < inputs.size(); ++f)
      std::iota(inputs[f][0].begin(), inputs[f][0].end(), static_cast<uint8_t>(31 * f));
    const auto run = runtime::ExecuteFrames(network_, spec_, devices, inputs, 20);
    ASSERT_EQ(run.error, "");
    for (size_t f = 0; f < run.frames.size(); ++f) {
      EXPECT_EQ(run.frames[f].outputs, inputs[f % inputs.size()]) << f;
      EXPECT_EQ(run.frames[f].cycles, run.frames[0].cycles) << f;
    }
  }

  /// The outputs go through that step.
  void AddStep(runtime::CpuKernelPtr kernel) {
    runtime::CpuStep step;
    step.kernel = std::move(kernel);
    step.layer = 0;
    runtime::CpuStep::Argument from, to;
    from.address = network_.outputs[0].address;
    to.address = 1 << 24;
    from.bytes = to.bytes = kBytes;
    to.is_output = to.on_host = true;
    step.arguments = {from, to};
    network_.steps.emplace_back(step);
    network_.outputs[0].address = to.address;
    network_.outputs[0].on_host = true;
  }

  runtime::FramesRun RunOn(std::span<const std::unique_ptr<runtime::Device>> devices, int frames) {
    const FrameInputs inputs = {std::vector<uint8_t>(kBytes, 3)};
    auto run = runtime::ExecuteFrames(network_, spec_, devices, std::span(&inputs, 1), frames);
    EXPECT_EQ(run.error, "");
    EXPECT_EQ(run.frames.back().outputs, inputs);
    return run;
  }

  const isa::Spec spec_ = runtime::testing::TinySpec();
  runtime::Network network_;
  Diagnostics diags_;
};

TEST_F(FrameDevicesTest, FramesOfOneAcceleratorDoNotTouchEachOther) { ExpectFramesRight(1); }

TEST_F(FrameDevicesTest, AcceleratorsHaveTheirOwnFrames) { ExpectFramesRight(2); }

TEST_F(FrameDevicesTest, CountersShowTheHostAtWorkDuringAnotherFramesRun) {
  constexpr int kFrames = 12;
  testing::SimulatedBoard board(spec_, kFirstByte, kMemorySize);
  std::vector<OpenBoard> open;
  open.push_back(testing::Opened(board));
  const auto devices = MakeFrameDevices(spec_, open, network_.dram_bytes, {}, diags_);
  ASSERT_FALSE(devices.empty()) << diags_.Render();
  AddStep(std::make_shared<UntilItWorked>([&] { return *devices[0]->AcceleratorProgress(); }));
  const auto run = RunOn(devices, kFrames);
  ASSERT_TRUE(run.meanwhile);
  EXPECT_EQ(run.meanwhile->stretches, 3 * kFrames);  // inputs, step, outputs
  EXPECT_GT(run.meanwhile->cycles, 0);
  EXPECT_LE(run.meanwhile->cycles, kFrames * run.frames[0].cycles);
  const runtime::Progress end = *devices[1]->AcceleratorProgress();  // of both: they share the accelerator
  EXPECT_EQ(end.cycles, kFrames * run.frames[0].cycles);
  EXPECT_EQ(end.runs, kFrames);
  EXPECT_FALSE(end.busy);
}

TEST_F(FrameDevicesTest, CountersShowNothingMeanwhileWhereAFrameIsAlone) {
  testing::SimulatedBoard board(spec_, kFirstByte, kMemorySize);
  std::vector<OpenBoard> open;
  open.push_back(testing::Opened(board));
  const auto devices = MakeFrameDevices(spec_, open, network_.dram_bytes, {}, diags_);
  AddStep(std::make_shared<UntilItWorked>([&] { return *devices[0]->AcceleratorProgress(); }));
  const auto run = RunOn(devices, 1);
  EXPECT_EQ(run.meanwhile->stretches, 3);
  EXPECT_EQ(run.meanwhile->cycles, 0);
  EXPECT_EQ(run.meanwhile->inside_one, 0);
}

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
