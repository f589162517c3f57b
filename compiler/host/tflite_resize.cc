// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/tflite_resize.h"

#include <algorithm>
#include <cmath>

#include "compiler/host/numeric.h"
#include "compiler/ops/map.h"

namespace cosim::host {
namespace {

constexpr int64_t kUnitBits = 10, kUnit = 1 << kUnitBits;
/// So that nothing below leaves 64 bits, and 32 as the reference counts.
constexpr int64_t kMostExtent = 1 << 20;

BilinearPlaces IntegerPlaces(const TfliteGrid& g) {
  BilinearPlaces places;
  const bool corners = g.align_corners && g.to > 1;
  const int64_t from = g.from - (corners ? 1 : 0), to = g.to - (corners ? 1 : 0);
  const int64_t scale = (kUnit * from + to / 2) / to;
  for (int64_t i = 0; i < g.to; ++i) {
    const int64_t at = i * scale + (g.half_pixel_centers ? scale / 2 - kUnit / 2 : 0);
    places.lower.push_back(std::max<int64_t>(at / kUnit, 0));
    places.upper.push_back(std::min((at + kUnit - 1) / kUnit, g.from - 1));
    places.fraction.push_back(at - kUnit * places.lower.back());
  }
  return places;
}

BilinearPlaces RealPlaces(const TfliteGrid& g) {
  BilinearPlaces places;
  const bool corners = g.align_corners && g.to > 1;
  const float scale = corners ? static_cast<float>(g.from - 1) / static_cast<float>(g.to - 1)
                              : static_cast<float>(g.from) / static_cast<float>(g.to);
  for (int64_t i = 0; i < g.to; ++i) {
    const float at =
        g.half_pixel_centers ? (static_cast<float>(i) + 0.5f) * scale - 0.5f : static_cast<float>(i) * scale;
    places.lower.push_back(std::max<int64_t>(static_cast<int64_t>(std::floor(at)), 0));
    places.upper.push_back(std::min(static_cast<int64_t>(std::ceil(at)), g.from - 1));
    places.real.push_back(at - static_cast<float>(places.lower.back()));
  }
  return places;
}

/// The four elements around a place with the distances from the first.
template <typename T>
struct Corners {
  T x00, x01, x10, x11;  ///< row, column
};

/// In the order of the reference, which rounds after every step. With T an expression, the same as one.
template <typename T>
T Between(const Corners<T>& c, const T& y0, const T& y1, const T& x0, const T& x1, const T& last) {
  return c.x00 * y0 * x0 + c.x10 * y1 * x0 + c.x01 * y0 * x1 + c.x11 * y1 * x1 + last;
}

template <typename T>
T Element(BilinearArithmetic arithmetic, const Corners<T>& c, const BilinearPlaces& rows, size_t i,
          const BilinearPlaces& columns, size_t j) {
  const auto as = [&]<typename To>(To offset) {
    return Corners<To>{static_cast<To>(c.x00) + offset, static_cast<To>(c.x01) + offset,
                       static_cast<To>(c.x10) + offset, static_cast<To>(c.x11) + offset};
  };
  if (arithmetic == BilinearArithmetic::kInteger) {
    const int64_t y = rows.fraction[i], x = columns.fraction[j];
    const int64_t sum = Between<int64_t>(as(int64_t{0}), kUnit - y, y, kUnit - x, x, 0);
    const int64_t rounded = (sum + (sum > 0 ? 1 : -1) * (kUnit * kUnit / 2)) / (kUnit * kUnit);
    return static_cast<T>(rounded);
  }
  const float y = rows.real[i], x = columns.real[j];
  if (arithmetic == BilinearArithmetic::kFloat)
    return static_cast<T>(Between<float>(as(0.0f), 1 - y, y, 1 - x, x, 0));
  const float sum = Between<float>(as(128.0f), 1 - y, y, 1 - x, x, 0.5f);
  return static_cast<T>(static_cast<int32_t>(std::clamp(sum, 0.0f, 255.0f)) - 128);
}

template <typename T>
void ComputeBilinear(BilinearArithmetic arithmetic, const BilinearPlaces& rows, const BilinearPlaces& columns,
                     Values in, Results out) {
  const Shape &x = in[0]->shape(), &y = out[0].shape();
  const auto from = in[0]->data<T>();
  const auto to = out[0].mutable_data<T>();
  size_t next = 0;
  for (int64_t plane = 0; plane < x[0] * x[1]; ++plane)
    for (size_t i = 0; i < static_cast<size_t>(y[2]); ++i)
      for (size_t j = 0; j < static_cast<size_t>(y[3]); ++j) {
        const auto at = [&](int64_t row, int64_t column) {
          return from[(plane * x[2] + row) * x[3] + column];
        };
        const Corners<T> corners = {at(rows.lower[i], columns.lower[j]), at(rows.lower[i], columns.upper[j]),
                                    at(rows.upper[i], columns.lower[j]), at(rows.upper[i], columns.upper[j])};
        to[next++] = Element<T>(arithmetic, corners, rows, i, columns, j);
      }
}

using tir::Expr;
using tir::Int;

template <typename T>
te::Tensor Table(const std::string& name, const std::vector<T>& list, ops::Definition& definition) {
  const Shape shape = {static_cast<int64_t>(list.size())};
  auto data = std::make_shared<const Tensor>(shape, list);
  definition.tables.push_back({te::Placeholder(name, shape, ops::TypeOf(data->dtype())), data});
  return definition.tables.back().placeholder;
}

std::optional<ops::Definition> DefineBilinear(BilinearArithmetic arithmetic, const BilinearPlaces& rows,
                                              const BilinearPlaces& columns, const ops::HostSite& site) {
  const bool integer = arithmetic == BilinearArithmetic::kInteger;
  // Fractions are from -512 to 1023: sums of bytes stay below 2^29.
  const tir::DataType type = !integer                          ? ops::kReal32
                             : site.type.dtype == DType::kInt8 ? ops::kInt32
                                                               : ops::kInt64;
  ops::Definition result;
  struct Axis {
    te::Tensor lower, upper, distance;
  };
  const auto axis = [&](const std::string& name, const BilinearPlaces& p) {
    Axis a;
    a.lower = Table(name + ".lower", p.lower, result);
    a.upper = Table(name + ".upper", p.upper, result);
    a.distance = integer ? Table(name + ".fraction",
                                 std::vector<int32_t>(p.fraction.begin(), p.fraction.end()), result)
                         : Table(name + ".distance", p.real, result);
    return a;
  };
  const Axis r = axis(site.name + ".rows", rows), c = axis(site.name + ".columns", columns);
  const auto number = [&](double value) {
    return integer ? Int(static_cast<int64_t>(value), type) : tir::Float(value, type);
  };
  const double offset = arithmetic == BilinearArithmetic::kBytes ? 128 : 0;
  const auto element = [&](const te::Indices& i) -> te::Body {
    const auto at = [&](const te::Tensor& row, const te::Tensor& column) {
      const Expr value = MakeCast(type, site.in[0](te::Indices{i[0], i[1], row(i[2]), column(i[3])}));
      return offset == 0 ? value : value + number(offset);
    };
    const Corners<Expr> corners = {at(r.lower, c.lower), at(r.lower, c.upper), at(r.upper, c.lower),
                                   at(r.upper, c.upper)};
    const Expr one = number(integer ? static_cast<double>(kUnit) : 1), y = MakeCast(type, r.distance(i[2])),
               x = MakeCast(type, c.distance(i[3]));
    const Expr sum = Between<Expr>(corners, one - y, y, one - x, x, number(offset == 0 ? 0 : 0.5));
    const tir::DataType to = ops::TypeOf(site.type.dtype);
    if (arithmetic == BilinearArithmetic::kFloat) return sum;
    if (arithmetic == BilinearArithmetic::kBytes)
      return MakeCast(to, MakeCast(ops::kInt32, Max(Min(sum, number(255)), number(0))) - 128);
    // Half a unit less one where the sum is negative: away from zero.
    const auto shifted = [&](const Expr& value, int bits) {
      return MakeBinary(tir::BinaryOp::kShr, value, Int(bits, type));
    };
    return MakeCast(to,
                    shifted(sum + Int(kUnit * kUnit / 2, type) + shifted(sum, type.bits - 1), 2 * kUnitBits));
  };
  result.computations.push_back({te::Compute(site.name, site.shape(), element), ops::Pattern::kColumns});
  return result;
}

}  // namespace

std::vector<int64_t> NearestPlaces(const TfliteGrid& g) {
  const bool corners = g.align_corners && g.to > 1;
  const float scale = corners ? static_cast<float>(g.from - 1) / static_cast<float>(g.to - 1)
                              : static_cast<float>(g.from) / static_cast<float>(g.to);
  std::vector<int64_t> places;
  for (int64_t i = 0; i < g.to; ++i) {
    const float at = (static_cast<float>(i) + (g.half_pixel_centers ? 0.5f : 0.0f)) * scale;
    const auto nearest = static_cast<int64_t>(g.align_corners ? std::round(at) : std::floor(at));
    places.push_back(std::clamp<int64_t>(nearest, 0, g.from - 1));
  }
  return places;
}

std::optional<BilinearPlaces> PlacesBetween(const TfliteGrid& grid, BilinearArithmetic arithmetic) {
  if (grid.from < 1 || grid.to < 1 || grid.from > kMostExtent || grid.to > kMostExtent) return std::nullopt;
  auto places = arithmetic == BilinearArithmetic::kInteger ? IntegerPlaces(grid) : RealPlaces(grid);
  const auto outside = [&](int64_t at) { return at >= grid.from; };
  if (std::ranges::any_of(places.lower, outside)) return std::nullopt;
  return places;
}

HostOperatorPtr TfliteBilinear(const TfliteGrid& rows, const TfliteGrid& columns,
                               BilinearArithmetic arithmetic) {
  const auto y = PlacesBetween(rows, arithmetic), x = PlacesBetween(columns, arithmetic);
  return Make(
      fmt::format("tflite_bilinear {}x{}", rows.to, columns.to), 1, 1,
      [=](Operands in) {
        const TensorType& type = in[0].type;
        const bool fits = arithmetic == BilinearArithmetic::kFloat   ? type.dtype == DType::kFloat32
                          : arithmetic == BilinearArithmetic::kBytes ? type.dtype == DType::kInt8
                                                                     : graph::IsQuantized(type.dtype);
        if (!fits || type.shape.size() != 4 || type.shape[2] != rows.from || type.shape[3] != columns.from)
          return Refuse("input {}", ToString(type));
        if (!y || !x)
          return Refuse("an extent from {} to {} or {} to {}", rows.from, rows.to, columns.from, columns.to);
        const Shape shape = {type.shape[0], type.shape[1], rows.to, columns.to};
        return IsReasonable(shape) ? One(type.dtype, shape) : Refuse("the result is too large");
      },
      [=](Values in, Results out) {
        if (in[0]->dtype() == DType::kFloat32) return ComputeBilinear<float>(arithmetic, *y, *x, in, out);
        in[0]->dtype() == DType::kInt8 ? ComputeBilinear<int8_t>(arithmetic, *y, *x, in, out)
                                       : ComputeBilinear<int16_t>(arithmetic, *y, *x, in, out);
      },
      {}, [=](const ops::HostSite& site) { return DefineBilinear(arithmetic, *y, *x, site); });
}

}  // namespace cosim::host
