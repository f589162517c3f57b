// SPDX-License-Identifier: Apache-2.0
// Helpers of the tests of tensor expressions: random operands, and a node computed by its kernel against its
// reference, within the tolerance of compiler/golden/tolerance.h.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "compiler/golden/tolerance.h"
#include "compiler/graph/graph.h"
#include "compiler/host/make.h"
#include "compiler/ops/definition.h"
#include "tests/cpu/graph_testing.h"

namespace cosim::ops {

using cpu::Randoms;
using graph::DType;
using graph::Shape;
using graph::Tensor;

struct Operand {
  Operand(Tensor value, bool constant = false) : value(std::move(value)), constant(constant) {}  // NOLINT
  Tensor value;
  bool constant;
};
inline Operand Constant(Tensor value) { return {std::move(value), true}; }
inline Operand Integers(std::vector<int64_t> list) {
  const Shape shape = {static_cast<int64_t>(list.size())};
  return Constant(Tensor(shape, std::move(list)));
}

/// Reals with 20 bits behind the point, so that no sum of a few is exact by chance.
inline Tensor Reals(Randoms& random, const Shape& shape, double low = -2, double high = 2) {
  std::vector<float> values(static_cast<size_t>(graph::NumElements(shape)));
  for (float& value : values) {
    const double share = static_cast<double>(random.Between(0, 1 << 20)) / (1 << 20);
    value = static_cast<float>(low + (high - low) * share);
  }
  return {shape, std::move(values)};
}

/// As Reals, as another type; low and high are of integers whole.
inline Tensor Numbers(Randoms& random, DType dtype, const Shape& shape, double low, double high) {
  Tensor tensor({dtype, shape});
  graph::WithElementType(dtype, [&](auto zero) {
    using T = decltype(zero);
    for (T& value : tensor.mutable_data<T>()) {
      if constexpr (std::is_integral_v<T>) {
        value = static_cast<T>(random.Between(static_cast<int64_t>(low), static_cast<int64_t>(high)));
      } else if constexpr (std::is_floating_point_v<T>) {
        value =
            static_cast<T>(low + (high - low) * static_cast<double>(random.Between(0, 1 << 20)) / (1 << 20));
      }
    }
  });
  return tensor;
}

/// The graph's last node has a definition whose kernel computes what the reference does.
inline void ExpectReference(const graph::Graph& graph, const std::vector<Tensor>& inputs) {
  const graph::ValueId id = graph.size() - 1;
  const graph::Node& node = graph.node(id);
  SCOPED_TRACE(graph::DisplayName(node.op) + " -> " + graph::ToString(node.type));
  ASSERT_TRUE(HasDefinition(graph, id));
  const auto values = golden::Run(graph, inputs);
  const Tensor result = cpu::RunGroup(graph, {id}, values);
  const golden::Tolerance tolerance = golden::TolerancesOf(graph).back();
  EXPECT_EQ(golden::CountMismatches(node.type.dtype, tolerance, result.bytes(), values.back()->bytes()), 0)
      << tir::ToString(cpu::LowerForCpu(graph, id).function);
}

/// As above, of result `result` of an operator.
inline void ExpectReference(const graph::HostOperatorPtr& op, const std::vector<Operand>& operands,
                            int32_t result = 0) {
  graph::Graph graph("operator");
  std::vector<graph::ValueId> ids;
  std::vector<Tensor> inputs;
  std::vector<graph::HostOperand> known;
  for (const Operand& operand : operands) {
    const std::string name = "x" + std::to_string(ids.size());
    known.push_back({operand.value.type(), operand.constant ? &operand.value : nullptr});
    if (operand.constant) {
      ids.push_back(graph.AddConstant(name, operand.value));
    } else {
      ids.push_back(graph.AddInput(name, operand.value.type()));
      inputs.push_back(operand.value);
    }
  }
  const auto types = op->Infer(known);
  ASSERT_EQ(types.index(), 0U) << op->Describe() << ": " << std::get<std::string>(types);
  const graph::TensorType type = std::get<0>(types).at(static_cast<size_t>(result));
  graph.Add("y", graph::HostOp{op, result, type, "a test"}, ids);
  ExpectReference(graph, inputs);
}

}  // namespace cosim::ops
