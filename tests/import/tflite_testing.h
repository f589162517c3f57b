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
#include "compiler/graph/verify.h"
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

/// All results of one operator whose last tensors are its outputs; empty after a failure.
inline std::vector<Tensor> Results(const std::vector<TensorInfo>& tensors, size_t results,
                                   const std::string& op, const OperatorOptions& options,
                                   const std::vector<Tensor>& inputs) {
  File file{.name = "test.tflite", .tensors = tensors};
  OperatorInfo info{.name = op, .options = options};
  const size_t operands = tensors.size() - results;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const int tensor = static_cast<int>(i);
    (i < operands ? info.inputs : info.outputs).push_back(tensor);
    if (i < operands && !tensors[i].data) file.inputs.push_back(tensor);
    if (i >= operands) file.outputs.push_back(tensor);
  }
  file.operators = {info};
  Diagnostics diagnostics;
  const auto model = Builder(file, diagnostics).Run();
  EXPECT_TRUE(model) << op << ": " << diagnostics.Render();
  if (!model) return {};
  EXPECT_TRUE(graph::Verify(model->graph).empty()) << op;
  const auto values = golden::Run(model->graph, inputs);
  std::vector<Tensor> list;
  for (const graph::ValueId output : model->graph.outputs()) list.push_back(*values[output]);
  return list;
}

/// What the importer says of an operator that it refuses.
inline std::string Refusal(const std::vector<TensorInfo>& tensors, const std::string& op,
                           const OperatorOptions& options = NoOptions{}) {
  Diagnostics diagnostics;
  EXPECT_FALSE(OneOperator(tensors, op, options, diagnostics)) << op;
  return diagnostics.Render();
}

inline TensorInfo Typed(DType dtype, Shape shape) {
  return {.name = "", .dtype = dtype, .shape = std::move(shape)};
}
inline TensorInfo Scaled(DType dtype, Shape shape, float scale, int32_t zero_point) {
  return {
      .name = "", .dtype = dtype, .shape = std::move(shape), .scales = {scale}, .zero_points = {zero_point}};
}
inline TensorInfo Known(TensorInfo info, Tensor data) {
  info.data = std::make_shared<const Tensor>(std::move(data));
  return info;
}

/// Any bits, but of a bool, which is 0 or 1, and floats from -8 to 8.
inline Tensor RandomOf(DType dtype, const Shape& shape, uint32_t seed) {
  Tensor tensor({dtype, shape});
  std::mt19937 random(seed);
  if (dtype == DType::kFloat32) {
    for (float& v : tensor.mutable_data<float>()) v = static_cast<float>(random() % 4097) / 256 - 8;
  } else {
    for (uint8_t& v : tensor.mutable_bytes())
      v = static_cast<uint8_t>(random() & (dtype == DType::kBool ? 1 : 255));
  }
  return tensor;
}

/// Elements as numbers.
inline std::vector<double> Numbers(const Tensor& tensor) {
  std::vector<double> list;
  graph::WithElementType(tensor.dtype(), [&](auto zero) {
    if constexpr (!std::is_same_v<decltype(zero), graph::Half>)
      for (auto v : tensor.data<decltype(zero)>()) list.push_back(static_cast<double>(v));
  });
  return list;
}

inline constexpr DType kTypes[] = {DType::kInt8,  DType::kUint8,   DType::kInt16, DType::kInt32,
                                   DType::kInt64, DType::kFloat32, DType::kBool};

inline Tensor Random(const Shape& shape, uint32_t seed) {
  Tensor tensor({DType::kInt8, shape});
  std::mt19937 random(seed);
  for (uint8_t& v : tensor.mutable_bytes()) v = static_cast<uint8_t>(random());
  return tensor;
}

}  // namespace cosim::import::tflite
