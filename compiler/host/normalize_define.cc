// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/normalize_define.h"

#include "compiler/host/numeric.h"
#include "compiler/ops/statistics.h"

namespace cosim::host {
namespace {

using te::Indices;
using tir::Expr;
using tir::Float;
using tir::MathFn;

using ops::kReal;
using ops::Real;

}  // namespace

std::optional<ops::Definition> DefineBatchNormalization(double epsilon, const ops::HostSite& site) {
  const te::Tensor& x = site.in[0];
  const auto factor = [&](const Indices& i) -> te::Body {
    const Expr variance = Real(site.in[4](i)) + Float(epsilon, kReal);
    return Divide(Real(site.in[1](i)), ops::Apply(MathFn::kSqrt, variance));
  };
  const te::Tensor gain = te::Compute(site.name + ".gain", site.in[1].shape(), factor);
  const auto element = [&](const Indices& i) -> te::Body {
    const Expr centred = Real(x(i)) - Real(site.in[3](i[1]));
    return MakeCast(x.type(), centred * gain(i[1]) + Real(site.in[2](i[1])));
  };
  return ops::Definition{{{gain, ops::Pattern::kColumns},
                          {te::Compute(site.name, x.shape(), element), ops::Pattern::kElementwise}},
                         {}};
}

std::optional<ops::Definition> DefineInstanceNormalization(double epsilon, const ops::HostSite& site) {
  const te::Tensor& x = site.in[0];
  ops::Over over(x.shape().size(), true);
  over[0] = over[1] = false;
  return ops::Normalized(site.name, x, ops::MomentsOver(site.name, x, over, epsilon),
                         [&](const Expr& normal, const Indices& i) {
                           return normal * Real(site.in[1](i[1])) + Real(site.in[2](i[1]));
                         });
}

std::optional<ops::Definition> DefineLayerNormalization(size_t axis, double epsilon,
                                                        const ops::HostSite& site) {
  if (site.result != 0) return std::nullopt;
  const te::Tensor& x = site.in[0];
  ops::Over over(x.shape().size(), false);
  for (size_t d = axis; d < over.size(); ++d) over[d] = true;
  return ops::Normalized(site.name, x, ops::MomentsOver(site.name, x, over, epsilon),
                         [&](const Expr& normal, const Indices& i) {
                           const Expr scaled = normal * Real(ops::Broadcast(site.in[1], i));
                           const te::Tensor& bias = site.in[2];
                           return bias.get() ? scaled + Real(ops::Broadcast(bias, i)) : scaled;
                         });
}

std::optional<ops::Definition> DefineMeanVariance(const std::vector<int64_t>& axes,
                                                  const ops::HostSite& site) {
  const te::Tensor& x = site.in[0];
  ops::Over over(x.shape().size(), false);
  for (int64_t axis : axes) over[*AxisOf(axis, over.size())] = true;
  return ops::Normalized(site.name, x, ops::MomentsOver(site.name, x, over, 0, 1e-9),
                         [](const Expr& normal, const Indices&) { return normal; });
}

std::optional<ops::Definition> DefineLocalResponse(int64_t size, double alpha, double beta, double bias,
                                                   const ops::HostSite& site) {
  const te::Tensor& x = site.in[0];
  const te::Axis near = te::ReduceAxis(size, "near");
  const auto square = [&](Indices i) -> te::Body {
    i[1] = i[1] + near - (size - 1) / 2;
    const Expr value = Real(x(i));
    return te::Sum(MakeSelect(tir::InRange(i[1], 0, x.shape()[1]), value * value, Float(0, kReal)), {near});
  };
  const te::Tensor squares = te::Compute(site.name + ".squares", x.shape(), square);
  const auto element = [&](const Indices& i) -> te::Body {
    const Expr base = Float(bias, kReal) + squares(i) * Float(alpha / static_cast<double>(size), kReal);
    const Expr power = MakeBinary(tir::BinaryOp::kPow, base, Float(beta, kReal));
    return MakeCast(x.type(), Divide(Real(x(i)), power));
  };
  return ops::Definition{{{squares, ops::Pattern::kColumns},
                          {te::Compute(site.name, x.shape(), element), ops::Pattern::kColumns}},
                         {}};
}

}  // namespace cosim::host
