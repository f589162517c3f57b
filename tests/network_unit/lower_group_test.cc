// SPDX-License-Identifier: Apache-2.0
// What goes to the accelerator and what does not, with the reason; graphs through lowering and device against
// the golden model.
#include "compiler/network/lower_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "compiler/cpu/jit.h"
#include "compiler/golden/golden.h"
#include "compiler/host/movement.h"
#include "compiler/network/compile.h"
#include "compiler/network/program_builder.h"
#include "isa/verify/verify.h"
#include "sim/functional/functional_device.h"
#include "tests/network_unit/golden_group.h"
#include "tests/network_unit/testing.h"
#include "tests/sanitized.h"

namespace cosim::network {
namespace {

using graph::ValueId;
using testing::HasSubstr;

// The reason why the graph's last group runs on the CPU; "" if it does not.
std::string WhyCpu(const isa::Spec& spec, GraphBuilder& b, ValueId output) {
  b.graph.SetOutputs({output});
  GroupLowering lowering(spec, b.graph, {});
  std::string reason;
  return lowering.Lower(Fuse(b.graph, {}).back(), reason) ? "" : reason;
}

std::string WhyCpuForConv(const isa::Spec& spec, const graph::Conv2d& attributes, int64_t kernel,
                          bool shift_only = false) {
  GraphBuilder b;
  return WhyCpu(spec, b, b.Conv(b.Input({1, 8, 9, 9}), 8, attributes, kernel, kernel, shift_only));
}

TEST(LowerGroup, TakesAPlainConvolution) {
  EXPECT_EQ(WhyCpuForConv(Load("cosim"), {.pad = {1, 1, 1, 1}}, 3), "");
  EXPECT_EQ(WhyCpuForConv(Load("vta"), {.pad = {1, 1, 1, 1}}, 3, true), "");
}

TEST(LowerGroup, RefusesAluWorkOnBlocksThatDiffer) {
  GraphBuilder b;
  EXPECT_EQ(WhyCpu(Load("cosim", {{"parameters.block_in", "8"}}), b,
                   b.Add(graph::MaxPool{}, {b.Input({1, 4, 4, 4})})),
            "the alu reads activations of 8 channels beside accumulators of 4: equal block_in and block_out "
            "lift that");
}

TEST(LowerGroup, TakesAluWorkOnActivationsThatStandSideBySide) {
  const auto why = [](const char* block_in, const char* lanes, const char* batch) {
    GraphBuilder b;
    return WhyCpu(Load("cosim", {{"parameters.block_in", block_in},
                                 {"parameters.block_out", "8"},
                                 {"parameters.alu_lanes", lanes},
                                 {"parameters.batch", batch}}),
                  b, b.Add(graph::MaxPool{}, {b.Input({1, 20, 4, 4})}));
  };
  EXPECT_EQ(why("4", "4", "1"), "");
  EXPECT_EQ(why("2", "1", "1"), "");
  EXPECT_EQ(why("4", "8", "1"), "unit 'alu' works on 8 lanes at a time, which do not divide the 4 of 'inp'");
  EXPECT_EQ(why("4", "4", "2"),
            "the alu reads activations of 4 channels beside accumulators of 8: equal block_in and block_out "
            "lift that, or batch 1");
}

TEST(LowerGroup, RefusesWeightsThatNeedMoreBits) {
  EXPECT_THAT(WhyCpuForConv(Load("cosim", {{"parameters.wgt_bits", "4"}}), {}, 1),
              testing::ContainsRegex("weights from -?[0-9]+ to [0-9]+: 'wgt' holds 4 bits, and no sum of 2"));
}

TEST(LowerGroup, RefusesArraysOfOtherWidths) {
  EXPECT_EQ(WhyCpuForConv(Load("cosim", {{"parameters.inp_bits", "4"}}), {}, 1),
            "values are int8 or int16, 'inp' has lanes of 4 bits: 8 or 16 would do");
  EXPECT_EQ(WhyCpuForConv(Load("cosim", {{"parameters.acc_bits", "16"}}), {}, 1),
            "sums are int32, accumulators have 16 bits");
}

TEST(LowerGroup, RefusesValuesWiderThanTheLanes) {
  const graph::TensorType type{graph::DType::kInt16, {1, 8, 2, 2}};
  const auto why = [&](const std::vector<isa::Override>& overrides) {
    GraphBuilder b;
    const ValueId x = b.graph.AddInput("x", type);
    return WhyCpu(Load("cosim", overrides), b, b.Add(graph::Clip{-300, 300}, {x}));
  };
  EXPECT_EQ(why({}), "its values are int16, lanes of 'inp' have 8 bits");
  EXPECT_EQ(why({{"parameters.inp_bits", "16"}}), "");
}

TEST(LowerGroup, RefusesMatricesWiderThanWeights) {
  const auto why = [](const std::vector<isa::Override>& overrides) {
    GraphBuilder b;
    const ValueId a = b.graph.AddInput("a", {graph::DType::kInt16, {1, 8, 2, 2}});
    const ValueId w = b.graph.AddInput("w", {graph::DType::kInt16, {1, 8, 3, 1}});
    const ValueId product = b.Add(graph::MatMul{.groups = 2}, {a, w});
    return WhyCpu(Load("cosim", overrides), b,
                  b.Add(graph::Requantize{.multiplier = {1 << 30}, .shift = {36}, .bits = 16}, {product}));
  };
  EXPECT_EQ(why({{"parameters.inp_bits", "16"}}),
            "activations are its weights, int16: lanes of 'wgt' have 8 bits");
  EXPECT_EQ(why({{"parameters.inp_bits", "16"}, {"parameters.wgt_bits", "16"}}), "");
}

TEST(LowerGroup, RefusesWhatVtaLacks) {
  EXPECT_THAT(WhyCpuForConv(Load("vta"), {}, 1, false), HasSubstr("no per-channel multiplier"));
  EXPECT_EQ(WhyCpuForConv(Load("vta"), {.pad = {1, 1, 1, 1}, .input_zero_point = 3}, 3, true),
            "padding with zero point 3: loads pad with 0 only");
  GraphBuilder b;
  EXPECT_THAT(WhyCpu(Load("vta"), b, b.Add(graph::MaxPool{}, {b.Input({1, 4, 4, 4})})),
              HasSubstr("no ALU op of isa 'vta'"));
}

TEST(LowerGroup, RefusesInt32Results) {
  GraphBuilder b;
  const ValueId x = b.Input({1, 4, 4, 4});
  EXPECT_EQ(WhyCpu(Load("cosim"), b, b.Add(graph::Conv2d{}, {x, b.Constant<int8_t>({4, 4, 1, 1}, -9, 9)})),
            "its result is neither int8 nor int16: nothing else leaves the accelerator");
}

TEST(LowerGroup, RefusesValuesThatAreConstants) {
  GraphBuilder b;
  const ValueId x = b.Constant<int8_t>({1, 8, 5, 5}, -128, 127);
  EXPECT_THAT(WhyCpu(Load("cosim"), b, b.Conv(x, 8, {}, 1, 1, false)),
              HasSubstr("a value that it reads is a constant"));
  GraphBuilder sum;
  const ValueId y = sum.Constant<int8_t>({1, 8, 5, 5}, -128, 127);
  const graph::QAdd add{{3, 77, 6}, {-4, 90, 7}, 5};
  EXPECT_THAT(WhyCpu(Load("cosim"), sum, sum.Add(add, {sum.Input({1, 8, 5, 5}), y})),
              HasSubstr("a value that it reads is a constant"));
}

TEST(LowerGroup, RefusesPaddingBeyondTheField) {
  EXPECT_THAT(WhyCpuForConv(Load("vta"), {.pad = {20, 0, 0, 0}, .dilation = {21, 1}}, 2, true),
              HasSubstr("padding"));
}

TEST(LowerGroup, NamesTheBufferThatTheSmallestTileOverflows) {
  const auto spec = Load("cosim", {{"parameters.inp_bytes", "256"}});
  GraphBuilder b;
  EXPECT_EQ(WhyCpu(spec, b, b.Add(graph::MaxPool{{9, 9}, {1, 1}}, {b.Input({1, 8, 9, 9})})),
            "buffer 'inp' holds 64 elements and the smallest tile needs 81, 17 more");
}

TEST(LowerGroup, SumsAWindowInPartsWhereItIsTooLarge) {
  const auto schedule = [](int64_t kernel, std::vector<isa::Override> overrides) {
    overrides.insert(overrides.end(), {{"parameters.block_in", "8"}, {"parameters.block_out", "8"}});
    const auto spec = Load("cosim", overrides);
    GraphBuilder b;
    b.graph.SetOutputs({b.Conv(b.Input({1, 8, 9, 9}), 8, {.dilation = {2, 2}}, kernel, kernel, false)});
    GroupLowering lowering(spec, b.graph, {});
    std::string reason;
    const auto lowered = lowering.Lower(Fuse(b.graph, {}).back(), reason);
    EXPECT_TRUE(lowered) << reason;
    return lowered ? ToString(lowered->tile) : "";
  };
  EXPECT_THAT(schedule(3, {}), testing::Not(HasSubstr("k")));
  EXPECT_THAT(schedule(5, {{"parameters.inp_bytes", "256"}}), HasSubstr(" ky=2 "));
  EXPECT_THAT(schedule(3, {{"parameters.wgt_bytes", "256"}}), HasSubstr(" ky=1 threads"));
  EXPECT_THAT(schedule(5, {{"parameters.wgt_bytes", "256"}}), HasSubstr(" ky=1 kx=3 "));
}

// A layer of each size that the timing engine is asked about, and one that it is not.
TEST(LowerGroup, AScheduleKnowsNoNames) {
  const auto spec = Load("cosim", {}, "pynq.yaml");
  for (const int64_t size : {7, 28, 112}) {
    std::vector<std::string> schedules;
    for (const char* name : {"resnet18", "vgg16", "x"}) {
      GraphBuilder b(static_cast<uint32_t>(schedules.size()));  // other weights each time
      b.graph = graph::Graph(name);
      const ValueId x = b.Input({1, 64, size, size}, std::string(name) + ".input");
      b.graph.SetOutputs({b.Conv(x, 64, {.pad = {1, 1, 1, 1}}, 3, 3, false)});
      GroupLowering lowering(spec, b.graph, {});
      std::string reason;
      const auto lowered = lowering.Lower(Fuse(b.graph, {}).back(), reason);
      ASSERT_TRUE(lowered) << reason;
      schedules.push_back(ToString(lowered->tile));
    }
    EXPECT_EQ(schedules[0], schedules[1]);
    EXPECT_EQ(schedules[0], schedules[2]);
  }
}

TEST(LowerGroup, NoMeasuredCandidateOfASmallLayerIsFaster) {
  const auto spec = Load("cosim", {}, "pynq.yaml");
  for (const int64_t channels : {16, 64, 160}) {
    GraphBuilder b;
    b.graph.SetOutputs({b.Conv(b.Input({1, channels, 9, 9}), channels, {.pad = {1, 1, 1, 1}}, 3, 3, false)});
    GroupLowering lowering(spec, b.graph, {.explain = true});
    std::string reason;
    const auto lowered = lowering.Lower(Fuse(b.graph, {}).back(), reason);
    ASSERT_TRUE(lowered) << reason;
    EXPECT_EQ(reason, "");
    ASSERT_EQ(lowered->alternatives.size(), 2u);
    for (const runtime::Alternative& other : lowered->alternatives) {
      EXPECT_GE(other.more_cycles, 0) << other.schedule;
      EXPECT_NE(other.schedule, ToString(lowered->tile));
    }
  }
}

TEST(Compile, LeavesToTheHostWhatAddressesDoNotReach) {
  isa::Spec spec = Load("cosim");
  for (auto& format : spec.formats)
    if (const int dram = format.FieldIndex("dram"); dram >= 0) format.fields[dram].type.width = 12;
  GraphBuilder b;
  b.graph.SetOutputs({b.Conv(b.Input({1, 8, 15, 15}), 8, {.pad = {1, 1, 1, 1}}, 3, 3, false)});
  cpu::JitCompiler cpu;
  const runtime::Network network = Compile(b.graph, spec, {.after_pass = {}}, cpu);
  for (const auto& layer : network.layers) EXPECT_FALSE(layer.on_accelerator) << layer.name;
  EXPECT_THAT(
      network.layers.back().reason,
      testing::ContainsRegex("bytes of memory: field 'dram' of load_[a-z_]+ holds 0 to 4095 and would"));
}

/// Tiles of 3 rows of 3 values, 9 of 16 bytes; of a 5 and 8 bytes, 7 and 8.
std::vector<isa::Override> ThreeByThree() {
  return {{"parameters.block_in", "3"}, {"parameters.block_out", "3"}, {"parameters.batch", "3"}};
}
std::vector<isa::Override> FiveBySeven() {
  return {{"parameters.block_in", "5"}, {"parameters.block_out", "7"}};
}
/// Two and eight elements of activations beside one of the accumulators.
std::vector<isa::Override> FourByEight() { return {{"parameters.block_out", "8"}}; }
std::vector<isa::Override> TwoBySixteen() {
  return {{"parameters.block_in", "2"}, {"parameters.block_out", "16"}, {"parameters.alu_lanes", "2"}};
}

enum class Behind { kNothing, kAdd, kPool, kPlaces };

void RunRandomConvolutions(const std::string& isa, Behind behind,
                           const std::vector<isa::Override>& array = {{"parameters.batch", "2"}}) {
  const auto spec = Load(isa, array);
  int ran = 0;
  for (int seed = 1; seed <= Cases(60); ++seed) {
    SCOPED_TRACE(seed);
    GraphBuilder b(seed);
    graph::Conv2d conv;
    const int64_t kh = b.Pick(1, 3), kw = b.Pick(1, 3);
    conv.stride = {b.Pick(1, 2), b.Pick(1, 2)};
    conv.dilation = {b.Pick(1, 2), b.Pick(1, 2)};
    conv.pad = {b.Pick(0, kh - 1), b.Pick(0, kw - 1), b.Pick(0, kh - 1), b.Pick(0, kw - 1)};
    if (isa == "cosim") conv.input_zero_point = static_cast<int32_t>(b.Pick(-9, 9));
    const ValueId x = b.Input({b.Pick(1, 3), b.Pick(4, 9), b.Pick(5, 9), b.Pick(5, 9)});
    ValueId y = b.Conv(x, b.Pick(1, 9), conv, kh, kw, isa == "vta");
    if (behind == Behind::kPool) y = b.Add(PoolOver(b, y), {y});
    if (behind == Behind::kPlaces) {
      const std::array<int64_t, 2> places = {b.Pick(1, 2), b.Pick(1, 2)};
      const bool phases = b.Pick(0, 1) == 0 && b.graph.node(y).type.shape[1] % (places[0] * places[1]) == 0;
      y = phases ? b.Add(graph::DepthToSpace{places}, {y}) : b.Add(graph::ResizeNearest{places}, {y});
    }
    if (behind == Behind::kAdd) {
      graph::QAdd add{{3, 77, 6}, {-4, 90, 7}, 5};
      const ValueId other = b.Input(b.graph.node(y).type.shape, "r");
      y = b.Add(add, b.Pick(0, 1) ? std::vector{y, other} : std::vector{other, y});
    }
    ran += RunsAsGolden(spec, b, b.Add(graph::Clip{-100, 90}, {y}));
  }
  EXPECT_GT(ran, Cases(20));  // others are unrolled by the host
}

TEST(LowerGroup, ConvolutionsRunAsTheGoldenModelSays) { RunRandomConvolutions("cosim", Behind::kNothing); }
TEST(LowerGroup, ResidualConvolutionsRunAsTheGoldenModelSays) {
  RunRandomConvolutions("cosim", Behind::kAdd);
}
TEST(LowerGroup, ConvolutionsOfVtaRunAsTheGoldenModelSays) { RunRandomConvolutions("vta", Behind::kNothing); }
TEST(LowerGroup, ResidualConvolutionsOfBlocksThatDifferRunAsTheGoldenModelSays) {
  RunRandomConvolutions("cosim", Behind::kAdd, FourByEight());
  RunRandomConvolutions("cosim", Behind::kAdd, TwoBySixteen());
}
TEST(LowerGroup, PooledConvolutionsRunAsTheGoldenModelSays) {
  RunRandomConvolutions("cosim", Behind::kPool);
  RunRandomConvolutions("cosim", Behind::kPool, FourByEight());
  RunRandomConvolutions("cosim", Behind::kPool, ThreeByThree());
  RunRandomConvolutions("vta", Behind::kPool);
}

TEST(LowerGroup, ConvolutionsWithPixelsBetweenRunAsTheGoldenModelSays) {
  RunRandomConvolutions("cosim", Behind::kPlaces);
  RunRandomConvolutions("cosim", Behind::kPlaces,
                        {{"parameters.block_in", "2"}, {"parameters.block_out", "2"}});
  RunRandomConvolutions("cosim", Behind::kPlaces, ThreeByThree());
  RunRandomConvolutions("vta", Behind::kPlaces);
}

// Rows of pixels are what the host makes, so that what comes before them is the host's too.
TEST(LowerGroup, LeavesToTheHostWhatFewChannelsGoThroughBeforeTheirWindows) {
  const isa::Spec spec = Load("cosim", {{"parameters.block_in", "16"}, {"parameters.block_out", "16"}});
  const auto why = [&](int64_t channels, bool turned, bool shown) {
    GraphBuilder b;
    graph::Table table{std::vector<int32_t>(256, 3)};
    const graph::Shape rows = {1, 9, 9, channels}, image = {1, channels, 9, 9};
    const ValueId y = b.Add(table, {b.Input(turned ? rows : image)});
    const graph::HostOp turn{
        host::Transpose({0, 3, 1, 2}), 0, {graph::DType::kInt8, image}, "as the file has it"};
    const ValueId x = turned ? b.Add(turn, {y}) : y;
    const ValueId z = b.Conv(x, 16, {}, 3, 3, false);
    b.graph.SetOutputs(shown ? std::vector{y, z} : std::vector{z});
    GroupLowering lowering(spec, b.graph, {});
    std::string reason;
    return lowering.Lower(Fuse(b.graph, {}).front(), reason) ? "" : reason;
  };
  for (const bool turned : {false, true})
    EXPECT_THAT(why(3, turned, false), HasSubstr("the host makes rows of pixels of them"));
  EXPECT_EQ(why(3, false, true), "") << "somebody else reads it";
  EXPECT_EQ(why(32, false, false), "");
}

// Neighbouring pixels stand in one element then.
TEST(LowerGroup, RefusesPixelsOfChannelsThatFillNoBlocks) {
  const auto why = [](int64_t channels) {
    GraphBuilder b;
    const ValueId y = b.Conv(b.Input({1, 8, 9, 9}), channels, {}, 1, 1, false);
    return WhyCpu(Load("cosim"), b, b.Add(graph::DepthToSpace{{2, 2}}, {y}));
  };
  EXPECT_EQ(why(32), "");
  GraphBuilder alone;
  const ValueId x = alone.Input({1, 8, 9, 9});
  EXPECT_EQ(WhyCpu(Load("cosim"), alone, alone.Add(graph::ResizeNearest{{2, 2}}, {x})), "");
  EXPECT_EQ(why(24),
            "its 6 channels fill no blocks of 4, so that a block holds values of neighbouring pixels");
}

// The order of results is that of sums only while requantization keeps it.
TEST(LowerGroup, RefusesToPoolSumsWhereResultsHaveAnotherOrder) {
  const auto why = [](const isa::Spec& spec, int32_t bias, int32_t multiplier) {  // which is positive
    GraphBuilder b;
    const ValueId sum = b.Add(graph::Conv2d{.pad = {1, 1, 1, 1}},
                              {b.Input({1, 4, 6, 6}), b.Constant<int8_t>({4, 4, 3, 3}, -128, 127)});
    const ValueId biased = b.Add(graph::BiasAdd{}, {sum, b.Constant<int32_t>({4}, bias, bias)});
    const ValueId y = b.Add(graph::Requantize{{multiplier}, {multiplier == 1 ? 9 : 40}}, {biased});
    return WhyCpu(spec, b, b.Add(graph::MaxPool{{2, 2}, {2, 2}, {}}, {y}));
  };
  constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
  EXPECT_EQ(why(Load("cosim"), 1000, 1 << 30), "");
  EXPECT_EQ(why(Load("cosim"), kMost - 600'000, 1 << 30), "");
  EXPECT_THAT(
      why(Load("cosim"), kMost - 100'000, 1 << 30),
      testing::MatchesRegex("sums of channel 0 may reach 2147[0-9]+: those that wrap have another order"));
  EXPECT_THAT(why(Load("cosim"), -kMost, 1 << 30), HasSubstr("those that wrap have another order"));
  EXPECT_EQ(why(Load("vta"), 1000, 1), "");
}

TEST(LowerGroup, RefusesToPoolSumsWithoutAnOpForIt) {
  GraphBuilder b;
  const ValueId y = b.Conv(b.Input({1, 8, 9, 9}), 8, {}, 3, 3, false);
  auto spec = Load("cosim");
  EXPECT_EQ(WhyCpu(spec, b, b.Add(graph::MaxPool{{3, 3}, {2, 2}, {}}, {y})), "");
  std::erase_if(spec.alu_ops, [](const isa::AluOp& op) { return op.name == "max"; });
  GroupLowering lowering(spec, b.graph, {});
  std::string reason;
  EXPECT_FALSE(lowering.Lower(Fuse(b.graph, {}).back(), reason));
  EXPECT_EQ(reason, "sum: no sequence of up to 8 ALU ops of isa 'cosim' computes it into 'acc'");
  cpu::JitCompiler cpu;
  const auto network = Compile(b.graph, spec, {.timing_only = true, .after_pass = {}}, cpu);
  bool said = false;
  for (const auto& layer : network.layers)
    said |=
        layer.op == "max_pool" && layer.on_accelerator && layer.reason == "the max_pool by itself: " + reason;
  EXPECT_TRUE(said);
}

TEST(LowerGroup, ConvolutionsOfTilesWithGapsRunAsTheGoldenModelSays) {
  RunRandomConvolutions("cosim", Behind::kAdd, ThreeByThree());
  RunRandomConvolutions("vta", Behind::kNothing, ThreeByThree());
  RunRandomConvolutions("vta", Behind::kNothing, FiveBySeven());
}

// Groups of any number and size, depthwise ones among them; blocks that differ, 16-bit lanes, tiles with
// gaps.
TEST(LowerGroup, GroupedConvolutionsOfEveryShapeRunAsTheGoldenModelSays) {
  const std::vector<std::vector<isa::Override>> shapes = {
      {},
      {{"parameters.block_in", "8"}},
      {{"parameters.block_out", "8"}},
      {{"parameters.block_in", "8"}, {"parameters.batch", "2"}},
      {{"parameters.inp_bits", "16"}, {"parameters.inp_bytes", "8192"}},
      {{"parameters.wgt_bits", "16"}},
      ThreeByThree(),
      FiveBySeven()};
  for (size_t shape = 0; shape < shapes.size(); ++shape) {
    const auto spec = Load("cosim", shapes[shape]);
    int ran = 0;
    for (int seed = 1; seed <= Cases(30); ++seed) {
      SCOPED_TRACE(::testing::Message() << "shape " << shape << ", seed " << seed);
      GraphBuilder b(seed);
      graph::Conv2d conv;
      const int64_t kernel = b.Pick(1, 3), inputs = b.Pick(1, 5), outputs = b.Pick(1, 5);
      conv.groups = seed % 3 == 0 ? 1 : b.Pick(2, 9);
      conv.stride = {b.Pick(1, 2), b.Pick(1, 2)};
      conv.pad = {b.Pick(0, kernel - 1), b.Pick(0, kernel - 1), b.Pick(0, kernel - 1), b.Pick(0, kernel - 1)};
      conv.input_zero_point = static_cast<int32_t>(b.Pick(-9, 9));
      const bool depthwise = seed % 3 == 1;
      const ValueId x =
          b.Input({b.Pick(1, 3), conv.groups * (depthwise ? 1 : inputs), b.Pick(3, 9), b.Pick(3, 9)});
      const ValueId y = b.Conv(x, conv.groups * (depthwise ? 1 : outputs), conv, kernel, kernel, false);
      ran += RunsAsGolden(spec, b, b.Add(graph::Clip{-100, 90}, {y}));
    }
    EXPECT_GT(ran, Cases(15)) << "shape " << shape;
  }
}

TEST(LowerGroup, PoolsAndElementwiseGroupsRunAsTheGoldenModelSays) {
  for (const auto& array : {std::vector<isa::Override>{}, ThreeByThree(), FourByEight(), TwoBySixteen()}) {
    const auto spec = Load("cosim", array);
    GraphBuilder pool, add, clip;
    EXPECT_TRUE(RunsAsGolden(
        spec, pool, pool.Add(graph::MaxPool{{3, 3}, {2, 2}, {1, 1, 1, 1}}, {pool.Input({1, 6, 9, 7})})));
    const ValueId x = add.Input({1, 6, 5, 3}), y = add.Input({1, 6, 5, 3}, "y");
    EXPECT_TRUE(RunsAsGolden(spec, add, add.Add(graph::QAdd{{1, 50, 6}, {2, 60, 6}, -3}, {x, y})));
    EXPECT_TRUE(RunsAsGolden(spec, clip, clip.Add(graph::Clip{-5, 6}, {clip.Input({1, 6, 5, 3})})));
    GraphBuilder resize, spread;
    EXPECT_TRUE(
        RunsAsGolden(spec, resize, resize.Add(graph::ResizeNearest{{2, 3}}, {resize.Input({1, 6, 5, 3})})));
    EXPECT_TRUE(
        RunsAsGolden(spec, spread, spread.Add(graph::DepthToSpace{{2, 3}}, {spread.Input({1, 288, 3, 2})})));
  }
}

TEST(LowerGroup, FramesAveragesAndScalingsRunAsTheGoldenModelSays) {
  for (const auto& array : {std::vector<isa::Override>{}, FourByEight(), TwoBySixteen()}) {
    const auto spec = Load("cosim", array);
    GraphBuilder pad, pool, rescale, difference;
    EXPECT_TRUE(RunsAsGolden(spec, pad, pad.Add(graph::Pad{{1, 2, 0, 3}, -9}, {pad.Input({1, 6, 5, 3})})));
    const ValueId sum = pool.Add(graph::SumPool{{2, 3}, {2, 1}, {1, 0, 1, 2}, 4}, {pool.Input({1, 6, 8, 7})});
    EXPECT_TRUE(RunsAsGolden(spec, pool, pool.Add(graph::Requantize{{1 << 30}, {33}, 7}, {sum})));
    EXPECT_TRUE(RunsAsGolden(spec, rescale,
                             rescale.Add(graph::Rescale{-3, 1 << 30, 30, 5}, {rescale.Input({2, 6, 5, 3})})));
    const ValueId x = difference.Input({1, 6, 5, 3}), y = difference.Input({1, 6, 5, 3}, "y");
    EXPECT_TRUE(
        RunsAsGolden(spec, difference, difference.Add(graph::QAdd{{1, 50, 6}, {2, -60, 6}, -3}, {x, y})));
  }
}

// Weights of eleven bits that the host would have written as sixteen ran over their buffer once.
TEST(LowerGroup, RefusesMatricesThatAreNoWholeBytes) {
  const auto why = [](const std::vector<isa::Override>& overrides) {
    GraphBuilder b;
    const ValueId a = b.Input({1, 8, 2, 2}), w = b.Input({1, 8, 3, 1}, "w");
    const ValueId product = b.Add(graph::MatMul{.groups = 2}, {a, w});
    return WhyCpu(Load("cosim", overrides), b, b.Add(graph::Requantize{{1 << 30}, {36}}, {product}));
  };
  EXPECT_EQ(why({}), "");
  EXPECT_EQ(why({{"parameters.wgt_bits", "11"}}),
            "the host packs its weights as whole bytes: lanes of 'wgt' have 11 bits");
  EXPECT_EQ(why({{"parameters.block_in", "3"}, {"parameters.block_out", "3"}}), "");
  EXPECT_THAT(why({{"parameters.batch", "2"}}), HasSubstr("batch 1 lifts that"));
}

TEST(LowerGroup, NamesWhatAProductOfActivationsLacks) {
  GraphBuilder b;
  const ValueId x = b.Input({1, 6, 5, 3}), y = b.Input({1, 6, 5, 3}, "y");
  EXPECT_THAT(WhyCpu(Load("cosim"), b, b.Add(graph::QMul{0, 0, 1, 3, 0}, {x, y})),
              HasSubstr("ALU ops of isa 'cosim'"));
}

}  // namespace
}  // namespace cosim::network
