// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's layers with a state, on sequences and over several runs, compared with their definitions.
#include "tests/import/tflite_recurrent.h"

#include <gmock/gmock.h>

#include <cmath>

namespace cosim::import::tflite::recurrent_test {
namespace {

using testing::HasSubstr;

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

struct LstmCase {
  int batch = 2, steps = 3, input = 3, cells = 4, outputs = 4;
  bool coupled = false, peephole = false, projected = false, normed = false, time_major = false,
       single = false, bytes = false, asymmetric = false;
  float cell_clip = 0, projection_clip = 0;
};

void ExpectFloatLstm(const LstmCase& c) {
  std::vector<TensorInfo> tensors;
  std::vector<int> places;
  const auto add = [&](bool there, const TensorInfo& info) {
    places.push_back(there ? static_cast<int>(tensors.size()) : -1);
    if (there) tensors.push_back(info);
  };
  const auto weights = [&](Shape shape) {
    return Drawn(Typed(DType::kFloat32, std::move(shape)), static_cast<uint32_t>(tensors.size()) + 3, 1);
  };
  const auto matrix = [&](Shape shape) {  // and peepholes
    const auto seed = static_cast<uint32_t>(tensors.size()) + 3;
    return c.bytes ? Drawn(Typed(DType::kInt8, std::move(shape), 0.008f), seed, 127)
                   : weights(std::move(shape));
  };
  const auto sequence = [&](int64_t last) {
    return c.single       ? Shape{c.batch, last}
           : c.time_major ? Shape{c.steps, c.batch, last}
                          : Shape{c.batch, c.steps, last};
  };
  add(true, Typed(DType::kFloat32, sequence(c.input)));
  for (int gate = 0; gate < 4; ++gate) add(gate > 0 || !c.coupled, matrix({c.cells, c.input}));
  for (int gate = 0; gate < 4; ++gate) add(gate > 0 || !c.coupled, matrix({c.cells, c.outputs}));
  for (int gate = 0; gate < 3; ++gate) add(c.peephole && (gate > 0 || !c.coupled), matrix({c.cells}));
  for (int gate = 0; gate < 4; ++gate) add(gate > 0 || !c.coupled, weights({c.cells}));
  add(c.projected, matrix({c.outputs, c.cells}));
  add(c.projected, weights({c.outputs}));
  add(true, State(Typed(DType::kFloat32, {c.batch, c.outputs})));
  add(true, State(Typed(DType::kFloat32, {c.batch, c.cells})));
  if (c.normed)
    for (int gate = 0; gate < 4; ++gate) add(gate > 0 || !c.coupled, weights({c.cells}));
  if (!c.normed && !c.single)
    for (int gate = 0; gate < 4; ++gate) places.push_back(-1);
  tensors.push_back(Typed(DType::kFloat32, sequence(c.outputs)));
  RecurrentOptions options;
  options.tanh = true;
  options.cell_clip = c.cell_clip;
  options.projection_clip = c.projection_clip;
  options.time_major = c.time_major;
  options.asymmetric = c.asymmetric;
  const auto model = Single(tensors, places, c.single ? "LSTM" : "UNIDIRECTIONAL_SEQUENCE_LSTM", options);
  ASSERT_TRUE(model);
  ASSERT_EQ(model->states.size(), 2u);
  std::vector<Tensor> given;
  const auto outputs = Runs(*model, 2, given);

  const auto constant = [&](size_t operand) {
    const int at = operand < places.size() ? places[operand] : -1;
    return at < 0 ? Numbers() : RealOf(tensors[static_cast<size_t>(at)]);
  };
  const auto seen = [&](const Numbers& vector) { return c.bytes ? InSteps(vector, c.asymmetric) : vector; };
  const int steps = c.single ? 1 : c.steps;
  std::vector<Numbers> h(c.batch, Numbers(c.outputs, 0.0)), cell(c.batch, Numbers(c.cells, 0.0));
  for (size_t run = 0; run < outputs.size(); ++run) {
    const Numbers x = NumbersOf(given[run]), y = NumbersOf(outputs[run]);
    for (int t = 0; t < steps; ++t)
      for (int b = 0; b < c.batch; ++b) {
        const int row = c.time_major && !c.single ? t * c.batch + b : b * steps + t;
        const auto gate = [&](size_t g, int i) {  // before its function
          const Numbers w = constant(1 + g), r = constant(5 + g), bias = constant(12 + g),
                        norm = constant(20 + g);
          const Numbers peep = g == 2 ? Numbers() : constant(9 + (g == 3 ? 2 : g));
          const Numbers now = seen(Part(x, row, c.input)), before = seen(h[b]);
          Numbers sums;
          for (int j = 0; j < c.cells; ++j) {
            double sum = norm.empty() ? bias[j] : 0;
            for (int k = 0; k < c.input; ++k) sum += w[j * c.input + k] * now[k];
            for (int k = 0; k < c.outputs; ++k) sum += r[j * c.outputs + k] * before[k];
            if (!peep.empty()) sum += peep[j] * cell[b][j];
            sums.push_back(sum);
          }
          if (norm.empty()) return sums[i];
          double mean = 0, squares = 0;
          for (double s : sums) mean += s / c.cells;
          for (double s : sums) squares += s * s / c.cells;
          return (sums[i] - mean) / std::sqrt(squares - mean * mean + 1e-8) * norm[i] + bias[i];
        };
        Numbers next(c.cells), raw(c.cells);
        for (int i = 0; i < c.cells; ++i) {
          const double forget = Sigmoid(gate(1, i)), in = c.coupled ? 1 - forget : Sigmoid(gate(0, i));
          next[i] = forget * cell[b][i] + in * std::tanh(gate(2, i));
          if (c.cell_clip > 0) next[i] = std::clamp(next[i], -double{c.cell_clip}, double{c.cell_clip});
        }
        cell[b] = next;
        for (int i = 0; i < c.cells; ++i) raw[i] = Sigmoid(gate(3, i)) * std::tanh(cell[b][i]);
        if (c.projected) {
          const Numbers p = constant(16), bias = constant(17), of = seen(raw);
          for (int o = 0; o < c.outputs; ++o) {
            double sum = bias[o];
            for (int i = 0; i < c.cells; ++i) sum += p[o * c.cells + i] * of[i];
            h[b][o] = c.projection_clip > 0
                          ? std::clamp(sum, -double{c.projection_clip}, double{c.projection_clip})
                          : sum;
          }
        } else {
          h[b] = raw;
        }
        for (int o = 0; o < c.outputs; ++o)
          ASSERT_NEAR(y[row * c.outputs + o], h[b][o], 1e-5) << run << " " << t;
      }
  }
}

TEST(Lstm, Float) {
  ExpectFloatLstm({});
  ExpectFloatLstm({.time_major = true});
  ExpectFloatLstm({.coupled = true, .cell_clip = 0.3f});
  ExpectFloatLstm({.peephole = true});
  ExpectFloatLstm({.outputs = 2, .projected = true, .projection_clip = 0.4f});
  ExpectFloatLstm({.coupled = true, .peephole = true, .normed = true});
  ExpectFloatLstm({.outputs = 3, .peephole = true, .projected = true, .normed = true});
  ExpectFloatLstm({.single = true});
}

TEST(Lstm, FloatByWeightsOfBytes) {
  ExpectFloatLstm({.bytes = true});
  ExpectFloatLstm({.time_major = true, .bytes = true, .asymmetric = true});
  ExpectFloatLstm({.outputs = 3, .peephole = true, .projected = true, .normed = true, .bytes = true});
  ExpectFloatLstm({.coupled = true, .peephole = true, .single = true, .bytes = true, .asymmetric = true});
}

// Bytes: each step by the integer definition, with the tested LOGISTIC and TANH of int16 as its functions.
int64_t Scaled(int64_t sum, double factor) {
  int exponent = 0;
  const auto bits = static_cast<int64_t>(std::round(std::frexp(factor, &exponent) * 0x1p31));
  const int64_t high = ((exponent > 0 ? sum << exponent : sum) * bits + (int64_t{1} << 30)) >> 31;
  return static_cast<int64_t>(std::round(std::ldexp(static_cast<double>(high), std::min(exponent, 0))));
}
int64_t Clamp16(int64_t v) { return std::clamp<int64_t>(v, -32768, 32767); }

Numbers OfInt16(const std::string& op, const Numbers& x, float scale) {
  Diagnostics diagnostics;
  const Shape shape = {static_cast<int64_t>(x.size())};
  const auto model =
      OneOperator({Typed(DType::kInt16, shape, scale), Typed(DType::kInt16, shape, 1.0f / 32768)}, op,
                  NoOptions{}, diagnostics);
  EXPECT_TRUE(model) << diagnostics.Render();
  Tensor tensor({DType::kInt16, shape});
  std::ranges::copy(x, tensor.mutable_data<int16_t>().begin());
  return NumbersOf(*golden::Run(model->graph, {tensor})[model->graph.outputs()[0]]);
}

constexpr float kBytes = 0.02f, kWords = 0.0001f;  // scales of what integer layers read

/// `wide`: of int16.
std::pair<std::vector<TensorInfo>, std::vector<int>> IntegerLstm(int batch, int steps, int input, int cells,
                                                                 bool wide = false) {
  const DType type = wide ? DType::kInt16 : DType::kInt8;
  std::vector<TensorInfo> tensors = {
      Typed(type, {batch, steps, input}, wide ? kWords : kBytes, wide ? 0 : 5)};
  std::vector<int> places = {0};
  const auto add = [&](const TensorInfo& info) {
    places.push_back(static_cast<int>(tensors.size()));
    tensors.push_back(info);
  };
  for (int gate = 0; gate < 4; ++gate)
    add(Drawn(Typed(DType::kInt8, {cells, input}, 0.01f + 0.001f * static_cast<float>(gate)), 20 + gate,
              127));
  for (int gate = 0; gate < 4; ++gate)
    add(Drawn(Typed(DType::kInt8, {cells, cells}, 0.012f - 0.001f * static_cast<float>(gate)), 30 + gate,
              127));
  places.insert(places.end(), 3, -1);
  for (int gate = 0; gate < 4; ++gate)
    add(Drawn(Typed(wide ? DType::kInt64 : DType::kInt32, {cells}, 0.0002f), 40 + gate,
              wide ? 600'000 : 3000));
  places.insert(places.end(), 2, -1);
  const TensorInfo hidden = Typed(type, {batch, cells}, wide ? 0.00003f : 0.007f, wide ? 0 : -3);
  add(State(hidden));
  add(State(Typed(DType::kInt16, {batch, cells}, 0x1p-11f)));
  places.insert(places.end(), 4, -1);
  tensors.push_back(hidden);
  tensors.back().shape = {batch, steps, cells};
  return {tensors, places};
}

/// Scaled of a sum of 64 bits: by the upper 16 bits of the multiplier, rounded once.
int64_t WidelyScaled(int64_t x, double factor) {
  int exponent = 0;
  const auto fraction = static_cast<int64_t>(std::round(std::ldexp(std::frexp(factor, &exponent), 31)));
  const int64_t upper = fraction < 0x7FFF0000 ? (fraction + 0x8000) >> 16 : 0x7FFF;
  return static_cast<int64_t>(std::floor(std::ldexp(static_cast<double>(x * upper), exponent - 15) + 0.5));
}

void ExpectIntegerLstm(bool wide) {
  constexpr int kBatch = 2, kSteps = 4, kInput = 5, kCells = 3;
  const auto [tensors, places] = IntegerLstm(kBatch, kSteps, kInput, kCells, wide);
  const double x_zero = wide ? 0 : 5, h_zero = wide ? 0 : -3, most = wide ? 32767 : 127;
  const float x_scale = tensors[0].scales[0], h_scale = tensors.back().scales[0];
  const auto scaled = [&](double sum, double factor) {
    return Clamp16(wide ? WidelyScaled(static_cast<int64_t>(sum), factor)
                        : Scaled(static_cast<int64_t>(sum), factor));
  };
  RecurrentOptions options;
  options.tanh = true;
  options.cell_clip = 1.5f;
  const auto model = Single(tensors, places, "UNIDIRECTIONAL_SEQUENCE_LSTM", options);
  ASSERT_TRUE(model);
  std::vector<Tensor> given;
  const auto outputs = Runs(*model, 3, given);
  std::vector<Numbers> h(kBatch, Numbers(kCells, h_zero)), cell(kBatch, Numbers(kCells, 0));
  const double clip = 1.5 * 2048, hidden_scale = static_cast<double>(h_scale);
  for (size_t run = 0; run < outputs.size(); ++run) {
    const Numbers x = NumbersOf(given[run]), y = NumbersOf(outputs[run]);
    for (int b = 0; b < kBatch; ++b)
      for (int t = 0; t < kSteps; ++t) {
        const auto gate = [&](size_t g) {
          const TensorInfo &w = tensors[1 + g], &r = tensors[5 + g], &bias = tensors[9 + g];
          const Numbers wn = NumbersOf(*w.data), rn = NumbersOf(*r.data), bn = NumbersOf(*bias.data);
          Numbers result;
          for (int i = 0; i < kCells; ++i) {
            double from_x = bn[i], from_h = 0;
            for (int k = 0; k < kInput; ++k)
              from_x += wn[i * kInput + k] * (x[(b * kSteps + t) * kInput + k] - x_zero);
            for (int k = 0; k < kCells; ++k) from_h += rn[i * kCells + k] * (h[b][k] - h_zero);
            const double fx = static_cast<double>(x_scale * w.scales[0]) * 4096,
                         fh = static_cast<double>(h_scale * r.scales[0]) * 4096;
            result.push_back(static_cast<double>(Clamp16(scaled(from_x, fx) + scaled(from_h, fh))));
          }
          return OfInt16(g == 2 ? "TANH" : "LOGISTIC", result, 0x1p-12f);
        };
        const Numbers in = gate(0), forget = gate(1), candidate = gate(2), out = gate(3);
        for (int i = 0; i < kCells; ++i) {
          const int64_t kept = Clamp16(Scaled(static_cast<int64_t>(forget[i] * cell[b][i]), 0x1p-15)),
                        added = Clamp16(Scaled(static_cast<int64_t>(in[i] * candidate[i]), 0x1p-19));
          cell[b][i] = std::clamp(static_cast<double>(Clamp16(kept + added)), -clip, clip);
        }
        const Numbers squashed = OfInt16("TANH", cell[b], 0x1p-11f);
        for (int i = 0; i < kCells; ++i) {
          const int64_t product = Scaled(static_cast<int64_t>(out[i] * squashed[i]), 0x1p-30 / hidden_scale);
          h[b][i] = std::clamp(static_cast<double>(product) + h_zero, -most - 1, most);
          ASSERT_EQ(y[(b * kSteps + t) * kCells + i], h[b][i]) << run << " " << b << " " << t << " " << i;
        }
      }
  }
}

TEST(Lstm, BytesWithCellsOfInt16) { ExpectIntegerLstm(false); }

// No runtime at hand has it: tflite-micro's kernel is what its definition here follows.
TEST(Lstm, ValuesOfInt16ByWeightsOfBytes) { ExpectIntegerLstm(true); }

TEST(Lstm, WhatIsNotDefinedForIntegersIsNamed) {
  auto [tensors, places] = IntegerLstm(1, 2, 3, 4);
  RecurrentOptions options;
  options.tanh = true;
  std::string error;
  const std::string op = "UNIDIRECTIONAL_SEQUENCE_LSTM";
  auto some = places;
  some[1] = some[5] = some[12] = -1;
  EXPECT_FALSE(Single(tensors, some, op, options, &error));
  EXPECT_THAT(error, HasSubstr("integers without an input gate"));
  some = places;
  some[9] = places[12];
  EXPECT_FALSE(Single(tensors, some, op, options, &error));
  EXPECT_THAT(error, HasSubstr("peepholes of integers"));
  auto other = tensors;
  other[14].scales = {0.0005f};
  EXPECT_FALSE(Single(other, places, op, options, &error));
  EXPECT_THAT(error, HasSubstr("no power of two"));
  other = tensors;
  other[13].variable = false;
  other[13].data = std::make_shared<const Tensor>(Tensor({DType::kInt8, {1, 4}}));
  EXPECT_FALSE(Single(other, places, op, options, &error));
  EXPECT_THAT(error, HasSubstr("its state is no variable tensor"));
  some = {0, 1, 2, 3, 4};
  EXPECT_FALSE(Single(tensors, some, "LSTM", options, &error));
  EXPECT_THAT(error, HasSubstr("has 1 results, not 4"));
}

void ExpectRnn(bool single, bool bytes, bool asymmetric) {
  const int steps = single ? 1 : 3;
  const Shape x = single ? Shape{2, 4} : Shape{2, 3, 4}, y = single ? Shape{2, 5} : Shape{2, 3, 5};
  const auto drawn = [](Shape shape, uint32_t seed) {
    return Drawn(Typed(DType::kFloat32, std::move(shape)), seed, 1);
  };
  const auto matrix = [&](Shape shape, uint32_t seed) {
    return bytes ? Drawn(Typed(DType::kInt8, std::move(shape), 0.008f), seed, 127)
                 : drawn(std::move(shape), seed);
  };
  const auto seen = [&](const Numbers& v) { return bytes ? InSteps(v, asymmetric) : v; };
  const std::vector<TensorInfo> tensors = {Typed(DType::kFloat32, x),
                                           matrix({5, 4}, 1),
                                           matrix({5, 5}, 2),
                                           drawn({5}, 3),
                                           State(Typed(DType::kFloat32, {2, 5})),
                                           Typed(DType::kFloat32, y)};
  RecurrentOptions options;
  options.activation = Activation::kRelu;
  options.asymmetric = asymmetric;
  const auto model =
      Single(tensors, {0, 1, 2, 3, 4}, single ? "RNN" : "UNIDIRECTIONAL_SEQUENCE_RNN", options);
  ASSERT_TRUE(model);
  std::vector<Tensor> given;
  const auto outputs = Runs(*model, 2, given);
  const Numbers w = RealOf(tensors[1]), r = RealOf(tensors[2]), bias = NumbersOf(*tensors[3].data);
  std::vector<Numbers> h(2, Numbers(5, 0.0));
  for (size_t run = 0; run < 2; ++run)
    for (int b = 0; b < 2; ++b)
      for (int t = 0; t < steps; ++t) {
        const Numbers x = seen(Part(NumbersOf(given[run]), b * steps + t, 4)), before = seen(h[b]);
        Numbers next = bias;
        for (int i = 0; i < 5; ++i) {
          for (int k = 0; k < 4; ++k) next[i] += w[i * 4 + k] * x[k];
          for (int k = 0; k < 5; ++k) next[i] += r[i * 5 + k] * before[k];
          next[i] = std::max(next[i], 0.0);
        }
        h[b] = next;
        for (int i = 0; i < 5; ++i)
          ASSERT_NEAR(NumbersOf(outputs[run])[(b * steps + t) * 5 + i], h[b][i], 1e-4);
      }
}

TEST(Rnn, StepsAndSequences) {
  for (bool single : {false, true}) ExpectRnn(single, false, false);
}

TEST(Rnn, FloatByWeightsOfBytes) {
  for (bool asymmetric : {false, true}) ExpectRnn(asymmetric, true, asymmetric);
}

// F filters of rank 2 keep their last M products.
void ExpectSvdf(DType dtype, DType wide) {
  constexpr int kBatch = 2, kInput = 6, kFilters = 8, kMemory = 3, kRank = 2, kUnits = 4;
  const bool real = dtype == DType::kFloat32;
  const float past_scale = wide == DType::kInt8 ? 0.05f : 0.0005f,
              time_scale = wide == DType::kInt8 ? 0.01f : 0.0001f;
  const int32_t past_zero = wide == DType::kInt8 ? 7 : 0;
  const std::vector<TensorInfo> tensors = {
      Typed(dtype, {kBatch, kInput}, real ? 0 : 0.03f, real ? 0 : -9),
      Drawn(Typed(dtype, {kFilters, kInput}, real ? 0 : 0.01f), 1, 127),
      Drawn(Typed(wide, {kFilters, kMemory}, real ? 0 : time_scale), 2, wide == DType::kInt16 ? 9000 : 127),
      Drawn(Typed(real ? dtype : DType::kInt32, {kUnits}, real ? 0 : past_scale * time_scale), 3, 500),
      State(Typed(wide, {kBatch, kMemory * kFilters}, real ? 0 : past_scale, past_zero)),
      Typed(dtype, {kBatch, kUnits}, real ? 0 : 0.04f, real ? 0 : -128)};
  RecurrentOptions options;
  options.rank = kRank;
  options.activation = Activation::kRelu;
  const auto model = Single(tensors, {0, 1, 2, 3, 4}, "SVDF", options);
  ASSERT_TRUE(model);
  std::vector<Tensor> given;
  const auto outputs = Runs(*model, 5, given);
  const Numbers features = NumbersOf(*tensors[1].data), times = NumbersOf(*tensors[2].data),
                bias = NumbersOf(*tensors[3].data);
  std::vector<Numbers> products(kBatch * kFilters, Numbers(kMemory, real ? 0 : past_zero));
  for (size_t run = 0; run < outputs.size(); ++run) {
    const Numbers x = NumbersOf(given[run]), y = NumbersOf(outputs[run]);
    for (int b = 0; b < kBatch; ++b)
      for (int f = 0; f < kFilters; ++f) {
        double sum = 0;
        for (int k = 0; k < kInput; ++k)
          sum += features[f * kInput + k] * (x[b * kInput + k] + (real ? 0 : 9));
        Numbers& list = products[b * kFilters + f];
        list.erase(list.begin());
        const auto first = static_cast<double>(0.03f * 0.01f / past_scale);
        const int64_t most = wide == DType::kInt8 ? 127 : 32767;
        list.push_back(real ? sum
                            : static_cast<double>(std::clamp(
                                  Scaled(static_cast<int64_t>(sum), first) + past_zero, -most - 1, most)));
      }
    for (int b = 0; b < kBatch; ++b)
      for (int u = 0; u < kUnits; ++u) {
        double sum = bias[u];
        for (int r = 0; r < kRank; ++r)
          for (int m = 0; m < kMemory; ++m)
            sum += times[(u * kRank + r) * kMemory + m] *
                   (products[b * kFilters + u * kRank + r][m] - (real ? 0 : past_zero));
        if (real) {
          ASSERT_NEAR(y[b * kUnits + u], std::max(sum, 0.0), 1e-4);
          continue;
        }
        const auto second = static_cast<double>(past_scale * time_scale / 0.04f);
        ASSERT_EQ(y[b * kUnits + u], static_cast<double>(std::clamp<int64_t>(
                                         Scaled(static_cast<int64_t>(sum), second) - 128, -128, 127)))
            << run;
      }
  }
}

TEST(Svdf, FloatByWeightsOfBytes) {
  constexpr int kInput = 6, kFilters = 4, kMemory = 3;
  for (const bool asymmetric : {false, true}) {
    const std::vector<TensorInfo> tensors = {Typed(DType::kFloat32, {1, kInput}),
                                             Drawn(Typed(DType::kInt8, {kFilters, kInput}, 0.01f), 1, 127),
                                             Drawn(Typed(DType::kInt8, {kFilters, kMemory}, 0.02f), 2, 127),
                                             Drawn(Typed(DType::kFloat32, {kFilters}), 3, 1),
                                             State(Typed(DType::kFloat32, {1, kMemory * kFilters})),
                                             Typed(DType::kFloat32, {1, kFilters})};
    RecurrentOptions options;
    options.rank = 1;
    options.asymmetric = asymmetric;
    const auto model = Single(tensors, {0, 1, 2, 3, 4}, "SVDF", options);
    ASSERT_TRUE(model);
    std::vector<Tensor> given;
    const auto outputs = Runs(*model, 4, given);
    const Numbers features = RealOf(tensors[1]), times = RealOf(tensors[2]), bias = RealOf(tensors[3]);
    std::vector<Numbers> products(kFilters, Numbers(kMemory, 0.0));
    for (size_t run = 0; run < outputs.size(); ++run) {
      const Numbers x = InSteps(NumbersOf(given[run]), asymmetric);
      for (int f = 0; f < kFilters; ++f) {
        double product = 0, sum = bias[f];
        for (int k = 0; k < kInput; ++k) product += features[f * kInput + k] * x[k];
        products[f].erase(products[f].begin());
        products[f].push_back(product);
        for (int m = 0; m < kMemory; ++m) sum += times[f * kMemory + m] * products[f][m];
        ASSERT_NEAR(NumbersOf(outputs[run])[f], sum, 1e-5) << run;
      }
    }
  }
}

TEST(Recurrent, StatesHaveABound) {
  constexpr int64_t kBatch = int64_t{1} << 22;
  const std::vector<TensorInfo> tensors = {
      Typed(DType::kFloat32, {kBatch, 4}),         Drawn(Typed(DType::kFloat32, {5, 4}), 1, 1),
      Drawn(Typed(DType::kFloat32, {5, 5}), 2, 1), Drawn(Typed(DType::kFloat32, {5}), 3, 1),
      State(Typed(DType::kFloat32, {kBatch, 5})),  Typed(DType::kFloat32, {kBatch, 5})};
  std::string error;
  EXPECT_FALSE(Single(tensors, {0, 1, 2, 3, 4}, "RNN", RecurrentOptions{}, &error));
  EXPECT_THAT(error, HasSubstr("its state has more than 16777216 elements"));
}

TEST(Recurrent, OtherWeightsOfIntegersAreNamed) {
  auto tensors = std::vector<TensorInfo>{Typed(DType::kFloat32, {1, 4}),
                                         Drawn(Typed(DType::kInt8, {5, 4}, 0.01f, 3), 1, 127),
                                         Drawn(Typed(DType::kInt8, {5, 5}, 0.01f), 2, 127),
                                         Drawn(Typed(DType::kFloat32, {5}), 3, 1),
                                         State(Typed(DType::kFloat32, {1, 5})),
                                         Typed(DType::kFloat32, {1, 5})};
  std::string error;
  EXPECT_FALSE(Single(tensors, {0, 1, 2, 3, 4}, "RNN", RecurrentOptions{}, &error));
  EXPECT_THAT(
      error,
      HasSubstr("a float input with operand 1 of int8[5,4]: int8 weights with one scale and no zero point"));
  tensors[1].zero_points = {0};
  tensors[3] = Drawn(Typed(DType::kInt8, {5}, 0.01f), 3, 1);
  EXPECT_FALSE(Single(tensors, {0, 1, 2, 3, 4}, "RNN", RecurrentOptions{}, &error));
  EXPECT_THAT(error, HasSubstr("a float input with operand 3 of int8[5]"));
}

TEST(Svdf, RemembersItsLastProducts) {
  ExpectSvdf(DType::kFloat32, DType::kFloat32);
  ExpectSvdf(DType::kInt8, DType::kInt16);
  ExpectSvdf(DType::kInt8, DType::kInt8);
}

}  // namespace
}  // namespace cosim::import::tflite::recurrent_test
