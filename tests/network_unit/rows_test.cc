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

// One or two channels a group, windows as wide as the instruction's taps or not, strides up to beyond them,
// on arrays of several sizes.
TEST(Rows, ConvolutionsRunAsTheGoldenModelSays) {
  const auto sizes = [](const char* block, const char* taps,
                        const char* batch) -> std::vector<isa::Override> {
    return {{"parameters.block_in", block},
            {"parameters.block_out", block},
            {"parameters.taps", taps},
            {"parameters.batch", batch}};
  };
  const std::vector<std::vector<isa::Override>> shapes = {sizes("8", "3", "1"), sizes("8", "3", "2"),
                                                          sizes("4", "2", "1"), sizes("16", "5", "1"),
                                                          sizes("2", "1", "3")};
  for (size_t shape = 0; shape < shapes.size(); ++shape) {
    const auto spec = Load("cosim", shapes[shape]);
    const int64_t taps = spec.Param("taps");
    int along_rows = 0;
    for (int seed = 1; seed <= Cases(24); ++seed) {
      SCOPED_TRACE(::testing::Message() << "shape " << shape << ", seed " << seed);
      GraphBuilder b(seed);
      graph::Conv2d conv;
      const int64_t kh = b.Pick(1, 3), kw = seed % 6 == 0 ? taps + 1 : taps, channels = b.Pick(1, 2);
      conv.groups = b.Pick(2, 20);
      conv.stride = {b.Pick(1, 2), b.Pick(1, 4)};
      conv.dilation = {b.Pick(1, 2), seed % 7 == 0 ? 2 : 1};
      conv.pad = {b.Pick(0, kh - 1), b.Pick(0, kw - 1), b.Pick(0, kh - 1), b.Pick(0, kw - 1)};
      conv.input_zero_point = static_cast<int32_t>(b.Pick(-9, 9));
      const graph::ValueId x =
          b.Input({b.Pick(1, 3), conv.groups * channels, b.Pick(5, 9), b.Pick(2 * taps + 1, 2 * taps + 9)});
      graph::ValueId y = b.Conv(x, conv.groups * channels, conv, kh, kw, false);
      if (seed % 4 == 0) y = b.Add(PoolOver(b, y), {y});
      RunsAsGolden(spec, b, b.Add(graph::Clip{-100, 90}, {y}));
      along_rows += GoesAlongRows(spec, b);
    }
    EXPECT_GT(along_rows, Cases(12)) << "shape " << shape;
  }
}

}  // namespace
}  // namespace cosim::network
