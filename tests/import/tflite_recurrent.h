// SPDX-License-Identifier: Apache-2.0
// What the tests of TensorFlow Lite's layers with a state share: single operators over several runs, and
// vectors as their kernels for weights of bytes see them.
#pragma once

#include <algorithm>
#include <cmath>

#include "compiler/import/data/inputs.h"
#include "tests/import/tflite_testing.h"

namespace cosim::import::tflite::recurrent_test {

using Numbers = std::vector<double>;

/// A tensor of a type, with as many numbers as it has; a constant, a state, or neither.
inline TensorInfo Typed(DType dtype, Shape shape, float scale = 0, int32_t zero_point = 0) {
  TensorInfo info{.name = "", .dtype = dtype, .shape = std::move(shape)};
  if (scale == 0) return info;
  info.scales = {scale};
  info.zero_points = {zero_point};
  return info;
}
inline TensorInfo State(TensorInfo info) {
  info.variable = true;
  info.name = "memory";
  return info;
}
inline TensorInfo Drawn(TensorInfo info, uint32_t seed, int range) {
  std::mt19937 random(seed);
  Tensor data({info.dtype, info.shape});
  graph::WithElementType(info.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_same_v<T, graph::Half> && !std::is_same_v<T, bool>)
      for (T& v : data.mutable_data<T>()) {
        const double unit = static_cast<double>(random() % 2001) / 1000 - 1;
        v = static_cast<T>(std::is_floating_point_v<T> ? unit : std::round(unit * range));
      }
  });
  info.data = std::make_shared<const Tensor>(std::move(data));
  return info;
}

inline Numbers NumbersOf(const Tensor& tensor) {
  Numbers list;
  graph::WithElementType(tensor.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_same_v<T, graph::Half>)
      for (const T& v : tensor.data<T>()) list.push_back(static_cast<double>(v));
  });
  return list;
}

/// One operator; operands without a place are absent (-1 in `places`, else an index into `tensors`).
inline std::optional<Model> Single(const std::vector<TensorInfo>& tensors, const std::vector<int>& places,
                                   const std::string& op, const OperatorOptions& options,
                                   std::string* error = nullptr) {
  File file{.name = "test.tflite", .tensors = tensors};
  const int output = static_cast<int>(tensors.size()) - 1;
  file.operators = {{.name = op, .inputs = places, .outputs = {output}, .options = options}};
  for (int i = 0; i < output; ++i)
    if (!tensors[static_cast<size_t>(i)].data && !tensors[static_cast<size_t>(i)].variable)
      file.inputs.push_back(i);
  file.outputs = {output};
  Diagnostics diagnostics;
  auto model = Builder(file, diagnostics).Run();
  if (error) *error = diagnostics.Render();
  EXPECT_TRUE(error || model) << diagnostics.Render();
  return diagnostics.HasErrors() ? std::nullopt : std::move(model);
}

/// Several runs: the first input drawn for each, states carried. The first output of each.
inline std::vector<Tensor> Runs(const Model& model, int count, std::vector<Tensor>& given) {
  std::vector<Tensor> outputs, inputs = RandomInputs(model, 1);
  for (int run = 0; run < count; ++run) {
    inputs[0] = RandomInputs(model, static_cast<uint64_t>(run) + 10)[0];
    given.push_back(inputs[0]);
    const auto values = golden::Run(model.graph, inputs);
    outputs.push_back(*values[model.graph.outputs()[0]]);
    for (const import::State& state : model.states)
      inputs[state.input] = *values[model.graph.outputs()[state.output]];
  }
  return outputs;
}

/// A vector as the reference's kernels for weights of bytes take it: rounded to 255 or 256 steps of its own
/// range, around 0 or with a zero point, which is the nearer of those that both ends ask for.
inline Numbers InSteps(Numbers x, bool asymmetric) {
  double least = 0, most = 0;
  for (double& v : x) {
    v = static_cast<double>(static_cast<float>(v));
    least = std::min(least, v);
    most = std::max(most, v);
  }
  if (least == most) return x;
  const double unit = asymmetric ? (most - least) / 255 : std::max(most, -least) / 127;
  const double zero = !asymmetric ? 0 : std::round(most < -least ? 127 - most / unit : -128 - least / unit);
  for (double& v : x)
    v = (std::clamp(std::round(v / unit) + zero, asymmetric ? -128.0 : -127.0, 127.0) - zero) * unit;
  return x;
}

/// Constants as real numbers.
inline Numbers RealOf(const TensorInfo& info) {
  Numbers list = NumbersOf(*info.data);
  if (info.dtype == DType::kInt8)
    for (double& v : list) v *= static_cast<double>(info.scales[0]);
  return list;
}

inline Numbers Part(const Numbers& list, int row, int length) {
  return {list.begin() + row * length, list.begin() + (row + 1) * length};
}

}  // namespace cosim::import::tflite::recurrent_test
