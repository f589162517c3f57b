// SPDX-License-Identifier: Apache-2.0
// Groups of the host that read and write blocks, against the golden model and its values in blocks.
#include "compiler/cpu/host_group.h"

#include <gtest/gtest.h>

#include "tests/cpu/blocked.h"
#include "tests/cpu/graph_testing.h"

namespace cosim::cpu {
namespace {

using graph::Graph;
using graph::Tensor;
using graph::ValueId;
using layouts::Blocking;

/// The bytes that a value has in the group's form of it.
Tensor AsRead(const Graph& graph, const HostGroup& group, ValueId id, const Tensor& plain, int8_t fill) {
  const auto blocks = group.blocks.find(id);
  if (blocks == group.blocks.end()) return plain;
  const auto values = plain.data<int8_t>();
  const Tensor in_groups(layouts::InGroups(graph.node(id).type.shape, group.groups),
                         std::vector<int8_t>(values.begin(), values.end()));
  return Blocked(in_groups, blocks->second, fill);
}

void ExpectGoldenInBlocks(const Graph& graph, const HostGroup& group,
                          const std::vector<graph::TensorPtr>& values, bool fills_with_anything) {
  static JitCompiler compiler;
  ASSERT_TRUE(TakesBlocks(graph, group));
  const GroupKernel kernel = CompileGroups(compiler, graph, {&group, 1}).front();
  std::vector<Tensor> arrays;  // what blocking alone adds is anything
  for (ValueId id : kernel.inputs) arrays.push_back(AsRead(graph, group, id, *values[id], 99));
  const Tensor expected = AsRead(graph, group, kernel.output, *values[kernel.output], 0);
  Tensor output(graph::TensorType{graph::DType::kInt8, expected.shape()});
  std::vector<void*> args;
  for (Tensor& array : arrays) args.push_back(Data(array));
  for (const graph::TensorPtr& table : kernel.tables)  // kernels do not write to their inputs
    args.push_back(const_cast<uint8_t*>(table->bytes().data()));
  args.push_back(Data(output));
  kernel.kernel->Run(args);
  if (fills_with_anything) {  // what blocking alone adds is to be no difference
    const Tensor ones(graph.node(kernel.output).type.shape,
                      std::vector<int8_t>(values[kernel.output]->data<int8_t>().size(), 1));
    const auto is_there = AsRead(graph, group, kernel.output, ones, 0);
    auto bytes = output.mutable_data<int8_t>();
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = is_there.data<int8_t>()[i] ? bytes[i] : int8_t{0};
  }
  EXPECT_TRUE(output == expected) << tir::ToString(LowerForCpu(graph, group).function);
}

const std::vector<Blocking>& Blockings() {
  static const std::vector<Blocking> all = {
      {1, 16}, {2, 4}, {1, 1}, {.inner = 12, .gap = 4}, {.outer = 3, .inner = 5, .gap = 1}};
  return all;
}

/// The values of `graph`, whose last node is the output, in and out of blocks in every way; in all or none of
/// them where each element needs the same element of others.
void ExpectGoldenInAnyBlocks(Graph& graph, const std::vector<Tensor>& inputs, int64_t groups = 1,
                             bool is_of_elements = false) {
  const ValueId last = graph.size() - 1;
  graph.SetOutputs({last});
  const std::vector<graph::TensorPtr> values = golden::Run(graph, inputs);
  std::vector<ValueId> may_be_blocked = {last}, nodes;
  for (ValueId id = 0; id < graph.size(); ++id) {
    if (graph.node(id).As<graph::Input>())
      may_be_blocked.push_back(id);
    else if (!graph.node(id).As<graph::Constant>())
      nodes.push_back(id);
  }
  for (const Blocking& blocking : Blockings()) {
    for (uint32_t set = 1; set < 1U << may_be_blocked.size(); ++set) {
      SCOPED_TRACE(testing::Message() << "blocks of " << blocking.outer << "x" << blocking.inner << ", gap "
                                      << blocking.gap << ", values " << set << ", groups " << groups);
      HostGroup group{nodes, {}, groups};
      for (size_t i = 0; i < may_be_blocked.size(); ++i)
        if (set >> i & 1) group.blocks[may_be_blocked[i]] = blocking;
      if (is_of_elements && set + 1 != 1U << may_be_blocked.size()) {
        EXPECT_FALSE(TakesBlocks(graph, group));
      } else {
        ExpectGoldenInBlocks(graph, group, values, FillsBlocks(graph, group));
      }
    }
  }
}

TEST(HostGroup, SoftmaxesInBlocksEqualTheGoldenModel) {
  Randoms random(1);
  for (const int64_t groups : {1, 3}) {
    Graph g("softmax");
    const ValueId x = g.AddInput("x", {graph::DType::kInt8, {2, 21, 3, 2}});
    g.Add("y", SoftmaxOf(3), {x});
    ExpectGoldenInAnyBlocks(g, {random.Int8({2, 21, 3, 2})}, groups);
  }
}

TEST(HostGroup, LayerNormsInBlocksEqualTheGoldenModel) {
  Randoms random(2);
  for (const graph::Shape& shape : {graph::Shape{2, 17, 3, 4}, {1, 32, 2, 1}, {3, 9}}) {
    Graph g("norm");
    const ValueId x = g.AddInput("x", {graph::DType::kInt8, shape});
    const ValueId gain = g.AddConstant("gain", random.Tensor<float>({shape[1]}, -50, 50));
    const ValueId offset = g.AddConstant("offset", random.Tensor<float>({shape[1]}, -50, 50));
    g.Add("y", graph::QLayerNorm{0.5f}, {x, gain, offset});
    ExpectGoldenInAnyBlocks(g, {random.Int8(shape)});
  }
}

TEST(HostGroup, TablesInBlocksEqualTheGoldenModel) {
  Randoms random(3);
  graph::Table table;
  for (int i = 0; i < 256; ++i) table.table.push_back(static_cast<int32_t>(random.Between(-128, 127)));
  for (const int64_t groups : {1, 2}) {
    Graph g("table");
    g.Add("y", table, {g.AddInput("x", {graph::DType::kInt8, {2, 18, 3, 2}})});
    ExpectGoldenInAnyBlocks(g, {random.Int8({2, 18, 3, 2})}, groups);
  }
}

TEST(HostGroup, ElementsOfSeveralValuesEqualTheGoldenModel) {
  Randoms random(4);
  const graph::Shape shape = {2, 19, 2, 3};
  Graph g("elements");
  const ValueId x = g.AddInput("x", {graph::DType::kInt8, shape});
  const ValueId y = g.AddInput("y", {graph::DType::kInt8, shape});
  const ValueId sum = g.Add("sum", graph::QAdd{{3, 1 << 20, 20}, {-4, -(1 << 30), 31}, 5}, {x, y});
  const ValueId clip = g.Add("clip", graph::Clip{-100, 90}, {sum});
  ExpectGoldenInAnyBlocks(g, {random.Int8(shape), random.Int8(shape)}, 1, true);
  graph::Table table;
  for (int i = 0; i < 256; ++i) table.table.push_back(static_cast<int32_t>(random.Between(-128, 127)));
  g.Add("table", table, {clip});
  ExpectGoldenInAnyBlocks(g, {random.Int8(shape), random.Int8(shape)});
}

TEST(HostGroup, WhatNeedsOtherPixelsOrOtherGroupsTakesNoBlocks) {
  Graph g("apart");
  const ValueId x = g.AddInput("x", {graph::DType::kInt8, {2, 12, 4, 4}});
  const ValueId pool = g.Add("pool", graph::MaxPool{{2, 2}, {2, 2}, {}}, {x});
  const ValueId clip = g.Add("clip", graph::Clip{-1, 1}, {x});
  const ValueId softmax = g.Add("softmax", SoftmaxOf(2), {x});
  const ValueId flat = g.Add("flat", graph::Flatten{}, {x});
  const auto takes = [&](ValueId node, int64_t groups = 1) {
    return TakesBlocks(g, {{node}, {{x, {1, 4}}, {node, {1, 4}}}, groups});
  };
  EXPECT_FALSE(takes(pool));
  EXPECT_FALSE(takes(flat));
  EXPECT_TRUE(takes(clip));
  EXPECT_FALSE(takes(clip, 2)) << "one loop runs along all blocks";
  EXPECT_TRUE(takes(softmax));
  EXPECT_TRUE(takes(softmax, 2));
  EXPECT_FALSE(takes(softmax, 3));
  const ValueId sums = g.AddInput("sums", {graph::DType::kInt32, {1, 2, 3, 3}});
  for (const int channels : {1, 2}) {
    const std::vector<int32_t> multiplier(channels, 1 << 30), shift(channels, 40);
    const ValueId y = g.Add("y" + std::to_string(channels), graph::Requantize{multiplier, shift}, {sums});
    EXPECT_EQ(TakesBlocks(g, {{y}, {{sums, {1, 4}}, {y, {1, 4}}}}), channels == 1) << "numbers by channel";
  }
}

}  // namespace
}  // namespace cosim::cpu
