// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/resize.h"

#include <algorithm>
#include <cmath>

#include "compiler/host/numeric.h"
#include "compiler/ops/movement.h"

namespace cosim::host {
namespace {

/// One dimension.
struct Axis {
  int64_t from = 1, to = 1;
  double scale = 1, begin = 0, end = 1;  ///< begin, end: the region of interest
};

/// What an element of the result is made of: indices in x with weights; none outside.
struct Taps {
  std::vector<std::pair<int64_t, double>> list;
};

double Place(const ResizeAttributes& r, const Axis& a, int64_t i) {
  // ONNX divides by the extent before it was rounded down.
  const auto x = static_cast<double>(i), from = static_cast<double>(a.from), to = from * a.scale;
  switch (r.coordinates) {
    case Coordinates::kHalfPixel:
      return (x + 0.5) / a.scale - 0.5;
    case Coordinates::kHalfPixelSymmetric:  // both ends lose alike what rounding takes
      return from / 2 * (1 - static_cast<double>(a.to) / to) + (x + 0.5) / a.scale - 0.5;
    case Coordinates::kPytorchHalfPixel:
      return a.to > 1 ? (x + 0.5) / a.scale - 0.5 : 0;
    case Coordinates::kAlignCorners:
      return to > 1 ? x * (from - 1) / (to - 1) : 0;
    case Coordinates::kAsymmetric:
      return x / a.scale;
    case Coordinates::kTfHalfPixel:
      return (x + 0.5) / a.scale;
    case Coordinates::kTfCropAndResize:
      return to > 1 ? a.begin * (from - 1) + x * (a.end - a.begin) * (from - 1) / (to - 1)
                    : 0.5 * (a.begin + a.end) * (from - 1);
  }
  return 0;
}

double NearestTo(Nearest nearest, double x) {
  switch (nearest) {
    case Nearest::kRoundPreferFloor:
      return std::ceil(x - 0.5);
    case Nearest::kRoundPreferCeil:
      return std::floor(x + 0.5);
    case Nearest::kFloor:
      return std::floor(x);
    case Nearest::kCeil:
      return std::ceil(x);
  }
  return x;
}

/// What an element weighs that stands `d` from the place.
double Kernel(const ResizeAttributes& r, double d) {
  if (r.interpolation == Interpolation::kLinear) return std::max(1 - d, 0.0);
  const double a = r.cubic;
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

Taps TapsOf(const ResizeAttributes& r, const Axis& a, int64_t i) {
  const double x = Place(r, a, i);
  if (r.coordinates == Coordinates::kTfCropAndResize && (x < 0 || x > static_cast<double>(a.from - 1)))
    return {};
  const auto inside = [&](int64_t at) { return std::clamp<int64_t>(at, 0, a.from - 1); };
  if (r.interpolation == Interpolation::kNearest)
    return {{{inside(static_cast<int64_t>(NearestTo(r.nearest, x))), 1.0}}};
  // Where several elements become one, the kernel is as wide as they are.
  const bool widened = r.antialias && a.scale < 1;
  const double width = widened ? a.scale : 1;
  const double reach = (r.interpolation == Interpolation::kLinear ? 1 : 2) / width;
  const auto first = static_cast<int64_t>(std::floor(x - reach)) + 1,
             last = static_cast<int64_t>(std::floor(x + reach));
  Taps taps;
  double sum = 0;
  for (int64_t at = first; at <= last; ++at) {
    if (r.exclude_outside && at != inside(at)) continue;
    taps.list.emplace_back(inside(at), Kernel(r, std::abs(static_cast<double>(at) - x) * width));
    sum += taps.list.back().second;
  }
  if ((r.exclude_outside || widened) && sum != 0)
    for (auto& [at, weight] : taps.list) weight /= sum;
  return taps;
}

/// Along one dimension of `x` in `shape`, which gets its new extent. `outside` collects places without taps.
std::vector<double> Along(const ResizeAttributes& r, const std::vector<double>& x, Shape& shape, size_t d,
                          const Axis& axis) {
  const AroundAxis view(shape, d);
  std::vector<double> y(view.outer * axis.to * view.inner);
  for (int64_t i = 0; i < axis.to; ++i) {
    const Taps taps = TapsOf(r, axis, i);
    for (int64_t o = 0; o < view.outer; ++o)
      for (int64_t n = 0; n < view.inner; ++n) {
        double sum = taps.list.empty() ? r.extrapolation : 0;
        for (const auto& [at, weight] : taps.list) sum += weight * x[(o * view.extent + at) * view.inner + n];
        y[(o * axis.to + i) * view.inner + n] = sum;
      }
  }
  shape[d] = axis.to;
  return y;
}

/// Empty and `error` when the operands do not fit.
std::vector<Axis> AxesOf(const ResizeAttributes& r, const Shape& x, const Tensor* roi, const Tensor* scales,
                         const Tensor* sizes, std::string& error) {
  const auto given = [&](const Tensor* t) { return t && t->size() > 0; };
  const bool crop = r.coordinates == Coordinates::kTfCropAndResize;
  if (given(scales) == given(sizes))
    return error = "either scales or sizes must be given", std::vector<Axis>();
  const auto factors = given(scales) ? Reals(*scales) : Reals(*sizes);
  const auto region = crop && given(roi) ? Reals(*roi) : std::vector<double>();
  if (factors.size() != x.size() || (crop && region.size() != 2 * x.size()))
    return error = fmt::format("scales, sizes or regions for {}", ToString(x)), std::vector<Axis>();
  if (std::ranges::any_of(region, [](double v) { return !(std::abs(v) < 1 << 20); }))
    return error = "a region of interest that is none", std::vector<Axis>();
  std::vector<Axis> axes;
  for (size_t d = 0; d < x.size(); ++d) {
    Axis axis{.from = x[d]};
    if (crop) {
      axis.begin = region[d];
      axis.end = region[x.size() + d];
    }
    const auto from = static_cast<double>(axis.from);
    const double to = given(sizes) ? factors[d] : std::floor(from * (axis.end - axis.begin) * factors[d]);
    axis.scale = given(sizes) ? factors[d] / from : factors[d];
    if (!(to >= 1) || to > 1 << 30 || axis.from < 1 || !(axis.scale > 0))
      return error = fmt::format("a factor of {} for an extent of {}", factors[d], axis.from),
             std::vector<Axis>();
    axis.to = static_cast<int64_t>(to);
    axes.push_back(axis);
  }
  return axes;
}

/// Places and weights of one dimension as arrays [to, taps], and what is added where there are no taps.
struct TapTables {
  te::Tensor places, weights, outside;
  int64_t taps = 1;
};

TapTables AddTaps(const ResizeAttributes& r, const Axis& axis, const std::string& name,
                  ops::Definition& definition) {
  std::vector<Taps> all;
  TapTables tables;
  for (int64_t i = 0; i < axis.to; ++i) {
    all.push_back(TapsOf(r, axis, i));
    tables.taps = std::max(tables.taps, static_cast<int64_t>(all.back().list.size()));
  }
  const Shape shape = {axis.to, tables.taps};
  Tensor places({DType::kInt64, shape}), weights({DType::kFloat64, shape}),
      outside({DType::kFloat64, {axis.to}});
  for (int64_t i = 0; i < axis.to; ++i) {
    const auto& list = all[static_cast<size_t>(i)].list;
    if (list.empty()) outside.mutable_data<double>()[static_cast<size_t>(i)] = r.extrapolation;
    for (size_t k = 0; k < list.size(); ++k) {
      const size_t at = static_cast<size_t>(i * tables.taps) + k;
      places.mutable_data<int64_t>()[at] = list[k].first;
      weights.mutable_data<double>()[at] = list[k].second;
    }
  }
  const auto add = [&](const std::string& part, Tensor values) {
    const te::Tensor placeholder = te::Placeholder(name + part, values.shape(), ops::TypeOf(values.dtype()));
    definition.tables.push_back({placeholder, std::make_shared<const Tensor>(std::move(values))});
    return placeholder;
  };
  tables.places = add(".places", std::move(places));
  tables.weights = add(".weights", std::move(weights));
  tables.outside = add(".outside", std::move(outside));
  return tables;
}

/// One dimension after the other, in float64; the nearest element is only moved.
std::optional<ops::Definition> DefineResize(const ResizeAttributes& r, const std::vector<Axis>& axes,
                                            const ops::HostSite& site) {
  const auto real = tir::DataType::Float(64);
  const bool moves =
      r.interpolation == Interpolation::kNearest && r.coordinates != Coordinates::kTfCropAndResize;
  if (site.in[0].type() == tir::DataType::Bool() && !moves) return std::nullopt;
  ops::Definition result;
  te::Tensor x = site.in[0];
  std::vector<int64_t> shape = x.shape();
  for (size_t d = 0; d < axes.size(); ++d) {
    if (axes[d].from == axes[d].to && axes[d].scale == 1 && axes[d].begin == 0 && axes[d].end == 1) continue;
    const std::string name = site.name + ".d" + std::to_string(d);
    const TapTables tables = AddTaps(r, axes[d], name, result);
    shape[d] = axes[d].to;
    const auto element = [&](const te::Indices& i) -> te::Body {
      tir::Expr sum = moves ? tir::Expr() : tables.outside(i[d]);
      for (int64_t k = 0; k < tables.taps; ++k) {
        te::Indices at = i;
        at[d] = tables.places(i[d], tir::Int(k));
        if (moves) return x(at);
        sum = sum + tables.weights(i[d], tir::Int(k)) * MakeCast(real, x(at));
      }
      return sum;
    };
    x = te::Compute(name, shape, element);
    result.computations.push_back({x, ops::Pattern::kColumns});
  }
  const auto last = [&](const te::Indices& i) -> te::Body {
    const tir::DataType type = ops::TypeOf(site.type.dtype);
    const tir::Expr value = x(i);
    if (value->type == type) return value;
    return MakeCast(type, type.is_float() ? value : ops::Apply(tir::MathFn::kRound, value));
  };
  result.computations.push_back({te::Compute(site.name, shape, last), ops::Pattern::kElementwise});
  std::erase_if(result.tables, [&](const ops::Table& table) {
    return std::none_of(result.computations.begin(), result.computations.end(), [&](const auto& computation) {
      const auto read = te::InputsOf(computation.tensor->body);
      return std::find(read.begin(), read.end(), table.placeholder) != read.end();
    });
  });
  return result;
}

}  // namespace

HostOperatorPtr Resize(const ResizeAttributes& attributes) {
  return Make(
      "resize", 1, 4,
      [=](Operands in) {
        for (size_t i : {1, 2, 3})
          if (!in[i].absent && !in[i].value && i != 1) return Refuse("scales and sizes must be constant");
        std::string error;
        const auto axes = AxesOf(attributes, in[0].type.shape, in[1].value, in[2].value, in[3].value, error);
        if (!error.empty()) return Types{error};
        Shape shape;
        for (const Axis& axis : axes) shape.push_back(axis.to);
        return IsReasonable(shape) ? One(in[0].type.dtype, shape) : Refuse("the result is too large");
      },
      ThroughFloat([=](Values in, Results out) {
        std::string error;
        const auto axes = AxesOf(attributes, in[0]->shape(), in[1], in[2], in[3], error);
        Shape shape = in[0]->shape();
        std::vector<double> y = Reals(*in[0]);
        for (size_t d = 0; d < axes.size(); ++d)
          if (axes[d].from != axes[d].to || axes[d].scale != 1 || axes[d].begin != 0 || axes[d].end != 1)
            y = Along(attributes, y, shape, d, axes[d]);
        Dispatch(out[0].dtype(), [&](auto zero) {
          using T = decltype(zero);
          const auto to = out[0].mutable_data<T>();
          for (size_t i = 0; i < y.size(); ++i)
            to[i] = std::is_integral_v<T> ? static_cast<T>(std::nearbyint(y[i])) : static_cast<T>(y[i]);
        });
      }),
      {},
      [=](const ops::HostSite& site) -> std::optional<ops::Definition> {
        std::string error;
        const auto& known = site.operands;
        const auto axes =
            AxesOf(attributes, known[0].type.shape, known[1].value, known[2].value, known[3].value, error);
        if (!error.empty()) return std::nullopt;
        return DefineResize(attributes, axes, site);
      });
}

}  // namespace cosim::host
