// SPDX-License-Identifier: Apache-2.0
// Which memory plays which part follows from what instructions and ops do with it, not from names; what has
// none of them left is the host's, with the reason.
#include "tests/network_fuzz/isa_variants.h"

namespace cosim::testing {
namespace {

using ::testing::Each;

Edits Scale() {
  return {"copy:memories/par=scale",
          "drop:memories/scale/fields",
          "add:memories/scale/type=int(8)",
          "copy:instructions/load_par=load_scale",
          "set:instructions/load_scale/memory=scale",
          "add:memories/gemm_uop/fields/s=uint(index_bits(scale.depth))",
          "add:instructions/gemm/fields/s_base=uint(index_bits(scale.depth))",
          "add:instructions/gemm/fields/s_out=uint(index_bits(scale.depth))",
          "add:instructions/gemm/fields/s_in=uint(index_bits(scale.depth))",
          "set:instructions/gemm/computes=acc[dst][b, o] += inp[src][b, k] * wgt[wgt][o, k] * scale[s][o]"};
}

// No operator of a network sums products of three: with the instruction of two gone, so is the array.
TEST(Roles, ThreeOperandsAreNamed) {
  const Ran ran = RunVariant(SpecAfter(Scale(), {}), ResidualBlock(8, 5));
  EXPECT_THAT(ran.reasons,
              Each("instruction 'gemm': computes acc[dst][b, o] += inp[src][b, k] * wgt[wgt][o, k] * "
                   "scale[s][o], not acc[b, o] += inp[b, k] * wgt[o, k]"));
  EXPECT_FALSE(ran.reasons.empty());
  EXPECT_EQ(ran.fault, "");
}

TEST(Roles, AnIntrinsicRemovedLeavesItsWorkToTheHost) {
  const Edits without = {"drop:instructions/gemm", "drop:instructions/load_gemm_uop",
                         "drop:memories/gemm_uop"};
  const Ran ran = RunVariant(SpecAfter(without, {}), ResidualBlock(8, 5));
  EXPECT_THAT(ran.reasons, Each("the ISA has no instruction acc[b, o] += inp[b, k] * wgt[o, k]"));
  EXPECT_FALSE(ran.reasons.empty());
  EXPECT_EQ(ran.fault, "");
  // Without the lanes depthwise convolutions are the array's again.
  const Ran dense = RunVariant(
      SpecAfter(Join({LaneUnit(),
                      {"drop:instructions/mac", "drop:instructions/load_mac_uop", "drop:memories/mac_uop"}}),
                {}),
      Depthwise(8, 6));
  ExpectExact(dense);
  EXPECT_GT(dense.Count("gemm"), 0);
}

/// The array reads activations in `act`, the ALU in `inp`.
TEST(Roles, TwoMemoriesHoldActivations) {
  const Edits edits = {"copy:memories/inp=act", "copy:instructions/load_inp=load_act",
                       "set:instructions/load_act/memory=act",
                       "set:instructions/gemm/computes=acc[dst][b, o] += act[src][b, k] * wgt[wgt][o, k]",
                       "drop:instructions/gemm/fields/lock_inp"};
  GraphBuilder b;
  const graph::Conv2d attributes{.pad = {1, 1, 1, 1}};
  const auto x = b.Input({1, 8, 8, 8});
  const auto y = b.Conv(x, 8, attributes, 3, 3, false);
  const auto sum = b.Add(graph::QAdd{{3, 77, 6}, {-4, 90, 7}, 5}, {y, x});
  b.graph.SetOutputs({b.Add(graph::MaxPool{{2, 2}, {2, 2}, {0, 0, 0, 0}}, {sum})});
  const Ran ran = RunVariant(SpecAfter(edits, {}), b.graph);
  ExpectExact(ran);
  EXPECT_GT(ran.Count("load_act"), 0);
  EXPECT_GT(ran.Count("load_inp"), 0);
  // Either of two that the array reads.
  Edits spare = {"clone:inp=spare"};
  for (const char* format : {"alu", "gemm_spare", "load_inp_spare", "gather_inp_spare"})
    spare.push_back(fmt::format("add:instructions/{}/fields/lock_spare=uint(2 * spare.banks)", format));
  ExpectExact(RunVariant(SpecAfter(spare, {}), b.graph));
}

TEST(Roles, NamesMeanNothing) {
  const isa::YamlNode tree = CosimTree();
  const auto names = [&](const char* section) {
    std::vector<std::string> keys;
    for (const auto& entry : tree.Find(section)->value.entries) keys.push_back(entry.key.scalar);
    return keys;
  };
  Edits edits;
  for (const std::string& queue : names("queues")) edits.push_back("rename:queues/" + queue + "=q_" + queue);
  for (const auto& entry : tree.Find("queues")->value.entries)
    for (const char* end : {"from", "to"})
      edits.push_back(
          fmt::format("set:queues/q_{}/{}=u_{}", entry.key.scalar, end, entry.value.Find(end)->value.scalar));
  for (const auto& entry : tree.Find("instructions")->value.entries) {
    const isa::YamlNode& unit = entry.value.Find("unit")->value;
    const std::string path = "set:instructions/" + entry.key.scalar + "/unit";
    if (unit.items.empty()) edits.push_back(fmt::format("{}=u_{}", path, unit.scalar));
    for (size_t i = 0; i < unit.items.size(); ++i)
      edits.push_back(fmt::format("{}/{}=u_{}", path, i, unit.items[i].scalar));
  }
  for (const std::string& unit : names("units")) edits.push_back("rename:units/" + unit + "=u_" + unit);
  for (const std::string& name : names("instructions"))
    edits.push_back("rename:instructions/" + name + "=i_" + name);
  for (const std::string& op : names("alu_ops")) edits.push_back("rename:alu_ops/" + op + "=o_" + op);
  for (const std::string& memory : names("memories")) edits.push_back("word:" + memory + "=m_" + memory);
  for (const char* word : {"dst", "src", "aux", "imm", "zero_point", "lo", "hi", "bias", "mult"})
    edits.push_back(fmt::format("word:{0}=w_{0}", word));
  GraphBuilder b;
  const auto x = b.Input({1, 8, 8, 8});
  const auto y = b.Conv(x, 8, {.pad = {1, 1, 1, 1}}, 3, 3, false);
  const auto sum = b.Add(graph::QAdd{{3, 77, 6}, {-4, 90, 7}, 5}, {y, x});
  b.graph.SetOutputs({b.Add(graph::MaxPool{{2, 2}, {2, 2}, {0, 0, 0, 0}}, {sum})});
  const Ran plain = RunVariant(SpecAfter({}, {}), b.graph),
            renamed = RunVariant(SpecAfter(edits, {}), b.graph);
  ExpectExact(renamed);
  EXPECT_EQ(renamed.cycles, plain.cycles);
}

}  // namespace
}  // namespace cosim::testing
