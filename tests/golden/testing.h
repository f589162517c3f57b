// SPDX-License-Identifier: Apache-2.0
// One operation of the golden model, and tensors to run it on.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/golden/golden.h"

namespace cosim::golden {

/// The result of `op` on constants.
inline graph::Tensor RunOne(graph::Op op, std::vector<graph::Tensor> operands) {
  graph::Graph g("one");
  std::vector<graph::ValueId> ids;
  for (graph::Tensor& operand : operands)
    ids.push_back(g.AddConstant("c" + std::to_string(ids.size()), std::move(operand)));
  g.SetOutputs({g.Add("y", std::move(op), ids)});
  return *Run(g, {}).back();
}

inline graph::Tensor Int8(graph::Shape shape, std::vector<int8_t> data) {
  return graph::Tensor(std::move(shape), std::move(data));
}
inline graph::Tensor Int16(graph::Shape shape, std::vector<int16_t> data) {
  return graph::Tensor(std::move(shape), std::move(data));
}
inline graph::Tensor Int32(graph::Shape shape, std::vector<int32_t> data) {
  return graph::Tensor(std::move(shape), std::move(data));
}

}  // namespace cosim::golden
