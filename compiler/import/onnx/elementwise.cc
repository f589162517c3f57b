// SPDX-License-Identifier: Apache-2.0
// Operators on corresponding elements.
#include "compiler/host/elementwise.h"

#include <cmath>
#include <limits>

#include "compiler/host/movement.h"
#include "compiler/import/onnx/node_view.h"

namespace cosim::import::onnx {
namespace {

using host::Arithmetic;
using host::Comparison;

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

struct Function {
  const char *op, *name;
  double (*f)(double);
};

/// Functions without attributes.
const Function kFunctions[] = {
    {"Acos", "acos", [](double x) { return std::acos(x); }},
    {"Acosh", "acosh", [](double x) { return std::acosh(x); }},
    {"Asin", "asin", [](double x) { return std::asin(x); }},
    {"Asinh", "asinh", [](double x) { return std::asinh(x); }},
    {"Atan", "atan", [](double x) { return std::atan(x); }},
    {"Atanh", "atanh", [](double x) { return std::atanh(x); }},
    {"Ceil", "ceil", [](double x) { return std::ceil(x); }},
    {"Cos", "cos", [](double x) { return std::cos(x); }},
    {"Cosh", "cosh", [](double x) { return std::cosh(x); }},
    {"Erf", "erf", [](double x) { return std::erf(x); }},
    {"Exp", "exp", [](double x) { return std::exp(x); }},
    {"Floor", "floor", [](double x) { return std::floor(x); }},
    {"HardSwish", "hard_swish", [](double x) { return x * std::fmax(0, std::fmin(1, x / 6 + 0.5)); }},
    {"Log", "log", [](double x) { return std::log(x); }},
    {"Reciprocal", "reciprocal", [](double x) { return 1 / x; }},
    {"Round", "round", [](double x) { return std::nearbyint(x); }},
    {"Sigmoid", "sigmoid", Sigmoid},
    {"Sin", "sin", [](double x) { return std::sin(x); }},
    {"Sinh", "sinh", [](double x) { return std::sinh(x); }},
    {"Softplus", "softplus", [](double x) { return x > 30 ? x : std::log1p(std::exp(x)); }},
    {"Softsign", "softsign", [](double x) { return x / (1 + std::abs(x)); }},
    {"Sqrt", "sqrt", [](double x) { return std::sqrt(x); }},
    {"Tan", "tan", [](double x) { return std::tan(x); }},
    {"Tanh", "tanh", [](double x) { return std::tanh(x); }},
};

/// x where it is positive, f(x) elsewhere.
template <typename F>
graph::HostOperatorPtr OnNegative(const char* name, F f) {
  return host::MathFunction(name, [f](double x) { return x < 0 ? f(x) : x; });
}

void AddParametrized(Factories& all) {
  all["Elu"] = [](NodeView& n) {
    const double alpha = n.Float("alpha", 1);
    return OnNegative("elu", [=](double x) { return alpha * std::expm1(x); });
  };
  all["Celu"] = [](NodeView& n) {
    const double alpha = n.Float("alpha", 1);
    return OnNegative("celu", [=](double x) { return alpha * std::expm1(x / alpha); });
  };
  all["LeakyRelu"] = [](NodeView& n) {
    const double alpha = n.Float("alpha", 0.01f);
    return OnNegative("leaky_relu", [=](double x) { return alpha * x; });
  };
  all["Selu"] = [](NodeView& n) {
    const double alpha = n.Float("alpha", 1.67326319217681884765625f),
                 gamma = n.Float("gamma", 1.05070102214813232421875f);
    return host::MathFunction("selu", [=](double x) { return gamma * (x > 0 ? x : alpha * std::expm1(x)); });
  };
  all["HardSigmoid"] = [](NodeView& n) {
    const double alpha = n.Float("alpha", 0.2f), beta = n.Float("beta", 0.5f);
    return host::MathFunction("hard_sigmoid",
                              [=](double x) { return std::fmax(0, std::fmin(1, alpha * x + beta)); });
  };
  all["ThresholdedRelu"] = [](NodeView& n) {
    const double alpha = n.Float("alpha", 1);
    return host::MathFunction("thresholded_relu", [=](double x) { return x > alpha ? x : 0; });
  };
  all["Shrink"] = [](NodeView& n) {
    const double bias = n.Float("bias", 0), lambda = n.Float("lambd", 0.5f);
    return host::MathFunction("shrink", [=](double x) {
      return x < -lambda ? x + bias : x > lambda ? x - bias : 0;
    });
  };
  all["Clip"] = [](NodeView& n) -> graph::HostOperatorPtr {
    if (n.opset() >= 11) return host::Clip();
    const double low = n.Float("min", std::numeric_limits<float>::lowest()),
                 high = n.Float("max", std::numeric_limits<float>::max());
    return host::MathFunction("clip", [=](double x) { return std::fmin(std::fmax(x, low), high); });
  };
  all["Mod"] = [](NodeView& n) {
    return host::Binary("mod", n.Int("fmod", 0) ? Arithmetic::kFloatModulo : Arithmetic::kModulo);
  };
  all["BitShift"] = [](NodeView& n) {
    return host::Binary("bit_shift",
                        n.Text("direction", "") == "LEFT" ? Arithmetic::kShiftLeft : Arithmetic::kShiftRight);
  };
  all["IsInf"] = [](NodeView& n) {
    return host::IsInf(n.Int("detect_positive", 1) != 0, n.Int("detect_negative", 1) != 0);
  };
  all["Cast"] = [](NodeView& n) { return host::Cast(ElementType(n, n.Int("to", 0))); };
}

}  // namespace

void AddElementwise(Factories& all) {
  for (const Function& function : kFunctions)
    all[function.op] = [function](NodeView&) { return host::MathFunction(function.name, function.f); };
  AddParametrized(all);
  all["Abs"] = [](NodeView&) { return host::Absolute(); };
  all["Neg"] = [](NodeView&) { return host::Negate(); };
  all["Sign"] = [](NodeView&) { return host::Sign(); };
  all["Relu"] = [](NodeView&) { return host::Rectify(); };
  all["IsNaN"] = [](NodeView&) { return host::IsNan(); };
  all["Not"] = [](NodeView&) { return host::Not(); };
  all["CastLike"] = [](NodeView&) { return host::CastLike(); };
  all["PRelu"] = [](NodeView& n) {  // before operator set 7 a slope was one a channel
    return n.opset() < 7 ? host::AlignedAt(host::PRelu(), 1) : host::PRelu();
  };
  all["Pow"] = [](NodeView&) { return host::Power(); };
  all["Where"] = [](NodeView&) { return host::Where(); };
  all["Identity"] = [](NodeView&) { return host::Identity(); };
  const std::tuple<const char*, const char*, Arithmetic> binary[] = {{"Add", "add", Arithmetic::kAdd},
                                                                     {"Sub", "sub", Arithmetic::kSubtract},
                                                                     {"Mul", "mul", Arithmetic::kMultiply},
                                                                     {"Div", "div", Arithmetic::kDivide}};
  for (const auto& [op, name, arithmetic] : binary)
    all[op] = [name = name, arithmetic = arithmetic](NodeView& n) {
      auto binary = host::Binary(name, arithmetic);
      const bool old = n.opset() < 7 && n.Int("broadcast", 0) != 0 && n.Has("axis");
      return old ? host::AlignedAt(std::move(binary), n.Int("axis", 0)) : binary;
    };
  const std::tuple<const char*, const char*, Arithmetic, bool> variadic[] = {
      {"Sum", "sum", Arithmetic::kAdd, false},
      {"Mean", "mean", Arithmetic::kAdd, true},
      {"Max", "max", Arithmetic::kMaximum, false},
      {"Min", "min", Arithmetic::kMinimum, false}};
  for (const auto& [op, name, arithmetic, mean] : variadic)
    all[op] = [name = name, arithmetic = arithmetic, mean = mean](NodeView&) {
      return host::Variadic(name, arithmetic, mean);
    };
  const std::tuple<const char*, const char*, Comparison> comparisons[] = {
      {"Equal", "equal", Comparison::kEqual},
      {"Less", "less", Comparison::kLess},
      {"LessOrEqual", "less_or_equal", Comparison::kLessOrEqual},
      {"Greater", "greater", Comparison::kGreater},
      {"GreaterOrEqual", "greater_or_equal", Comparison::kGreaterOrEqual}};
  for (const auto& [op, name, comparison] : comparisons)
    all[op] = [name = name, comparison = comparison](NodeView&) { return host::Compare(name, comparison); };
  const std::tuple<const char*, const char*, host::Logic> logic[] = {
      {"And", "and", host::Logic::kAnd}, {"Or", "or", host::Logic::kOr}, {"Xor", "xor", host::Logic::kXor}};
  for (const auto& [op, name, kind] : logic)
    all[op] = [name = name, kind = kind](NodeView&) { return host::Combine(name, kind); };
}

}  // namespace cosim::import::onnx
