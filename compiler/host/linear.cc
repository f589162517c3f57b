// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/linear.h"

#include <cmath>

#include "compiler/host/normalize_define.h"
#include "compiler/host/numeric.h"
#include "compiler/ops/product.h"
#include "compiler/ops/window.h"

namespace cosim::host {
namespace {

/// (x - mean) / sqrt(variance + epsilon) over `count` elements from `x` on.
struct Moments {
  double mean = 0, inverse = 0;
};
template <typename T>
Moments MomentsOf(const T* x, int64_t count, float epsilon) {
  Moments m;
  for (int64_t i = 0; i < count; ++i) m.mean += static_cast<double>(x[i]);
  m.mean /= static_cast<double>(count);
  double variance = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double d = static_cast<double>(x[i]) - m.mean;
    variance += d * d;
  }
  m.inverse = 1 / std::sqrt(variance / static_cast<double>(count) + static_cast<double>(epsilon));
  return m;
}

std::string ChannelFault(Operands in) {
  const TensorType& x = in[0].type;
  if (!IsFloat(x.dtype) || x.shape.size() < 2) return "input must be float of at least 2 dimensions";
  for (const HostOperand& vector : in.subspan(1))
    if (!IsFloat(vector.type.dtype) || vector.type.shape != Shape{x.shape[1]})
      return fmt::format("{} for {} channels", ToString(vector.type), x.shape[1]);
  return "";
}

using tir::Expr;

std::optional<ops::Definition> DefineMatMul(const ops::HostSite& site) {
  const auto vector = [&](size_t k) { return site.operands[k].type.shape.size() == 1; };
  const te::Tensor &a = site.in[0], &b = site.in[1];
  ops::Definition result =
      ops::Product(site.name, site.shape(), ops::MatMulFactors(a, b, vector(0), vector(1)));
  if (!vector(0) && b.shape().size() == 2)
    result.computations.back().convolved = ops::Convolved{.x = a, .w = b, .transposed = true};
  return result;
}

/// The sum is scaled, and a multiple of c added, in float64, as the reference does for integers too.
std::optional<ops::Definition> DefineGemm(double alpha, double beta, bool transpose_a, bool transpose_b,
                                          const ops::HostSite& site) {
  const te::Tensor &a = site.in[0], &b = site.in[1], &c = site.in[2];
  const auto real = tir::DataType::Float(64);
  // Float32 is summed as it is, all else in float64.
  const auto type = a.type() == tir::DataType::Float(32) ? a.type() : real;
  ops::Factors factors{.depth = a.shape()[transpose_a ? 0 : 1], .rows = transpose_b && !transpose_a};
  factors.a = [&](const te::Indices& i, const Expr& k) {
    return MakeCast(type, transpose_a ? a(k, i[0]) : a(i[0], k));
  };
  factors.b = [&](const te::Indices& i, const Expr& k) {
    return MakeCast(type, transpose_b ? b(i[1], k) : b(k, i[1]));
  };
  ops::Definition result = ops::Product(site.name + ".product", site.shape(), factors);
  if (!transpose_a && type == a.type())
    result.computations.back().convolved = ops::Convolved{.x = a, .w = b, .transposed = !transpose_b};
  ops::Finish(result, site.name, [&](const Expr& sum, const te::Indices& i) {
    Expr value = MakeCast(real, sum) * tir::Float(alpha, real);
    if (c.get()) value = value + MakeCast(real, ops::Broadcast(c, i)) * tir::Float(beta, real);
    return ops::ConvertTo(a.type(), value);
  });
  return result;
}

}  // namespace

std::optional<Shape> MatMulShape(const Shape& a, const Shape& b) {
  if (a.empty() || b.empty()) return std::nullopt;
  Shape x = a, y = b;
  if (x.size() == 1) x.insert(x.begin(), 1);
  if (y.size() == 1) y.push_back(1);
  if (x.back() != y[y.size() - 2]) return std::nullopt;
  auto shape = BroadcastShape(Shape(x.begin(), x.end() - 2), Shape(y.begin(), y.end() - 2));
  if (!shape) return std::nullopt;
  if (a.size() != 1) shape->push_back(x[x.size() - 2]);
  if (b.size() != 1) shape->push_back(y.back());
  return IsReasonable(*shape) ? shape : std::nullopt;
}

HostOperatorPtr MatMul() {
  return Make(
      "matmul", 2, 2,
      [](Operands in) {
        const auto shape = MatMulShape(in[0].type.shape, in[1].type.shape);
        return shape && in[0].type.dtype == in[1].type.dtype
                   ? One(in[0].type.dtype, *shape)
                   : Refuse("{} times {}", ToString(in[0].type), ToString(in[1].type));
      },
      ThroughFloat([](Values in, Results out) {
        Dispatch(in[0]->dtype(), [&](auto zero) {
          using T = decltype(zero);
          using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
          const auto to = out[0].mutable_data<T>();
          ForEachProduct(in[0]->shape(), in[1]->shape(), in[0]->data<T>(), in[1]->data<T>(), Sum{0},
                         [&](int64_t i, Sum sum) { to[i] = static_cast<T>(sum); });
        });
      }),
      MacsOfRows(), DefineMatMul);
}

HostOperatorPtr Gemm(float alpha, float beta, bool transpose_a, bool transpose_b) {
  return Make(
      "gemm", 2, 3,
      [=](Operands in) {
        Shape a = in[0].type.shape, b = in[1].type.shape;
        if (a.size() != 2 || b.size() != 2 || in[0].type.dtype != in[1].type.dtype)
          return Refuse("{} times {}", ToString(in[0].type), ToString(in[1].type));
        if (transpose_a) std::swap(a[0], a[1]);
        if (transpose_b) std::swap(b[0], b[1]);
        const Shape shape = {a[0], b[1]};
        const bool fits = in[2].absent || (in[2].type.dtype == in[0].type.dtype &&
                                           BroadcastShape(shape, in[2].type.shape) == std::optional(shape));
        return a[1] == b[0] && fits && IsReasonable(shape)
                   ? One(in[0].type.dtype, shape)
                   : Refuse("{} times {}", ToString(in[0].type), ToString(in[1].type));
      },
      ThroughFloat([=](Values in, Results out) {
        const Shape &a = in[0]->shape(), &b = in[1]->shape(), &y = out[0].shape();
        const int64_t depth = transpose_a ? a[0] : a[1];
        const auto steps = in[2] ? BroadcastStrides(in[2]->shape(), y) : std::vector<int64_t>{0, 0};
        Dispatch(in[0]->dtype(), [&](auto zero) {
          using T = decltype(zero);
          const auto x = in[0]->data<T>(), w = in[1]->data<T>();
          const auto to = out[0].mutable_data<T>();
          for (int64_t r = 0; r < y[0]; ++r)
            for (int64_t c = 0; c < y[1]; ++c) {
              double sum = 0;
              for (int64_t k = 0; k < depth; ++k)
                sum += static_cast<double>(x[transpose_a ? k * a[1] + r : r * a[1] + k]) *
                       static_cast<double>(w[transpose_b ? c * b[1] + k : k * b[1] + c]);
              sum *= static_cast<double>(alpha);
              if (in[2])
                sum += static_cast<double>(beta) *
                       static_cast<double>(in[2]->data<T>()[r * steps[0] + c * steps[1]]);
              to[r * y[1] + c] = static_cast<T>(sum);
            }
        });
      }),
      MacsOfRows(transpose_a),
      [=](const ops::HostSite& site) {
        return DefineGemm(static_cast<double>(alpha), static_cast<double>(beta), transpose_a, transpose_b,
                          site);
      });
}

HostOperatorPtr BatchNormalization(float epsilon) {
  return Make(
      "batch_normalization", 5, 5,
      [](Operands in) {
        const std::string fault = ChannelFault(in);
        return fault.empty() ? One(in[0].type) : Types{fault};
      },
      ThroughFloat([=](Values in, Results out) {
        const AroundAxis view(in[0]->shape(), 1);
        const auto scale = Reals(*in[1]), bias = Reals(*in[2]), mean = Reals(*in[3]),
                   variance = Reals(*in[4]);
        Dispatch(in[0]->dtype(), [&](auto zero) {
          using T = decltype(zero);
          const auto x = in[0]->data<T>();
          const auto to = out[0].mutable_data<T>();
          for (size_t i = 0; i < x.size(); ++i) {
            const auto c = static_cast<size_t>(static_cast<int64_t>(i) / view.inner % view.extent);
            const double centred = static_cast<double>(x[i]) - mean[c];
            to[i] = static_cast<T>(
                scale[c] * centred / std::sqrt(variance[c] + static_cast<double>(epsilon)) + bias[c]);
          }
        });
      }),
      {}, [=](const ops::HostSite& site) { return DefineBatchNormalization(epsilon, site); });
}

HostOperatorPtr InstanceNormalization(float epsilon) {
  return Make(
      "instance_normalization", 3, 3,
      [](Operands in) {
        const std::string fault = ChannelFault(in);
        return fault.empty() ? One(in[0].type) : Types{fault};
      },
      ThroughFloat([=](Values in, Results out) {
        const AroundAxis view(in[0]->shape(), 1);
        const auto scale = Reals(*in[1]), bias = Reals(*in[2]);
        Dispatch(in[0]->dtype(), [&](auto zero) {
          using T = decltype(zero);
          const T* x = in[0]->data<T>().data();
          T* to = out[0].mutable_data<T>().data();
          for (int64_t p = 0; p < view.outer * view.extent; ++p, x += view.inner) {
            const Moments m = MomentsOf(x, view.inner, epsilon);
            const auto c = static_cast<size_t>(p % view.extent);
            for (int64_t i = 0; i < view.inner; ++i)
              *to++ = static_cast<T>(scale[c] * (static_cast<double>(x[i]) - m.mean) * m.inverse + bias[c]);
          }
        });
      }),
      {}, [=](const ops::HostSite& site) { return DefineInstanceNormalization(epsilon, site); });
}

HostOperatorPtr LayerNormalization(int64_t axis, float epsilon) {
  return Make(
      "layer_normalization", 2, 3,
      [=](Operands in) {
        const TensorType& x = in[0].type;
        const auto at = AxisOf(axis, x.shape.size());
        if (!at || !IsFloat(x.dtype)) return Refuse("axis {} of {}", axis, ToString(x));
        const Shape rest(x.shape.begin() + static_cast<std::ptrdiff_t>(*at), x.shape.end());
        for (const HostOperand& operand : in.subspan(1))
          if (!operand.absent && (BroadcastShape(rest, operand.type.shape) != std::optional(rest) ||
                                  !IsFloat(operand.type.dtype)))
            return Refuse("{} for {}", ToString(operand.type), ToString(rest));
        Shape kept = x.shape;
        std::fill(kept.begin() + static_cast<std::ptrdiff_t>(*at), kept.end(), 1);
        return Types{std::vector<TensorType>{x, {DType::kFloat32, kept}, {DType::kFloat32, kept}}};
      },
      ThroughFloat([=](Values in, Results out) {
        const Shape& s = in[0]->shape();
        const Shape rest(s.begin() + static_cast<std::ptrdiff_t>(*AxisOf(axis, s.size())), s.end());
        const int64_t inner = graph::NumElements(rest), outer = out[1].size();
        const auto scale = Reals(*in[1]), bias = in[2] ? Reals(*in[2]) : std::vector<double>{0};
        const auto scale_steps = BroadcastStrides(in[1]->shape(), rest);
        const auto bias_steps =
            in[2] ? BroadcastStrides(in[2]->shape(), rest) : std::vector<int64_t>(rest.size(), 0);
        Dispatch(in[0]->dtype(), [&](auto zero) {
          using T = decltype(zero);
          const auto x = in[0]->data<T>();
          const auto to = out[0].mutable_data<T>();
          for (int64_t o = 0; o < outer; ++o) {
            const Moments m = MomentsOf(x.data() + o * inner, inner, epsilon);
            out[1].mutable_data<float>()[o] = static_cast<float>(m.mean);
            out[2].mutable_data<float>()[o] = static_cast<float>(m.inverse);
            Walk(rest, scale_steps, bias_steps, [&](int64_t i, int64_t a, int64_t b) {
              const double centred = static_cast<double>(x[o * inner + i]) - m.mean;
              to[o * inner + i] = static_cast<T>(scale[a] * centred * m.inverse + bias[b]);
            });
          }
        });
      }),
      {},
      [=](const ops::HostSite& site) {
        return DefineLayerNormalization(*AxisOf(axis, site.operands[0].type.shape.size()), epsilon, site);
      });
}

}  // namespace cosim::host
