// SPDX-License-Identifier: Apache-2.0
// What the tests of TensorFlow Lite's operators share: files of one operator, made without a file.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "compiler/golden/golden.h"
#include "compiler/import/tflite/builder.h"

namespace cosim::import::tflite {

using graph::DType;
using graph::Shape;
using graph::Tensor;

inline TensorInfo Bytes(Shape shape, int32_t zero_point) {
  return {.name = "", .shape = std::move(shape), .scales = {0.5f}, .zero_points = {zero_point}};
}
inline TensorInfo Signed(Shape shape, int32_t zero_point) {
  TensorInfo info = Bytes(std::move(shape), zero_point);
  info.dtype = DType::kInt8;
  return info;
}
inline TensorInfo Integers(Shape shape, std::vector<int32_t> list) {
  return {.name = "",
          .dtype = DType::kInt32,
          .shape = shape,
          .data = std::make_shared<const Tensor>(std::move(shape), std::move(list))};
}

/// A file of one operator whose last tensor is its output; the others are inputs unless constant.
inline std::optional<Model> OneOperator(const std::vector<TensorInfo>& tensors, const std::string& op,
                                        const OperatorOptions& options, Diagnostics& diagnostics) {
  File file{.name = "test.tflite", .tensors = tensors};
  const int output = static_cast<int>(tensors.size()) - 1;
  OperatorInfo info{.name = op, .outputs = {output}, .options = options};
  for (int i = 0; i < output; ++i) {
    info.inputs.push_back(i);
    if (!tensors[i].data) file.inputs.push_back(i);
  }
  file.operators = {info};
  file.outputs = {output};
  auto model = Builder(file, diagnostics).Run();
  if (diagnostics.HasErrors()) return std::nullopt;
  return model;
}

/// Whether anything but the host has work.
inline bool HasCore(const Model& model) {
  for (const auto& node : model.graph.nodes())
    if (!node.As<graph::HostOp>() && !node.As<graph::Input>() && !node.As<graph::Constant>()) return true;
  return false;
}

inline std::optional<Tensor> Evaluate(const std::vector<TensorInfo>& tensors, const std::string& op,
                                      const OperatorOptions& options, const std::vector<Tensor>& inputs,
                                      bool on_accelerator) {
  Diagnostics diagnostics;
  const auto model = OneOperator(tensors, op, options, diagnostics);
  EXPECT_TRUE(model) << diagnostics.Render();
  if (!model) return std::nullopt;
  EXPECT_EQ(HasCore(*model), on_accelerator);
  return *golden::Run(model->graph, inputs)[model->graph.outputs()[0]];
}

inline Tensor Random(const Shape& shape, uint32_t seed) {
  Tensor tensor({DType::kInt8, shape});
  std::mt19937 random(seed);
  for (uint8_t& v : tensor.mutable_bytes()) v = static_cast<uint8_t>(random());
  return tensor;
}

}  // namespace cosim::import::tflite
