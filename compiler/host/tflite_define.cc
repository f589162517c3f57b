// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/tflite_define.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <string>

#include "compiler/host/fixed_point_define.h"
#include "compiler/host/spatial_define.h"
#include "compiler/ops/statistics.h"

namespace cosim::host {
namespace {

using te::Indices;
using tir::DataType;
using tir::Expr;
using tir::Int;

using ops::kInt32;
using ops::kInt64;
using ops::kReal;
using ops::kReal32;

/// One number a channel as a table of the definition.
te::Tensor AddTable(const std::string& name, std::vector<int32_t> values, ops::Definition& definition) {
  const Shape shape = {static_cast<int64_t>(values.size())};
  const te::Tensor placeholder = te::Placeholder(name, shape, kInt32);
  definition.tables.push_back({placeholder, std::make_shared<const Tensor>(shape, std::move(values))});
  return placeholder;
}

/// DoublingHighMultiply of two int32, not both the least.
Expr HighProduct(const Expr& a, const Expr& b) {
  return ShiftRight(a * b + (int64_t{1} << 30), Int(31, kInt64));
}

/// Multiplier::ApplyWide of an int64.
Expr AppliedWide(const ScaleFields& scale, const Expr& x) {
  const Expr one = Int(1, kInt64);
  const Expr rounded = ShiftRight(scale.multiplier + (int64_t{1} << 15), Int(16, kInt64));
  const Expr reduced = MakeSelect(Lt(scale.multiplier, 0x7FFF0000), rounded, Int(0x7FFF, kInt64));
  const Expr shift = Int(15, kInt64) - scale.exponent;
  return Wide(Wrapped(ShiftRight(x * reduced + ShiftLeft(one, shift - one), shift)));
}

Expr Clamped(const Expr& x, int32_t low, int32_t high, const ops::HostSite& site) {
  const Expr bounded = Max(Min(x, Int(high, kInt64)), Int(low, kInt64));
  return MakeCast(ops::TypeOf(site.type.dtype), bounded);
}

}  // namespace

ScaleFields FieldsOf(const Multiplier& m) { return {Int(m.multiplier, kInt64), Int(m.exponent, kInt64)}; }

/// Multiplier::Apply of an int32.
Expr Applied(const ScaleFields& scale, const Expr& x) {
  const Expr none = Int(0, kInt64), one = Int(1, kInt64);
  const Expr left = Max(scale.exponent, none), right = Max(none - scale.exponent, none);
  const Expr shifted = Wrapped(ShiftLeft(Wide(x), left));
  const Expr high = ShiftRight(Wide(shifted) * scale.multiplier + (int64_t{1} << 30), Int(31, kInt64));
  const Expr half = ShiftRight(ShiftLeft(one, right), one);  // 0 without a shift
  const Expr away = MakeSelect(And(Lt(high, 0), Lt(none, right)), one, none);
  return ShiftRight(high + half - away, right);
}

std::optional<ops::Definition> DefineTflite(const TfliteConvolution& a, const ops::HostSite& site) {
  const te::Tensor &w = site.in[1], &bias = site.in[2];
  const DataType sum_type = a.wide ? kInt64 : kInt32;
  ops::Convolution convolution{.window = SlidingOf(a.window), .groups = a.groups};
  convolution.window.kernel = {w.shape()[2], w.shape()[3]};
  convolution.seen = [&](const Expr& x) { return MakeCast(sum_type, Centred(x, a.input_zero_point)); };
  convolution.seen_weight = [&](const Expr& x, const Expr&) {
    return MakeCast(sum_type, Centred(x, a.weight_zero_point));
  };
  ops::Definition result = ops::Convolve(site.name + ".sums", site.shape(), site.in[0], w, convolution);
  std::vector<int32_t> multipliers, exponents;
  for (const Multiplier& m : a.multipliers) {
    multipliers.push_back(m.multiplier);
    exponents.push_back(m.exponent);
  }
  const te::Tensor multiplier = AddTable(site.name + ".multipliers", multipliers, result),
                   exponent = AddTable(site.name + ".exponents", exponents, result);
  ops::Finish(result, site.name, [&](const Expr& sum, const Indices& i) {
    const Expr channel = multipliers.size() == 1 ? Int(0) : i[1];
    const ScaleFields scale = {Wide(multiplier(channel)), Wide(exponent(channel))};
    const Expr total = bias.get() ? sum + bias(i[1]) : sum;
    const Expr scaled = a.wide ? AppliedWide(scale, total) : Applied(scale, total);
    return Clamped(scaled + a.output_zero_point, a.low, a.high, site);
  });
  return result;
}

std::optional<ops::Definition> DefineTflite(const TfliteMean& a, const ops::HostSite& site) {
  ops::Definition result{
      ops::ReduceOver(site.name + ".sum", site.shape(), site.in[0], {false, false, true, true},
                      te::ReduceOp::kSum, [&](const Expr& x) { return Centred(x, a.from_zero_point); }),
      {}};
  ops::Finish(result, site.name, [&](const Expr& sum, const Indices&) {
    return Clamped(Applied(FieldsOf(a.multiplier), sum) + a.to_zero_point, a.low, a.high, site);
  });
  return result;
}

std::optional<ops::Definition> DefineTflite(const TfliteAddition& a, const ops::HostSite& site) {
  const int64_t unit = site.type.dtype == DType::kInt8 ? 1 << 20 : 1 << 15;
  return ops::Map(site.name, site.shape(), site.in, [&](const std::vector<Expr>& v) {
    Expr terms[2];
    for (int k : {0, 1})
      terms[k] = Wrapped(Applied(FieldsOf(a.multipliers[k]), Centred(v[k], a.zero_points[k]) * unit));
    const Expr sum = a.subtract ? terms[0] - terms[1] : terms[0] + terms[1];
    return Clamped(Applied(FieldsOf(a.output), sum) + a.output_zero_point, a.low, a.high, site);
  });
}

std::optional<ops::Definition> DefineTflite(const TfliteProduct& a, const ops::HostSite& site) {
  return ops::Map(site.name, site.shape(), site.in, [&](const std::vector<Expr>& v) {
    const Expr product = Centred(v[0], a.zero_points[0]) * Centred(v[1], a.zero_points[1]);
    return Clamped(Applied(FieldsOf(a.multiplier), product) + a.output_zero_point, a.low, a.high, site);
  });
}

std::optional<ops::Definition> DefineTflite(const TfliteRequantization& a, const ops::HostSite& site) {
  return ops::Map(site.name, site.shape(), site.in, [&](const std::vector<Expr>& v) {
    const ScaleFields scale = FieldsOf(a.multiplier);
    const bool wide = site.operands[0].type.dtype == DType::kInt64;
    const Expr scaled = wide ? AppliedWide(scale, v[0]) : Applied(scale, Centred(v[0], a.from_zero_point));
    return Clamped(scaled + a.to_zero_point, a.low, a.high, site);
  });
}

std::optional<ops::Definition> DefineTfliteAverage(const Window2d& window, bool half_up, int32_t low,
                                                   int32_t high, const ops::HostSite& site) {
  const te::Tensor& x = site.in[0];
  ops::Definition result =
      ops::Pool(site.name + ".sum", site.shape(), x, SlidingOf(window), te::ReduceOp::kSum, Int(0, kInt32),
                [](const Expr& value) { return Wrapped(value); });
  te::Tensor counts[2];
  for (size_t d : {0, 1}) {
    std::vector<int32_t> list;
    for (int64_t o = 0; o < site.shape()[d + 2]; ++o) {
      const int64_t first = o * window.stride[d] - window.pad[d], last = first + window.kernel[d];
      list.push_back(static_cast<int32_t>(std::min(last, x.shape()[d + 2]) - std::max<int64_t>(first, 0)));
    }
    counts[d] = AddTable(site.name + (d == 0 ? ".rows" : ".columns"), std::move(list), result);
  }
  ops::Finish(result, site.name, [&](const Expr& sum, const Indices& i) {
    const Expr count = counts[0](i[2]) * counts[1](i[3]);
    // Half up is half away from zero of a sum that cannot be negative.
    const int64_t shift = half_up ? 128 : 0;
    const Expr total = sum + count * shift, half = ShiftRight(count, Int(1, kInt32));
    const Expr signed_half = MakeSelect(Lt(Int(0, kInt32), total), half, Int(0, kInt32) - half);
    const Expr mean = ops::Quotient(total + signed_half, count);
    return Clamped(Wide(mean) - shift, low, high, site);
  });
  return result;
}

std::optional<ops::Definition> DefineTfliteQuantize(float scale, int32_t zero_point,
                                                    const ops::HostSite& site) {
  return ops::Map(site.name, site.shape(), site.in, [&](const std::vector<Expr>& v) {
    const Expr ratio = MakeCast(kReal, Divide(v[0], tir::Float(scale, kReal32)));
    // Half away from zero.
    const Expr size = ops::Apply(tir::MathFn::kAbs, ratio), whole = ops::Apply(tir::MathFn::kFloor, size);
    const Expr up =
        MakeSelect(Le(tir::Float(0.5, kReal), size - whole), tir::Float(1, kReal), tir::Float(0, kReal));
    const Expr steps =
        MakeSelect(Lt(ratio, tir::Float(0, kReal)), tir::Float(0, kReal) - (whole + up), whole + up);
    const DataType type = ops::TypeOf(site.type.dtype);
    const Expr least = te::IdentityOf(te::ReduceOp::kMax, type);
    return MakeSelect(Ne(steps, steps), least, MakeCast(type, steps + tir::Float(zero_point, kReal)));
  });
}

std::optional<ops::Definition> DefineTfliteSoftmax(const std::vector<int32_t>& exponentials,
                                                   const ops::HostSite& site) {
  const te::Tensor& x = site.in[0];
  ops::Over over(x.shape().size(), false);
  over.back() = true;
  std::vector<int64_t> rows = x.shape();
  rows.back() = 1;
  ops::Definition result{ops::ReduceOver(site.name + ".most", rows, x, over, te::ReduceOp::kMax, Wrapped),
                         {}};
  const auto add = [&](const std::string& part, const std::vector<int64_t>& shape,
                       const std::function<Expr(const Indices&)>& element) {
    result.computations.push_back(
        {te::Compute(site.name + part, shape, [&](const Indices& i) -> te::Body { return element(i); }),
         ops::Pattern::kColumns});
    return result.computations.back().tensor;
  };
  const te::Tensor most = result.computations.back().tensor,
                   table = AddTable(site.name + ".exponentials", exponentials, result);
  const te::Tensor exponential = add(".exp", x.shape(), [&](const Indices& i) {
    const Expr difference = Wide(ops::Kept(most, i) - Wrapped(x(i)));
    return Wide(table(Max(Min(difference, Int(255, kInt64)), Int(0, kInt64))));
  });
  const auto rounded = [](const Expr& v) { return ShiftRight(v + (int64_t{1} << 11), Int(12, kInt64)); };
  for (const ops::Computation& part :
       ops::ReduceOver(site.name + ".sum", rows, exponential, over, te::ReduceOp::kSum, rounded))
    result.computations.push_back(part);
  const te::Tensor sum = result.computations.back().tensor;  // Q12.19, at least 1
  const te::Tensor bits_over_unit = add(".bits", rows, [&](const Indices& i) {
    Expr bits = Int(0, kInt64);
    for (int bit = 20; bit < 32; ++bit)
      bits = bits + MakeSelect(Le(Int(int64_t{1} << bit, kInt64), sum(i)), Int(1, kInt64), Int(0, kInt64));
    return bits;
  });
  // The reciprocal of the sum's fraction by Newton and Raphson, with 2^29 for 1.
  const te::Tensor denominator = add(".denominator", rows, [&](const Indices& i) {
    return ShiftRight(ShiftLeft(sum(i), Int(12, kInt64) - bits_over_unit(i)), Int(1, kInt64));
  });
  te::Tensor estimate = add(".estimate0", rows, [&](const Indices& i) {
    return Int(1515870810, kInt64) + HighProduct(denominator(i), Int(-1010580540, kInt64));
  });
  for (int step = 1; step <= 3; ++step) {
    const te::Tensor before = estimate;
    estimate = add(".estimate" + std::to_string(step), rows, [&](const Indices& i) {
      const Expr error = Int(1 << 29, kInt64) - HighProduct(denominator(i), before(i));
      return before(i) + HighProduct(before(i), error) * 4;
    });
  }
  const te::Tensor reciprocal = add(".reciprocal", rows, [&](const Indices& i) {
    return Min(estimate(i) * 2, Int(std::numeric_limits<int32_t>::max(), kInt64));
  });
  add("", x.shape(), [&](const Indices& i) {
    const Expr shift = ops::Kept(bits_over_unit, i) + 23, one = Int(1, kInt64);
    const Expr share = HighProduct(ops::Kept(reciprocal, i), exponential(i));
    return Clamped(ShiftRight(share + ShiftLeft(one, shift - one), shift) - 128, -128, 127, site);
  });
  return result;
}

}  // namespace cosim::host
