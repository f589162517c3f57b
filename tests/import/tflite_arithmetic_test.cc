// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's operators on corresponding elements. What they are compared with is the definition of the
// reference kernels, written once more here in other words.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "tests/import/testing.h"
#include "tests/import/tflite_fixed_point.h"
#include "tests/import/tflite_testing.h"

namespace cosim::import::tflite {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// The operator on pairs of values of a type, b of one row that broadcasts, as numbers.
std::vector<double> Pairs(const char* op, const TensorInfo& a, const TensorInfo& b, TensorInfo y, Tensor& p,
                          Tensor& q, const OperatorOptions& options = NoOptions{}) {
  p = RandomOf(a.dtype, a.shape, 1);
  q = RandomOf(b.dtype, b.shape, 2);
  const auto out = Results({a, b, std::move(y)}, 1, op, options, {p, q});
  return out.empty() ? std::vector<double>(static_cast<size_t>(p.size()), NAN) : Numbers(out[0]);
}

TEST(TflitePairs, ExtremesTakeEveryType) {
  for (const DType type :
       {DType::kInt8, DType::kUint8, DType::kInt16, DType::kInt32, DType::kInt64, DType::kFloat32}) {
    Tensor p, q;
    const auto most = Pairs("MAXIMUM", Typed(type, {9, 50}), Typed(type, {50}), Typed(type, {9, 50}), p, q);
    const auto least = Pairs("MINIMUM", Typed(type, {9, 50}), Typed(type, {50}), Typed(type, {9, 50}), p, q);
    const auto x = Numbers(p), y = Numbers(q);
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(most[i], std::max(x[i], y[i % 50]));
      EXPECT_EQ(least[i], std::min(x[i], y[i % 50]));
    }
  }
}

TEST(TflitePairs, PReluMultipliesByTheSlope) {
  for (const DType type : {DType::kInt8, DType::kUint8}) {
    const int32_t zx = ZeroOf(type, 9), zs = ZeroOf(type, -4), zy = ZeroOf(type, 3);
    Tensor p, q;
    const auto y = Pairs("PRELU", Scaled(type, {1, 4, 4, 30}, 0.05f, zx),
                         Scaled(type, {1, 1, 30}, 0.011f, zs), Scaled(type, {1, 4, 4, 30}, 0.04f, zy), p, q);
    const auto x = Numbers(p), slope = Numbers(q);
    for (size_t i = 0; i < x.size(); ++i) {
      const auto v = static_cast<int64_t>(x[i]) - zx, s = static_cast<int64_t>(slope[i % 30]) - zs;
      const int64_t scaled = v >= 0 ? Times(v, static_cast<double>(0.05f / 0.04f))
                                    : Times(v * s, static_cast<double>(0.05f * 0.011f / 0.04f));
      EXPECT_EQ(y[i], static_cast<double>(RangeOf(type)(scaled + zy))) << i;
    }
  }
  Tensor p, q;
  const auto y = Pairs("PRELU", Typed(DType::kFloat32, {3, 5}), Typed(DType::kFloat32, {5}),
                       Typed(DType::kFloat32, {3, 5}), p, q);
  for (size_t i = 0; i < 15; ++i) {
    const float x = p.data<float>()[i];
    EXPECT_EQ(y[i], static_cast<double>(x < 0 ? x * q.data<float>()[i % 5] : x));
  }
}

TEST(TflitePairs, ComparisonsScaleBothSides) {
  using Holds = std::function<bool(double, double)>;
  const std::pair<const char*, Holds> kinds[] = {
      {"EQUAL", std::equal_to<double>()},  {"NOT_EQUAL", std::not_equal_to<double>()},
      {"LESS", std::less<double>()},       {"LESS_EQUAL", std::less_equal<double>()},
      {"GREATER", std::greater<double>()}, {"GREATER_EQUAL", std::greater_equal<double>()}};
  for (const auto& [op, holds] : kinds) {
    for (const DType type : {DType::kInt8, DType::kUint8}) {
      const int32_t za = ZeroOf(type, 5), zb = ZeroOf(type, -30);
      Tensor p, q;
      const auto y = Pairs(op, Scaled(type, {40, 50}, 0.5f, za), Scaled(type, {50}, 0.25f, zb),
                           Typed(DType::kBool, {40, 50}), p, q);
      const auto a = Numbers(p), b = Numbers(q);
      for (size_t i = 0; i < a.size(); ++i) {
        const int64_t one = Times((static_cast<int64_t>(a[i]) - za) * 256, 0.5),
                      two = Times((static_cast<int64_t>(b[i % 50]) - zb) * 256, 0.25);
        EXPECT_EQ(y[i] != 0, holds(static_cast<double>(one), static_cast<double>(two))) << op;
      }
    }
    for (const DType type : {DType::kInt16, DType::kInt32, DType::kInt64, DType::kFloat32, DType::kBool}) {
      Tensor p, q;
      const auto y = Pairs(op, Typed(type, {20, 6}), Typed(type, {6}), Typed(DType::kBool, {20, 6}), p, q);
      const auto a = Numbers(p), b = Numbers(q);
      for (size_t i = 0; i < a.size(); ++i)
        EXPECT_EQ(y[i] != 0, holds(a[i], b[i % 6])) << op << graph::Name(type);
    }
  }
  const TensorInfo coarse = Scaled(DType::kInt8, {4}, 1.5f, 0);
  EXPECT_THAT(Refusal({coarse, coarse, Typed(DType::kBool, {4})}, "LESS"), HasSubstr("scale of 1 or more"));
}

TEST(TflitePairs, SquaredDifferencesAndQuotients) {
  Tensor p, q;
  const auto y =
      Pairs("SQUARED_DIFFERENCE", Scaled(DType::kInt8, {40, 50}, 0.05f, 3),
            Scaled(DType::kInt8, {50}, 0.07f, -9), Scaled(DType::kInt8, {40, 50}, 0.4f, -100), p, q);
  const auto a = Numbers(p), b = Numbers(q);
  const double most = 2 * static_cast<double>(0.07f);
  for (size_t i = 0; i < a.size(); ++i) {
    const int64_t one = Times((static_cast<int64_t>(a[i]) - 3) * 128, static_cast<double>(0.05f) / most),
                  two = Times((static_cast<int64_t>(b[i % 50]) + 9) * 128, static_cast<double>(0.07f) / most);
    const double out = most * most / (16384 * static_cast<double>(0.4f));
    EXPECT_EQ(y[i], static_cast<double>(RangeOf(DType::kInt8)(Times((one - two) * (one - two), out) - 100)))
        << i;
  }
  for (const DType type : {DType::kInt8, DType::kUint8}) {
    const int32_t zero = ZeroOf(type, -50);
    const auto z = Pairs("DIV", Scaled(type, {40, 50}, 0.05f, zero), Scaled(type, {50}, 0.07f, zero),
                         Scaled(type, {40, 50}, 0.02f, zero), p, q, ElementwiseOptions{});
    const auto c = Numbers(p), d = Numbers(q);
    for (size_t i = 0; i < c.size(); ++i) {
      const double divisor = (d[i % 50] - zero) * static_cast<double>(0.07f);
      if (divisor == 0) continue;
      const double exact =
          (c[i] - zero) * static_cast<double>(0.05f) / divisor / static_cast<double>(0.02f) + zero;
      EXPECT_NEAR(
          z[i],
          std::clamp(exact, static_cast<double>(RangeOf(type).low), static_cast<double>(RangeOf(type).high)),
          0.5001)
          << i;
    }
  }
}

TEST(TflitePairs, PlainIntegersAndFloats) {
  const std::pair<const char*, std::function<double(double, double)>> kinds[] = {
      {"ADD", std::plus<double>()},
      {"SUB", std::minus<double>()},
      {"MUL", std::multiplies<double>()},
      {"DIV", [](double a, double b) { return std::trunc(a / b); }},
      {"FLOOR_DIV", [](double a, double b) { return std::floor(a / b); }},
      {"FLOOR_MOD", [](double a, double b) { return a - b * std::floor(a / b); }},
      {"SQUARED_DIFFERENCE", [](double a, double b) { return (a - b) * (a - b); }}};
  const Tensor a({6}, std::vector<int32_t>{-7, 7, 100, -100, 13, 0}),
      b({6}, std::vector<int32_t>{2, -2, 7, -7, 5, 3});
  for (const auto& [op, f] : kinds) {
    const auto y = Results({Typed(DType::kInt32, {6}), Typed(DType::kInt32, {6}), Typed(DType::kInt32, {6})},
                           1, op, NoOptions{}, {a, b});
    ASSERT_EQ(y.size(), 1u) << op;
    for (size_t i = 0; i < 6; ++i) EXPECT_EQ(Numbers(y[0])[i], f(Numbers(a)[i], Numbers(b)[i])) << op << i;
  }
  const TensorInfo real = Typed(DType::kFloat32, {4});
  const Tensor x({4}, std::vector<float>{-2.5f, 0.5f, 1.5f, 3.0f});
  const auto unary = [&](const char* op, const OperatorOptions& options = NoOptions{}) {
    const auto y = Results({real, real}, 1, op, options, {x});
    return y.empty() ? std::vector<float>(4)
                     : std::vector<float>(y[0].data<float>().begin(), y[0].data<float>().end());
  };
  EXPECT_THAT(unary("ROUND"), ElementsAre(-2, 0, 2, 3));
  EXPECT_THAT(unary("FLOOR"), ElementsAre(-3, 0, 1, 3));
  EXPECT_THAT(unary("CEIL"), ElementsAre(-2, 1, 2, 3));
  EXPECT_THAT(unary("NEG"), ElementsAre(2.5f, -0.5f, -1.5f, -3.0f));
  EXPECT_THAT(unary("ABS"), ElementsAre(2.5f, 0.5f, 1.5f, 3.0f));
  EXPECT_THAT(unary("SQUARE"), ElementsAre(6.25f, 0.25f, 2.25f, 9.0f));
  EXPECT_THAT(unary("RELU_N1_TO_1"), ElementsAre(-1, 0.5f, 1, 1));
  EXPECT_THAT(unary("LEAKY_RELU", LeakyOptions{0.5f}), ElementsAre(-1.25f, 0.5f, 1.5f, 3.0f));
  const std::pair<const char*, double (*)(double)> functions[] = {
      {"EXP", [](double v) { return std::exp(v); }},
      {"SIN", [](double v) { return std::sin(v); }},
      {"COS", [](double v) { return std::cos(v); }},
      {"ELU", [](double v) { return v < 0 ? std::expm1(v) : v; }},
      {"HARD_SWISH", [](double v) { return v * std::clamp(v + 3, 0.0, 6.0) / 6; }},
      {"GELU", [](double v) { return v / 2 * std::erfc(-v / std::sqrt(2.0)); }}};
  for (const auto& [op, f] : functions) {
    const auto y = unary(op);
    for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(y[i], f(static_cast<double>(x.data<float>()[i])), 1e-6) << op;
  }
  for (const auto& [op, f] :
       {std::pair<const char*, double (*)(double)>{"LOG", [](double v) { return std::log(v); }},
        {"SQRT", [](double v) { return std::sqrt(v); }},
        {"RSQRT", [](double v) { return 1 / std::sqrt(v); }}})
    for (size_t i = 1; i < 4; ++i)
      EXPECT_NEAR(unary(op)[i], f(static_cast<double>(x.data<float>()[i])), 1e-6) << op;
}

TEST(TflitePairs, SignsAndAngles) {
  const Shape shape = {1, 2, 2, 1};
  const auto y = Results({Typed(DType::kFloat32, shape), Typed(DType::kFloat32, shape)}, 1, "SIGN",
                         NoOptions{}, {Tensor(shape, std::vector<float>{-3, 0, 0.25f, NAN})}),
             z = Results({Typed(DType::kInt32, {3}), Typed(DType::kInt32, {3})}, 1, "SIGN", NoOptions{},
                         {Tensor({3}, std::vector<int32_t>{-2147483647 - 1, 0, 9})}),
             angles = Results(
                 {Typed(DType::kFloat32, {4}), Typed(DType::kFloat32, {}), Typed(DType::kFloat32, {4})}, 1,
                 "ATAN2", NoOptions{},
                 {Tensor({4}, std::vector<float>{0, 1, -1, -0.0f}), Tensor({}, std::vector<float>{-1})});
  ASSERT_TRUE(y.size() == 1 && z.size() == 1 && angles.size() == 1);
  EXPECT_THAT(Numbers(y[0]), testing::ElementsAre(-1, 0, 1, 0));
  EXPECT_THAT(Numbers(z[0]), testing::ElementsAre(-1, 0, 1));
  const auto pi = std::numbers::pi_v<float>;
  EXPECT_THAT(angles[0].data<float>(), testing::ElementsAre(pi, 0.75f * pi, -0.75f * pi, -pi));
  EXPECT_THAT(Refusal({Typed(DType::kInt64, {3}), Typed(DType::kInt64, {3})}, "SIGN"),
              testing::HasSubstr("int64 values: the reference computes float32 and int32 only"));
}

TEST(TflitePairs, LogicAndChoices) {
  const Tensor a = RandomOf(DType::kBool, {64}, 1), b = RandomOf(DType::kBool, {64}, 2);
  const TensorInfo bits = Typed(DType::kBool, {64});
  const auto both = Results({bits, bits, bits}, 1, "LOGICAL_AND", NoOptions{}, {a, b});
  const auto any = Results({bits, bits, bits}, 1, "LOGICAL_OR", NoOptions{}, {a, b});
  const auto none = Results({bits, bits}, 1, "LOGICAL_NOT", NoOptions{}, {a});
  ASSERT_TRUE(both.size() == 1 && any.size() == 1 && none.size() == 1);
  const auto p = Numbers(a), q = Numbers(b);
  for (size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(Numbers(both[0])[i], p[i] * q[i]);
    EXPECT_EQ(Numbers(any[0])[i], std::max(p[i], q[i]));
    EXPECT_EQ(Numbers(none[0])[i], 1 - p[i]);
  }
  for (const DType type : kTypes) {
    const Tensor x = RandomOf(type, {64, 2}, 3), y = RandomOf(type, {64, 2}, 4);
    const auto rows = Results({bits, Typed(type, {64, 2}), Typed(type, {64, 2}), Typed(type, {64, 2})}, 1,
                              "SELECT", NoOptions{}, {a, x, y});
    const auto each = Results(
        {Typed(DType::kBool, {64, 1}), Typed(type, {64, 2}), Typed(type, {64, 2}), Typed(type, {64, 2})}, 1,
        "SELECT_V2", NoOptions{}, {a.Reshaped({64, 1}), x, y});
    ASSERT_TRUE(rows.size() == 1 && each.size() == 1);
    for (size_t i = 0; i < 128; ++i)
      EXPECT_EQ(Numbers(rows[0])[i], (p[i / 2] != 0 ? Numbers(x) : Numbers(y))[i]);
    EXPECT_EQ(rows[0], each[0]);
  }
}

TEST(TfliteCast, ConvertsEveryPair) {
  for (const DType from : kTypes)
    for (const DType to : kTypes) {
      const Tensor x = RandomOf(from, {40}, 5);
      const auto y = Results({Typed(from, {40}), Typed(to, {40})}, 1, "CAST", NoOptions{}, {x});
      ASSERT_EQ(y.size(), 1u);
      const auto in = Numbers(x), out = Numbers(y[0]);
      for (size_t i = 0; i < 40; ++i) {
        // Numbers that the other type has; what is beyond is the runtime's to say.
        const double v = std::trunc(in[i]);
        const bool fits =
            to == DType::kFloat32 || to == DType::kInt64 || (to == DType::kInt32 && std::abs(v) < 2e9) ||
            (to == DType::kInt16 && std::abs(v) < 32768) || (to == DType::kInt8 && std::abs(v) < 128) ||
            (to == DType::kUint8 && v >= 0 && v < 256);
        if (to == DType::kBool) {
          EXPECT_EQ(out[i], in[i] != 0 ? 1 : 0);
        } else if (fits && to == DType::kFloat32) {
          EXPECT_EQ(out[i], static_cast<double>(static_cast<float>(in[i])));
        } else if (fits) {
          EXPECT_EQ(out[i], v) << graph::Name(from) << " to " << graph::Name(to);
        }
      }
    }
}

// A network of the new operators on the host's compiled code, checked against the golden model.
TEST(TflitePairs, RunsCompiled) {
  const auto spec = LoadTestSpec("pynq.yaml");
  const auto run = [&](const std::vector<TensorInfo>& tensors, const char* op, const OperatorOptions& options,
                       std::vector<Tensor> inputs) {
    Diagnostics diagnostics;
    auto model = OneOperator(tensors, op, options, diagnostics);
    ASSERT_TRUE(model) << diagnostics.Render();
    EXPECT_TRUE(
        RunModel(spec, std::make_shared<const Model>(std::move(*model)), std::move(inputs), "functional"))
        << op;
  };
  const TensorInfo x = Scaled(DType::kInt8, {30, 20}, 0.05f, 3), y = Scaled(DType::kInt8, {20}, 0.03f, -7);
  const Tensor p = RandomOf(DType::kInt8, {30, 20}, 1), q = RandomOf(DType::kInt8, {20}, 2);
  run({x, y, Scaled(DType::kInt8, {30, 20}, 0.02f, 1)}, "PRELU", NoOptions{}, {p, q});
  run({x, y, Typed(DType::kBool, {30, 20})}, "NOT_EQUAL", NoOptions{}, {p, q});
  run({x, y, Typed(DType::kBool, {30, 20})}, "LESS_EQUAL", NoOptions{}, {p, q});
  run({x, y, Scaled(DType::kInt8, {30, 20}, 0.2f, -100)}, "SQUARED_DIFFERENCE", NoOptions{}, {p, q});
  run({x, Integers({1}, {1}), Scaled(DType::kInt8, {30}, 0.2f, 4)}, "SUM", ReduceOptions{}, {p});
  run({x, Scaled(DType::kInt8, {30, 20}, 0.04f, 4)}, "HARD_SWISH", NoOptions{}, {p});
  // A sum with a constant of the whole shape.
  const TensorInfo image = Scaled(DType::kInt8, {1, 4, 6, 8}, 0.05f, 3);
  run({image, Known(image, RandomOf(DType::kInt8, image.shape, 4)),
       Scaled(DType::kInt8, image.shape, 0.1f, 0)},
      "ADD", ElementwiseOptions{}, {RandomOf(DType::kInt8, image.shape, 3)});
  run({Typed(DType::kFloat32, {30}), Typed(DType::kFloat32, {30})}, "RSQRT", NoOptions{},
      {Tensor({30}, std::vector<float>(30, 4.0f))});
}

}  // namespace
}  // namespace cosim::import::tflite
