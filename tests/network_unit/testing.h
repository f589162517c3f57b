// SPDX-License-Identifier: Apache-2.0
// Small integer graphs and specs for the tests of the network compiler.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "isa/spec/loader.h"

namespace cosim::network {

inline isa::Spec Load(const std::string& isa, const std::vector<isa::Override>& overrides = {},
                      const std::string& config = "tiny.yaml") {
  Diagnostics diags;
  auto spec = isa::LoadSpec(config, isa, overrides, diags);
  EXPECT_TRUE(spec) << diags.Render();
  return *spec;
}

/// What a graph computes, in order: the operations but for constants.
inline std::string Ops(const graph::Graph& graph) {
  std::string text;
  for (const auto& node : graph.nodes())
    if (!node.As<graph::Constant>()) text += std::string(graph::Mnemonic(node.op)) + " ";
  return text;
}

inline std::vector<uint8_t> RawBytes(const graph::Tensor& t) { return {t.bytes().begin(), t.bytes().end()}; }

/// Builds graphs node by node; constants and attributes are random where the test does not care.
class GraphBuilder {
 public:
  explicit GraphBuilder(uint32_t seed = 1) : random_(seed) {}

  int64_t Pick(int64_t low, int64_t high) { return low + static_cast<int64_t>(random_() % (high - low + 1)); }

  graph::ValueId Input(std::vector<int64_t> shape, const std::string& name = "x") {
    return graph.AddInput(name, {graph::DType::kInt8, std::move(shape)});
  }
  template <typename T>
  graph::ValueId Constant(std::vector<int64_t> shape, int64_t low, int64_t high) {
    const auto type = std::is_same_v<T, int8_t>    ? graph::DType::kInt8
                      : std::is_same_v<T, int16_t> ? graph::DType::kInt16
                                                   : graph::DType::kInt32;
    graph::Tensor data(graph::TensorType{type, std::move(shape)});
    for (T& value : data.template mutable_data<T>()) value = static_cast<T>(Pick(low, high));
    return graph.AddConstant(Name("c"), std::move(data));
  }
  graph::ValueId Add(graph::Op op, std::vector<graph::ValueId> inputs) {
    const std::string name = Name(std::string(graph::Mnemonic(op)));
    return graph.Add(name, std::move(op), std::move(inputs));
  }
  /// conv2d, bias_add, requantize. `shift_only` quantizes by a power of two.
  graph::ValueId Conv(graph::ValueId x, int64_t channels, const graph::Conv2d& attributes, int64_t kh,
                      int64_t kw, bool shift_only) {
    const int64_t in = graph.node(x).type.shape[1];
    const std::vector<int64_t> shape = {channels, in / attributes.groups, kh, kw};
    const auto w = wide_weights ? Constant<int16_t>(shape, -255, 254) : Constant<int8_t>(shape, -128, 127);
    const auto sum = Add(attributes, {x, w});
    const auto biased = Add(graph::BiasAdd{}, {sum, Constant<int32_t>({channels}, -5000, 5000)});
    graph::Requantize requantize;
    requantize.zero_point = static_cast<int32_t>(Pick(-20, 20));
    if (shift_only) {
      requantize.shift = {static_cast<int32_t>(Pick(0, 9))};
    } else {
      requantize.multiplier.clear();
      requantize.shift.clear();
      for (int64_t c = 0; c < channels; ++c) {
        requantize.multiplier.push_back(static_cast<int32_t>(Pick(int64_t{1} << 30, (int64_t{1} << 31) - 1)));
        requantize.shift.push_back(static_cast<int32_t>(Pick(36, 42)));
      }
    }
    return Add(requantize, {biased});
  }

  /// int8 of the shape, each anything.
  graph::Tensor Draw(const graph::Shape& shape) {
    graph::Tensor tensor({graph::DType::kInt8, shape});
    for (int8_t& v : tensor.mutable_data<int8_t>()) v = static_cast<int8_t>(Pick(-128, 127));
    return tensor;
  }

  graph::Graph graph{"test"};
  bool wide_weights = false;  ///< bytes without a sign less their zero point

 private:
  std::string Name(const std::string& stem) { return stem + std::to_string(counter_++); }

  std::mt19937 random_;
  int counter_ = 0;
};

}  // namespace cosim::network
