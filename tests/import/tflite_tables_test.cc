// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's functions of one quantized value. What they are compared with is the definition of the
// reference kernels, written once more here in other words.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/import/tflite_fixed_point.h"
#include "tests/import/tflite_testing.h"

namespace cosim::import::tflite {
namespace {

using testing::HasSubstr;

/// All values of the type through an operator of one operand, with f on values less their zero point giving
/// steps of the result.
void ExpectFunction(const char* op, const OperatorOptions& options, DType type, float from, float to,
                    const std::function<double(int64_t)>& f, int32_t zero = -7, int32_t result_zero = 11) {
  const int64_t count = type == DType::kInt16 ? 65536 : 256;
  Tensor x({type, {count}});
  for (int64_t i = 0; i < count; ++i) {
    if (type == DType::kInt16) {
      x.mutable_data<int16_t>()[i] = static_cast<int16_t>(i);
    } else {
      x.mutable_bytes()[i] = static_cast<uint8_t>(i);
    }
  }
  const int32_t a = ZeroOf(type, zero), b = ZeroOf(type, result_zero);
  const auto y = Results({Scaled(type, {count}, from, a), Scaled(type, {count}, to, b)}, 1, op, options, {x});
  ASSERT_EQ(y.size(), 1u);
  const auto in = Numbers(x), out = Numbers(y[0]);
  int wrong = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double steps = f(static_cast<int64_t>(in[i]) - a);
    wrong +=
        out[i] != static_cast<double>(RangeOf(type)(static_cast<int64_t>(std::clamp(steps, -1e9, 1e9)) + b));
  }
  EXPECT_EQ(wrong, 0) << op << " of " << graph::Name(type);
}

TEST(TfliteTables, LeakyReluHasTwoFactors) {
  for (const DType type : kQuantized)
    for (const float alpha : {0.1f, 0.5f, 1.5f})
      ExpectFunction("LEAKY_RELU", LeakyOptions{alpha}, type, 0.05f, 0.031f, [=](int64_t v) {
        const float factor = v >= 0 ? 0.05f / 0.031f : 0.05f * alpha / 0.031f;
        return static_cast<double>(Times(v, static_cast<double>(factor)));
      });
  const TensorInfo x = Scaled(DType::kInt8, {4}, 0.5f, 0);
  EXPECT_THAT(Refusal({x, x}, "LEAKY_RELU", LeakyOptions{-1}), HasSubstr("slope of -1"));
  EXPECT_THAT(Refusal({x, Scaled(DType::kInt16, {4}, 1, 0)}, "LEAKY_RELU", LeakyOptions{1}),
              HasSubstr("int8 to int16"));
}

// In 16 bits: the value in units of 1/128 of its scale, its share of the gate in 15 bits.
double HardSwishOf(int64_t v, float from, float to) {
  const auto fixed = [](float factor, int& exponent) {
    const auto bits31 = std::min<int64_t>(
        static_cast<int64_t>(std::round(std::ldexp(std::frexp(static_cast<double>(factor), &exponent), 31))),
        0x7FFFFFFF);
    return std::min<int64_t>((bits31 + 0x8000) >> 16, 32767);
  };
  const auto half_away = [](int64_t x, int64_t divisor) {
    return std::lround(static_cast<double>(x) / static_cast<double>(divisor));
  };
  const Range bits16{-32768, 32767};
  const float fine = 1.0f / 128 * from;
  int out_exponent = 0, gate_exponent = 0;
  const int64_t out = fixed(fine / to, out_exponent), slope = fixed(fine / (3.0f / 32768), gate_exponent);
  const int64_t x = v * 128, scaled = half_away(x * out, 32768);
  int64_t gate = gate_exponent > 0 ? bits16(x << (gate_exponent - 1)) : x;
  gate = half_away(gate * slope, 32768);
  if (gate_exponent > 0) gate = bits16(gate * 2);
  if (gate_exponent < 0) gate = half_away(gate, int64_t{1} << -gate_exponent);
  gate = (gate + 32768) >> 1;
  return static_cast<double>(half_away(gate * scaled / 32768, int64_t{1} << -out_exponent));
}

TEST(TfliteTables, HardSwishIsOfSixteenBits) {
  for (const DType type : {DType::kInt8, DType::kUint8})
    for (const auto& [from, to] :
         {std::pair(0.05f, 0.03f), std::pair(0.02f, 0.02f), std::pair(0.3f, 0.2f), std::pair(0.004f, 0.01f)})
      ExpectFunction("HARD_SWISH", NoOptions{}, type, from, to,
                     [from = from, to = to](int64_t v) { return HardSwishOf(v, from, to); });
  // And it is near the function.
  ExpectFunction("HARD_SWISH", NoOptions{}, DType::kInt8, 1.0f / 16, 1.0f / 16, [](int64_t v) {
    const double x = static_cast<double>(v) / 16, y = x * std::clamp(x + 3, 0.0, 6.0) / 6 * 16;
    const double exact = HardSwishOf(v, 1.0f / 16, 1.0f / 16);
    EXPECT_NEAR(y, exact, 1) << v;
    return exact;
  });
  EXPECT_THAT(Refusal({Scaled(DType::kInt16, {4}, 1, 0), Scaled(DType::kInt16, {4}, 1, 0)}, "HARD_SWISH"),
              HasSubstr("float32 and bytes only"));
}

TEST(TfliteTables, AbsoluteValuesAndRoots) {
  for (const DType type : kQuantized) {
    ExpectFunction("ABS", NoOptions{}, type, 0.05f, 0.05f,
                   [](int64_t v) { return static_cast<double>(std::abs(v)); });
    ExpectFunction("ABS", NoOptions{}, type, 0.05f, 0.02f, [](int64_t v) {
      return static_cast<double>(Times(std::abs(v), static_cast<double>(0.05f) / static_cast<double>(0.02f)));
    });
  }
  // Within a unit of the real function, which is all that does not repeat its fixed point.
  const auto root = [](DType type, float from, float to, int32_t zero) {
    const TensorInfo x = Scaled(type, {60}, from, zero), y = Scaled(type, {60}, to, 0);
    Tensor in({type, {60}});
    graph::WithElementType(type, [&](auto t) {
      if constexpr (std::is_integral_v<decltype(t)>)
        for (int i = 0; i < 60; ++i) {
          const int value = zero + 1 + 4 * i;
          in.mutable_data<decltype(t)>()[i] = static_cast<decltype(t)>(value);
        }
    });
    const auto out = Results({x, y}, 1, "RSQRT", NoOptions{}, {in});
    ASSERT_EQ(out.size(), 1u);
    for (int i = 0; i < 60; ++i)
      EXPECT_NEAR(Numbers(out[0])[i],
                  std::min(1 / std::sqrt(static_cast<double>(from) * (1 + 4 * i)) / static_cast<double>(to),
                           type == DType::kInt8 ? 127.0 : 32767.0),
                  1);
  };
  root(DType::kInt8, 0.1f, 0.03f, -128);
  root(DType::kInt16, 0.1f, 0.0002f, 0);
  ExpectFunction("ELU", NoOptions{}, DType::kInt8, 0.03f, 0.02f, [](int64_t v) {
    const float x = 0.03f * static_cast<float>(v);
    return std::round((x < 0 ? std::exp(x) - 1.0f : x) * (1 / 0.02f));
  });
  ExpectFunction("EXP", NoOptions{}, DType::kUint8, 0.03f, 0.1f,
                 [](int64_t v) { return std::round(std::exp(0.03f * static_cast<float>(v)) * (1 / 0.1f)); });
  EXPECT_THAT(Refusal({Scaled(DType::kInt8, {4}, 1, 0), Scaled(DType::kInt8, {4}, 1, 0)}, "SIN"),
              HasSubstr("int8 values: the reference computes float32 only"));
}

/// A function of int16 as the reference interpolates it, for every value: 513 points in float32, those of
/// each piece's begin lowered by half of what the line misses in the middle.
std::function<double(int64_t)> Interpolated(float from, float to, float (*f)(float)) {
  const float first = from * -32768, last = from * 32767, width = (last - first) / 512;
  const float inverse = 65536 / (to * 32767 - to * -32768);
  const auto steps = [=](float x) { return f(x) * inverse; };
  std::vector<int64_t> points;
  for (int i = 0; i <= 512; ++i) {
    const float x = i == 512 ? last : first + static_cast<float>(i) * width;
    float point = std::round(steps(x));
    if (i < 512) {
      const float chord = std::round((steps(first + static_cast<float>(i + 1) * width) + point) / 2);
      point -= std::round((chord - std::round(steps(x + width / 2))) / 2);
    }
    points.push_back(static_cast<int64_t>(std::clamp(point, -32768.0f, 32767.0f)));
  }
  return [points](int64_t q) {
    const auto piece = static_cast<size_t>((q + 32768) / 128);
    const int64_t within = (q + 32768) % 128, rise = points[piece + 1] - points[piece];
    return static_cast<double>(points[piece]) + std::floor(static_cast<double>(rise * within + 64) / 128);
  };
}

TEST(TfliteTables, ExponentialsLogarithmsAndSquareRoots) {
  const auto exponential = [](float x) { return std::exp(x); };
  ExpectFunction("EXP", NoOptions{}, DType::kInt16, 0.0001f, 0.001f,
                 Interpolated(0.0001f, 0.001f, exponential));
  // And that is near the function: the last line ends one step early.
  for (int64_t q : {-32768, -5000, 0, 12345, 32767})
    EXPECT_NEAR(Interpolated(0.0001f, 0.001f, exponential)(q), std::exp(1e-4 * static_cast<double>(q)) * 1000,
                3);
  ExpectFunction("LOG", NoOptions{}, DType::kInt8, 0.03f, 0.02f, [](int64_t v) {
    return v <= 0 ? -1000 : std::round(std::log(0.03f * static_cast<float>(v)) * (1 / 0.02f));
  });
  constexpr float kFrom = 0.001f, kTo = 0.0003f;
  ExpectFunction("LOG", NoOptions{}, DType::kInt16, kFrom, kTo,
                 Interpolated(kFrom, kTo, [](float x) { return x <= 0 ? -32768 * kTo : std::log(x); }));
  // The result is cut off.
  for (const DType type : {DType::kInt8, DType::kInt16})
    ExpectFunction("SQRT", NoOptions{}, type, 0.03f, 0.02f, [](int64_t v) {
      return v <= 0 ? 0.0 : std::trunc(std::sqrt(0.03f * static_cast<float>(v)) / 0.02f);
    });
  for (const char* op : {"LOG", "SQRT"})
    EXPECT_THAT(Refusal({Scaled(DType::kUint8, {4}, 1, 0), Scaled(DType::kUint8, {4}, 1, 0)}, op),
                HasSubstr("uint8 values: the reference computes float32, int8 and int16"));
}

int CountOf(const Model& model, bool (*is)(const graph::Node&)) {
  return static_cast<int>(std::ranges::count_if(model.graph.nodes(), is));
}
bool IsTable(const graph::Node& node) { return node.As<graph::Table>() != nullptr; }
bool IsPair(const graph::Node& node) {
  return node.As<graph::HostOp>() != nullptr && node.inputs.size() == 2;
}

// With the constant known, and as an input that happens to hold it.
TEST(TfliteTables, PairsWithAConstantAreFunctionsOfTheOther) {
  const Shape shape = {1, 4, 5, 13};
  for (const char* op : {"ADD", "SUB", "MUL", "DIV", "SQUARED_DIFFERENCE", "PRELU"})
    for (const DType type : {DType::kInt8, DType::kUint8})
      for (const bool constant_first : {false, true}) {
        if (constant_first && std::string_view(op) == "PRELU") continue;
        if (type == DType::kUint8 && std::string_view(op) == "SQUARED_DIFFERENCE") continue;  // is none
        SCOPED_TRACE(testing::Message() << op << graph::Name(type) << constant_first);
        const Tensor x = RandomOf(type, shape, 1), c = RandomOf(type, {1}, 7);
        const TensorInfo any = Scaled(type, shape, 0.05f, ZeroOf(type, 3)),
                         one = Scaled(type, {1}, 0.07f, ZeroOf(type, -9)),
                         out = Scaled(type, shape, 0.06f, ZeroOf(type, 5));
        const OperatorOptions options =
            std::string_view(op) == "DIV" ? OperatorOptions{ElementwiseOptions{}} : NoOptions{};
        const auto sorted = [&](const auto& constant, const auto& other) {
          return constant_first ? std::vector{constant, other} : std::vector{other, constant};
        };
        auto known = sorted(Known(one, c), any), unknown = sorted(one, any);
        known.push_back(out);
        unknown.push_back(out);
        EXPECT_EQ(Results(known, 1, op, options, {x}), Results(unknown, 1, op, options, sorted(c, x)));
        Diagnostics diagnostics;
        const auto model = OneOperator(known, op, options, diagnostics);
        ASSERT_TRUE(model) << diagnostics.Render();
        EXPECT_EQ(CountOf(*model, IsTable), 1);
        EXPECT_EQ(CountOf(*model, IsPair), 0);
      }
  const TensorInfo any = Scaled(DType::kInt8, shape, 0.05f, 3);
  Diagnostics diagnostics;
  const auto several =
      OneOperator({any, Known(Scaled(DType::kInt8, {13}, 0.07f, 0), RandomOf(DType::kInt8, {13}, 7)), any},
                  "MUL", NoOptions{}, diagnostics);
  ASSERT_TRUE(several) << diagnostics.Render();
  EXPECT_EQ(CountOf(*several, IsTable), 0) << "a constant of each channel";
}

TEST(TfliteTables, TwoFunctionsBecomeOne) {
  const TensorInfo any = Scaled(DType::kInt8, {4, 50}, 0.05f, 3),
                   one = Known(Scaled(DType::kInt8, {1}, 0.07f, -9), RandomOf(DType::kInt8, {1}, 7));
  File file{.name = "test.tflite", .tensors = {any, one, any, one, any}};
  file.operators = {{.name = "MUL", .inputs = {0, 1}, .outputs = {2}},
                    {.name = "SUB", .inputs = {2, 3}, .outputs = {4}}};
  file.inputs = {0};
  const Tensor x = RandomOf(DType::kInt8, {4, 50}, 1);
  const auto results = [&](std::vector<int> outputs, int tables) {
    file.outputs = std::move(outputs);
    Diagnostics diagnostics;
    const auto model = Builder(file, diagnostics).Run();
    EXPECT_TRUE(model) << diagnostics.Render();
    if (!model) return Tensor{};
    EXPECT_EQ(CountOf(*model, IsTable), tables);
    return *golden::Run(model->graph, {x})[model->graph.outputs().back()];
  };
  const Tensor both = results({2, 4}, 2);
  EXPECT_EQ(results({4}, 1), both);
  const auto first = Results({any, one, any}, 1, "MUL", NoOptions{}, {x});
  EXPECT_EQ(Results({any, one, any}, 1, "SUB", NoOptions{}, first).at(0), both);
}

TEST(TfliteTables, ReluBetweenConstants) {
  for (const DType type : kQuantized) {
    ExpectFunction("RELU_N1_TO_1", NoOptions{}, type, 0.05f, 0.05f,
                   [](int64_t v) { return std::clamp(static_cast<double>(v), -20.0, 20.0); });
    ExpectFunction("RELU_0_TO_1", NoOptions{}, type, 0.05f, 0.05f,
                   [](int64_t v) { return std::clamp(static_cast<double>(v), 0.0, 20.0); });
  }
}

}  // namespace
}  // namespace cosim::import::tflite
