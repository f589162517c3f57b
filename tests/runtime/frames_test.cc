// SPDX-License-Identifier: Apache-2.0
// Several frames at a time, on a device of ten lines: results, the host at work meanwhile, turns, failures.
#include "runtime/frames.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>

namespace cosim::runtime {
namespace {

/// What the kernels and devices of a test see of each other.
struct Stage {
  std::atomic<int> kernel_runs = 0;
  std::atomic<int> executing = 0;
  std::atomic<bool> met = false;   ///< two executed on one accelerator at once
  std::atomic<bool> stop = false;  ///< executions fail
  int wait_for_kernels = 0;        ///< the first execution ends when so many kernels have begun
  std::atomic<bool> waited_in_vain = false;
  std::atomic<int> programs_written = 0;
  std::function<Progress()> counters;  ///< the accelerator's; without them devices do not tell
};

constexpr uint64_t kProgramAddress = 64;

/// Adds 10 to byte 0.
class FakeDevice final : public Device {
 public:
  explicit FakeDevice(Stage& stage) : stage_(stage) {}
  std::string Name() const override { return "fake"; }
  void Reserve(uint64_t bytes) override { dram_.resize(std::max<size_t>(dram_.size(), bytes)); }
  void Write(uint64_t address, std::span<const uint8_t> bytes) override {
    if (address >= kProgramAddress) ++stage_.programs_written;
    std::copy(bytes.begin(), bytes.end(), dram_.begin() + static_cast<int64_t>(address));
  }
  void Read(uint64_t address, std::span<uint8_t> bytes) override {
    std::copy_n(dram_.begin() + static_cast<int64_t>(address), bytes.size(), bytes.begin());
  }
  Counters Execute(const isa::Program&, const ExecuteOptions&) override {
    if (stage_.executing++ != 0) stage_.met = true;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (stage_.kernel_runs < stage_.wait_for_kernels && !stage_.waited_in_vain) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (std::chrono::steady_clock::now() > deadline) stage_.waited_in_vain = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    dram_[0] += 10;
    --stage_.executing;
    Counters counters;
    counters.completed = !stage_.stop;
    counters.error = stage_.stop ? "stuck" : "";
    counters.cycles = 100;
    counters.timed = true;
    return counters;
  }
  void PoisonOnChip(uint64_t) override {}
  std::optional<Progress> AcceleratorProgress() override {
    return stage_.counters ? std::optional(stage_.counters()) : std::nullopt;
  }

 private:
  Stage& stage_;
  std::vector<uint8_t> dram_;
};

/// out[0] = 2 * in[0]
class Double final : public CpuKernel {
 public:
  explicit Double(Stage& stage) : stage_(stage) {}
  void RunOn(std::span<void* const> args, const Parallel&) const override {
    ++stage_.kernel_runs;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    *static_cast<uint8_t*>(args[1]) = 2 * *static_cast<const uint8_t*>(args[0]);
  }

 private:
  Stage& stage_;
};

/// y = 2 * (2 * x + 10): kernel, accelerator, kernel.
class Frames : public ::testing::Test {
 protected:
  Frames() {
    network_.layers.resize(1);
    network_.value_bytes = kProgramAddress;
    network_.dram_bytes = kProgramAddress + 4;
    Place place;
    place.bytes = place.plain_bytes = 1;
    network_.inputs = network_.outputs = {place};
    CpuStep call;
    call.kernel = std::make_shared<Double>(stage_);
    call.layer = 0;
    call.arguments = {{0, 1, nullptr, false}, {0, 1, nullptr, true}};
    AcceleratorStep program;
    program.program.segments = {
        {isa::Segment::Kind::kInstructions, "code", kProgramAddress, std::vector<uint8_t>(4)}};
    network_.steps = {call, program, call};
  }

  FramesRun Run(int accelerators, int frames, const std::vector<FrameInputs>& inputs) {
    std::vector<std::unique_ptr<Device>> devices;
    for (int i = 0; i < accelerators * kFramesInFlight; ++i)
      devices.push_back(std::make_unique<FakeDevice>(stage_));
    return ExecuteFrames(network_, isa::Spec(), devices, inputs, frames);
  }

  Stage stage_;
  Network network_;
};

TEST_F(Frames, EachGivesItsOwnOutputs) {
  for (int accelerators : {1, 3}) {
    const FramesRun run = Run(accelerators, 7, {{{0}}, {{1}}, {{2}}, {{3}}, {{4}}});
    EXPECT_EQ(run.error, "");
    ASSERT_EQ(run.frames.size(), 7u);
    for (int f = 0; f < 7; ++f) {
      EXPECT_EQ(run.frames[f].outputs,
                (std::vector<std::vector<uint8_t>>{{static_cast<uint8_t>(4 * (f % 5) + 20)}}))
          << f;
      EXPECT_EQ(run.frames[f].cycles, 100);
    }
  }
}

TEST_F(Frames, HostWorksWhileTheAcceleratorHasAnotherFrame) {
  stage_.wait_for_kernels = 2;  // its own first step, and that of the next frame
  const FramesRun run = Run(1, 4, {{{1}}});
  EXPECT_FALSE(stage_.waited_in_vain);
  EXPECT_GT(run.overlapped_seconds, 0);
  EXPECT_LE(run.overlapped_seconds, run.cpu_step_seconds * 1.000001);
  EXPECT_GE(run.wall_seconds, run.frames[0].steps.front().end - run.frames[0].steps.front().begin);
}

TEST_F(Frames, CopiesOfOneAreMadeWhileTheAcceleratorHasAnother) {
  stage_.wait_for_kernels = 2;
  const FramesRun run = Run(1, 4, {{{1}}});
  EXPECT_GT(run.copy_seconds, 0);
  EXPECT_LE(run.overlapped_copy_seconds, run.copy_seconds * 1.000001);
  for (const auto& frame : run.frames) {
    ASSERT_EQ(frame.steps.size(), 5u);
    EXPECT_EQ(frame.steps.front().what, Stretch::kCopies);
    EXPECT_EQ(frame.steps.back().what, Stretch::kCopies);
    EXPECT_GT(frame.copy_seconds, 0);
    // Of the CPU steps some copies are too, which are counted there.
    EXPECT_GT(SecondsOf(frame, Stretch::kHostStep), 0);
  }
}

TEST_F(Frames, DevicesGetTheProgramsOnce) {
  Run(2, 11, {{{1}}});
  EXPECT_EQ(stage_.programs_written, 2 * kFramesInFlight);
}

TEST_F(Frames, ARunAloneLoadsItsProgramsUnlessTheyAreThere) {
  FakeDevice device(stage_);
  Execute(network_, isa::Spec(), device, {{1}}, false);
  EXPECT_EQ(stage_.programs_written, 1);
  Execute(network_, isa::Spec(), device, {{1}}, false, nullptr, Programs::kLoaded);
  EXPECT_EQ(stage_.programs_written, 1);
}

TEST_F(Frames, TakeTurnsOnAnAccelerator) {
  Run(1, 8, {{{1}}});
  EXPECT_FALSE(stage_.met);
}

TEST_F(Frames, RunOnTheirOwnAccelerators) {
  for (int attempt = 0; attempt < 50 && !stage_.met; ++attempt) Run(2, 8, {{{1}}});
  EXPECT_TRUE(stage_.met);
}

TEST_F(Frames, AFailureStopsTheOthers) {
  stage_.stop = true;
  const FramesRun run = Run(2, 100, {{{1}}});
  EXPECT_EQ(run.error, "stuck");
  EXPECT_LE(stage_.kernel_runs, 2 * kFramesInFlight + 4);
}

TEST_F(Frames, AddUpWhatTheAcceleratorDidDuringTheHostsWork) {
  int asked = 0;
  stage_.counters = [&] { return Progress{.cycles = 10 * ++asked, .runs = 1, .busy = true}; };
  const FramesRun run = Run(1, 1, {{{1}}});
  ASSERT_TRUE(run.meanwhile);
  EXPECT_EQ(run.meanwhile->stretches, 4);  // inputs, two kernels, outputs
  EXPECT_EQ(run.meanwhile->cycles, 40);
  EXPECT_EQ(run.meanwhile->inside_one, 4);
}

TEST_F(Frames, APieceOfWorkIsInsideARunThatBeganBeforeItAndGoesOnBehindIt) {
  int asked = 0;
  stage_.counters = [&] {
    constexpr Progress kAsked[] = {{0, 1, false}, {10, 2, true},  // began in it
                                   {20, 2, true}, {30, 2, true},  // inside
                                   {40, 2, true}, {50, 3, true},  // one ended, the next began
                                   {60, 3, true}, {70, 3, false}};
    return kAsked[asked++];
  };
  const FramesRun run = Run(1, 1, {{{1}}});
  ASSERT_TRUE(run.meanwhile);
  EXPECT_EQ(run.meanwhile->cycles, 40);
  EXPECT_EQ(run.meanwhile->inside_one, 1);
}

TEST_F(Frames, CountNothingWhereDevicesDoNotTell) { EXPECT_FALSE(Run(1, 4, {{{1}}}).meanwhile); }

TEST_F(Frames, OneFrameIsEnough) {
  const FramesRun run = Run(2, 1, {{{1}}});
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.overlapped_seconds, 0);
}

}  // namespace
}  // namespace cosim::runtime
