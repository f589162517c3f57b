// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/quantized_define.h"

#include "compiler/host/numeric.h"
#include "compiler/ops/product.h"
#include "compiler/ops/window.h"

namespace cosim::host {
namespace {

using te::Indices;
using tir::DataType;
using tir::Expr;
using tir::MathFn;

using ops::kInt64;
using ops::kReal;
using ops::kReal32;

/// Which scale belongs to an element: that of its index of `axis` where there are several.
Expr ChannelAt(const Indices& i, int64_t axis, const ops::HostSite& site) {
  const auto at = AxisOf(axis, site.operands[0].type.shape.size());
  return at ? i[*at] : tir::Int(0);
}

/// A whole number in float64 as a step, saturated.
Expr Step(const Expr& whole, const ops::HostSite& site) {
  return MakeCast(ops::TypeOf(site.type.dtype), whole);
}

Expr Rounded(const Expr& x) { return ops::Apply(MathFn::kRound, MakeCast(kReal, x)); }

/// Factors of a and b less their zero points, which are one, or one a row of a or a column of b.
ops::Factors Centred(ops::Factors factors, const te::Tensor& a_zero, const te::Tensor& b_zero, DataType type,
                     bool a_is_vector) {
  const auto a = factors.a, b = factors.b;
  factors.a = [=](const Indices& i, const Expr& k) {
    const Expr row = a_is_vector || i.size() < 2 ? tir::Int(0) : i[i.size() - 2];
    return MakeCast(type, a(i, k)) - OfChannel(a_zero, row, type);
  };
  factors.b = [=](const Indices& i, const Expr& k) {
    return MakeCast(type, b(i, k)) - OfChannel(b_zero, i.back(), type);
  };
  return factors;
}

/// Sums in int64 to steps: scales of a, b and y, the zero point of y.
void ToBytes(ops::Definition& sums, const ops::HostSite& site, const te::Tensor& a, const te::Tensor& b,
             const te::Tensor& y, const te::Tensor& y_zero, const te::Tensor& bias) {
  ops::Finish(sums, site.name + ".bytes", [&](const Expr& sum, const Indices& i) {
    const Expr none = tir::Int(0);
    const Expr factor =
        Divide(OfChannel(a, none, kReal32) * OfChannel(b, i.back(), kReal32), OfChannel(y, none, kReal32));
    const Expr whole = sum + OfChannel(bias, i.back(), kInt64);
    const Expr rounded = ops::Apply(MathFn::kRound, MakeCast(kReal, whole) * MakeCast(kReal, factor));
    return Step(rounded + OfChannel(y_zero, none, kReal), site);
  });
}

bool IsVector(const ops::HostSite& site, size_t k) { return site.operands[k].type.shape.size() == 1; }

/// The definition of `op` on tensors that are computed from steps, with `last` behind it.
std::optional<ops::Definition> Around(const HostOperatorPtr& op, const std::vector<te::Tensor>& operands,
                                      DType dtype, const ops::HostSite& site, const ops::Last& last) {
  const auto* definable = dynamic_cast<const ops::Definable*>(op.get());
  if (!definable) return std::nullopt;
  ops::HostSite inner{site.name + ".real", 0, {dtype, site.type.shape}, operands, {}};
  for (const te::Tensor& operand : operands) inner.operands.push_back({{dtype, operand.shape()}});
  auto defined = definable->Define(inner);
  if (!defined) return std::nullopt;
  ops::Definition result;
  for (const te::Tensor& operand : operands)
    result.computations.push_back({operand, ops::Pattern::kElementwise});
  for (auto& computation : defined->computations) result.computations.push_back(std::move(computation));
  result.tables = std::move(defined->tables);
  ops::Finish(result, site.name, last);
  return result;
}

}  // namespace

Expr OfChannel(const te::Tensor& tensor, const Expr& at, DataType type) {
  if (!tensor.get()) return ops::Number(0, type);
  Indices i;
  for (int64_t extent : tensor.shape()) i.push_back(extent > 1 ? at : tir::Int(0));
  return MakeCast(type, tensor(i));
}

std::optional<ops::Definition> DefineQuantizeLinear(int64_t axis, const ops::HostSite& site) {
  const auto element = [&](const Indices& i) -> te::Body {
    const Expr channel = ChannelAt(i, axis, site);
    const Expr steps = Rounded(Divide(site.in[0](i), OfChannel(site.in[1], channel, kReal32)));
    return Step(steps + OfChannel(site.in[2], channel, kReal), site);
  };
  return ops::Definition{{{te::Compute(site.name, site.shape(), element), ops::Pattern::kElementwise}}, {}};
}

std::optional<ops::Definition> DefineDequantizeLinear(int64_t axis, const ops::HostSite& site) {
  const auto element = [&](const Indices& i) -> te::Body {
    const Expr channel = ChannelAt(i, axis, site);
    const Expr steps = MakeCast(kInt64, site.in[0](i)) - OfChannel(site.in[2], channel, kInt64);
    return MakeCast(kReal32, steps) * OfChannel(site.in[1], channel, kReal32);
  };
  return ops::Definition{{{te::Compute(site.name, site.shape(), element), ops::Pattern::kElementwise}}, {}};
}

std::optional<ops::Definition> DefineMatMulInteger(const ops::HostSite& site) {
  const auto& in = site.in;
  const ops::Factors factors = ops::MatMulFactors(in[0], in[1], IsVector(site, 0), IsVector(site, 1));
  return ops::Product(site.name, site.shape(),
                      Centred(factors, in[2], in[3], DataType::Int(32), IsVector(site, 0)));
}

std::optional<ops::Definition> DefineQLinearMatMul(const ops::HostSite& site) {
  const auto& in = site.in;
  const ops::Factors factors = ops::MatMulFactors(in[0], in[3], IsVector(site, 0), IsVector(site, 3));
  ops::Definition result =
      ops::Product(site.name, site.shape(), Centred(factors, in[2], in[5], kInt64, IsVector(site, 0)));
  ToBytes(result, site, in[1], in[4], in[6], in[7], {});
  return result;
}

std::optional<ops::Definition> DefineQGemm(bool transpose_b, const ops::HostSite& site) {
  const auto& in = site.in;
  const te::Tensor& b = in[3];
  ops::Factors factors = ops::MatMulFactors(in[0], b, false, false);
  if (transpose_b) {
    factors.b = [=](const Indices& i, const Expr& k) { return b(i.back(), k); };
    factors.rows = true;
  }
  ops::Definition result =
      ops::Product(site.name, site.shape(), Centred(factors, in[2], in[5], kInt64, false));
  ToBytes(result, site, in[1], in[4], in[7], in[8], in[6]);
  return result;
}

std::optional<ops::Definition> DefineOnBytes(const HostOperatorPtr& op, size_t count,
                                             const ops::HostSite& site) {
  const Expr none = tir::Int(0);
  std::vector<te::Tensor> reals;
  for (size_t k = 0; k < count; ++k) {
    const te::Tensor& x = site.in[3 * k];
    const auto element = [&](const Indices& i) -> te::Body {
      const Expr steps = MakeCast(kInt64, x(i)) - OfChannel(site.in[3 * k + 2], none, kInt64);
      return MakeCast(kReal32, steps) * OfChannel(site.in[3 * k + 1], none, kReal32);
    };
    reals.push_back(te::Compute(site.name + ".x" + std::to_string(k), x.shape(), element));
  }
  const te::Tensor &scale = site.in[3 * count], &zero = site.in[3 * count + 1];
  return Around(op, reals, DType::kFloat32, site, [&](const Expr& y, const Indices&) {
    return Step(Rounded(Divide(y, OfChannel(scale, none, kReal32))) + OfChannel(zero, none, kReal), site);
  });
}

std::optional<ops::Definition> DefineAverageOnBytes(const HostOperatorPtr& average,
                                                    const ops::HostSite& site) {
  const auto& in = site.in;
  const Expr none = tir::Int(0);
  const auto element = [&](const Indices& i) -> te::Body {
    return MakeCast(kReal, MakeCast(kInt64, in[0](i)) - OfChannel(in[2], none, kInt64));
  };
  const te::Tensor centred = te::Compute(site.name + ".x", in[0].shape(), element);
  return Around(average, {centred}, DType::kFloat64, site, [&](const Expr& mean, const Indices&) {
    const Expr scaled = Divide(mean * OfChannel(in[1], none, kReal), OfChannel(in[3], none, kReal));
    return Step(Rounded(scaled) + OfChannel(in[4], none, kReal), site);
  });
}

}  // namespace cosim::host
