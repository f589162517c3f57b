// SPDX-License-Identifier: Apache-2.0
#include "isa/verify/footprint.h"

#include <gmock/gmock.h>

#include <set>

#include "isa/verify/index_set.h"
#include "tests/isa/program/random_program.h"
#include "tests/isa/program/reference.h"
#include "tests/isa/program/testing.h"

namespace cosim::isa::testing {
namespace {

using ::testing::ElementsAre;

std::vector<int64_t> Elements(const IndexSet& set) {
  std::vector<int64_t> elements;
  set.ForEach([&](int64_t element) { elements.push_back(element); });
  return elements;
}

TEST(IndexSet, HoldsRangesAcrossWords) {
  IndexSet set;
  set.Reset(200);
  set.AddRange(62, 66);
  EXPECT_THAT(Elements(set), ElementsAre(62, 63, 64, 65));
  EXPECT_TRUE(set.AnyIn(65, 70));
  EXPECT_FALSE(set.AnyIn(66, 200));
  EXPECT_FALSE(set.AnyIn(0, 62));
}

TEST(IndexSet, RepeatsWithAStride) {
  IndexSet set;
  set.Reset(256);
  set.AddRange(1, 3);
  set.Repeat(60, 4);
  EXPECT_THAT(Elements(set), ElementsAre(1, 2, 61, 62, 121, 122, 181, 182));
  set.Repeat(0, 100);
  EXPECT_EQ(set.Count(), 8);
}

TEST(IndexSet, AddsSets) {
  IndexSet a, b, sums;
  a.Reset(192);
  b.Reset(192);
  for (int64_t x : {0, 3}) a.Add(x);
  for (int64_t x : {0, 64, 127}) b.Add(x);
  sums.AssignSums(a, b);
  EXPECT_THAT(Elements(sums), ElementsAre(0, 3, 64, 67, 127, 130));
  EXPECT_TRUE(sums.Intersects(a));
}

TEST(IndexSet, AgreesWithOrdinarySets) {
  Random random(11);
  for (int round = 0; round < 200; ++round) {
    const int64_t size = random.Uniform(1, 400);
    IndexSet set;
    std::set<int64_t> plain;
    set.Reset(size);
    for (int64_t n = random.Uniform(1, 5); n > 0; --n) {
      const int64_t element = random.Uniform(0, size - 1);
      set.Add(element);
      plain.insert(element);
    }
    const int64_t room = size - 1 - *plain.rbegin(), count = random.Uniform(1, 9);
    const int64_t stride = count == 1 ? 5 : random.Uniform(0, room / (count - 1));
    set.Repeat(stride, count);
    std::set<int64_t> repeated;
    for (int64_t element : plain) {
      for (int64_t i = 0; i < count; ++i) repeated.insert(element + i * stride);
    }
    EXPECT_EQ(Elements(set), std::vector<int64_t>(repeated.begin(), repeated.end()));
  }
}

/// The sets the builder computes from the nest's shape are those that walking its steps gives.
TEST(Footprint, AgreesWithWalkingTheSteps) {
  for (const char* isa : {"cosim", "vta"}) {
    const Spec spec = MakeSpec(isa);
    const Decoder decoder(spec);
    for (uint64_t seed = 0; seed < 10; ++seed) {
      const Program program = RandomProgram(spec, {.seed = seed, .instructions = 80, .max_steps = 200});
      MicroOpMemories micro_ops(spec, program);
      FootprintBuilder builder(spec);
      for (const Instruction& instruction : program.instructions) {
        const Decoded decoded = decoder(instruction);
        std::set<Touch> built, walked;
        for (const OnChipAccess& access : builder.Build(decoded, micro_ops)) {
          access.elements->ForEach([&](int64_t e) { built.insert({access.memory, e, access.is_write}); });
        }
        for (const Touch& touch : Touches(spec, decoded, micro_ops)) {
          if (touch.memory >= 0) walked.insert(touch);
        }
        EXPECT_EQ(built, walked) << spec.formats[instruction.format].name << " of seed " << seed;
        micro_ops.Execute(decoded);
      }
    }
  }
}

TEST(Footprint, BoundsIncludeMicroOpsAndBothLoops) {
  const Spec& spec = TinySpec();
  const Program program = FromText(spec, R"(.dram 0x2000
.code 0
.micro_ops u 0x1000 {
  gemm_uop dst=7
  gemm_uop dst=3
}
load_gemm_uop dram=0x1000 rows=1 cols=2
gemm uop=[0,2) iter_out=2 iter_in=4 dst_base=1 dst_out=100 dst_in=10
)");
  MicroOpMemories micro_ops(spec, program);
  micro_ops.Execute(Decode(spec, program.instructions[0]));
  const Decoded decoded = Decode(spec, program.instructions[1]);
  const auto& gemm = std::get<Gemm>(decoded.body);
  const IndexBounds bounds = BoundsOf(gemm.nest, gemm.dst, micro_ops);
  EXPECT_EQ(bounds.low, 1 + 3);
  EXPECT_EQ(bounds.high, 1 + 7 + 100 + 30);
}

}  // namespace
}  // namespace cosim::isa::testing
