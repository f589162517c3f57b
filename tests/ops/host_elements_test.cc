// SPDX-License-Identifier: Apache-2.0
// Host operators on elements, windows and matrices as kernels, against their references.
#include <limits>

#include "compiler/host/bitwise.h"
#include "compiler/host/elementwise.h"
#include "compiler/host/functions.h"
#include "compiler/host/linear.h"
#include "compiler/host/quantized.h"
#include "compiler/host/spatial.h"
#include "tests/ops/testing.h"

namespace cosim::ops {
namespace {

using host::Arithmetic;

TEST(HostElements, FunctionsOfOneNumber) {
  Randoms random(11);
  for (const char* name :
       {"acos", "asin", "atan", "atanh", "asinh", "ceil", "cos", "cosh", "erf", "exp", "floor", "hard_swish",
        "round", "sigmoid", "sin", "sinh", "softplus", "softsign", "tanh"})
    ExpectReference(host::Function(name), {Reals(random, {3, 17}, -0.99, 0.99)});
  for (const char* name : {"log", "sqrt", "reciprocal", "acosh"})
    ExpectReference(host::Function(name), {Reals(random, {3, 17}, 1, 9)});
  for (const char* name : {"sigmoid", "softplus", "hard_swish", "tanh"})
    ExpectReference(host::Function(name), {Numbers(random, DType::kFloat64, {40}, -40, 40)});
  for (const auto& op : {host::Elu(0.5), host::Celu(2), host::LeakyRelu(0.25), host::Selu(1.5, 1.25),
                         host::HardSigmoid(0.25, 0.5), host::ThresholdedRelu(0.5), host::Shrink(0.25, 0.5),
                         host::Between(-0.5, 0.75)})
    ExpectReference(op, {Reals(random, {2, 3, 19})});
}

TEST(HostElements, SignsAndPredicatesOnManyTypes) {
  Randoms random(12);
  for (const DType type : {DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64, DType::kUint8,
                           DType::kUint32, DType::kFloat32, DType::kFloat64}) {
    const double low = type == DType::kUint8 || type == DType::kUint32 ? 0 : -100;
    const Tensor x = Numbers(random, type, {2, 21}, low, 100);
    for (const auto& op : {host::Absolute(), host::Negate(), host::Sign(), host::Rectify()})
      ExpectReference(op, {x});
    for (const DType to :
         {DType::kInt8, DType::kUint8, DType::kInt64, DType::kFloat32, DType::kFloat64, DType::kBool})
      ExpectReference(host::Cast(to), {x});
  }
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinity = std::numeric_limits<float>::infinity();
  const Tensor special(Shape{6}, std::vector<float>{nan, infinity, -infinity, 0, -1, 3e9f});
  ExpectReference(host::IsNan(), {special});
  ExpectReference(host::IsInf(true, false), {special});
  ExpectReference(host::IsInf(true, true), {special});
  ExpectReference(host::Cast(DType::kInt32), {special});
  ExpectReference(host::Cast(DType::kUint8), {special});
  ExpectReference(host::Rectify(), {special});
  ExpectReference(host::Sign(), {special});
  ExpectReference(host::Not(), {Numbers(random, DType::kBool, {9}, 0, 1)});
}

TEST(HostElements, PairsBroadcast) {
  Randoms random(13);
  const std::pair<Shape, Shape> shapes[] = {
      {{2, 3, 5}, {2, 3, 5}}, {{2, 3, 5}, {3, 1}}, {{5}, {4, 1}}, {{}, {7}}, {{1, 3}, {}}, {{}, {}}};
  for (const auto& [a, b] : shapes) {
    for (const Arithmetic op :
         {Arithmetic::kAdd, Arithmetic::kSubtract, Arithmetic::kMultiply, Arithmetic::kDivide,
          Arithmetic::kMinimum, Arithmetic::kMaximum, Arithmetic::kModulo, Arithmetic::kFloatModulo}) {
      ExpectReference(host::Binary("pair", op), {Reals(random, a), Reals(random, b, 0.5, 3)});
      for (const DType type : {DType::kInt8, DType::kInt32, DType::kInt64, DType::kUint8}) {
        const double low = type == DType::kUint8 ? 0 : -9;
        ExpectReference(host::Binary("pair", op),
                        {Numbers(random, type, a, low, 100), Numbers(random, type, b, low, 9)});
      }
    }
    for (const auto op :
         {host::Comparison::kEqual, host::Comparison::kLess, host::Comparison::kGreaterOrEqual})
      ExpectReference(host::Compare("compare", op),
                      {Numbers(random, DType::kInt32, a, -2, 2), Numbers(random, DType::kInt32, b, -2, 2)});
    for (const auto op : {host::Logic::kAnd, host::Logic::kOr, host::Logic::kXor})
      ExpectReference(host::Combine("logic", op),
                      {Numbers(random, DType::kBool, a, 0, 1), Numbers(random, DType::kBool, b, 0, 1)});
    ExpectReference(host::Power(), {Reals(random, a, 0.5, 3), Reals(random, b)});
    ExpectReference(host::Power(),
                    {Numbers(random, DType::kInt32, a, -4, 4), Numbers(random, DType::kInt32, b, 0, 5)});
    ExpectReference(host::Where(),
                    {Numbers(random, DType::kBool, b, 0, 1), Reals(random, a), Reals(random, b)});
  }
  ExpectReference(host::Binary("divide", Arithmetic::kDivide),
                  {Tensor(Shape{3}, std::vector<int32_t>{std::numeric_limits<int32_t>::min(), 7, -7}),
                   Tensor(Shape{3}, std::vector<int32_t>{-1, 0, 2})});
  ExpectReference(host::Binary("shift", Arithmetic::kShiftLeft),
                  {Numbers(random, DType::kUint8, {20}, 0, 255), Numbers(random, DType::kUint8, {20}, 0, 9)});
  ExpectReference(
      host::Binary("shift", Arithmetic::kShiftRight),
      {Numbers(random, DType::kInt32, {20}, -999, 999), Numbers(random, DType::kInt32, {20}, -1, 33)});
  ExpectReference(host::AlignedAt(host::Binary("add", Arithmetic::kAdd), 1),
                  {Reals(random, {2, 3, 4, 5}), Reals(random, {3, 4})});
  ExpectReference(host::Variadic("mean", Arithmetic::kAdd, true),
                  {Reals(random, {2, 3}), Reals(random, {3}), Reals(random, {2, 1})});
  ExpectReference(host::PRelu(), {Reals(random, {2, 3, 4}), Reals(random, {3, 1})});
  ExpectReference(host::Clip(), {Reals(random, {2, 9}), Reals(random, {}, -1, 0), Reals(random, {}, 0, 1)});
}

TEST(HostElements, BitsOfEveryWholeType) {
  Randoms random(19);
  for (const DType type : {DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64, DType::kUint8,
                           DType::kUint16, DType::kUint32, DType::kUint64}) {
    const Tensor a = Numbers(random, type, {3, 1, 17}, 0, 120), b = Numbers(random, type, {4, 17}, 0, 120);
    for (const auto op : {host::Bitwise::kAnd, host::Bitwise::kOr, host::Bitwise::kXor})
      ExpectReference(host::CombineBits("bits", op), {a, b});
    ExpectReference(host::InvertBits(), {a});
  }
}

TEST(HostElements, NaNsOfExtremesAreThoseOfTheReference) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor a(Shape{4}, std::vector<float>{nan, 1, nan, 2}),
      b(Shape{4}, std::vector<float>{3, nan, nan, 1});
  for (const Arithmetic op : {Arithmetic::kMinimum, Arithmetic::kMaximum})
    ExpectReference(host::Binary("extreme", op), {a, b});
  ExpectReference(host::Between(-1, 1.5), {a});
  ExpectReference(host::Clip(),
                  {a, Tensor(Shape{}, std::vector<float>{0}), Tensor(Shape{}, std::vector<float>{1})});
}

// What follows the sums of a convolution by constants follows those of register tiles too.
TEST(HostWindows, ConvolveByConstantsInTiles) {
  Randoms random(18);
  const host::Spatial same{.auto_pad = host::AutoPad::kSameUpper, .strides = {2, 2}},
      framed{.strides = {1, 1}, .pads = {1, 1, 1, 1}};
  for (const int64_t groups : {1, 2, 8}) {
    const Shape weights = {24, 8 / groups, 3, 3};
    for (const host::Spatial& window : {same, framed}) {
      ExpectReference(
          host::Conv(window, groups),
          {Reals(random, {2, 8, 9, 11}), Constant(Reals(random, weights)), Constant(Reals(random, {24}))});
      ExpectReference(host::Conv(window, groups),
                      {Reals(random, {1, 8, 7, 7}), Constant(Reals(random, weights))});
    }
  }
  graph::Graph graph("operator");
  const auto op = host::Conv(framed, 1);
  const std::vector<graph::ValueId> ids = {graph.AddInput("x", {DType::kFloat32, {1, 8, 7, 7}}),
                                           graph.AddConstant("w", Reals(random, {24, 8, 3, 3})),
                                           graph.AddConstant("b", Reals(random, {24}))};
  graph.Add("y", graph::HostOp{op, 0, {DType::kFloat32, {1, 24, 7, 7}}, "a test"}, ids);
  EXPECT_TRUE(cpu::LowerForCpu(graph, 3).tables.empty());
  EXPECT_EQ(cpu::LowerForCpu(graph, 3, {.vector_bits = 256}).tables.size(), 1U);  // packed weights
}

TEST(HostWindows, ConvolveAndPoolInAnyNumberOfDimensions) {
  Randoms random(14);
  const host::Spatial plain, same{.auto_pad = host::AutoPad::kSameUpper, .strides = {2}},
      framed{.strides = {2, 1}, .dilations = {1, 2}, .pads = {1, 0, 2, 1}};
  ExpectReference(host::Conv(same, 1),
                  {Reals(random, {2, 3, 17}), Constant(Reals(random, {4, 3, 3})), Reals(random, {4})});
  ExpectReference(host::Conv(framed, 2), {Reals(random, {2, 6, 9, 20}), Constant(Reals(random, {4, 3, 3, 3})),
                                          Constant(Reals(random, {4}))});
  ExpectReference(host::Conv(plain, 1), {Reals(random, {1, 2, 4, 5, 6}), Reals(random, {3, 2, 2, 2, 3})});
  ExpectReference(host::ConvTranspose({.strides = {3, 2}, .pads = {1, 0, 0, 1}},
                                      {.output_padding = {1, 0}, .output_shape = {}}, 2),
                  {Reals(random, {2, 4, 5, 4}), Reals(random, {4, 3, 3, 2}), Reals(random, {6})});
  ExpectReference(host::ConvTranspose({.strides = {2}}, {}, 1),
                  {Reals(random, {1, 2, 5}), Reals(random, {2, 3, 4})});
  for (const auto pool :
       {host::Pool::kMax, host::Pool::kAverage, host::Pool::kAverageWithPadding, host::Pool::kLp}) {
    ExpectReference(
        host::Pooling("pool", pool,
                      {.kernel = {3, 2}, .strides = {2, 2}, .pads = {1, 0, 1, 1}, .ceil_mode = true}, 2,
                      false),
        {Reals(random, {2, 3, 8, 9})});
    ExpectReference(host::Pooling("pool", pool, {.kernel = {3}, .strides = {2}, .pads = {1, 1}}, 2, false),
                    {Reals(random, {2, 3, 12})});
    ExpectReference(host::GlobalPooling("global", pool, 2), {Reals(random, {2, 3, 4, 5})});
  }
  ExpectReference(host::Pooling("pool", host::Pool::kMax, {.kernel = {2, 2}}, 0, false),
                  {Numbers(random, DType::kUint8, {1, 2, 5, 5}, 0, 255)});
  const host::Window2d window = {.kernel = {3, 2}, .stride = {2, 1}, .pad = {1, 0, 2, 1}};
  ExpectReference(host::Pooling("pool", host::Pool::kAverage, host::SpatialOf(window), 0, false),
                  {Reals(random, {1, 3, 7, 8})});
}

TEST(HostMatrices, Multiply) {
  Randoms random(15);
  const std::pair<Shape, Shape> shapes[] = {{{3, 70}, {70, 5}}, {{2, 1, 3, 4}, {5, 4, 6}},
                                            {{9}, {9, 4}},      {{4, 9}, {9}},
                                            {{99}, {99}},       {{2, 3, 100}, {100, 1}}};
  for (const auto& [a, b] : shapes) {
    ExpectReference(host::MatMul(), {Reals(random, a), Reals(random, b)});
    ExpectReference(host::MatMul(),
                    {Numbers(random, DType::kInt32, a, -99, 99), Numbers(random, DType::kInt32, b, -99, 99)});
    ExpectReference(host::MatMulInteger(),
                    {Numbers(random, DType::kUint8, a, 0, 255), Numbers(random, DType::kInt8, b, -128, 127),
                     Numbers(random, DType::kUint8, {}, 0, 255), Numbers(random, DType::kInt8, {}, -9, 9)});
  }
  for (const bool transpose_a : {false, true})
    for (const bool transpose_b : {false, true})
      ExpectReference(host::Gemm(0.5f, 2, transpose_a, transpose_b),
                      {Reals(random, transpose_a ? Shape{70, 3} : Shape{3, 70}),
                       Reals(random, transpose_b ? Shape{5, 70} : Shape{70, 5}), Reals(random, {5})});
}

TEST(HostMatrices, QuantizedOnesAreExact) {
  Randoms random(16);
  const auto scale = [](float value) { return Operand(Tensor(Shape{}, std::vector<float>{value})); };
  const auto zero = [&](DType type) { return Operand(Numbers(random, type, {}, 3, 100)); };
  const DType byte = DType::kUint8;
  const Tensor a = Numbers(random, byte, {5, 64}, 0, 255), b = Numbers(random, byte, {64, 7}, 0, 255),
               bt = Numbers(random, byte, {7, 64}, 0, 255);
  ExpectReference(host::QLinearMatMul(), {a, scale(0.02f), zero(byte), b, Reals(random, {7}, 0.01, 0.03),
                                          Numbers(random, byte, {7}, 0, 9), scale(0.5f), zero(byte)});
  ExpectReference(host::QGemm(true),
                  {a, scale(0.02f), zero(byte), bt, scale(0.01f), zero(byte),
                   Numbers(random, DType::kInt32, {7}, -999, 999), scale(0.5f), zero(byte)});
  const Tensor image = Numbers(random, byte, {1, 3, 8, 9}, 0, 255),
               w = Numbers(random, DType::kInt8, {4, 3, 3, 3}, -128, 127);
  const host::Spatial framed{.strides = {2, 1}, .pads = {1, 1, 1, 1}};
  ExpectReference(host::ConvInteger(framed, 1),
                  {image, w, zero(byte), Numbers(random, DType::kInt8, {4}, -5, 5)});
  ExpectReference(host::QLinearConv(framed, 1),
                  {image, scale(0.02f), zero(byte), w, Reals(random, {4}, 0.01, 0.03),
                   Numbers(random, DType::kInt8, {4}, -5, 5), scale(0.7f), zero(byte),
                   Numbers(random, DType::kInt32, {4}, -999, 999)});
  for (const DType type : {DType::kInt8, DType::kUint8})  // in tiles: the zero points are known
    ExpectReference(host::QLinearConv(framed, 1),
                    {Numbers(random, type, {1, 3, 8, 9}, type == DType::kInt8 ? -128 : 0, 127), scale(0.02f),
                     Constant(Numbers(random, type, {}, 3, 100)),
                     Constant(Numbers(random, DType::kInt8, {20, 3, 3, 3}, -128, 127)),
                     Reals(random, {20}, 0.01, 0.03), Constant(Tensor({DType::kInt8, {}})), scale(0.7f),
                     zero(byte), Numbers(random, DType::kInt32, {20}, -999, 999)});
  ExpectReference(host::QuantizeLinear(1), {Reals(random, {2, 3, 9}, -9, 9), Reals(random, {3}, 0.01, 0.1),
                                            Numbers(random, DType::kInt8, {3}, -9, 9)});
  ExpectReference(host::DequantizeLinear(1),
                  {Numbers(random, byte, {2, 3, 9}, 0, 255), Reals(random, {3}, 0.01, 0.1),
                   Numbers(random, byte, {3}, 0, 255)});
  ExpectReference(host::OnBytes("qlinear_add", host::Binary("add", Arithmetic::kAdd), 2),
                  {image, scale(0.1f), zero(byte), Numbers(random, byte, {9}, 0, 255), scale(0.2f),
                   zero(byte), scale(0.3f), zero(byte)});
  ExpectReference(host::AverageOnBytes("average", host::GlobalPooling("average", host::Pool::kAverage, 0)),
                  {image, scale(0.1f), zero(byte), scale(0.2f), zero(byte)});
}

}  // namespace
}  // namespace cosim::ops
