// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's layers that read a sequence from both ends, over several runs, by their definitions.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/import/tflite_recurrent.h"

namespace cosim::import::tflite::recurrent_test {
namespace {

using testing::HasSubstr;

constexpr int kBatch = 2, kSteps = 3, kInput = 4, kCells = 5;

struct Case {
  bool lstm = false, merged = false, time_major = false, auxiliary = false, bytes = false;
  /// Width of an auxiliary input that has weights of its own, which both layers read; 0: none.
  int weights = 0;

  Shape Sequence(int64_t last) const {
    return time_major ? Shape{kSteps, kBatch, last} : Shape{kBatch, kSteps, last};
  }
  int Row(int b, int t) const { return time_major ? t * kBatch + b : b * kSteps + t; }
};

struct Layers {
  std::vector<TensorInfo> tensors;
  File file;
  OperatorInfo op;
  RecurrentOptions options;

  int Add(TensorInfo info) {
    tensors.push_back(std::move(info));
    return static_cast<int>(tensors.size()) - 1;
  }
  int Weights(Shape shape, bool bytes) {
    const auto seed = static_cast<uint32_t>(tensors.size()) + 3;
    return Add(bytes ? Drawn(Typed(DType::kInt8, std::move(shape), 0.008f), seed, 127)
                     : Drawn(Typed(DType::kFloat32, std::move(shape)), seed, 1));
  }
  int Memory() { return Add(State(Typed(DType::kFloat32, {kBatch, kCells}))); }

  void AddRnn(const Case& c) {
    for (int layer = 0; layer < 2; ++layer) {
      op.inputs.push_back(Weights({kCells, kInput}, c.bytes));
      op.inputs.push_back(Weights({kCells, kCells}, c.bytes));
      op.inputs.push_back(Weights({kCells}, false));
      op.inputs.push_back(Memory());
    }
  }
  void AddLstm(const Case& c) {
    for (int layer = 0; layer < 2; ++layer) {
      for (int gate = 0; gate < 4; ++gate) op.inputs.push_back(Weights({kCells, kInput}, c.bytes));
      for (int gate = 0; gate < 4; ++gate) op.inputs.push_back(Weights({kCells, kCells}, c.bytes));
      op.inputs.insert(op.inputs.end(), 3, -1);
      for (int gate = 0; gate < 4; ++gate) op.inputs.push_back(Weights({kCells}, false));
      op.inputs.insert(op.inputs.end(), 2, -1);
    }
    for (int state = 0; state < 4; ++state) op.inputs.push_back(Memory());
  }
};

Layers Built(const Case& c) {
  Layers layers;
  layers.op.name = c.lstm ? "BIDIRECTIONAL_SEQUENCE_LSTM" : "BIDIRECTIONAL_SEQUENCE_RNN";
  layers.op.inputs = {layers.Add(Typed(DType::kFloat32, c.Sequence(kInput)))};
  layers.file.inputs = {0};
  c.lstm ? layers.AddLstm(c) : layers.AddRnn(c);
  const bool other = c.auxiliary || c.weights > 0;
  const int width = c.weights > 0 ? c.weights : kInput;
  layers.op.inputs.push_back(other ? layers.Add(Typed(DType::kFloat32, c.Sequence(width))) : -1);
  if (other) layers.file.inputs.push_back(layers.op.inputs.back());
  for (int i = 0; i < (c.lstm ? 8 : 2); ++i)
    layers.op.inputs.push_back(c.weights > 0 ? layers.Weights({kCells, c.weights}, false) : -1);
  for (int k = 0; k < (c.merged ? 1 : 2); ++k)
    layers.op.outputs.push_back(
        layers.Add(Typed(DType::kFloat32, c.Sequence(c.merged ? 2 * kCells : kCells))));
  layers.options.tanh = true;
  layers.options.time_major = c.time_major;
  layers.options.merged = c.merged;
  return layers;
}

std::optional<Model> Imported(Layers& layers, std::string* error = nullptr) {
  layers.op.options = layers.options;
  layers.file.name = "test.tflite";
  layers.file.tensors = layers.tensors;
  layers.file.operators = {layers.op};
  layers.file.outputs = layers.op.outputs;
  Diagnostics diagnostics;
  auto model = Builder(layers.file, diagnostics).Run();
  if (error) *error = diagnostics.Render();
  EXPECT_TRUE(error || model) << diagnostics.Render();
  return diagnostics.HasErrors() ? std::nullopt : std::move(model);
}

double Gated(double x) { return 1 / (1 + std::exp(-x)); }

/// What layer `backward` makes of x; its memory of each sequence is kept.
struct Layer {
  const Case& c;
  const Layers& layers;
  bool backward;
  std::vector<Numbers> h = std::vector<Numbers>(kBatch, Numbers(kCells, 0.0)), cell = h;
  Numbers other = {};  ///< the auxiliary input's step, where it has weights

  Numbers Constant(size_t operand) const {
    return RealOf(layers.tensors[static_cast<size_t>(layers.op.inputs[operand])]);
  }
  Numbers Sums(size_t w, size_t r, size_t bias, const Numbers& x, const Numbers& before) const {
    const Numbers now = c.bytes ? InSteps(x, false) : x, last = c.bytes ? InSteps(before, false) : before;
    Numbers sums = Constant(bias);
    const Numbers from_x = Constant(w), from_h = Constant(r);
    for (int i = 0; i < kCells; ++i) {
      for (int k = 0; k < kInput; ++k) sums[i] += from_x[i * kInput + k] * now[k];
      for (int k = 0; k < kCells; ++k) sums[i] += from_h[i * kCells + k] * last[k];
    }
    if (c.weights == 0) return sums;
    const size_t gate = c.lstm ? w - (backward ? 18 : 1) : 0;
    const Numbers from_other = Constant(c.lstm ? (backward ? 44 : 40) + gate : backward ? 11 : 10);
    for (int i = 0; i < kCells; ++i)
      for (int k = 0; k < c.weights; ++k) sums[i] += from_other[i * c.weights + k] * other[k];
    return sums;
  }
  void Step(const Numbers& x, int b) {
    if (!c.lstm) {
      const size_t first = backward ? 5 : 1;
      h[b] = Sums(first, first + 1, first + 2, x, h[b]);
      for (double& v : h[b]) v = std::tanh(v);
      return;
    }
    const size_t first = backward ? 18 : 1;
    Numbers gates[4];
    for (size_t g = 0; g < 4; ++g) gates[g] = Sums(first + g, first + 4 + g, first + 11 + g, x, h[b]);
    for (int i = 0; i < kCells; ++i) {
      cell[b][i] = Gated(gates[1][i]) * cell[b][i] + Gated(gates[0][i]) * std::tanh(gates[2][i]);
      h[b][i] = Gated(gates[3][i]) * std::tanh(cell[b][i]);
    }
  }
};

void ExpectBoth(const Case& c) {
  Layers layers = Built(c);
  const auto model = Imported(layers);
  ASSERT_TRUE(model);
  EXPECT_TRUE(graph::Verify(model->graph).empty());
  ASSERT_EQ(model->states.size(), c.lstm ? 4u : 2u);
  Layer both[2] = {{c, layers, false}, {c, layers, true}};
  std::vector<Tensor> inputs = RandomInputs(*model, 1);
  for (uint64_t run = 0; run < 2; ++run) {
    const auto drawn = RandomInputs(*model, run + 10);
    for (size_t i = 0; i < layers.file.inputs.size(); ++i) inputs[i] = drawn[i];
    const auto values = golden::Run(model->graph, inputs);
    for (const bool backward : {false, true}) {
      const Numbers x = NumbersOf(inputs[backward && c.auxiliary ? 1 : 0]),
                    y = NumbersOf(*values[model->graph.outputs()[backward && !c.merged ? 1 : 0]]);
      for (int b = 0; b < kBatch; ++b)
        for (int step = 0; step < kSteps; ++step) {
          const int row = c.Row(b, backward ? kSteps - 1 - step : step);
          if (c.weights > 0) both[backward].other = Part(NumbersOf(inputs[1]), row, c.weights);
          both[backward].Step(Part(x, row, kInput), b);
          for (int i = 0; i < kCells; ++i) {
            const int at = c.merged ? row * 2 * kCells + (backward ? kCells : 0) + i : row * kCells + i;
            ASSERT_NEAR(y[at], both[backward].h[b][i], 1e-4) << run << " " << backward << " " << row;
          }
        }
    }
    for (const import::State& state : model->states)
      inputs[state.input] = *values[model->graph.outputs()[state.output]];
  }
}

TEST(Bidirectional, LstmReadsFromBothEnds) {
  ExpectBoth({.lstm = true});
  ExpectBoth({.lstm = true, .merged = true, .time_major = true});
  ExpectBoth({.lstm = true, .auxiliary = true});
  ExpectBoth({.lstm = true, .time_major = true, .bytes = true});
}

TEST(Bidirectional, BothLayersReadAnAuxiliaryInputThatHasWeights) {
  ExpectBoth({.lstm = true, .weights = kInput});
  ExpectBoth({.lstm = true, .merged = true, .time_major = true, .weights = kInput});
  ExpectBoth({.merged = true, .weights = 3});
  ExpectBoth({.time_major = true, .weights = kInput});
}

TEST(Bidirectional, RnnReadsFromBothEnds) {
  ExpectBoth({});
  ExpectBoth({.merged = true});
  ExpectBoth({.merged = true, .time_major = true, .auxiliary = true});
  ExpectBoth({.merged = true, .bytes = true});
}

std::string ErrorOf(Layers layers) {
  std::string error;
  EXPECT_FALSE(Imported(layers, &error));
  return error;
}

TEST(Bidirectional, WhatTheReferenceDoesNotDefineIsRefused) {
  EXPECT_THAT(ErrorOf(Built({.lstm = true, .merged = true})), HasSubstr("states of all but the first"));
  EXPECT_THAT(ErrorOf(Built({.auxiliary = true})), HasSubstr("which the reference's kernel does not read"));
  EXPECT_THAT(ErrorOf(Built({.time_major = true, .bytes = true})), HasSubstr("as often as it has steps"));
  Layers layers = Built({.time_major = true, .auxiliary = true});
  layers.op.inputs[10] = layers.op.inputs[1];
  EXPECT_THAT(ErrorOf(layers), HasSubstr("of one direction alone"));
  layers = Built({.lstm = true, .weights = kInput});
  layers.op.inputs[41] = -1;
  EXPECT_THAT(ErrorOf(layers), HasSubstr("without those of an auxiliary one"));
  layers = Built({.lstm = true, .weights = kInput});
  layers.op.inputs[42] = layers.Add(Drawn(Typed(DType::kInt8, {kCells, kInput}, 0.01f), 4, 127));
  EXPECT_THAT(ErrorOf(layers), HasSubstr("int8 weights of its own"));
  EXPECT_THAT(ErrorOf(Built({.time_major = true, .weights = 3})),
              HasSubstr("of another width than the input"));
  EXPECT_THAT(ErrorOf(Built({.lstm = true, .weights = 3})), HasSubstr("of another width than the input"));
  layers = Built({});
  layers.op.outputs.pop_back();
  EXPECT_THAT(ErrorOf(layers), HasSubstr("has 1 results"));
  layers = Built({});
  layers.op.inputs[8] = -1;
  EXPECT_THAT(ErrorOf(layers), HasSubstr("operand 8 is missing"));
  layers = Built({.lstm = true});
  layers.op.inputs.resize(30);
  EXPECT_THAT(ErrorOf(layers), HasSubstr("has 30 operands"));
  layers = Built({.lstm = true});
  layers.op.inputs[0] = layers.op.inputs[1];
  EXPECT_THAT(ErrorOf(layers), HasSubstr("an input that is not float32 of 3 dimensions"));
}

}  // namespace
}  // namespace cosim::import::tflite::recurrent_test
