// SPDX-License-Identifier: Apache-2.0
// Which instructions sum a convolution of bytes in code for ARM. That the sums are right, the tests of whole
// networks show, under emulators.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>

#include "compiler/cpu/object.h"
#include "runtime/elf/shared_object.h"
#include "tests/cpu/graph_testing.h"

namespace cosim::cpu {
namespace {

/// Words that are an instruction have `bits` where `mask` has ones: Arm's "Architecture Reference Manual".
struct Encoding {
  uint32_t mask, bits;
};
constexpr Encoding kSdot[] = {{0xffe0fc00, 0x4e809400}, {0xffc0f400, 0x4f80e000}};   // by vector, by element
constexpr Encoding kSmlal[] = {{0xbfe0fc00, 0x0e608000}, {0xbfc0f400, 0x0f402000}};  // of 16 bits
constexpr Encoding kMla[] = {{0xbfe0fc00, 0x0ea09400}, {0xbfc0f400, 0x2f800000}};    // of 32 bits
constexpr Encoding kVmlal[] = {{0xffb00f50, 0xf2900800}, {0xffb00f50, 0xf2900240}};  // armv7's smlal
constexpr Encoding kVmla[] = {{0xffb00f10, 0xf2200900}, {0xffb00f50, 0xf2a00040}};   // armv7's mla

/// A convolution of 32 by 32 channels, 3x3, in code for `target`.
runtime::CpuObject Int8Convolution(const HostTarget& target) {
  Randoms random(51);
  graph::Graph graph("sums");
  const auto x = graph.AddInput("x", {graph::DType::kInt8, {1, 32, 12, 16}});
  const auto w = graph.AddConstant("w", random.Int8({32, 32, 3, 3}));
  const std::vector group = {
      graph.Add("y", graph::Conv2d{.pad = {1, 1, 1, 1}, .input_zero_point = 3}, {x, w})};
  ObjectCompiler compiler(target);
  CompileGroups(compiler, graph, std::vector{HostGroup{group}});
  std::string error;
  const auto object = compiler.Link(error);
  EXPECT_TRUE(object) << error;
  return object.value_or(runtime::CpuObject());
}

class Code {
 public:
  explicit Code(const runtime::CpuObject& object) {
    std::string error;
    const auto read = runtime::elf::ReadSharedObject(object.bytes, error);
    EXPECT_TRUE(read) << error;
    for (const runtime::elf::Segment& segment : read->segments) {
      if (!segment.is_executable) continue;
      for (size_t at = 0; at + sizeof(uint32_t) <= segment.content.size(); at += sizeof(uint32_t))
        std::memcpy(&words_.emplace_back(), &segment.content[at], sizeof(uint32_t));
    }
  }
  int64_t Count(std::span<const Encoding> encodings) const {
    return std::ranges::count_if(words_, [&](uint32_t word) {
      return std::ranges::any_of(encodings, [&](const Encoding& e) { return (word & e.mask) == e.bits; });
    });
  }

 private:
  std::vector<uint32_t> words_;
};

struct Sums {
  std::string target;
  std::span<const Encoding> instruction;
  std::span<const Encoding> other;  ///< that none is summed by
};

class Instructions : public testing::TestWithParam<Sums> {};

TEST_P(Instructions, SumConvolutionsOfBytes) {
  const Code code(Int8Convolution(FindHostTarget(GetParam().target).value()));
  EXPECT_GE(code.Count(GetParam().instruction), 8);  // vectors of a tile, written out
  EXPECT_EQ(code.Count(GetParam().other), 0);
}

INSTANTIATE_TEST_SUITE_P(Arm, Instructions,
                         testing::Values(Sums{"armv7", kVmlal, kVmla}, Sums{"aarch64", kSmlal, kMla},
                                         Sums{"aarch64-dotprod", kSdot, kSmlal}),
                         [](const auto& info) {
                           std::string name = info.param.target;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace cosim::cpu
