// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/spatial_define.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "compiler/host/quantized.h"
#include "compiler/host/quantized_define.h"
#include "compiler/ops/statistics.h"

namespace cosim::host {
namespace {

using te::Indices;
using tir::DataType;
using tir::Expr;
using tir::MathFn;

using ops::kInt32;
using ops::kReal;
using ops::Real;

/// How many taps of the window at each place of the result count, by dimension.
ops::Table CountsOf(const ops::Sliding& window, const Counted& counted, size_t d, int64_t out,
                    const std::string& name) {
  Tensor counts(TensorType{DType::kFloat64, {out}});
  for (int64_t o = 0; o < out; ++o) {
    int64_t taps = 0;
    for (int64_t k = 0; k < window.kernel[d]; ++k) {
      const int64_t at = o * window.stride[d] - window.before[d] + k * window.dilation[d];
      taps += at >= counted.least[d] && at < counted.limit[d] ? 1 : 0;
    }
    counts.mutable_data<double>()[static_cast<size_t>(o)] = static_cast<double>(std::max<int64_t>(taps, 1));
  }
  return {te::Placeholder(name + ".count" + std::to_string(d), {out}, kReal),
          std::make_shared<const Tensor>(std::move(counts))};
}

ops::Seen SeenOf(Pool pool, int64_t p) {
  if (pool == Pool::kMax) return ops::AsIs;
  if (pool != Pool::kLp) return Real;
  return [p](const Expr& x) {
    const Expr power = tir::Float(static_cast<double>(p), kReal);
    return MakeBinary(tir::BinaryOp::kPow, ops::Apply(MathFn::kAbs, Real(x)), power);
  };
}

Expr Root(const Expr& sum, int64_t p) {
  return MakeBinary(tir::BinaryOp::kPow, sum, tir::Float(1.0 / static_cast<double>(p), kReal));
}

/// The zero points that operand `k` is known to be; nothing when they come with the data, or there are
/// several.
std::optional<int64_t> KnownZero(const ops::HostSite& site, size_t k) {
  const HostOperand& operand = site.operands[k];
  if (operand.absent) return 0;
  if (!operand.value || operand.value->size() == 0) return std::nullopt;
  const auto only = [](auto values) -> std::optional<int64_t> {
    const bool one = std::ranges::all_of(values, [&](auto v) { return v == values[0]; });
    return one ? std::optional(static_cast<int64_t>(values[0])) : std::nullopt;
  };
  std::optional<int64_t> zero;
  graph::WithElementType(operand.value->dtype(), [&](auto none) {
    using T = decltype(none);
    if constexpr (std::is_integral_v<T>) zero = only(operand.value->data<T>());
  });
  return zero;
}

/// The largest magnitude of a step less its zero point, operand `k` and `zero`.
int64_t MostOf(const ops::HostSite& site, size_t k, size_t zero) {
  const DType dtype = site.operands[k].type.dtype;
  const int64_t range = IsByteType(dtype) ? 255 : 65535;
  const bool is_signed = dtype == DType::kInt8 || dtype == DType::kInt16;
  return is_signed && KnownZero(site, zero) == 0 ? range / 2 + 1 : range;
}

/// Operands by their numbers.
struct IntegerOperands {
  size_t x, w, x_zero, w_zero;
};

/// Sums in int32, or in int64 where integers of 16 bits need that.
ops::Definition IntegerSums(const ops::Sliding& window, int64_t groups, const ops::HostSite& site,
                            const IntegerOperands& operands) {
  const te::Tensor &x = site.in[operands.x], &w = site.in[operands.w];
  const te::Tensor &x_zero = site.in[operands.x_zero], &w_zero = site.in[operands.w_zero];
  const Shape& shape = site.operands[operands.w].type.shape;
  const int64_t depth = shape[0] == 0 ? 0 : graph::NumElements(shape) / shape[0];
  const bool are_bytes =
      IsByteType(site.operands[operands.x].type.dtype) && IsByteType(site.operands[operands.w].type.dtype);
  const int64_t most = MostOf(site, operands.x, operands.x_zero) * MostOf(site, operands.w, operands.w_zero);
  const bool is_narrow = are_bytes || depth <= std::numeric_limits<int32_t>::max() / most;
  const DataType type = is_narrow ? kInt32 : ops::kInt64;
  ops::Convolution convolution{.window = window, .groups = groups};
  convolution.seen = [&](const Expr& value) {
    return MakeCast(type, value) - OfChannel(x_zero, tir::Int(0), type);
  };
  convolution.seen_weight = [&](const Expr& weight, const Expr& o) {
    return MakeCast(type, weight) - OfChannel(w_zero, o, type);
  };
  ops::Definition sums = ops::Convolve(site.name, site.shape(), x, w, convolution);
  if (!are_bytes) return sums;
  const auto zero = KnownZero(site, operands.x_zero);
  if (zero && KnownZero(site, operands.w_zero) == 0) {
    sums.computations.back().convolved = ops::ConvolvedBy(x, w, convolution);
    if (auto& convolved = sums.computations.back().convolved) convolved->zero_point = *zero;
  }
  return sums;
}

}  // namespace

ops::Sliding SlidingOf(const Window2d& window) {
  const auto list = [](const auto& pair) { return std::vector<int64_t>{pair[0], pair[1]}; };
  return {list(window.kernel), list(window.stride), list(window.dilation), list(window.pad)};
}

std::optional<ops::Definition> DefineConv(const ops::Sliding& window, int64_t groups,
                                          const ops::HostSite& site) {
  ops::Definition result = ops::Convolve(site.name + ".conv", site.shape(), site.in[0], site.in[1],
                                         {.window = window, .groups = groups});
  const te::Tensor& bias = site.in[2];
  if (bias.get()) {
    ops::Finish(result, site.name, [&](const Expr& sum, const Indices& i) { return sum + bias(i[1]); });
  }
  return result;
}

std::optional<ops::Definition> DefineConvTranspose(const ops::Sliding& window, int64_t groups,
                                                   const ops::HostSite& site) {
  ops::Definition result = ops::ConvolveTransposed(site.name + ".conv", site.shape(), site.in[0], site.in[1],
                                                   window, groups, false);
  const te::Tensor& bias = site.in[2];
  if (bias.get()) {
    ops::Finish(result, site.name, [&](const Expr& sum, const Indices& i) { return sum + bias(i[1]); });
  }
  return result;
}

std::optional<ops::Definition> DefineConvInteger(const ops::Sliding& window, int64_t groups,
                                                 const ops::HostSite& site) {
  return IntegerSums(window, groups, site, {0, 1, 2, 3});
}

std::optional<ops::Definition> DefineQLinearConv(const ops::Sliding& window, int64_t groups,
                                                 const ops::HostSite& site) {
  const auto& in = site.in;
  const DataType real32 = DataType::Float(32), int64 = DataType::Int(64);
  ops::Definition result = IntegerSums(window, groups, site, {0, 3, 2, 5});
  ops::Finish(result, site.name + ".bytes", [&](const Expr& sum, const Indices& i) {
    const Expr none = tir::Int(0);
    const Expr whole = MakeCast(int64, sum) + OfChannel(in[8], i[1], int64);
    const Expr factor = Divide(OfChannel(in[1], none, real32) * OfChannel(in[4], i[1], real32),
                               OfChannel(in[6], none, real32));
    const Expr rounded = ops::Apply(MathFn::kRound, Real(whole) * Real(factor));
    return MakeCast(ops::TypeOf(site.type.dtype), rounded + OfChannel(in[7], none, kReal));
  });
  return result;
}

std::optional<ops::Definition> DefinePool(Pool pool, int64_t p, const ops::Sliding& window,
                                          const Counted& counted, const ops::HostSite& site) {
  const te::Tensor& x = site.in[0];
  if (site.result != 0 || x.type() == DataType::Bool()) return std::nullopt;
  const bool largest = pool == Pool::kMax;
  const auto op = largest ? te::ReduceOp::kMax : te::ReduceOp::kSum;
  ops::Definition result = ops::Pool(site.name + ".pool", site.shape(), x, window, op,
                                     te::IdentityOf(op, largest ? x.type() : kReal), SeenOf(pool, p));
  if (largest) return result;
  if (pool != Pool::kLp)
    for (size_t d = 0; d < window.kernel.size(); ++d)
      result.tables.push_back(CountsOf(window, counted, d, site.shape()[d + 2], site.name));
  ops::Finish(result, site.name, [&](const Expr& sum, const Indices& i) {
    if (pool == Pool::kLp) return MakeCast(x.type(), Root(sum, p));
    Expr count = tir::Float(1, kReal);
    for (size_t d = 0; d < result.tables.size(); ++d) count = count * result.tables[d].placeholder(i[d + 2]);
    return MakeCast(x.type(), Divide(sum, count));
  });
  return result;
}

std::optional<ops::Definition> DefineGlobalPool(Pool pool, int64_t p, const ops::HostSite& site) {
  const te::Tensor& x = site.in[0];
  if (site.result != 0 || x.type() == DataType::Bool()) return std::nullopt;
  ops::Over over(x.shape().size(), true);
  over[0] = over[1] = false;
  double plane = 1;
  for (size_t d = 2; d < x.shape().size(); ++d) plane *= static_cast<double>(x.shape()[d]);
  const auto op = pool == Pool::kMax ? te::ReduceOp::kMax : te::ReduceOp::kSum;
  ops::Definition result{ops::ReduceOver(site.name + ".all", site.shape(), x, over, op, SeenOf(pool, p)), {}};
  if (pool == Pool::kMax) return result;
  ops::Finish(result, site.name, [&](const Expr& sum, const Indices&) {
    return MakeCast(x.type(), pool == Pool::kLp ? Root(sum, p) : Divide(sum, tir::Float(plane, kReal)));
  });
  return result;
}

}  // namespace cosim::host
