// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's LSTM of the basic kernel, over several runs, by its definition.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/import/tflite_recurrent.h"

namespace cosim::import::tflite::recurrent_test {
namespace {

using testing::HasSubstr;

constexpr int kRows = 2, kFrom = 3, kTo = 4, kBoth = kFrom + kTo;

struct BasicFile {
  std::vector<TensorInfo> tensors = {
      Typed(DType::kFloat32, {kRows, kFrom}),
      State(Typed(DType::kFloat32, {kRows, kTo})),
      Drawn(Typed(DType::kFloat32, {4 * kTo, kBoth}), 3, 1),
      Drawn(Typed(DType::kFloat32, {4 * kTo}), 4, 1),
      State(Typed(DType::kFloat32, {kRows, kTo})),
      Typed(DType::kFloat32, {kRows, kTo}),
      Typed(DType::kFloat32, {kRows, kTo}),
      Typed(DType::kFloat32, {kRows, kBoth}),
      Typed(DType::kFloat32, {kRows, 4 * kTo}),
  };

  std::optional<Model> Imported(std::string* error = nullptr) const {
    File file{.name = "test.tflite", .tensors = tensors};
    RecurrentOptions options;
    options.tanh = options.basic = true;
    file.operators = {
        {.name = "LSTM", .inputs = {0, 1, 2, 3, 4}, .outputs = {5, 6, 7, 8}, .options = options}};
    for (int i = 0; i < 5; ++i)
      if (!tensors[i].data && !tensors[i].variable) file.inputs.push_back(i);
    file.outputs = {5, 6, 7, 8};
    Diagnostics diagnostics;
    auto model = Builder(file, diagnostics).Run();
    if (error) *error = diagnostics.Render();
    EXPECT_TRUE(error || model) << diagnostics.Render();
    return diagnostics.HasErrors() ? std::nullopt : std::move(model);
  }
};

double Open(double x) { return 1 / (1 + std::exp(-x)); }

TEST(BasicLstm, ComputesOneStepARunAndKeepsItsState) {
  const BasicFile file;
  const auto model = file.Imported();
  ASSERT_TRUE(model);
  EXPECT_TRUE(graph::Verify(model->graph).empty());
  ASSERT_EQ(model->states.size(), 2u);
  const Numbers weights = RealOf(file.tensors[2]), bias = RealOf(file.tensors[3]);
  Numbers last(kRows * kTo, 0), cells = last;
  std::vector<Tensor> inputs = RandomInputs(*model, 1);
  for (uint64_t run = 0; run < 3; ++run) {
    inputs[0] = RandomInputs(*model, run + 10)[0];
    const auto values = golden::Run(model->graph, inputs);
    const auto result = [&](size_t i) { return NumbersOf(*values[model->graph.outputs()[i]]); };
    const Numbers x = NumbersOf(inputs[0]), both = result(2), sums = result(3);
    for (int b = 0; b < kRows; ++b) {
      Numbers gates = bias;
      for (int g = 0; g < 4 * kTo; ++g)
        for (int k = 0; k < kBoth; ++k)
          gates[g] += weights[g * kBoth + k] * (k < kFrom ? x[b * kFrom + k] : last[b * kTo + k - kFrom]);
      for (int g = 0; g < 4 * kTo; ++g) EXPECT_NEAR(sums[b * 4 * kTo + g], gates[g], 1e-5);
      for (int k = 0; k < kTo; ++k) EXPECT_NEAR(both[b * kBoth + kFrom + k], last[b * kTo + k], 1e-5);
      for (int k = 0; k < kTo; ++k) {
        double& cell = cells[b * kTo + k];
        cell = Open(gates[k]) * std::tanh(gates[kTo + k]) + Open(gates[2 * kTo + k]) * cell;
        last[b * kTo + k] = Open(gates[3 * kTo + k]) * std::tanh(cell);
      }
    }
    for (size_t i = 0; i < last.size(); ++i) {
      EXPECT_NEAR(result(0)[i], last[i], 1e-5) << run;
      EXPECT_NEAR(result(1)[i], cells[i], 1e-5) << run;
    }
    for (const import::State& state : model->states)
      inputs[state.input] = *values[model->graph.outputs()[state.output]];
  }
}

TEST(BasicLstm, WithoutVariablesItsStateIsGiven) {
  BasicFile file;
  file.tensors[1].variable = file.tensors[4].variable = false;
  const auto model = file.Imported();
  ASSERT_TRUE(model);
  EXPECT_TRUE(model->states.empty());
  EXPECT_EQ(model->graph.inputs().size(), 3u);
}

TEST(BasicLstm, WhatDoesNotFitIsRefused) {
  BasicFile file;
  std::string error;
  file.tensors[2].shape = {4 * kTo, kBoth + 1};
  EXPECT_FALSE(file.Imported(&error));
  EXPECT_THAT(error, HasSubstr("its operands do not fit each other"));
  file = {};
  file.tensors[0].dtype = DType::kUint8;
  EXPECT_FALSE(file.Imported(&error));
  EXPECT_THAT(error, HasSubstr("its basic kernel on anything but float32"));
}

}  // namespace
}  // namespace cosim::import::tflite::recurrent_test
