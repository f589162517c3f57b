// SPDX-License-Identifier: Apache-2.0
// Expressions of a lane: one for each operation of a scalar program.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "isa/check.h"
#include "isa/sv/lane_printer.h"

namespace cosim::isa {

std::string SvExtended(const std::string& name, ScalarType type, int width) {
  if (width == type.width) return name;
  if (width < type.width) return fmt::format("{}[{}:0]", name, width - 1);
  if (!type.is_signed) return fmt::format("{{{}'d0, {}}}", width - type.width, name);
  return fmt::format("{{{{{}{{{}[{}]}}}}, {}}}", width - type.width, name, type.width - 1, name);
}

std::string SvLiteral(int64_t value, int width) {
  if (value >= 0) return fmt::format("{}'d{}", width, value);
  return fmt::format("(-{}'d{})", width, static_cast<uint64_t>(-(value + 1)) + 1);
}

std::string LanePrinter::Smaller(int a, int b, int width, int stage) {
  return fmt::format("({} < {})", SignedAt(a, stage, width), SignedAt(b, stage, width));
}

/// `name`, of type `from`, brought into the range of `to` by looking at the bits that have to be equal.
std::string LanePrinter::Saturated(const std::string& name, ScalarType from, ScalarType to) {
  // With a sign in any case; the bits from the highest of `to` on, which fit if they are all as the sign is.
  const int width = from.width + (from.is_signed ? 0 : 1), lowest = to.width - (to.is_signed ? 1 : 0);
  if (width <= lowest + 1 && (to.is_signed || !from.is_signed)) return SvExtended(name, from, to.width);
  const std::string whole =
      Wire(std::max(width, lowest + 1), SvExtended(name, from, std::max(width, lowest + 1)));
  const int sign = std::max(width, lowest + 1) - 1;
  const std::string low = fmt::format("{}[{}:0]", whole, to.width - 1);
  if (!to.is_signed) {
    return fmt::format("{0}[{1}] ? {2}'d0 : ((|{0}[{1}:{3}]) ? {{{2}{{1'b1}}}} : {4})", whole, sign, to.width,
                       lowest, low);
  }
  const std::string fits = fmt::format("((&{0}[{1}:{2}]) | ~(|{0}[{1}:{2}]))", whole, sign, lowest);
  return fmt::format("{} ? {} : ({{{}{{~{}[{}]}}}} ^ {})", fits, low, to.width, whole, sign,
                     SvLiteral(int64_t{1} << (to.width - 1), to.width));
}

/// The same of a shifted value, of which only as many bits are there as are needed, and whether they are all.
std::string LanePrinter::SaturatedShift(int value, int stage, ScalarType to) {
  const auto [fits, negative] = shifted_range_.at(value);
  const int bits = values_[value].type.width;
  const std::string name = At(value, stage);
  std::string all_fit = At(fits, stage);
  if (to.width < bits)
    all_fit =
        fmt::format("({0} & ((&{1}[{2}:{3}]) | ~(|{1}[{2}:{3}])))", all_fit, name, bits - 1, to.width - 1);
  return fmt::format("{} ? {}[{}:0] : ({{{}{{~{}}}}} ^ {})", all_fit, name, to.width - 1, to.width,
                     At(negative, stage), SvLiteral(int64_t{1} << (to.width - 1), to.width));
}

/// The smaller of value and upper bound, then the larger of that and the lower one, so the lower one where
/// bounds cross. Compared with both at once. As nothing beyond the bounds' type comes out, nothing beyond it
/// is compared.
int LanePrinter::Clamp(const ScalarNode& node, int x, int low, int high, int stage, int inside,
                       bool is_static) {
  const ScalarType lower = values_[low].type, upper = values_[high].type;
  const bool is_signed = lower.is_signed || upper.is_signed;
  const auto bits = [&](ScalarType type) { return type.width + (is_signed && !type.is_signed ? 1 : 0); };
  const ScalarType type{std::max(bits(lower), bits(upper)), is_signed};
  const int wide = type.width + (is_signed ? 0 : 1), end = stage + inside;
  const std::string in_type = Wire(type.width, Saturated(At(x, stage), values_[x].type, type));
  const int value = Define(SvExtended(in_type, type, wide), {wide, true}, stage, values_[x].is_static);
  const std::string signed_value = SignedAt(value, end, wide);
  const std::string at_least = SignedAt(low, end, wide), at_most = SignedAt(high, end, wide);
  const std::string below =
      Wire(1, fmt::format("({} < {}) | ({} < {})", signed_value, at_least, at_most, at_least));
  const std::string both =
      Wire(wide, fmt::format("{} ? {} : ({} < {}) ? {} : {}", below, At(low, end, wide), signed_value,
                             at_most, At(value, end), At(high, end, wide)));
  return Define(SvExtended(both, {wide, true}, node.type.width), node.type, end, is_static);
}

std::string LanePrinter::Expression(const ScalarNode& node, int a, int b, int c, int stage) {
  const int width = node.type.width;
  // One bit more than any operand: signed whatever their signs are.
  int wide = 1;
  for (int value : {a, b, c}) {
    if (value >= 0) wide = std::max(wide, values_[value].type.width + 1);
  }
  switch (node.op) {
    case ScalarOp::kAdd:
      return fmt::format("{} + {}", At(a, stage, width), At(b, stage, width));
    case ScalarOp::kSub:
      return fmt::format("{} - {}", At(a, stage, width), At(b, stage, width));
    case ScalarOp::kMul:  // by a constant
      return fmt::format("{} * {}", At(a, stage, width), At(b, stage, width));
    case ScalarOp::kMin:
      return fmt::format("{} ? {} : {}", Smaller(a, b, wide, stage), At(a, stage, width),
                         At(b, stage, width));
    case ScalarOp::kMax:
      return fmt::format("{} ? {} : {}", Smaller(a, b, wide, stage), At(b, stage, width),
                         At(a, stage, width));
    case ScalarOp::kShr: {
      const ScalarType type = values_[a].type;
      const std::string text = type.is_signed ? fmt::format("$signed({}) >>> {}", At(a, stage), At(b, stage))
                                              : fmt::format("{} >> {}", At(a, stage), At(b, stage));
      const std::string shifted = Wire(type.width, text);
      return SvExtended(shifted, type, width);
    }
    case ScalarOp::kShl:
      return fmt::format("{} << {}", At(a, stage, width), At(b, stage));
    case ScalarOp::kAnd:
      return fmt::format("{} & {}", At(a, stage, width), At(b, stage, width));
    case ScalarOp::kOr:
      return fmt::format("{} | {}", At(a, stage, width), At(b, stage, width));
    case ScalarOp::kXor:
      return fmt::format("{} ^ {}", At(a, stage, width), At(b, stage, width));
    case ScalarOp::kNot:
      return fmt::format("~{}", At(a, stage, width));
    case ScalarOp::kLt:
      return Smaller(a, b, wide, stage);
    case ScalarOp::kLe:
      return fmt::format("~{}", Smaller(b, a, wide, stage));
    case ScalarOp::kEq:
      return fmt::format("{} == {}", At(a, stage, wide), At(b, stage, wide));
    case ScalarOp::kNe:
      return fmt::format("{} != {}", At(a, stage, wide), At(b, stage, wide));
    case ScalarOp::kSelect:
      return fmt::format("({} != '0) ? {} : {}", At(a, stage), At(b, stage, width), At(c, stage, width));
    case ScalarOp::kWrap:
      return At(a, stage, width);
    case ScalarOp::kSat:
      return shifted_range_.contains(a) ? SaturatedShift(a, stage, node.type)
                                        : Saturated(At(a, stage), values_[a].type, node.type);
    case ScalarOp::kConst:
    case ScalarOp::kInput:
    case ScalarOp::kRoundShift:  // shared
    case ScalarOp::kLookup:      // likewise
    case ScalarOp::kClamp:       // may be cut
      break;
  }
  COSIM_CHECK(false, "a node without an expression");
}

}  // namespace cosim::isa
