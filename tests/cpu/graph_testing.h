// SPDX-License-Identifier: Apache-2.0
// Helpers of the tests of compiler/cpu and compiler/ops: random tensors, and groups of a graph run by their
// kernel and by the golden model.
#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "compiler/cpu/jit.h"
#include "compiler/cpu/lower_group.h"
#include "compiler/golden/golden.h"
#include "compiler/graph/graph.h"

namespace cosim::cpu {

class Randoms {
 public:
  explicit Randoms(uint64_t seed) : engine_(seed) {}

  /// low <= result <= high.
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine_() % static_cast<uint64_t>(high - low + 1));
  }

  template <typename T>
  graph::Tensor Tensor(const graph::Shape& shape, int64_t low, int64_t high) {
    std::vector<T> values(graph::NumElements(shape));
    for (T& value : values) value = static_cast<T>(Between(low, high));
    return {shape, std::move(values)};
  }
  graph::Tensor Int8(const graph::Shape& shape) { return Tensor<int8_t>(shape, -128, 127); }
  graph::Tensor Int32(const graph::Shape& shape) {
    return Tensor<int32_t>(shape, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
  }

 private:
  std::mt19937_64 engine_;
};

inline graph::QSoftmax SoftmaxOf(int64_t groups) {
  graph::QSoftmax softmax{.groups = groups, .levels = 127, .zero_point = 3};
  for (int64_t e = 1 << 24; softmax.exponentials.size() < 256; e = e * 9 / 10)
    softmax.exponentials.push_back(static_cast<int32_t>(e));
  return softmax;
}

inline void* Data(graph::Tensor& tensor) { return tensor.mutable_bytes().data(); }

/// Runs `group`, compiled by `compiler`, on the golden model's values of its inputs.
inline graph::Tensor RunGroup(CpuCompiler& compiler, const graph::Graph& graph,
                              const std::vector<graph::ValueId>& group,
                              const std::vector<graph::TensorPtr>& values) {
  const GroupKernel kernel = CompileGroups(compiler, graph, std::vector{HostGroup{group}}).front();
  std::vector<graph::Tensor> inputs;
  for (graph::ValueId id : kernel.inputs) inputs.push_back(*values[id]);
  graph::Tensor output(graph.node(kernel.output).type);
  std::vector<void*> args;
  for (graph::Tensor& input : inputs) args.push_back(Data(input));
  for (const graph::TensorPtr& table : kernel.tables)  // kernels do not write to their inputs
    args.push_back(const_cast<uint8_t*>(table->bytes().data()));
  args.push_back(Data(output));
  kernel.kernel->Run(args);
  return output;
}

/// The same on this processor.
inline graph::Tensor RunGroup(const graph::Graph& graph, const std::vector<graph::ValueId>& group,
                              const std::vector<graph::TensorPtr>& values) {
  static JitCompiler compiler;
  return RunGroup(compiler, graph, group, values);
}

/// Expects each node alone, and all nodes but inputs and constants as one group, to equal the golden model.
inline void ExpectGolden(graph::Graph& graph, const std::vector<graph::Tensor>& inputs) {
  graph.SetOutputs({graph.size() - 1});
  const std::vector<graph::TensorPtr> values = golden::Run(graph, inputs);
  std::vector<graph::ValueId> group;
  for (graph::ValueId id = 0; id < graph.size(); ++id) {
    const graph::Node& node = graph.node(id);
    if (node.As<graph::Input>() || node.As<graph::Constant>()) continue;
    group.push_back(id);
    ASSERT_TRUE(RunGroup(graph, {id}, values) == *values[id])
        << node.name << "\n"
        << tir::ToString(LowerForCpu(graph, id).function);
  }
  if (group.size() < 2) return;
  ASSERT_TRUE(RunGroup(graph, group, values) == *values.back())
      << "fused\n"
      << tir::ToString(LowerForCpu(graph, HostGroup{group}).function);
}

}  // namespace cosim::cpu
