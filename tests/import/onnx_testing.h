// SPDX-License-Identifier: Apache-2.0
// Files of a few nodes, in memory: what they compute, or why they are refused.
#pragma once

#include <gmock/gmock.h>

#include "compiler/graph/float_executor.h"
#include "compiler/import/onnx/build.h"

namespace cosim::import::onnx {

using Inputs = std::vector<graph::Tensor>;
using Attributes = std::map<std::string, Attribute>;

inline graph::Tensor Floats(graph::Shape shape, std::vector<float> values) {
  return graph::Tensor(std::move(shape), std::move(values));
}
inline graph::Tensor Longs(std::vector<int64_t> values) {
  const auto n = static_cast<int64_t>(values.size());
  return graph::Tensor({n}, std::move(values));
}

/// A file under construction: inputs "x0", "x1" … are given when it runs, "c0" … are constants.
struct SmallFile {
  File file{.name = "small.onnx", .opset = 18, .opsets = {{"", 18}}};
  Inputs inputs;

  std::string Input(graph::Tensor tensor) {
    ValueInfo info{.name = "x" + std::to_string(inputs.size()), .dtype = tensor.dtype()};
    for (int64_t extent : tensor.shape()) info.dimensions.emplace_back(extent);
    file.inputs.push_back(info);
    inputs.push_back(std::move(tensor));
    return info.name;
  }
  std::string Constant(graph::Tensor tensor) {
    std::string name = "c" + std::to_string(file.initializers.size());
    file.initializers[name] = std::make_shared<const graph::Tensor>(std::move(tensor));
    return name;
  }
  NodeInfo& Node(const std::string& op, std::vector<std::string> operands, std::vector<std::string> results,
                 Attributes attributes = {}, int64_t opset = 18) {
    file.nodes.push_back({.op = op,
                          .name = "node" + std::to_string(file.nodes.size()),
                          .opset = opset,
                          .inputs = std::move(operands),
                          .outputs = std::move(results),
                          .attributes = std::move(attributes)});
    return file.nodes.back();
  }

  std::optional<Model> Import(const std::vector<std::string>& outputs, Diagnostics& diagnostics) {
    for (const std::string& name : outputs) file.outputs.push_back({.name = name});
    return Build(file, {.host_only = true}, diagnostics);
  }
  Inputs Run(const std::vector<std::string>& outputs) {
    Diagnostics diagnostics;
    const auto model = Import(outputs, diagnostics);
    EXPECT_TRUE(model) << diagnostics.Render();
    if (!model) return {};
    const auto values = graph::RunFloat(model->graph, inputs);
    Inputs results;
    for (graph::ValueId id : model->graph.outputs()) results.push_back(*values[id]);
    return results;
  }
  std::string Errors(const std::vector<std::string>& outputs) {
    Diagnostics diagnostics;
    EXPECT_FALSE(Import(outputs, diagnostics));
    return diagnostics.Render();
  }
};

/// The first result of one operator of inputs, behind which stand constants.
inline graph::Tensor ResultOf(const std::string& op, const Inputs& inputs, const Inputs& constants = {},
                              const Attributes& attributes = {}, int64_t opset = 18) {
  SmallFile small;
  std::vector<std::string> operands;
  for (const graph::Tensor& tensor : inputs) operands.push_back(small.Input(tensor));
  for (const graph::Tensor& tensor : constants) operands.push_back(small.Constant(tensor));
  small.Node(op, operands, {"y"}, attributes, opset);
  const auto results = small.Run({"y"});
  return results.empty() ? graph::Tensor() : results[0];
}

inline void ExpectNear(const graph::Tensor& got, const graph::Shape& shape, const std::vector<double>& want,
                       double tolerance = 1e-5) {
  ASSERT_EQ(got.type(), (graph::TensorType{graph::DType::kFloat32, shape}));
  ASSERT_EQ(static_cast<size_t>(got.size()), want.size());
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_NEAR(static_cast<double>(got.data<float>()[i]), want[i], tolerance) << i;
}

}  // namespace cosim::import::onnx
