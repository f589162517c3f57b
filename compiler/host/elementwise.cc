// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/elementwise.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/host/broadcast.h"
#include "compiler/host/elementwise_define.h"
#include "compiler/host/numeric.h"

namespace cosim::host {
namespace {

Types SameType(Operands in) { return One(in[0].type); }

Types Floating(Operands in) {
  return IsFloat(in[0].type.dtype) ? One(in[0].type)
                                   : Refuse("input is {}, not float", Name(in[0].type.dtype));
}

Types Boolean(Operands in) { return One(DType::kBool, in[0].type.shape); }

/// Both operands of one type, which the result has too.
Types SameBroadcast(Operands in) {
  for (const HostOperand& operand : in)
    if (operand.type.dtype != in[0].type.dtype)
      return Refuse("operands are {} and {}", Name(in[0].type.dtype), Name(operand.type.dtype));
  return InferBroadcast(in, in[0].type.dtype);
}

/// x in the unsigned type in which sums and products of T wrap.
template <typename T>
auto Wrapping(T x) {
  using Bits = std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>;
  return static_cast<std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>>(static_cast<Bits>(x));
}

template <typename T>
T Apply(Arithmetic op, T a, T b) {
  using A = Arithmetic;
  if (op == A::kMinimum) return b < a || b != b ? b : a;
  if (op == A::kMaximum) return a < b || b != b ? b : a;
  if constexpr (std::is_floating_point_v<T>) {
    switch (op) {
      case A::kAdd:
        return a + b;
      case A::kSubtract:
        return a - b;
      case A::kMultiply:
        return a * b;
      case A::kDivide:
        return a / b;
      case A::kFloatModulo:
        return std::fmod(a, b);
      default: {
        const T rest = std::fmod(a, b);
        return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
      }
    }
  } else {
    const auto ua = Wrapping(a), ub = Wrapping(b);
    switch (op) {
      case A::kAdd:
        return static_cast<T>(ua + ub);
      case A::kSubtract:
        return static_cast<T>(ua - ub);
      case A::kMultiply:
        return static_cast<T>(ua * ub);
      case A::kShiftLeft:
        return b < 0 || static_cast<size_t>(b) >= 8 * sizeof(T) ? T(0) : static_cast<T>(ua << ub);
      case A::kShiftRight:
        return b < 0 || static_cast<size_t>(b) >= 8 * sizeof(T) ? T(0) : static_cast<T>(a >> b);
      default:
        break;
    }
    if (b == 0) return 0;
    if (std::is_signed_v<T> && b == static_cast<T>(-1))  // the one overflow
      return op == A::kDivide ? static_cast<T>(0 - ua) : T(0);
    if (op == A::kDivide) return static_cast<T>(a / b);
    const T rest = static_cast<T>(a % b);
    return op == A::kModulo && rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
  }
}

void ComputeBinary(Arithmetic op, Values in, Results out) {
  Dispatch(in[0]->dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto a = in[0]->data<T>(), b = in[1]->data<T>();
    const auto to = out[0].mutable_data<T>();
    ForEachBroadcast(in, out[0].shape(),
                     [&](int64_t i, int64_t x, int64_t y) { to[i] = Apply<T>(op, a[x], b[y]); });
  });
}

using tir::Expr;
using Elements = std::vector<Expr>;

Expr Zero(const Expr& like) { return ops::Number(0, like->type); }

/// f(x) in the type of x, for every type, and as an expression.
template <typename F>
HostOperatorPtr Elementwise(const char* name, F f, Expr (*element)(const Expr&)) {
  return Make(name, 1, 1, SameType, ThroughFloat([f](Values in, Results out) {
                Dispatch(in[0]->dtype(), [&](auto zero) {
                  using T = decltype(zero);
                  const auto x = in[0]->data<T>();
                  std::transform(x.begin(), x.end(), out[0].mutable_data<T>().begin(),
                                 [&](T v) { return static_cast<T>(f(v)); });
                });
              }),
              {}, DefineMap([element](const Elements& v) { return element(v[0]); }));
}

template <typename F>
HostOperatorPtr Predicate(const char* name, F f, std::function<Expr(const Expr&)> element) {
  return Make(
      name, 1, 1, Boolean,
      [f](Values in, Results out) {
        const auto x = Reals(*in[0]);
        std::transform(x.begin(), x.end(), out[0].mutable_data<uint8_t>().begin(), f);
      },
      {}, DefineMap([element](const Elements& v) { return element(v[0]); }));
}

}  // namespace

HostOperatorPtr MathFunction(std::string name, std::function<double(double)> f,
                             std::function<Expr(const Expr&)> element) {
  return Make(std::move(name), 1, 1, Floating, ThroughFloat([f](Values in, Results out) {
                Dispatch(in[0]->dtype(), [&](auto zero) {
                  using T = decltype(zero);
                  const auto x = in[0]->data<T>();
                  std::transform(x.begin(), x.end(), out[0].mutable_data<T>().begin(),
                                 [&](T v) { return static_cast<T>(f(static_cast<double>(v))); });
                });
              }),
              {}, DefineMap([element](const Elements& v) { return element(v[0]); }));
}

HostOperatorPtr Absolute() {
  return Elementwise(
      "abs", [](auto v) { return v < 0 ? static_cast<decltype(v)>(0 - v) : v; },
      [](const Expr& x) { return MakeSelect(Lt(x, Zero(x)), Zero(x) - x, x); });
}
HostOperatorPtr Negate() {
  return Elementwise(
      "neg", [](auto v) { return std::is_floating_point_v<decltype(v)> ? -v : 0 - v; },
      [](const Expr& x) { return x->type.is_float() ? tir::Float(-0.0, x->type) - x : Zero(x) - x; });
}
HostOperatorPtr Sign() {
  return Elementwise(
      "sign", [](auto v) { return (v > 0) - (v < 0); },
      [](const Expr& x) {
        const Expr one = ops::Number(1, x->type), zero = Zero(x);
        return MakeSelect(Lt(zero, x), one,
                          x->type.is_unsigned() ? zero : MakeSelect(Lt(x, zero), zero - one, zero));
      });
}
HostOperatorPtr Rectify() {
  return Elementwise(
      "relu", [](auto v) { return v < 0 ? decltype(v){0} : v; },
      [](const Expr& x) { return MakeSelect(Lt(x, Zero(x)), Zero(x), x); });
}
HostOperatorPtr IsNan() {
  return Predicate("isnan", [](double v) { return std::isnan(v); }, [](const Expr& x) { return Ne(x, x); });
}
HostOperatorPtr IsInf(bool positive, bool negative) {
  return Predicate(
      "isinf", [=](double v) { return std::isinf(v) && (v > 0 ? positive : negative); },
      [=](const Expr& x) {
        Expr result = tir::Int(0, tir::DataType::Bool());
        if (!x->type.is_float()) return result;
        const double infinity = std::numeric_limits<double>::infinity();
        if (positive) result = Or(result, Eq(x, tir::Float(infinity, x->type)));
        if (negative) result = Or(result, Eq(x, tir::Float(-infinity, x->type)));
        return result;
      });
}
HostOperatorPtr Not() {
  return Predicate("not", [](double v) { return v == 0; }, [](const Expr& x) { return Eq(x, Zero(x)); });
}

HostOperatorPtr Binary(std::string name, Arithmetic op) {
  return Make(std::move(name), 2, 2, SameBroadcast,
              ThroughFloat([=](Values in, Results out) { ComputeBinary(op, in, out); }), {},
              DefineMap([op](const Elements& v) { return ApplyTo(op, v[0], v[1]); }));
}

HostOperatorPtr AlignedAt(HostOperatorPtr op, int64_t axis) {
  const auto aligned = [axis](const Shape& a, Shape b) {
    const auto rank = static_cast<int64_t>(a.size()), from = axis < 0 ? axis + rank : axis;
    for (int64_t d = from + static_cast<int64_t>(b.size()); from >= 0 && d < rank; ++d) b.push_back(1);
    return b;
  };
  return Make(
      op->Describe(), 2, 2,
      [=](Operands in) {
        const HostOperand pair[] = {in[0], {{in[1].type.dtype, aligned(in[0].type.shape, in[1].type.shape)}}};
        return op->Infer(pair);
      },
      [=](Values in, Results out) {
        const Tensor b = in[1]->Reshaped(aligned(in[0]->shape(), in[1]->shape()));
        const Tensor* pair[] = {in[0], &b};
        op->Compute(pair, out);
      },
      {},
      [=](const ops::HostSite& site) {
        return DefineAligned(op, aligned(site.operands[0].type.shape, site.operands[1].type.shape), site);
      });
}

HostOperatorPtr ArcTangent2() {
  return Make(
      "atan2", 2, 2,
      [](Operands in) {
        return IsFloat(in[0].type.dtype) ? SameBroadcast(in)
                                         : Refuse("operands are {}, not float", Name(in[0].type.dtype));
      },
      ThroughFloat([](Values in, Results out) {
        Dispatch(in[0]->dtype(), [&](auto zero) {
          using T = decltype(zero);
          const auto y = in[0]->data<T>(), x = in[1]->data<T>();
          const auto to = out[0].mutable_data<T>();
          ForEachBroadcast(in, out[0].shape(), [&](int64_t i, int64_t a, int64_t b) {
            to[i] = static_cast<T>(std::atan2(static_cast<double>(y[a]), static_cast<double>(x[b])));
          });
        });
      }));
}

HostOperatorPtr Power() {
  return Make(
      "pow", 2, 2, [](Operands in) { return InferBroadcast(in, in[0].type.dtype); },
      ThroughFloat([](Values in, Results out) {
        const auto b = Reals(*in[1]);
        Dispatch(in[0]->dtype(), [&](auto zero) {
          using T = decltype(zero);
          const auto a = in[0]->data<T>();
          const auto to = out[0].mutable_data<T>();
          ForEachBroadcast(in, out[0].shape(), [&](int64_t i, int64_t x, int64_t y) {
            to[i] = ConvertNumber<T>(std::pow(static_cast<double>(a[x]), b[y]));
          });
        });
      }),
      {}, DefineMap([](const Elements& v) { return PowerOf(v[0], v[1]); }));
}

HostOperatorPtr Variadic(std::string name, Arithmetic op, bool mean) {
  return Make(std::move(name), 1, kAny, SameBroadcast, ThroughFloat([=](Values in, Results out) {
                const DType dtype = out[0].dtype();
                Tensor sum = *in[0];
                for (size_t i = 1; i < in.size(); ++i) {
                  const Tensor* pair[] = {&sum, in[i]};
                  Tensor next({dtype, *BroadcastShape(sum.shape(), in[i]->shape())});
                  ComputeBinary(op, pair, {&next, 1});
                  sum = std::move(next);
                }
                if (mean) {
                  Tensor count({dtype, {}}), next(sum.type());
                  Dispatch(dtype, [&](auto zero) {
                    count.mutable_data<decltype(zero)>()[0] = static_cast<decltype(zero)>(in.size());
                  });
                  const Tensor* pair[] = {&sum, &count};
                  ComputeBinary(Arithmetic::kDivide, pair, {&next, 1});
                  sum = std::move(next);
                }
                out[0] = std::move(sum);
              }),
              {}, [=](const ops::HostSite& site) { return DefineVariadic(op, mean, site); });
}

HostOperatorPtr Compare(std::string name, Comparison op) {
  return Make(
      std::move(name), 2, 2,
      [](Operands in) {
        auto types = SameBroadcast(in);
        if (auto* list = std::get_if<0>(&types)) (*list)[0].dtype = DType::kBool;
        return types;
      },
      ThroughFloat([=](Values in, Results out) {
        Dispatch(in[0]->dtype(), [&](auto zero) {
          using T = decltype(zero);
          const auto a = in[0]->data<T>(), b = in[1]->data<T>();
          const auto to = out[0].mutable_data<uint8_t>();
          ForEachBroadcast(in, out[0].shape(),
                           [&](int64_t i, int64_t x, int64_t y) { to[i] = Holds<T>(op, a[x], b[y]); });
        });
      }),
      {}, DefineMap([op](const Elements& v) { return CompareTo(op, v[0], v[1]); }));
}

HostOperatorPtr Combine(std::string name, Logic op) {
  return Make(
      std::move(name), 2, 2,
      [](Operands in) {
        return in[0].type.dtype == DType::kBool ? SameBroadcast(in) : Refuse("operands must be bool");
      },
      [=](Values in, Results out) {
        const auto a = in[0]->data<uint8_t>(), b = in[1]->data<uint8_t>();
        const auto to = out[0].mutable_data<uint8_t>();
        ForEachBroadcast(in, out[0].shape(), [&](int64_t i, int64_t x, int64_t y) {
          to[i] = op == Logic::kAnd ? a[x] & b[y] : op == Logic::kOr ? a[x] | b[y] : a[x] ^ b[y];
        });
      },
      {}, DefineMap([op](const Elements& v) {
        return op == Logic::kAnd ? And(v[0], v[1]) : op == Logic::kOr ? Or(v[0], v[1]) : Ne(v[0], v[1]);
      }));
}

HostOperatorPtr Where() {
  return Make(
      "where", 3, 3,
      [](Operands in) {
        if (in[0].type.dtype != DType::kBool) return Refuse("condition must be bool");
        if (in[1].type.dtype != in[2].type.dtype) return Refuse("the two values have different types");
        return InferBroadcast(in, in[1].type.dtype);
      },
      [](Values in, Results out) {
        const Shape& shape = out[0].shape();
        const auto condition = in[0]->data<uint8_t>();
        const auto steps = BroadcastStrides(in[0]->shape(), shape);
        std::vector<uint8_t> chosen(out[0].size());
        Walk(shape, steps, steps, [&](int64_t i, int64_t c, int64_t) { chosen[i] = condition[c]; });
        graph::WithElementType(out[0].dtype(), [&](auto zero) {
          using T = decltype(zero);
          const auto a = in[1]->data<T>(), b = in[2]->data<T>();
          const auto to = out[0].template mutable_data<T>();
          ForEachBroadcast(in.subspan(1), shape,
                           [&](int64_t i, int64_t x, int64_t y) { to[i] = chosen[i] ? a[x] : b[y]; });
        });
      },
      {}, DefineMap([](const Elements& v) { return MakeSelect(v[0], v[1], v[2]); }));
}

HostOperatorPtr Clip() {
  return Make(
      "clip", 1, 3,
      [](Operands in) {
        for (const HostOperand& bound : in.subspan(1))
          if (!bound.absent &&
              (bound.type.dtype != in[0].type.dtype || graph::NumElements(bound.type.shape) != 1))
            return Refuse("a bound must be one {}", Name(in[0].type.dtype));
        return One(in[0].type);
      },
      ThroughFloat([](Values in, Results out) {
        Dispatch(in[0]->dtype(), [&](auto zero) {
          using T = decltype(zero);
          const auto x = in[0]->data<T>();
          const auto to = out[0].mutable_data<T>();
          for (size_t i = 0; i < x.size(); ++i) {
            T v = x[i];
            if (in[1]) v = std::max(v, in[1]->data<T>()[0]);
            if (in[2]) v = std::min(v, in[2]->data<T>()[0]);
            to[i] = v;
          }
        });
      }),
      {}, DefineClip);
}

HostOperatorPtr PRelu() {
  return Make(
      "prelu", 2, 2, SameBroadcast, ThroughFloat([](Values in, Results out) {
        Dispatch(in[0]->dtype(), [&](auto zero) {
          using T = decltype(zero);
          const auto x = in[0]->data<T>(), slope = in[1]->data<T>();
          const auto to = out[0].mutable_data<T>();
          ForEachBroadcast(in, out[0].shape(), [&](int64_t i, int64_t a, int64_t b) {
            to[i] = x[a] < 0 ? static_cast<T>(x[a] * slope[b]) : x[a];
          });
        });
      }),
      {}, DefineMap([](const Elements& v) { return MakeSelect(Lt(v[0], Zero(v[0])), v[0] * v[1], v[0]); }));
}

HostOperatorPtr Cast(DType to) {
  return Make(
      fmt::format("cast to={}", graph::Name(to)), 1, 1,
      [=](Operands in) { return One(to, in[0].type.shape); },
      [=](Values in, Results out) { out[0] = ConvertTo(*in[0], to); }, {}, DefineConversion);
}

HostOperatorPtr CastLike() {
  return Make(
      "cast_like", 2, 2, [](Operands in) { return One(in[1].type.dtype, in[0].type.shape); },
      [](Values in, Results out) { out[0] = ConvertTo(*in[0], in[1]->dtype()); }, {}, DefineConversion);
}

}  // namespace cosim::host
