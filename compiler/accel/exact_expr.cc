// SPDX-License-Identifier: Apache-2.0
// See exact_expr.h. Ranges are computed in 128 bits and stored saturated.
#include "compiler/accel/exact_expr.h"

#include <algorithm>
#include <limits>

#include "compiler/accel/nest_access.h"
#include "isa/check.h"

namespace cosim::accel {
namespace {

using Wide = __int128;

struct Range {
  Wide low, high;
};

constexpr Wide kMin64 = std::numeric_limits<int64_t>::min(), kMax64 = std::numeric_limits<int64_t>::max();

Range Hull(std::initializer_list<Wide> values) { return {std::min(values), std::max(values)}; }

Range RangeOf(ExactOp op, const std::vector<Exact>& args) {
  const auto arg = [&](size_t i) { return Range{args[i]->low, args[i]->high}; };
  const Range a = args.empty() ? Range{0, 0} : arg(0);
  const Range b = args.size() < 2 ? Range{0, 0} : arg(1);
  switch (op) {
    case ExactOp::kAdd:
      return {a.low + b.low, a.high + b.high};
    case ExactOp::kSub:
      return {a.low - b.high, a.high - b.low};
    case ExactOp::kMul:
      return Hull({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
    case ExactOp::kMin:
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case ExactOp::kMax:
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case ExactOp::kShr:
    case ExactOp::kRoundShift: {
      if (b.low < 0) return {kMin64, kMax64};
      const int least = static_cast<int>(std::min<Wide>(b.low, 63)),
                most = static_cast<int>(std::min<Wide>(b.high, 63));
      const Wide slack = op == ExactOp::kRoundShift && most > 0 ? 1 : 0;
      const Range r = Hull({a.low >> least, a.low >> most, a.high >> least, a.high >> most});
      return {r.low, r.high + slack};
    }
    case ExactOp::kShl: {
      if (b.low < 0 || b.high > 62) return {kMin64 - 1, kMax64 + 1};
      const int least = static_cast<int>(b.low), most = static_cast<int>(b.high);
      return Hull({a.low << least, a.low << most, a.high << least, a.high << most});
    }
    case ExactOp::kLt:
    case ExactOp::kLe:
    case ExactOp::kEq:
    case ExactOp::kNe:
      return {0, 1};
    case ExactOp::kSelect:
      return {std::min(arg(1).low, arg(2).low), std::max(arg(1).high, arg(2).high)};
    case ExactOp::kAnd:
    case ExactOp::kOr:
    case ExactOp::kXor: {  // the bits above the wider operand are copies of signs
      Wide power = 1;
      while (power <= kMax64 && Hull({a.low, b.low}).low < -power) power *= 2;
      while (power <= kMax64 && Hull({a.high, b.high}).high >= power) power *= 2;
      return {a.low >= 0 && b.low >= 0 ? 0 : -power, power - 1};
    }
    default:
      return {kMin64, kMax64};
  }
}

bool Overflows(const Range& range) { return range.low < kMin64 || range.high > kMax64; }

bool IsConst(const Exact& e) { return e->op == ExactOp::kConst; }

// clamp(clamp(x, l1, h1), l2, h2) is one clamp; min(max(x, l), h) with l <= h is max(min(x, h), l).
Exact MakeClamp(const Exact& x, int64_t low, int64_t high) {
  if (x->op == ExactOp::kMax && IsConst(x->args[1]) && x->args[0]->op == ExactOp::kMin &&
      IsConst(x->args[0]->args[1])) {
    const int64_t inner_low = x->args[1]->value, inner_high = x->args[0]->args[1]->value;
    const auto clamp = [&](int64_t v) { return std::max(std::min(v, high), low); };
    return MakeClamp(x->args[0]->args[0], clamp(inner_low), clamp(inner_high));
  }
  return MakeExact(ExactOp::kMax, {MakeExact(ExactOp::kMin, {x, ExactConst(high)}), ExactConst(low)});
}

// min or max of a clamp, or of one half of one, with a constant.
Exact NormalizeMinMax(ExactOp op, const Exact& a, int64_t bound) {
  if (IsClamp(a)) {
    const int64_t low = a->args[1]->value, high = a->args[0]->args[1]->value;
    const auto cut = [&](int64_t v) { return op == ExactOp::kMin ? std::min(v, bound) : std::max(v, bound); };
    return MakeClamp(a->args[0]->args[0], cut(low), cut(high));
  }
  if (a->args.size() == 2 && IsConst(a->args[1])) {
    const int64_t other = a->args[1]->value;
    if (op == ExactOp::kMin && a->op == ExactOp::kMax && other <= bound)
      return MakeClamp(a->args[0], other, bound);
    if (op == ExactOp::kMax && a->op == ExactOp::kMin && bound <= other)
      return MakeClamp(a->args[0], bound, other);
  }
  return MakeExact(op, {a, ExactConst(bound)});
}

Exact Normalize(ExactOp op, Exact a, Exact b) {
  const bool commutes =
      op == ExactOp::kAdd || op == ExactOp::kMul || op == ExactOp::kMin || op == ExactOp::kMax;
  if (commutes && IsConst(a)) std::swap(a, b);
  if (IsConst(b) && (op == ExactOp::kMin || op == ExactOp::kMax)) return NormalizeMinMax(op, a, b->value);
  return MakeExact(op, {std::move(a), std::move(b)});
}

Exact WrapTo(const Exact& x, isa::ScalarType type) {
  if (x->low >= type.Min() && x->high <= type.Max()) return x;
  ExactNode node{ExactOp::kWrap, {x}};
  node.type = type;
  node.low = type.Min();
  node.high = type.Max();
  return std::make_shared<const ExactNode>(std::move(node));
}

bool ToScalarType(const tir::DataType& type, isa::ScalarType& out) {
  if (type.is_float()) return false;
  if (type.is_unsigned() && type.bits > 63) return false;
  out = {type.bits, type.is_signed()};
  return true;
}

bool ToExactOp(tir::BinaryOp op, ExactOp& out) {
  using B = tir::BinaryOp;
  switch (op) {
    case B::kAdd:
      out = ExactOp::kAdd;
      return true;
    case B::kSub:
      out = ExactOp::kSub;
      return true;
    case B::kMul:
      out = ExactOp::kMul;
      return true;
    case B::kMin:
      out = ExactOp::kMin;
      return true;
    case B::kMax:
      out = ExactOp::kMax;
      return true;
    case B::kShr:
      out = ExactOp::kShr;
      return true;
    case B::kShl:
      out = ExactOp::kShl;
      return true;
    case B::kRoundShift:
      out = ExactOp::kRoundShift;
      return true;
    case B::kAnd:
    case B::kLogicalAnd:  // of truth values, which are 0 and 1
      out = ExactOp::kAnd;
      return true;
    case B::kOr:
    case B::kLogicalOr:
      out = ExactOp::kOr;
      return true;
    case B::kXor:
      out = ExactOp::kXor;
      return true;
    case B::kLt:
      out = ExactOp::kLt;
      return true;
    case B::kLe:
      out = ExactOp::kLe;
      return true;
    case B::kEq:
      out = ExactOp::kEq;
      return true;
    case B::kNe:
      out = ExactOp::kNe;
      return true;
    default:
      return false;
  }
}

Exact LookupAt(const Exact& index, isa::ScalarType type, tir::Expr load, int table) {
  ExactNode node{ExactOp::kLookup, {index}};
  node.low = type.Min();
  node.high = type.Max();
  node.load = std::move(load);
  node.input = table;
  return std::make_shared<const ExactNode>(std::move(node));
}

Exact Leaf(int64_t low, int64_t high, tir::Expr load, int input) {
  ExactNode node{ExactOp::kLeaf};
  node.low = low;
  node.high = high;
  node.load = std::move(load);
  node.input = input;
  return std::make_shared<const ExactNode>(std::move(node));
}

}  // namespace

bool IsClamp(const Exact& e) {
  return e->op == ExactOp::kMax && IsConst(e->args[1]) && e->args[0]->op == ExactOp::kMin &&
         IsConst(e->args[0]->args[1]);
}

Exact ExactConst(int64_t value) {
  ExactNode node{ExactOp::kConst};
  node.value = node.low = node.high = value;
  return std::make_shared<const ExactNode>(std::move(node));
}

Exact MakeExact(ExactOp op, std::vector<Exact> args) {
  const Range range = RangeOf(op, args);
  ExactNode node{op, std::move(args)};
  node.low = static_cast<int64_t>(std::clamp(range.low, kMin64, kMax64));
  node.high = static_cast<int64_t>(std::clamp(range.high, kMin64, kMax64));
  return std::make_shared<const ExactNode>(std::move(node));
}

Exact FromLowered(const tir::Expr& expr) {
  isa::ScalarType type;
  if (!ToScalarType(expr->type, type)) return nullptr;
  if (const auto* imm = std::get_if<tir::IntImm>(&expr->node)) return ExactConst(imm->value);
  if (IsLookup(expr)) {
    const auto& load = std::get<tir::Load>(expr->node);
    const Exact index = load.indices.size() == 1 ? FromLowered(load.indices[0]) : nullptr;
    return index ? LookupAt(index, type, expr, -1) : nullptr;
  }
  if (std::holds_alternative<tir::Load>(expr->node)) return Leaf(type.Min(), type.Max(), expr, -1);
  if (const auto* cast = std::get_if<tir::Cast>(&expr->node)) {
    const Exact value = FromLowered(cast->value);
    return value ? WrapTo(value, type) : nullptr;
  }
  if (const auto* select = std::get_if<tir::Select>(&expr->node)) {
    const Exact c = FromLowered(select->condition), a = FromLowered(select->a), b = FromLowered(select->b);
    if (!c || !a || !b) return nullptr;
    if (IsConst(a) && a->value == 1 && IsConst(b) && b->value == 0) return c;
    return MakeExact(ExactOp::kSelect, {c, a, b});
  }
  const auto* binary = std::get_if<tir::Binary>(&expr->node);
  ExactOp op;
  if (!binary || !ToExactOp(binary->op, op)) return nullptr;
  const Exact a = FromLowered(binary->a), b = FromLowered(binary->b);
  // Beyond 64 bits the exact value has no form here, though a wrapped one exists.
  if (!a || !b || Overflows(RangeOf(op, {a, b}))) return nullptr;
  return WrapTo(Normalize(op, a, b), type);
}

Exact FromProgram(const isa::ScalarProgram& program) {
  using S = isa::ScalarOp;
  std::vector<Exact> values;
  for (const isa::ScalarNode& node : program.nodes) {
    const auto arg = [&](int i) { return values.at(i); };
    const auto binary = [&](ExactOp op) { return Normalize(op, arg(node.a), arg(node.b)); };
    Exact value;
    switch (node.op) {
      case S::kConst:
        value = ExactConst(node.value);
        break;
      case S::kInput: {
        const auto& type = program.inputs[node.input].type;
        value = Leaf(type.Min(), type.Max(), nullptr, node.input);
        break;
      }
      case S::kAdd:
        value = binary(ExactOp::kAdd);
        break;
      case S::kSub:
        value = binary(ExactOp::kSub);
        break;
      case S::kMul:
        value = binary(ExactOp::kMul);
        break;
      case S::kMin:
        value = binary(ExactOp::kMin);
        break;
      case S::kMax:
        value = binary(ExactOp::kMax);
        break;
      case S::kShr:
        value = binary(ExactOp::kShr);
        break;
      case S::kShl:
        value = binary(ExactOp::kShl);
        break;
      case S::kRoundShift:
        value = binary(ExactOp::kRoundShift);
        break;
      case S::kAnd:
        value = binary(ExactOp::kAnd);
        break;
      case S::kOr:
        value = binary(ExactOp::kOr);
        break;
      case S::kXor:
        value = binary(ExactOp::kXor);
        break;
      case S::kNot:
        value = Normalize(ExactOp::kSub, ExactConst(-1), arg(node.a));
        break;
      case S::kLt:
        value = binary(ExactOp::kLt);
        break;
      case S::kLe:
        value = binary(ExactOp::kLe);
        break;
      case S::kEq:
        value = binary(ExactOp::kEq);
        break;
      case S::kNe:
        value = binary(ExactOp::kNe);
        break;
      case S::kSelect:
        value = MakeExact(ExactOp::kSelect, {arg(node.a), arg(node.b), arg(node.c)});
        break;
      case S::kWrap:
        value = WrapTo(arg(node.a), node.type);
        break;
      case S::kLookup:
        value = LookupAt(arg(node.a), node.type, nullptr, node.input);
        break;
      case S::kSat:
        value =
            MakeExact(ExactOp::kMax, {MakeExact(ExactOp::kMin, {arg(node.a), ExactConst(node.type.Max())}),
                                      ExactConst(node.type.Min())});
        break;
      case S::kClamp:
        value = MakeExact(ExactOp::kMax, {MakeExact(ExactOp::kMin, {arg(node.a), arg(node.c)}), arg(node.b)});
        break;
    }
    values.push_back(std::move(value));
  }
  return values.at(program.result);
}

}  // namespace cosim::accel
