// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's operators on corresponding elements and its reductions. What they are compared with is
// the definition of the reference kernels, written once more here in other words.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "tests/import/testing.h"
#include "tests/import/tflite_testing.h"

namespace cosim::import::tflite {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// x * factor as the reference multiplies: with 31 bits of the factor, rounded half up, then half away from
/// 0.
int64_t Times(int64_t x, double factor) {
  int exponent = 0;
  auto fraction = static_cast<int64_t>(std::round(std::ldexp(std::frexp(factor, &exponent), 31)));
  if (fraction == int64_t{1} << 31) fraction /= 2, ++exponent;
  const int64_t left = x * (int64_t{1} << std::max(exponent, 0));
  const int64_t high = (left * fraction + (int64_t{1} << 30)) >> 31;
  return static_cast<int64_t>(std::round(std::ldexp(static_cast<double>(high), std::min(exponent, 0))));
}

struct Range {
  int64_t low, high;
  int64_t operator()(int64_t v) const { return std::clamp(v, low, high); }
};
Range RangeOf(DType type) {
  return type == DType::kInt8    ? Range{-128, 127}
         : type == DType::kUint8 ? Range{0, 255}
                                 : Range{-32768, 32767};
}
int32_t ZeroOf(DType type, int32_t shift) {
  return type == DType::kInt8 ? shift : type == DType::kUint8 ? 128 + shift : 0;
}

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

constexpr DType kQuantized[] = {DType::kInt8, DType::kUint8, DType::kInt16};

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
        for (int i = 0; i < 60; ++i)
          in.mutable_data<decltype(t)>()[i] = static_cast<decltype(t)>(zero + 1 + 4 * i);
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

TEST(TfliteTables, ReluBetweenConstants) {
  for (const DType type : kQuantized) {
    ExpectFunction("RELU_N1_TO_1", NoOptions{}, type, 0.05f, 0.05f,
                   [](int64_t v) { return std::clamp(static_cast<double>(v), -20.0, 20.0); });
    ExpectFunction("RELU_0_TO_1", NoOptions{}, type, 0.05f, 0.05f,
                   [](int64_t v) { return std::clamp(static_cast<double>(v), 0.0, 20.0); });
  }
}

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
        if (to == DType::kBool)
          EXPECT_EQ(out[i], in[i] != 0 ? 1 : 0);
        else if (fits && to == DType::kFloat32)
          EXPECT_EQ(out[i], static_cast<double>(static_cast<float>(in[i])));
        else if (fits)
          EXPECT_EQ(out[i], v) << graph::Name(from) << " to " << graph::Name(to);
      }
    }
}

TEST(TfliteReductions, SumsAndMeansOfBytesOverAnyDimensions) {
  for (const DType type : kQuantized)
    for (const bool mean : {false, true})
      for (const auto& [axes, kept] : {std::pair(std::vector<int32_t>{-1}, Shape{3, 4, 1}),
                                       std::pair(std::vector<int32_t>{0, 2}, Shape{1, 4, 1}),
                                       std::pair(std::vector<int32_t>{1}, Shape{3, 1, 5})}) {
        const int32_t zx = ZeroOf(type, -20), zy = ZeroOf(type, 6);
        const float from = 0.02f, to = mean ? 0.017f : 0.06f;
        const Tensor x = RandomOf(type, {3, 4, 5}, 8);
        const auto y = Results({Scaled(type, {3, 4, 5}, from, zx), Integers({std::ssize(axes)}, axes),
                                Scaled(type, kept, to, zy)},
                               1, mean ? "MEAN" : "SUM", ReduceOptions{true}, {x});
        ASSERT_EQ(y.size(), 1u);
        std::vector<int64_t> sums(static_cast<size_t>(graph::NumElements(kept)), 0);
        const auto in = Numbers(x);
        int64_t count = 60 / graph::NumElements(kept);
        for (int64_t i = 0; i < 60; ++i) {
          const int64_t at[] = {i / 20, i / 5 % 4, i % 5};
          int64_t index = 0;
          for (int d = 0; d < 3; ++d) index = index * kept[d] + (kept[d] == 1 ? 0 : at[d]);
          sums[index] += static_cast<int64_t>(in[i]) - zx;
        }
        int exponent = 0;
        auto factor = static_cast<int64_t>(std::round(
            std::ldexp(std::frexp(static_cast<double>(from) / static_cast<double>(to), &exponent), 31)));
        int bits = 0;
        while (mean && int64_t{2} << bits <= count) ++bits;
        if (mean) factor = (factor << bits) / count;
        for (size_t i = 0; i < sums.size(); ++i) {
          const int64_t high =
              (sums[i] * (int64_t{1} << std::max(exponent - bits, 0)) * factor + (int64_t{1} << 30)) >> 31;
          const auto scaled = static_cast<int64_t>(
              std::round(std::ldexp(static_cast<double>(high), std::min(exponent - bits, 0))));
          EXPECT_EQ(Numbers(y[0])[i], static_cast<double>(RangeOf(type)(scaled + zy)))
              << graph::Name(type) << mean << i;
        }
      }
}

TEST(TfliteReductions, ExtremesAndPlaces) {
  for (const DType type : {DType::kInt8, DType::kUint8, DType::kInt16, DType::kInt32, DType::kFloat32}) {
    const Tensor x = RandomOf(type, {4, 10}, 9);
    const auto in = Numbers(x);
    const auto most = Results({Typed(type, {4, 10}), Integers({1}, {1}), Typed(type, {4})}, 1, "REDUCE_MAX",
                              ReduceOptions{}, {x});
    const auto least = Results({Typed(type, {4, 10}), Integers({1}, {-1}), Typed(type, {4, 1})}, 1,
                               "REDUCE_MIN", ReduceOptions{true}, {x});
    const auto where = Results({Typed(type, {4, 10}), Integers({}, {1}), Typed(DType::kInt32, {4})}, 1,
                               "ARG_MAX", NoOptions{}, {x});
    const auto nadir = Results({Typed(type, {4, 10}), Integers({1}, {-1}), Typed(DType::kInt64, {4})}, 1,
                               "ARG_MIN", NoOptions{}, {x});
    ASSERT_TRUE(most.size() == 1 && least.size() == 1 && where.size() == 1 && nadir.size() == 1);
    for (int64_t r = 0; r < 4; ++r) {
      const auto row = in.begin() + r * 10;
      EXPECT_EQ(Numbers(most[0])[r], *std::max_element(row, row + 10));
      EXPECT_EQ(Numbers(least[0])[r], *std::min_element(row, row + 10));
      EXPECT_EQ(Numbers(where[0])[r], std::max_element(row, row + 10) - row);
      EXPECT_EQ(Numbers(nadir[0])[r], std::min_element(row, row + 10) - row);
    }
  }
  const Tensor flags({2, 3}, std::vector<int8_t>{0, 0, 0, 0, 1, 0});
  Tensor bits({DType::kBool, {2, 3}});
  bits.mutable_data<uint8_t>()[4] = 1;
  const auto any = Results({Typed(DType::kBool, {2, 3}), Integers({1}, {1}), Typed(DType::kBool, {2})}, 1,
                           "REDUCE_ANY", ReduceOptions{}, {bits});
  ASSERT_EQ(any.size(), 1u);
  EXPECT_THAT(Numbers(any[0]), ElementsAre(0, 1));
  const Tensor list({4}, std::vector<float>{1, 2, 3, 4});
  const auto sums = Results({Typed(DType::kFloat32, {4}), Integers({}, {0}), Typed(DType::kFloat32, {4})}, 1,
                            "CUMSUM", CumulativeOptions{.exclusive = true, .reverse = true}, {list});
  ASSERT_EQ(sums.size(), 1u);
  EXPECT_THAT(Numbers(sums[0]), ElementsAre(9, 7, 4, 0));
}

TEST(TfliteReductions, NormalizesRows) {
  const Tensor x = RandomOf(DType::kInt8, {6, 20}, 3);
  const auto y =
      Results({Scaled(DType::kInt8, {6, 20}, 0.1f, 4), Scaled(DType::kInt8, {6, 20}, 1.0f / 128, 0)}, 1,
              "L2_NORMALIZATION", ElementwiseOptions{}, {x});
  const Tensor r = RandomOf(DType::kFloat32, {6, 20}, 3);
  const auto z = Results({Typed(DType::kFloat32, {6, 20}), Typed(DType::kFloat32, {6, 20})}, 1,
                         "L2_NORMALIZATION", ElementwiseOptions{}, {r});
  const auto w = Results({Typed(DType::kFloat32, {6, 20}), Typed(DType::kFloat32, {6, 20})}, 1, "LOG_SOFTMAX",
                         NoOptions{}, {r});
  ASSERT_TRUE(y.size() == 1 && z.size() == 1 && w.size() == 1);
  for (int64_t row = 0; row < 6; ++row) {
    double sum = 0, real_sum = 0, exponentials = 0;
    for (int64_t i = row * 20; i < row * 20 + 20; ++i) {
      sum += std::pow(Numbers(x)[i] - 4, 2);
      real_sum += std::pow(Numbers(r)[i], 2);
      exponentials += std::exp(Numbers(r)[i]);
    }
    for (int64_t i = row * 20; i < row * 20 + 20; ++i) {
      EXPECT_NEAR(Numbers(y[0])[i], std::min((Numbers(x)[i] - 4) / std::sqrt(sum) * 128, 127.0), 0.51);
      EXPECT_NEAR(Numbers(z[0])[i], Numbers(r)[i] / std::sqrt(real_sum), 1e-6);
      EXPECT_NEAR(Numbers(w[0])[i], Numbers(r)[i] - std::log(exponentials), 1e-5);
    }
  }
}

TEST(TfliteMatMul, MultipliesBytesAndFloats) {
  const Tensor a = RandomOf(DType::kInt8, {2, 3, 7}, 1), b = RandomOf(DType::kInt8, {2, 5, 7}, 2);
  const auto y =
      Results({Scaled(DType::kInt8, {2, 3, 7}, 0.05f, 3), Scaled(DType::kInt8, {2, 5, 7}, 0.02f, -6),
               Scaled(DType::kInt8, {2, 3, 5}, 0.4f, 9)},
              1, "BATCH_MATMUL", ProductOptions{.transpose_b = true}, {a, b});
  const Tensor c = RandomOf(DType::kFloat32, {2, 3, 7}, 1), d = RandomOf(DType::kFloat32, {2, 5, 7}, 2);
  const auto z = Results({Typed(DType::kFloat32, {2, 3, 7}), Typed(DType::kFloat32, {2, 5, 7}),
                          Typed(DType::kFloat32, {2, 3, 5})},
                         1, "BATCH_MATMUL", ProductOptions{.transpose_b = true}, {c, d});
  ASSERT_TRUE(y.size() == 1 && z.size() == 1);
  const double factor = static_cast<double>(0.05f) * static_cast<double>(0.02f) / static_cast<double>(0.4f);
  for (int64_t i = 0; i < 30; ++i) {
    int64_t sum = 0;
    double real = 0;
    for (int64_t k = 0; k < 7; ++k) {
      const int64_t p = i / 5 * 7 + k, q = (i / 15 * 5 + i % 5) * 7 + k;
      sum += (a.data<int8_t>()[p] - 3) * (b.data<int8_t>()[q] + 6);
      real += static_cast<double>(c.data<float>()[p]) * static_cast<double>(d.data<float>()[q]);
    }
    EXPECT_EQ(Numbers(y[0])[i], static_cast<double>(RangeOf(DType::kInt8)(Times(sum, factor) + 9)));
    EXPECT_NEAR(Numbers(z[0])[i], real, 1e-4);
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
  run({Typed(DType::kFloat32, {30}), Typed(DType::kFloat32, {30})}, "RSQRT", NoOptions{},
      {Tensor({30}, std::vector<float>(30, 4.0f))});
}

}  // namespace
}  // namespace cosim::import::tflite
