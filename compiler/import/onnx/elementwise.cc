// SPDX-License-Identifier: Apache-2.0
// Operators on corresponding elements.
#include "compiler/host/elementwise.h"

#include <limits>
#include <string>
#include <utility>

#include "compiler/host/bitwise.h"
#include "compiler/host/functions.h"
#include "compiler/host/movement.h"
#include "compiler/import/onnx/node_view.h"

namespace cosim::import::onnx {
namespace {

using host::Arithmetic;
using host::Comparison;

/// Functions without attributes, and what the library calls them.
const std::pair<const char*, const char*> kFunctions[] = {
    {"Acos", "acos"},
    {"Acosh", "acosh"},
    {"Asin", "asin"},
    {"Asinh", "asinh"},
    {"Atan", "atan"},
    {"Atanh", "atanh"},
    {"Ceil", "ceil"},
    {"Cos", "cos"},
    {"Cosh", "cosh"},
    {"Erf", "erf"},
    {"Exp", "exp"},
    {"Floor", "floor"},
    {"HardSwish", "hard_swish"},
    {"Log", "log"},
    {"Mish", "mish"},
    {"Reciprocal", "reciprocal"},
    {"Round", "round"},
    {"Sigmoid", "sigmoid"},
    {"Sin", "sin"},
    {"Sinh", "sinh"},
    {"Softplus", "softplus"},
    {"Softsign", "softsign"},
    {"Sqrt", "sqrt"},
    {"Tan", "tan"},
    {"Tanh", "tanh"},
    {"com.microsoft.Gelu", "gelu"},
};

void AddParametrized(Factories& all) {
  all["Elu"] = [](NodeView& n) { return host::Elu(n.Float("alpha", 1)); };
  all["Celu"] = [](NodeView& n) { return host::Celu(n.Float("alpha", 1)); };
  all["LeakyRelu"] = [](NodeView& n) { return host::LeakyRelu(n.Float("alpha", 0.01f)); };
  all["Selu"] = [](NodeView& n) {
    const double alpha = n.Float("alpha", 1.67326319217681884765625f);
    return host::Selu(alpha, n.Float("gamma", 1.05070102214813232421875f));
  };
  all["HardSigmoid"] = [](NodeView& n) {
    const double alpha = n.Float("alpha", 0.2f);
    return host::HardSigmoid(alpha, n.Float("beta", 0.5f));
  };
  all["ThresholdedRelu"] = [](NodeView& n) { return host::ThresholdedRelu(n.Float("alpha", 1)); };
  all["Shrink"] = [](NodeView& n) {
    const double bias = n.Float("bias", 0);
    return host::Shrink(bias, n.Float("lambd", 0.5f));
  };
  all["Clip"] = [](NodeView& n) -> graph::HostOperatorPtr {
    if (n.opset() >= 11) return host::Clip();
    const double low = n.Float("min", std::numeric_limits<float>::lowest());
    return host::Between(low, n.Float("max", std::numeric_limits<float>::max()));
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
  all["Gelu"] = [](NodeView& n) -> graph::HostOperatorPtr {
    const std::string approximate = n.Text("approximate", "none");
    if (approximate != "none" && approximate != "tanh") return n.Fail("approximation " + approximate);
    return host::Function(approximate == "tanh" ? "gelu_by_tanh" : "gelu");
  };
  all["BitwiseNot"] = [](NodeView&) { return host::InvertBits(); };
  const std::tuple<const char*, const char*, host::Bitwise> bitwise[] = {
      {"BitwiseAnd", "bitwise_and", host::Bitwise::kAnd},
      {"BitwiseOr", "bitwise_or", host::Bitwise::kOr},
      {"BitwiseXor", "bitwise_xor", host::Bitwise::kXor}};
  for (const auto& [op, name, kind] : bitwise)
    all[op] = [name = name, kind = kind](NodeView&) { return host::CombineBits(name, kind); };
  all[kRoundToBfloat16] = [](NodeView&) { return host::RoundToBfloat16(); };
  all["Cast"] = [](NodeView& n) { return host::Cast(ElementType(n, n.Int("to", 0))); };
}

}  // namespace

void AddElementwise(Factories& all) {
  for (const auto& [op, name] : kFunctions)
    all[op] = [name = std::string(name)](NodeView&) { return host::Function(name); };
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
