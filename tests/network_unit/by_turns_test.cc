// SPDX-License-Identifier: Apache-2.0
// Two convolutions whose kernels are written by turns, with random schedules, against the golden model; and
// which neighbours the compiler lets take turns.
#include <gmock/gmock.h>

#include <array>
#include <optional>

#include "compiler/accel/instruction_writer.h"
#include "compiler/cpu/jit.h"
#include "compiler/network/compile.h"
#include "tests/network_unit/golden_group.h"
#include "tests/sanitized.h"

namespace cosim::network {
namespace {

constexpr uint64_t kInput = 0, kBetween = 1 << 16, kOutput = 2 << 16, kValuesEnd = 3 << 16;

/// A depthwise convolution, or another, and one that reads what it writes.
graph::ValueId AddPair(GraphBuilder& b) {
  graph::Conv2d first, second;
  const int64_t channels = b.Pick(1, 30), kernel = b.Pick(1, 3), outputs = b.Pick(1, 40);
  const bool depthwise = b.Pick(0, 2) > 0;
  first.groups = depthwise ? channels : 1;
  first.stride = {b.Pick(1, 2), b.Pick(1, 2)};
  first.pad = {b.Pick(0, kernel - 1), b.Pick(0, kernel - 1), b.Pick(0, kernel - 1), b.Pick(0, kernel - 1)};
  const int64_t window = b.Pick(1, 2);
  second.pad = {0, 0, window - 1, window - 1};
  const graph::ValueId x = b.Input({1, channels, b.Pick(5, 12), b.Pick(5, 12)});
  const graph::ValueId between =
      b.Conv(x, depthwise ? channels : b.Pick(1, 30), first, kernel, kernel, false);
  return b.Conv(between, outputs, second, window, window, false);
}

class PairOnDevice {
 public:
  PairOnDevice(const isa::Spec& spec, GraphBuilder& b, graph::ValueId output)
      : spec_(spec), b_(b), lowering_(spec, b.graph, {}) {
    b.graph.SetOutputs({output});
    groups_ = Fuse(b.graph, {});
    EXPECT_EQ(groups_.size(), 2u);
  }

  /// True when schedules were found that fit the chip together; their results are compared.
  bool RunsAsGolden() {
    std::array<std::optional<AcceleratorGroup>, 2> lowered;
    for (size_t k = 0; k < 2; ++k) {
      std::string reason;
      lowered[k] = lowering_.Lower(groups_[k], reason);
      if (!lowered[k] || lowered[k]->input_layout.kind != Layout::Kind::kBlocked) return false;
    }
    if (lowering_.array().layout_in != lowering_.array().layout_out) return false;
    for (int trial = 0; trial < 40; ++trial) {
      if (!Reschedule(*lowered[0], *lowered[1])) continue;
      Run(*lowered[0], *lowered[1]);
      return true;
    }
    return false;
  }

 private:
  bool Reschedule(AcceleratorGroup& first, AcceleratorGroup& second) {
    const std::array<AcceleratorGroup*, 2> both = {&first, &second};
    for (size_t k = 0; k < 2; ++k) {
      const auto space = lowering_.SpaceOf(groups_[k], 3, 100'000).tiles;
      Tile tile = space[b_.Pick(0, std::ssize(space) - 1)].tile;
      tile.rows_first = b_.Pick(0, 3) > 0;
      LoweredTile made = lowering_.LowerAs(groups_[k], tile);
      if (!made.refusal.empty()) return false;
      both[k]->kernel = std::move(made.kernel);
      both[k]->roles = std::move(made.roles);
    }
    return !accel::AssignStorageOfBoth(first.kernel, second.kernel, spec_);
  }

  PlacedKernel Place(const AcceleratorGroup& group, uint64_t input, uint64_t output) {
    PlacedKernel placed{&group.kernel, {}, 0};
    for (Role role : group.roles) {
      if (role == Role::kInput || role == Role::kOutput) {
        placed.addresses.push_back(role == Role::kInput ? input : output);
        continue;
      }
      const auto constant = std::ranges::find(group.constants, role, &PackedConstant::role);
      placed.addresses.push_back(free_from_);
      constants_.push_back({isa::Segment::Kind::kConstants, constant->name, free_from_, constant->bytes});
      free_from_ = (free_from_ + constant->bytes.size() + 4095) / 4096 * 4096;
    }
    return placed;
  }

  void Run(const AcceleratorGroup& first, const AcceleratorGroup& second) {
    std::vector<PlacedKernel> kernels = {Place(first, kInput, kBetween), Place(second, kBetween, kOutput)};
    kernels[0].by_turns = b_.Pick(0, 1) > 0 ? accel::TurnSize::kLeaf : accel::TurnSize::kRound;
    kernels[1].layer = 1;
    std::string error;
    const auto step = BuildProgram(spec_, kernels, std::move(constants_), kValuesEnd, free_from_, error);
    ASSERT_TRUE(step) << error;
    const auto verdict = isa::Verify(spec_, step->program);
    ASSERT_TRUE(verdict.ok()) << verdict.Render();
    const graph::Tensor input = RandomTensor(b_, b_.graph.node(b_.graph.inputs()[0]).type);
    const auto golden = golden::Run(b_.graph, {input});
    sim::FunctionalDevice device(spec_);
    runtime::LoadSegments(device, step->program);
    device.Write(kInput, Blocked(input, lowering_.array(), lowering_.array().layout_in));
    device.PoisonOnChip(7);
    ASSERT_TRUE(device.Execute(step->program, {}).completed);
    Compare(device, *golden[first.output], kBetween);
    Compare(device, *golden[second.output], kOutput);
  }

  void Compare(sim::FunctionalDevice& device, const graph::Tensor& golden, uint64_t address) {
    const auto want = Blocked(golden, lowering_.array(), lowering_.array().layout_out);
    const auto valid = Blocked(graph::Tensor(golden.shape(), std::vector<int8_t>(golden.size(), 1)),
                               lowering_.array(), lowering_.array().layout_out);
    std::vector<uint8_t> got(want.size());
    device.Read(address, got);
    for (size_t i = 0; i < got.size(); ++i)
      ASSERT_TRUE(!valid[i] || got[i] == want[i]) << "byte " << i << " from " << address;
  }

  const isa::Spec& spec_;
  GraphBuilder& b_;
  GroupLowering lowering_;
  std::vector<Group> groups_;
  std::vector<isa::Segment> constants_;
  uint64_t free_from_ = kValuesEnd;
};

TEST(ByTurns, PairsComputeWhatTheGoldenModelSays) {
  const std::vector<std::vector<isa::Override>> specs = {
      {{"parameters.block_in", "8"}, {"parameters.block_out", "8"}},
      {{"parameters.block_in", "4"}, {"parameters.block_out", "4"}, {"parameters.acc_banks", "1"}},
      {{"parameters.tokens", "1"}, {"parameters.acc_banks", "2"}}};
  for (size_t s = 0; s < specs.size(); ++s) {
    const auto spec = Load("cosim", specs[s]);
    int ran = 0;
    for (int seed = 1; seed <= Cases(20) && !testing::Test::HasFatalFailure(); ++seed) {
      SCOPED_TRACE(::testing::Message() << "spec " << s << ", seed " << seed);
      GraphBuilder b(seed);
      const graph::ValueId output = AddPair(b);
      ran += PairOnDevice(spec, b, output).RunsAsGolden();
    }
    EXPECT_GT(ran, Cases(8)) << "spec " << s;
  }
}

TEST(ByTurns, KernelsThatShareElementsAreSeen) {
  const auto spec = Load("cosim", {});
  accel::Kernel first, second;
  const int acc = spec.MemoryIndex("acc"), inp = spec.MemoryIndex("inp");
  first.buffers = {{.memory = acc, .elements = 10, .copies = 2, .copy_stride = 100, .address = 0}};
  second.buffers = {{.memory = acc, .elements = 10, .copies = 2, .copy_stride = 100, .address = 10}};
  EXPECT_TRUE(accel::AreApart(first, second, spec));  // copies lie between copies
  second.buffers[0].address = 91;                     // its first ends in the other's second
  EXPECT_FALSE(accel::AreApart(first, second, spec));
  second.buffers[0].memory = inp;
  EXPECT_TRUE(accel::AreApart(first, second, spec));
}

}  // namespace
}  // namespace cosim::network
