// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/grid_sample.h"

#include <algorithm>
#include <cmath>

#include "compiler/host/numeric.h"

namespace cosim::host {
namespace {

/// Along one dimension.
struct GridAxis {
  int64_t extent = 1;
  double least = 0, most = 0;  // of the coordinates inside
};

double ReflectedInto(double v, const GridAxis& axis) {
  const double range = axis.most - axis.least;
  if (range <= 0) return axis.least;
  double offset = std::fmod(std::abs(v - axis.least), 2 * range);
  if (offset > range) offset = 2 * range - offset;
  return axis.least + offset;
}

/// The element that stands at place i, or -1.
int64_t ElementAt(int64_t i, const GridAxis& axis, Outside outside) {
  if (i >= 0 && i < axis.extent) return i;
  if (outside == Outside::kZeros) return -1;
  if (outside == Outside::kBorder) return std::clamp<int64_t>(i, 0, axis.extent - 1);
  const auto place = static_cast<int64_t>(ReflectedInto(static_cast<double>(i), axis));
  return std::clamp<int64_t>(place, 0, axis.extent - 1);
}

struct Tap {
  int64_t at = 0;  ///< -1: outside
  double weight = 1;
};

std::vector<Tap> TapsAt(double v, const GridAxis& axis, Interpolation interpolation, Outside outside) {
  const double floor = std::floor(v), t = v - floor;
  const auto first = static_cast<int64_t>(floor);
  std::vector<double> weights;
  int64_t begin = first;
  switch (interpolation) {
    case Interpolation::kNearest:
      weights = {1};
      begin = static_cast<int64_t>(std::nearbyint(v));
      break;
    case Interpolation::kLinear:
      weights = {1 - t, t};
      break;
    case Interpolation::kCubic: {
      constexpr double a = -0.75;
      const auto far = [&](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
      const auto near = [&](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
      weights = {far(t + 1), near(t), near(1 - t), far(2 - t)};
      begin = first - 1;
      break;
    }
  }
  std::vector<Tap> taps;
  for (size_t k = 0; k < weights.size(); ++k)
    taps.push_back({ElementAt(begin + static_cast<int64_t>(k), axis, outside), weights[k]});
  return taps;
}

class Sampler {
 public:
  Sampler(const Shape& x, Interpolation interpolation, Outside outside, bool align_corners)
      : interpolation_(interpolation), outside_(outside), align_corners_(align_corners) {
    for (size_t d = 2; d < x.size(); ++d) {
      const auto n = static_cast<double>(x[d]);
      axes_.push_back({x[d], align_corners ? 0 : -0.5, align_corners ? n - 1 : n - 0.5});
    }
  }

  /// The elements of a plane that count at a place of the grid, and for how much.
  std::vector<Tap> At(const double* grid) const {
    const size_t n = axes_.size();
    std::vector<double> place(n);
    bool inside = true;
    for (size_t d = 0; d < n; ++d) {
      place[d] = Coordinate(grid[n - 1 - d], axes_[d]);
      inside &= place[d] >= axes_[d].least && place[d] <= axes_[d].most;
    }
    for (size_t d = 0; d < n && !inside; ++d) {
      if (outside_ == Outside::kBorder)
        place[d] = std::clamp(place[d], 0.0, static_cast<double>(axes_[d].extent - 1));
      if (outside_ == Outside::kReflection) place[d] = ReflectedInto(place[d], axes_[d]);
    }
    std::vector<Tap> taps = {Tap{}};
    for (size_t d = 0; d < n; ++d) {
      std::vector<Tap> next;
      for (const Tap& tap : taps)
        for (const Tap& own : TapsAt(place[d], axes_[d], interpolation_, outside_))
          if (tap.at >= 0 && own.at >= 0)
            next.push_back({tap.at * axes_[d].extent + own.at, tap.weight * own.weight});
      taps = std::move(next);
    }
    return taps;
  }

 private:
  double Coordinate(double v, const GridAxis& axis) const {
    constexpr double kFar = 1 << 20;  // what is farther is as far outside
    v = std::isnan(v) ? -kFar : std::clamp(v, -kFar, kFar);
    const auto n = static_cast<double>(axis.extent);
    const double place = align_corners_ ? (v + 1) / 2 * (n - 1) : ((v + 1) * n - 1) / 2;
    return interpolation_ == Interpolation::kNearest ? std::nearbyint(place) : place;
  }

  Interpolation interpolation_;
  Outside outside_;
  bool align_corners_;
  std::vector<GridAxis> axes_;
};

}  // namespace

HostOperatorPtr GridSample(Interpolation interpolation, Outside outside, bool align_corners) {
  return Make(
      "grid_sample", 2, 2,
      [=](Operands in) {
        const Shape &x = in[0].type.shape, &grid = in[1].type.shape;
        if (!IsFloat(in[0].type.dtype) || !IsFloat(in[1].type.dtype))
          return Refuse("input and grid must be float");
        constexpr size_t kMostDimensions = 3;
        if (x.size() < 3 || x.size() > kMostDimensions + 2 || grid.size() != x.size() || grid[0] != x[0] ||
            grid.back() != static_cast<int64_t>(x.size()) - 2 || graph::NumElements(x) == 0)
          return Refuse("grid {} over {}", ToString(grid), ToString(x));
        Shape shape = {x[0], x[1]};
        shape.insert(shape.end(), grid.begin() + 1, grid.end() - 1);
        return IsReasonable(shape) ? One(in[0].type.dtype, shape) : Refuse("the result is too large");
      },
      ThroughFloat([=](Values in, Results out) {
        const Shape& x = in[0]->shape();
        const Sampler sampler(x, interpolation, outside, align_corners);
        const auto grid = Reals(*in[1]);
        const auto n = static_cast<int64_t>(x.size()) - 2;
        const int64_t plane = graph::NumElements(x) / (x[0] * x[1]),
                      places = static_cast<int64_t>(grid.size()) / (x[0] * n);
        Dispatch(in[0]->dtype(), [&](auto zero) {
          using T = decltype(zero);
          const auto from = in[0]->data<T>();
          const auto to = out[0].mutable_data<T>();
          for (int64_t b = 0; b < x[0]; ++b)
            for (int64_t p = 0; p < places; ++p) {
              const auto taps = sampler.At(grid.data() + (b * places + p) * n);
              for (int64_t c = b * x[1]; c < (b + 1) * x[1]; ++c) {
                double sum = 0;
                for (const Tap& tap : taps) sum += tap.weight * static_cast<double>(from[c * plane + tap.at]);
                to[c * places + p] = static_cast<T>(sum);
              }
            }
        });
      }));
}

}  // namespace cosim::host
