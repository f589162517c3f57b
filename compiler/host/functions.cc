// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/functions.h"

#include <cmath>
#include <numbers>

#include "compiler/host/elementwise.h"
#include "isa/check.h"

namespace cosim::host {
namespace {

using tir::Expr;
using tir::MathFn;

struct Named {
  const char* name;
  double (*f)(double);
  Expr (*element)(const Expr&);
};

Expr Real(double value, const Expr& like) { return tir::Float(value, like->type); }

template <MathFn fn>
Expr Of(const Expr& x) {
  return ops::Apply(fn, x);
}

Expr SigmoidOf(const Expr& x) {
  const Expr one = Real(1, x);
  return Divide(one, one + ops::Apply(MathFn::kExp, Real(-0.0, x) - x));
}

Expr HardSwishOf(const Expr& x) {
  const Expr share = Divide(x, Real(6, x)) + Real(0.5, x);
  return x * Max(Real(0, x), Min(Real(1, x), share));
}

Expr GeluOf(const Expr& x) {
  const Expr share = Real(1, x) + ops::Apply(MathFn::kErf, x * Real(std::numbers::sqrt2 / 2, x));
  return x * Real(0.5, x) * share;
}

/// By the tangent that comes close to the error function.
constexpr double kGeluScale = 0.7978845608028654, kGeluCube = 0.044715;

Expr GeluByTanhOf(const Expr& x) {
  const Expr inner = (x + x * x * x * Real(kGeluCube, x)) * Real(kGeluScale, x);
  return x * Real(0.5, x) * (Real(1, x) + ops::Apply(MathFn::kTanh, inner));
}

Expr SoftplusOf(const Expr& x) {
  return MakeSelect(Lt(Real(30, x), x), x, ops::Apply(MathFn::kLog1p, ops::Apply(MathFn::kExp, x)));
}

Expr MishOf(const Expr& x) { return x * ops::Apply(MathFn::kTanh, SoftplusOf(x)); }

double Softplus(double x) { return x > 30 ? x : std::log1p(std::exp(x)); }

const Named kNamed[] = {
    {"acos", [](double x) { return std::acos(x); }, Of<MathFn::kAcos>},
    {"acosh", [](double x) { return std::acosh(x); }, Of<MathFn::kAcosh>},
    {"asin", [](double x) { return std::asin(x); }, Of<MathFn::kAsin>},
    {"asinh", [](double x) { return std::asinh(x); }, Of<MathFn::kAsinh>},
    {"atan", [](double x) { return std::atan(x); }, Of<MathFn::kAtan>},
    {"atanh", [](double x) { return std::atanh(x); }, Of<MathFn::kAtanh>},
    {"ceil", [](double x) { return std::ceil(x); }, Of<MathFn::kCeil>},
    {"cos", [](double x) { return std::cos(x); }, Of<MathFn::kCos>},
    {"cosh", [](double x) { return std::cosh(x); }, Of<MathFn::kCosh>},
    {"erf", [](double x) { return std::erf(x); }, Of<MathFn::kErf>},
    {"exp", [](double x) { return std::exp(x); }, Of<MathFn::kExp>},
    {"floor", [](double x) { return std::floor(x); }, Of<MathFn::kFloor>},
    {"gelu", [](double x) { return x / 2 * (1 + std::erf(x * std::numbers::sqrt2 / 2)); }, GeluOf},
    {"gelu_by_tanh",
     [](double x) { return x / 2 * (1 + std::tanh(kGeluScale * (x + kGeluCube * x * x * x))); },
     GeluByTanhOf},
    {"hard_swish", [](double x) { return x * std::fmax(0, std::fmin(1, x / 6 + 0.5)); }, HardSwishOf},
    {"log", [](double x) { return std::log(x); }, Of<MathFn::kLog>},
    {"mish", [](double x) { return x * std::tanh(Softplus(x)); }, MishOf},
    {"reciprocal", [](double x) { return 1 / x; }, [](const Expr& x) { return Divide(Real(1, x), x); }},
    {"round", [](double x) { return std::nearbyint(x); }, Of<MathFn::kRound>},
    {"sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }, SigmoidOf},
    {"sin", [](double x) { return std::sin(x); }, Of<MathFn::kSin>},
    {"sinh", [](double x) { return std::sinh(x); }, Of<MathFn::kSinh>},
    {"softplus", Softplus, SoftplusOf},
    {"softsign", [](double x) { return x / (1 + std::abs(x)); },
     [](const Expr& x) { return Divide(x, Real(1, x) + ops::Apply(MathFn::kAbs, x)); }},
    {"sqrt", [](double x) { return std::sqrt(x); }, Of<MathFn::kSqrt>},
    {"tan", [](double x) { return std::tan(x); }, Of<MathFn::kTan>},
    {"tanh", [](double x) { return std::tanh(x); }, Of<MathFn::kTanh>},
};

Expr LessOne(double alpha, const Expr& x) { return ops::Apply(MathFn::kExpm1, x) * Real(alpha, x); }

/// x where it is not negative, f(x) elsewhere.
template <typename F, typename E>
HostOperatorPtr OnNegative(const char* name, F f, E element) {
  return MathFunction(
      name, [f](double x) { return x < 0 ? f(x) : x; },
      [element](const Expr& x) { return MakeSelect(Lt(x, Real(0, x)), element(x), x); });
}

}  // namespace

HostOperatorPtr Function(const std::string& name) {
  for (const Named& named : kNamed)
    if (name == named.name) return MathFunction(name, named.f, named.element);
  COSIM_CHECK(false, "there is no function '{}'", name);
}

HostOperatorPtr Elu(double alpha) {
  return OnNegative(
      "elu", [=](double x) { return alpha * std::expm1(x); },
      [=](const Expr& x) { return LessOne(alpha, x); });
}

HostOperatorPtr Celu(double alpha) {
  return OnNegative(
      "celu", [=](double x) { return alpha * std::expm1(x / alpha); },
      [=](const Expr& x) { return LessOne(alpha, Divide(x, Real(alpha, x))); });
}

HostOperatorPtr LeakyRelu(double alpha) {
  return OnNegative(
      "leaky_relu", [=](double x) { return alpha * x; }, [=](const Expr& x) { return x * Real(alpha, x); });
}

HostOperatorPtr Selu(double alpha, double gamma) {
  return MathFunction(
      "selu", [=](double x) { return gamma * (x > 0 ? x : alpha * std::expm1(x)); },
      [=](const Expr& x) { return MakeSelect(Lt(Real(0, x), x), x, LessOne(alpha, x)) * Real(gamma, x); });
}

HostOperatorPtr HardSigmoid(double alpha, double beta) {
  return MathFunction(
      "hard_sigmoid", [=](double x) { return std::fmax(0, std::fmin(1, alpha * x + beta)); },
      [=](const Expr& x) { return Max(Real(0, x), Min(Real(1, x), x * Real(alpha, x) + Real(beta, x))); });
}

HostOperatorPtr ThresholdedRelu(double alpha) {
  return MathFunction(
      "thresholded_relu", [=](double x) { return x > alpha ? x : 0; },
      [=](const Expr& x) { return MakeSelect(Lt(Real(alpha, x), x), x, Real(0, x)); });
}

HostOperatorPtr Shrink(double bias, double lambda) {
  return MathFunction(
      "shrink", [=](double x) { return x < -lambda  ? x + bias
                                       : x > lambda ? x - bias
                                                    : 0; },
      [=](const Expr& x) {
        const Expr offset = Real(bias, x), above = MakeSelect(Lt(Real(lambda, x), x), x - offset, Real(0, x));
        return MakeSelect(Lt(x, Real(-lambda, x)), x + offset, above);
      });
}

HostOperatorPtr Between(double low, double high) {
  return MathFunction(
      fmt::format("clip low={} high={}", low, high),
      [=](double x) { return x < low    ? low
                             : x > high ? high
                                        : x; },
      [=](const Expr& x) { return Min(Max(x, Real(low, x)), Real(high, x)); });
}

}  // namespace cosim::host
