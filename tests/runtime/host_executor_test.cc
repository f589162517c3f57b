// SPDX-License-Identifier: Apache-2.0
// Networks on the host alone: places that are used again, constants that are not copied, times that add up.
#include "runtime/host_executor.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "runtime/host_peak.h"

namespace cosim::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

/// out = in + term, byte by byte; keeps where it found the term.
class AddBytes final : public CpuKernel {
 public:
  explicit AddBytes(size_t count) : count_(count) {}
  void RunOn(std::span<void* const> args, const Parallel&) const override {
    const auto* in = static_cast<const uint8_t*>(args[0]);
    const auto* term = static_cast<const uint8_t*>(args[1]);
    auto* out = static_cast<uint8_t*>(args[2]);
    for (size_t i = 0; i < count_; ++i) out[i] = static_cast<uint8_t>(in[i] + term[i]);
    term_ = term;
  }
  const void* term() const { return term_; }

 private:
  size_t count_;
  mutable const void* term_ = nullptr;
};

constexpr size_t kBytes = 3;

/// Two additions: from place 0 to place 64, and back to 0, where the input stood.
struct TwoSteps {
  std::shared_ptr<const std::vector<uint8_t>> constant =
      std::make_shared<const std::vector<uint8_t>>(std::vector<uint8_t>{1, 2, 3});
  std::shared_ptr<AddBytes> kernel = std::make_shared<AddBytes>(kBytes);
  Network network;

  TwoSteps() {
    const std::shared_ptr<const void> term(constant, constant->data());
    network.layers.resize(2);
    network.value_bytes = 128;
    network.steps.emplace_back(CpuStep{
        kernel, {{0, kBytes, nullptr, false}, {0, kBytes, term, false}, {64, kBytes, nullptr, true}}, 0});
    network.steps.emplace_back(CpuStep{
        kernel, {{64, kBytes, nullptr, false}, {0, kBytes, term, false}, {0, kBytes, nullptr, true}}, 1});
    network.inputs.push_back({.name = "in", .address = 0, .bytes = kBytes});
    network.outputs.push_back({.name = "out", .address = 0, .bytes = kBytes, .plain_bytes = kBytes});
  }
};

TEST(HostExecutor, EveryRunStartsFromTheInputs) {
  const TwoSteps two;
  HostExecutor executor(two.network);
  for (int run = 0; run < 3; ++run) {
    executor.Run({{10, 20, 30}});
    EXPECT_THAT(executor.Read(two.network.outputs[0]), ElementsAre(12, 24, 36));
  }
}

TEST(HostExecutor, ReadsConstantsWhereTheyAre) {
  const TwoSteps two;
  HostExecutor executor(two.network);
  executor.Run({{0, 0, 0}});
  EXPECT_EQ(two.kernel->term(), two.constant->data());
}

TEST(HostExecutor, LayersTakeNoLongerThanTheRun) {
  const TwoSteps two;
  const HostTimes times = HostExecutor(two.network).Run({{0, 0, 0}});
  ASSERT_THAT(times.layers, SizeIs(2));
  EXPECT_GE(std::ranges::min(times.layers), 0);
  EXPECT_GT(times.wall, 0);
  EXPECT_LE(times.layers[0] + times.layers[1], times.wall);
}

TEST(HostExecutor, UnpacksAPlaceThatIsNotPlain) {
  TwoSteps two;
  class Reverse final : public CpuKernel {
   public:
    void RunOn(std::span<void* const> args, const Parallel&) const override {
      const auto* in = static_cast<const uint8_t*>(args[0]);
      std::reverse_copy(in, in + kBytes, static_cast<uint8_t*>(args[1]));
    }
  };
  Place& output = two.network.outputs[0];
  output.unpack = std::make_shared<Reverse>();
  HostExecutor executor(two.network);
  executor.Run({{10, 20, 30}});
  EXPECT_THAT(executor.Read(output), ElementsAre(36, 24, 12));
}

TEST(HostExecutorDeathTest, RefusesAnAcceleratorsProgram) {
  TwoSteps two;
  two.network.steps.emplace_back(AcceleratorStep{});
  EXPECT_DEATH(HostExecutor executor(two.network), "has a program for an accelerator");
}

// Any machine of the last twenty years does a multiply-add a nanosecond, and none a hundred vectors.
TEST(HostPeak, IsThatOfARealMachine) {
  const HostPeak peak = MeasureHostPeak();
  EXPECT_GT(peak.float_gops, 0.2);
  EXPECT_LT(peak.float_gops, 2000);
  EXPECT_GT(peak.integer_gops, 0.2);
  EXPECT_LT(peak.integer_gops, 20'000);
  EXPECT_NE(peak.float_loop, "");
  EXPECT_NE(peak.integer_loop, "");
}

}  // namespace
}  // namespace cosim::runtime
