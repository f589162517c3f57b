// SPDX-License-Identifier: Apache-2.0
// Every operation of the loop IR, as machine code, against arithmetic on 128-bit integers: scalar and
// vectorized.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "compiler/cpu/jit.h"
#include "tests/cpu/testing.h"

namespace cosim::cpu {
namespace {

using tir::BinaryOp;
using tir::DataType;
using tir::Expr;
using tir::LoopKind;

constexpr int64_t kCount = 509;  // a prime: every vector loop has a remainder

Wide FloorDiv(Wide a, Wide b) { return a / b - (a % b < 0 ? 1 : 0); }

Wide Reference(BinaryOp op, Wide a, Wide b) {
  switch (op) {
    case BinaryOp::kAdd:
      return a + b;
    case BinaryOp::kSub:
      return a - b;
    case BinaryOp::kMul:
      return a * b;
    case BinaryOp::kFloorDiv:
      return FloorDiv(a, b);
    case BinaryOp::kFloorMod:
      return a - b * FloorDiv(a, b);
    case BinaryOp::kMin:
      return std::min(a, b);
    case BinaryOp::kMax:
      return std::max(a, b);
    case BinaryOp::kShl:
      return static_cast<Wide>(static_cast<unsigned __int128>(a) << static_cast<int>(b));
    case BinaryOp::kShr:
      return a >> static_cast<int>(b);
    case BinaryOp::kRoundShift:
      return (a + (b > 0 ? Wide{1} << static_cast<int>(b - 1) : 0)) >> static_cast<int>(b);
    case BinaryOp::kAnd:
      return a & b;
    case BinaryOp::kOr:
      return a | b;
    case BinaryOp::kXor:
      return a ^ b;
    case BinaryOp::kLt:
      return a < b;
    case BinaryOp::kLe:
      return a <= b;
    case BinaryOp::kEq:
      return a == b;
    case BinaryOp::kNe:
      return a != b;
    case BinaryOp::kLogicalAnd:
      return a & b;
    case BinaryOp::kLogicalOr:
      return a | b;
    case BinaryOp::kDiv:
      break;
  }
  ADD_FAILURE() << "not an integer operation";
  return 0;
}

/// out[i] = value(i) over kCount elements.
template <typename Value>
tir::Function Elementwise(std::vector<tir::Buffer> inputs, DataType type, LoopKind kind, Value value) {
  const tir::Buffer out = tir::MakeBuffer("out", type, {kCount});
  inputs.push_back(out);
  return {"elementwise", inputs, Loop("i", kCount, kind, [&](const Expr& i) {
            return tir::MakeStmt(tir::Store{out, {i}, value(i)});
          })};
}

/// Checks `op` on random operands; those on the right are in [low, high].
void CheckBinary(BinaryOp op, DataType type, Wide low, Wide high) {
  std::mt19937_64 random(static_cast<int>(op) * 100 + type.bits);
  const tir::Buffer a = tir::MakeBuffer("a", type, {kCount}), b = tir::MakeBuffer("b", type, {kCount});
  IntArray x = EdgyArray(random, type, kCount), y = EdgyArray(random, type, kCount, low, high);
  for (const LoopKind kind : {LoopKind::kSerial, LoopKind::kVectorized}) {
    DataType result = DataType::Bool();
    const tir::Function function = [&] {
      const Expr probe =
          tir::MakeBinary(op, tir::MakeLoad(a, {tir::Int(0)}), tir::MakeLoad(b, {tir::Int(0)}));
      result = probe->type;
      return Elementwise({a, b}, result, kind, [&](const Expr& i) {
        return tir::MakeBinary(op, tir::MakeLoad(a, {i}), tir::MakeLoad(b, {i}));
      });
    }();
    IntArray out(result, kCount);
    JitCompiler().Compile(function)->Run(std::vector<void*>{x.data(), y.data(), out.data()});
    for (int64_t i = 0; i < kCount; ++i) {
      ASSERT_EQ(static_cast<int64_t>(out.at(i)),
                static_cast<int64_t>(Wrap(result, Reference(op, x.at(i), y.at(i)))))
          << static_cast<int64_t>(x.at(i)) << " and " << static_cast<int64_t>(y.at(i)) << " in\n"
          << tir::ToString(function);
    }
  }
}

const std::vector<DataType>& IntegerTypes() {
  static const std::vector<DataType> types = {DataType::Int(8),  DataType::Int(16), DataType::Int(32),
                                              DataType::Int(64), DataType::UInt(8), DataType::UInt(16),
                                              DataType::UInt(32)};
  return types;
}

class BinaryTest : public testing::TestWithParam<BinaryOp> {};

TEST_P(BinaryTest, EqualsArithmeticOnAllIntegerTypes) {
  for (const DataType type : IntegerTypes()) CheckBinary(GetParam(), type, Lowest(type), Highest(type));
}

INSTANTIATE_TEST_SUITE_P(All, BinaryTest,
                         testing::Values(BinaryOp::kAdd, BinaryOp::kSub, BinaryOp::kMul, BinaryOp::kMin,
                                         BinaryOp::kMax, BinaryOp::kAnd, BinaryOp::kOr, BinaryOp::kXor,
                                         BinaryOp::kLt, BinaryOp::kLe, BinaryOp::kEq, BinaryOp::kNe));

TEST(ExprCodegen, FloorsDivisionByPositiveNumbers) {
  for (const DataType type : IntegerTypes()) {
    CheckBinary(BinaryOp::kFloorDiv, type, 1, Highest(type));
    CheckBinary(BinaryOp::kFloorMod, type, 1, Highest(type));
    CheckBinary(BinaryOp::kFloorDiv, type, 1, 9);
    CheckBinary(BinaryOp::kFloorMod, type, 1, 9);
  }
}

TEST(ExprCodegen, FloorsDivisionByConstants) {
  std::mt19937_64 random(1);
  const DataType type = DataType::Int(32);
  const tir::Buffer a = tir::MakeBuffer("a", type, {kCount});
  IntArray x = EdgyArray(random, type, kCount), out(type, kCount);
  for (const int divisor : {1, 2, 3, 7, 8, 1 << 30}) {
    for (const BinaryOp op : {BinaryOp::kFloorDiv, BinaryOp::kFloorMod}) {
      JitCompiler()
          .Compile(Elementwise({a}, type, LoopKind::kVectorized,
                               [&](const Expr& i) {
                                 return tir::MakeBinary(op, tir::MakeLoad(a, {i}), tir::Int(divisor, type));
                               }))
          ->Run(std::vector<void*>{x.data(), out.data()});
      for (int64_t i = 0; i < kCount; ++i)
        ASSERT_TRUE(out.at(i) == Reference(op, x.at(i), divisor)) << divisor;
    }
  }
}

TEST(ExprCodegen, ShiftsWithinTheWidth) {
  for (const DataType type : IntegerTypes()) {
    CheckBinary(BinaryOp::kShl, type, 0, type.bits - 1);
    CheckBinary(BinaryOp::kShr, type, 0, type.bits - 1);
  }
}

TEST(ExprCodegen, RoundShiftDoesNotOverflow) {
  for (const DataType type : IntegerTypes())
    CheckBinary(BinaryOp::kRoundShift, type, 0, std::min(type.bits - 1, 62));
}

TEST(ExprCodegen, RoundShiftTakesConstantAmounts) {
  std::mt19937_64 random(2);
  for (const DataType type : {DataType::Int(32), DataType::Int(64)}) {
    const tir::Buffer a = tir::MakeBuffer("a", type, {kCount});
    IntArray x = EdgyArray(random, type, kCount), out(type, kCount);
    for (const int amount : {0, 1, 2, 17, 30, type.bits - 2}) {
      JitCompiler()
          .Compile(Elementwise({a}, type, LoopKind::kVectorized,
                               [&](const Expr& i) {
                                 return tir::MakeBinary(BinaryOp::kRoundShift, tir::MakeLoad(a, {i}),
                                                        tir::Int(amount, type));
                               }))
          ->Run(std::vector<void*>{x.data(), out.data()});
      for (int64_t i = 0; i < kCount; ++i) {
        ASSERT_TRUE(out.at(i) == Reference(BinaryOp::kRoundShift, x.at(i), amount)) << amount;
      }
    }
  }
}

TEST(ExprCodegen, CombinesConditions) {
  std::mt19937_64 random(3);
  const tir::Buffer a = tir::MakeBuffer("a", DataType::Int(8), {kCount});
  IntArray x = EdgyArray(random, DataType::Int(8), kCount), out(DataType::Int(8), kCount);
  JitCompiler()
      .Compile(Elementwise({a}, DataType::Int(8), LoopKind::kVectorized,
                           [&](const Expr& i) {
                             const Expr value = tir::MakeLoad(a, {i});
                             const auto compare = [&](BinaryOp op, int bound) {
                               return tir::MakeBinary(op, value, tir::Int(bound, DataType::Int(8)));
                             };
                             const Expr inside = tir::MakeBinary(
                                 BinaryOp::kLogicalAnd, compare(BinaryOp::kLt, 3), compare(BinaryOp::kNe, 1));
                             return tir::MakeSelect(
                                 tir::MakeBinary(BinaryOp::kLogicalOr, inside, compare(BinaryOp::kEq, 127)),
                                 tir::Int(1, DataType::Int(8)), tir::Int(-1, DataType::Int(8)));
                           }))
      ->Run(std::vector<void*>{x.data(), out.data()});
  for (int64_t i = 0; i < kCount; ++i) {
    const Wide v = x.at(i);
    ASSERT_EQ(static_cast<int>(out.at(i)), (v < 3 && v != 1) || v == 127 ? 1 : -1);
  }
}

TEST(ExprCodegen, WrapsCastsBetweenIntegers) {
  std::mt19937_64 random(4);
  for (const DataType from : IntegerTypes()) {
    for (const DataType to : IntegerTypes()) {
      const tir::Buffer a = tir::MakeBuffer("a", from, {kCount});
      IntArray x = EdgyArray(random, from, kCount), out(to, kCount);
      JitCompiler()
          .Compile(Elementwise({a}, to, LoopKind::kVectorized,
                               [&](const Expr& i) { return tir::MakeCast(to, tir::MakeLoad(a, {i})); }))
          ->Run(std::vector<void*>{x.data(), out.data()});
      for (int64_t i = 0; i < kCount; ++i) ASSERT_TRUE(out.at(i) == Wrap(to, x.at(i)));
    }
  }
}

TEST(ExprCodegen, SelectDoesNotLoadFromTheSideItDoesNotTake) {
  // The array has one element; every other index would be far outside.
  const tir::Buffer a = tir::MakeBuffer("a", DataType::Int(32), {1});
  for (const LoopKind kind : {LoopKind::kSerial, LoopKind::kVectorized}) {
    int32_t x = 42;
    std::vector<int32_t> out(kCount);
    JitCompiler()
        .Compile(Elementwise({a}, DataType::Int(32), kind,
                             [&](const Expr& i) {
                               return tir::MakeSelect(tir::MakeBinary(BinaryOp::kEq, i, tir::Int(0)),
                                                      tir::MakeLoad(a, {i * tir::Int(1 << 28)}),
                                                      tir::Int(7, DataType::Int(32)));
                             }))
        ->Run(std::vector<void*>{&x, out.data()});
    EXPECT_EQ(out[0], 42);
    EXPECT_THAT(std::vector<int32_t>(out.begin() + 1, out.end()), testing::Each(7));
  }
}

/// value(a[i], b[i]) on float32 arrays.
template <typename Value>
std::vector<float> RunFloat(std::vector<float> a, std::vector<float> b, Value value) {
  const DataType type = DataType::Float(32);
  const tir::Buffer x = tir::MakeBuffer("a", type, {kCount}), y = tir::MakeBuffer("b", type, {kCount});
  a.resize(kCount);
  b.resize(kCount);
  std::vector<float> out(kCount);
  JitCompiler()
      .Compile(
          Elementwise({x, y}, type, LoopKind::kVectorized,
                      [&](const Expr& i) { return value(tir::MakeLoad(x, {i}), tir::MakeLoad(y, {i})); }))
      ->Run(std::vector<void*>{a.data(), b.data(), out.data()});
  return out;
}

TEST(ExprCodegen, ComputesFloatArithmeticInIeeeOrder) {
  std::mt19937_64 random(5);
  std::vector<float> a(kCount), b(kCount);
  for (int64_t i = 0; i < kCount; ++i) {
    a[i] = static_cast<float>(static_cast<int64_t>(random())) * 1e-18f;
    b[i] = static_cast<float>(static_cast<int64_t>(random())) * 1e-17f;
  }
  const auto out = RunFloat(a, b, [](const Expr& x, const Expr& y) {
    return tir::MakeBinary(BinaryOp::kDiv, x * y + x, tir::Max(tir::Min(x, y) - y, tir::Float(0.25)));
  });
  for (int64_t i = 0; i < kCount; ++i) {
    const float product = a[i] * b[i], sum = product + a[i];
    ASSERT_EQ(out[i], sum / std::max(std::min(a[i], b[i]) - b[i], 0.25f));
  }
}

TEST(ExprCodegen, ComputesMathFunctions) {
  using tir::MathFn;
  const std::vector<float> a = {0, 0.5f, 1.5f, 2.5f, 3.7f, 9, 100};
  const auto run = [&](MathFn fn) {
    return RunFloat(a, {}, [&](const Expr& x, const Expr&) { return tir::MakeMath(fn, x); });
  };
  const auto floor = run(MathFn::kFloor), round = run(MathFn::kRound), sqrt = run(MathFn::kSqrt),
             exp = run(MathFn::kExp), tanh = run(MathFn::kTanh), erf = run(MathFn::kErf);
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(floor[i], std::floor(a[i]));
    EXPECT_EQ(round[i], std::nearbyint(a[i]));
    EXPECT_EQ(sqrt[i], std::sqrt(a[i]));
    EXPECT_FLOAT_EQ(exp[i], std::exp(a[i]));
    EXPECT_FLOAT_EQ(tanh[i], std::tanh(a[i]));
    EXPECT_FLOAT_EQ(erf[i], std::erf(a[i]));
  }
}

TEST(ExprCodegen, CallsFunctionsOfTheLibrary) {
  using tir::MathFn;
  const std::vector<float> a = {0.125f, 0.25f, 0.5f, 0.75f, 0.9f, 0.99f};
  const std::pair<MathFn, float (*)(float)> functions[] = {
      {MathFn::kCeil, [](float x) { return std::ceil(x); }},
      {MathFn::kAbs, [](float x) { return std::abs(x); }},
      {MathFn::kLog, [](float x) { return std::log(x); }},
      {MathFn::kExpm1, [](float x) { return std::expm1(x); }},
      {MathFn::kLog1p, [](float x) { return std::log1p(x); }},
      {MathFn::kSin, [](float x) { return std::sin(x); }},
      {MathFn::kCos, [](float x) { return std::cos(x); }},
      {MathFn::kTan, [](float x) { return std::tan(x); }},
      {MathFn::kAsin, [](float x) { return std::asin(x); }},
      {MathFn::kAcos, [](float x) { return std::acos(x); }},
      {MathFn::kAtan, [](float x) { return std::atan(x); }},
      {MathFn::kSinh, [](float x) { return std::sinh(x); }},
      {MathFn::kCosh, [](float x) { return std::cosh(x); }},
      {MathFn::kAsinh, [](float x) { return std::asinh(x); }},
      {MathFn::kAtanh, [](float x) { return std::atanh(x); }}};
  for (const auto& [fn, expected] : functions) {
    const auto out = RunFloat(a, {}, [fn = fn](const Expr& x, const Expr&) { return tir::MakeMath(fn, x); });
    for (size_t i = 0; i < a.size(); ++i) EXPECT_FLOAT_EQ(out[i], expected(a[i])) << tir::NameOf(fn);
  }
  const std::vector<float> b = {2, -1.5f, 0.3f, 7, 0.25f, -3};
  const auto pow =
      RunFloat(a, b, [](const Expr& x, const Expr& y) { return tir::MakeBinary(tir::BinaryOp::kPow, x, y); });
  const auto rest = RunFloat(
      b, a, [](const Expr& x, const Expr& y) { return tir::MakeBinary(tir::BinaryOp::kFMod, x, y); });
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_FLOAT_EQ(pow[i], std::pow(a[i], b[i]));
    EXPECT_EQ(rest[i], std::fmod(b[i], a[i]));
  }
}

TEST(ExprCodegen, RoundsTowardsZeroFromFloat) {
  const tir::Buffer a = tir::MakeBuffer("a", DataType::Float(64), {kCount});
  std::vector<double> x(kCount);
  std::vector<int32_t> out(kCount);
  for (int64_t i = 0; i < kCount; ++i) x[i] = (i - 250) * 1234.567;
  JitCompiler()
      .Compile(
          Elementwise({a}, DataType::Int(32), LoopKind::kVectorized,
                      [&](const Expr& i) { return tir::MakeCast(DataType::Int(32), tir::MakeLoad(a, {i})); }))
      ->Run(std::vector<void*>{x.data(), out.data()});
  for (int64_t i = 0; i < kCount; ++i) ASSERT_EQ(out[i], static_cast<int32_t>(x[i]));
}

}  // namespace
}  // namespace cosim::cpu
