// SPDX-License-Identifier: Apache-2.0
// Convolutions by the instruction that multiplies along rows, against the golden model.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/network_unit/golden_group.h"
#include "tests/sanitized.h"

namespace cosim::network {
namespace {

bool GoesAlongRows(const isa::Spec& spec, const GraphBuilder& b) {
  GroupLowering lowering(spec, b.graph, {});
  std::string reason;
  const auto group = lowering.Lower(Fuse(b.graph, {})[0], reason);
  return group && ToString(group->kernel).find("gemm_rows") != std::string::npos;
}

// One or two channels a group, windows of as many columns and rows as the instruction takes or not, strides
// up to beyond them, weights of 8 bits and of 9, on arrays of several sizes.
TEST(Rows, ConvolutionsRunAsTheGoldenModelSays) {
  const auto sizes = [](const char* block, const char* taps,
                        const char* batch) -> std::vector<isa::Override> {
    return {{"parameters.block_in", block},
            {"parameters.block_out", block},
            {"parameters.taps", taps},
            {"parameters.batch", batch}};
  };
  std::vector<isa::Override> two_rows = sizes("2", "1", "3");
  two_rows.push_back({"parameters.tap_rows", "2"});
  // Pairs of channels for themselves in test/split_loads, single ones in cosim; of 1, 1, 1, 1, 1, 2, 3 and 3
  // rows a step.
  const std::vector<std::pair<std::string, std::vector<isa::Override>>> shapes = {
      {"test/split_loads", sizes("8", "3", "2")},
      {"cosim", sizes("8", "3", "1")},
      {"cosim", sizes("8", "3", "2")},
      {"cosim", sizes("4", "2", "1")},
      {"cosim", sizes("16", "5", "1")},
      {"cosim", two_rows},
      {"cosim", sizes("16", "3", "1")},
      {"cosim", sizes("8", "1", "2")}};
  for (size_t shape = 0; shape < shapes.size(); ++shape) {
    const auto spec = Load(shapes[shape].first, shapes[shape].second);
    const isa::Operand& source = spec.formats[spec.FormatIndex("gemm_rows")].intrinsic->sources[0];
    const int64_t taps = source.parts, rows = source.lines;
    const bool pairs = spec.isa == "split_loads";
    int along_rows = 0, in_parts = 0;
    for (int seed = 1; seed <= Cases(24); ++seed) {
      SCOPED_TRACE(::testing::Message() << "shape " << shape << ", seed " << seed);
      GraphBuilder b(seed);
      b.wide_weights = seed % 4 == 1;
      graph::Conv2d conv;
      const int64_t kh = rows * b.Pick(1, rows == 1 ? 3 : 2) + (seed % 5 == 0 ? 1 : 0);
      const int64_t kw = seed % 6 == 0 ? taps + 1 : taps,
                    channels = pairs || seed % 8 == 0 ? b.Pick(1, 2) : 1;
      conv.groups = b.Pick(2, 20);
      conv.stride = {b.Pick(1, 2), b.Pick(1, 4)};
      conv.dilation = {kh > 4 ? 1 : b.Pick(1, 2), seed % 7 == 0 ? 2 : 1};
      conv.pad = {b.Pick(0, kh - 1), b.Pick(0, kw - 1), b.Pick(0, kh - 1), b.Pick(0, kw - 1)};
      conv.input_zero_point = static_cast<int32_t>(b.Pick(-9, 9));
      const graph::ValueId x =
          b.Input({b.Pick(1, 3), conv.groups * channels, b.Pick(7, 11), b.Pick(2 * taps + 1, 2 * taps + 9)});
      graph::ValueId y = b.Conv(x, conv.groups * channels, conv, kh, kw, false);
      if (seed % 4 == 0) y = b.Add(PoolOver(b, y), {y});
      RunsAsGolden(spec, b, b.Add(graph::Clip{-100, 90}, {y}));
      const bool goes = GoesAlongRows(spec, b);
      along_rows += goes;
      in_parts += goes && b.wide_weights;
    }
    EXPECT_GT(along_rows, Cases(pairs ? 6 : 8)) << "shape " << shape;
    EXPECT_EQ(in_parts > Cases(2), !pairs) << "shape " << shape;
  }
}

}  // namespace
}  // namespace cosim::network
