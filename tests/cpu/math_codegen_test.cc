// SPDX-License-Identifier: Apache-2.0
// The polynomials of math_codegen.h against float64 functions of the C library, on floats of all signs and
// exponents, scalar and in vectors, for every level of this processor.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "compiler/cpu/jit.h"
#include "tests/cpu/testing.h"

namespace cosim::cpu {
namespace {

using tir::LoopKind;
using tir::MathFn;

struct Claim {
  MathFn fn;
  double (*reference)(double);
  double units;  ///< as math_codegen.h says
};

const Claim kClaims[] = {
    {MathFn::kExp, [](double x) { return std::exp(x); }, 1.1},
    {MathFn::kErf, [](double x) { return std::erf(x); }, 1.2},
    {MathFn::kTanh, [](double x) { return std::tanh(x); }, 1.4},
};

/// Every 4099th of all bit patterns, NaNs among them, and those next to where something changes.
std::vector<float> Samples() {
  std::vector<float> samples;
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 4099)
    samples.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  // All exponents are equally many there; functions change between 2^-14 and 2^7.
  for (uint32_t bits = 0x38800000; bits < 0x43000000; bits += 331)
    for (const uint32_t sign : {0U, 0x80000000U}) samples.push_back(std::bit_cast<float>(bits | sign));
  for (const double edge :
       {0.0, 0.625, 0.927734375, 88.722839, 87.33655, 103.972077, 100.0, 110.0, 8.0, 9.01})
    for (const double sign : {1.0, -1.0})
      for (const float to : {-1000.0F, 1000.0F}) {
        const auto x = static_cast<float>(sign * edge);
        samples.insert(samples.end(), {x, std::nextafter(x, to)});
      }
  const float infinity = std::numeric_limits<float>::infinity();
  samples.insert(samples.end(), {infinity, -infinity, std::numeric_limits<float>::quiet_NaN()});
  return samples;
}

std::vector<float> ValuesOf(JitCompiler& compiler, MathFn fn, LoopKind kind, std::vector<float> x) {
  const auto count = static_cast<int64_t>(x.size());
  const auto type = tir::DataType::Float(32);
  const tir::Buffer in = tir::MakeBuffer("x", type, {count}), out = tir::MakeBuffer("y", type, {count});
  const tir::Function function{"math", {in, out}, Loop("i", count, kind, [&](const tir::Expr& i) {
                                 const tir::Expr value = tir::MakeMath(fn, tir::MakeLoad(in, {i}));
                                 return tir::MakeStmt(tir::Store{out, {i}, value});
                               })};
  std::vector<float> y(x.size());
  compiler.Compile(function)->Run(std::vector<void*>{x.data(), y.data()});
  return y;
}

/// How far `value` is from `exact` in units of the last place of a float32 near it.
double UnitsApart(float value, double exact) {
  const auto nearest = static_cast<float>(exact);
  if (std::isnan(exact)) return std::isnan(value) ? 0 : std::numeric_limits<double>::infinity();
  if (value == nearest) return 0;
  if (!std::isfinite(value) || !std::isfinite(nearest)) return std::numeric_limits<double>::infinity();
  const int exponent = std::max(std::ilogb(exact), -126);
  return std::abs(static_cast<double>(value) - exact) / std::ldexp(1.0, exponent - 23);
}

class PolynomialTest : public testing::TestWithParam<Claim> {};

TEST_P(PolynomialTest, ErrsByNoMoreThanItsHeaderSays) {
  const std::vector<float> samples = Samples();
  std::vector<double> exact;
  for (const float x : samples) exact.push_back(GetParam().reference(static_cast<double>(x)));
  for (const std::string& name : HostTargets()) {
    const auto target = *FindHostTarget(name);
    if (!RunsHere(target)) continue;
    JitCompiler compiler(target);
    for (const LoopKind kind : {LoopKind::kSerial, LoopKind::kVectorized}) {
      const std::vector<float> y = ValuesOf(compiler, GetParam().fn, kind, samples);
      double worst = 0;
      size_t at = 0;
      for (size_t i = 0; i < samples.size(); ++i)
        if (const double units = UnitsApart(y[i], exact[i]); units > worst) worst = units, at = i;
      EXPECT_LE(worst, GetParam().units) << name << ": " << NameOf(GetParam().fn) << "(" << samples[at]
                                         << ") = " << y[at] << ", not " << exact[at];
      RecordProperty(name, std::to_string(worst));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, PolynomialTest, testing::ValuesIn(kClaims),
                         [](const auto& claim) { return std::string(NameOf(claim.param.fn)); });

TEST(PolynomialZeroTest, KeepsTheSignOfZero) {
  JitCompiler compiler;
  for (const MathFn fn : {MathFn::kErf, MathFn::kTanh})
    EXPECT_TRUE(std::signbit(ValuesOf(compiler, fn, LoopKind::kSerial, {-0.0F})[0])) << NameOf(fn);
}

}  // namespace
}  // namespace cosim::cpu
