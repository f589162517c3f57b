// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/boxes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "compiler/host/numeric.h"

namespace cosim::host {
namespace {

struct Rectangle {
  float top, left, bottom, right;
  float Area() const { return (bottom - top) * (right - left); }
};

Rectangle RectangleOf(const float* v, bool centred) {
  if (centred) return {v[1] - v[3] / 2, v[0] - v[2] / 2, v[1] + v[3] / 2, v[0] + v[2] / 2};
  return {std::min(v[0], v[2]), std::min(v[1], v[3]), std::max(v[0], v[2]), std::max(v[1], v[3])};
}

/// The area of both over that of either.
float SharedPart(const Rectangle& a, const Rectangle& b) {
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top),
              width = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (!(height > 0) || !(width > 0)) return 0;
  const float both = height * width;
  return both / (a.Area() + b.Area() - both);
}

struct Suppression {
  const Tensor *boxes, *scores;
  int64_t most = 0;
  float overlap = 0;
  std::optional<float> score;
  bool centred = false;
};

std::vector<std::array<int64_t, 3>> Remaining(const Suppression& s) {
  std::vector<std::array<int64_t, 3>> kept;
  const Shape& shape = s.scores->shape();
  const int64_t classes = shape[1], count = shape[2];
  for (int64_t b = 0; b < shape[0]; ++b) {
    const float* corners = s.boxes->data<float>().data() + b * count * 4;
    for (int64_t c = 0; c < classes; ++c) {
      const float* scores = s.scores->data<float>().data() + (b * classes + c) * count;
      std::vector<int64_t> order;
      for (int64_t i = 0; i < count; ++i)
        if (!std::isnan(scores[i]) && (!s.score || scores[i] > *s.score)) order.push_back(i);
      std::stable_sort(order.begin(), order.end(),
                       [&](int64_t x, int64_t y) { return scores[x] > scores[y]; });
      std::vector<Rectangle> chosen;
      for (int64_t i : order) {
        if (static_cast<int64_t>(chosen.size()) >= s.most) break;
        const Rectangle box = RectangleOf(corners + i * 4, s.centred);
        if (std::ranges::any_of(chosen,
                                [&](const Rectangle& other) { return SharedPart(box, other) > s.overlap; }))
          continue;
        chosen.push_back(box);
        kept.push_back({b, c, i});
      }
    }
  }
  return kept;
}

Suppression SuppressionOf(const std::array<const Tensor*, 5>& in, bool centred) {
  const auto number = [&](size_t i) { return static_cast<float>(Reals(*in[i])[0]); };
  Suppression s{in[0], in[1], in[2] ? Integers(*in[2])[0] : 0, in[3] ? number(3) : 0, std::nullopt, centred};
  if (in[4]) s.score = number(4);
  return s;
}

/// Four pixels of a plane and what each counts for.
struct Sample {
  std::array<int64_t, 4> at{};
  std::array<double, 4> weight{};
};

Sample SampleAt(double y, double x, int64_t height, int64_t width) {
  Sample sample;
  if (!(y >= -1 && y <= static_cast<double>(height) && x >= -1 && x <= static_cast<double>(width)))
    return sample;
  const auto along = [](double v, int64_t extent, int64_t& low, int64_t& high) {
    v = std::max(v, 0.0);
    low = static_cast<int64_t>(v);
    if (low >= extent - 1) {
      low = high = extent - 1;
      return 0.0;
    }
    high = low + 1;
    return v - static_cast<double>(low);
  };
  int64_t top = 0, bottom = 0, left = 0, right = 0;
  const double ly = along(y, height, top, bottom), lx = along(x, width, left, right);
  sample.at = {top * width + left, top * width + right, bottom * width + left, bottom * width + right};
  sample.weight = {(1 - ly) * (1 - lx), (1 - ly) * lx, ly * (1 - lx), ly * lx};
  return sample;
}

/// The samples of one pixel of the result along one dimension.
struct Span {
  double start = 0, step = 1;
  int64_t samples = 1;
};

Span SpanOf(double from, double to, int64_t bins, const RoiAttributes& a, int64_t extent) {
  const double offset = a.half_pixel ? 0.5 : 0, start = from * a.scale - offset;
  double length = to * a.scale - offset - start;
  if (!a.half_pixel) length = std::max(length, 1.0);
  const double bin = length / static_cast<double>(bins);
  // A region far larger than the image has its samples outside; so many of them are as good as all.
  const double most = 2.0 * static_cast<double>(extent) + 16;
  const double wanted = std::ceil(bin);
  const int64_t samples = a.samples > 0 ? a.samples
                          : wanted >= 1 ? static_cast<int64_t>(std::min(wanted, most))
                                        : 0;
  return {start, bin, samples};
}

template <typename T>
void AlignRegion(const RoiAttributes& a, const T* image, const Shape& x, const std::vector<double>& region,
                 T* to) {
  const int64_t height = x[2], width = x[3];
  const Span down = SpanOf(region[1], region[3], a.height, a, height),
             across = SpanOf(region[0], region[2], a.width, a, width);
  const auto count = static_cast<double>(std::max<int64_t>(down.samples * across.samples, 1));
  const auto place = [](const Span& span, int64_t bin, int64_t i) {
    const double n = static_cast<double>(span.samples);
    return span.start + static_cast<double>(bin) * span.step + (static_cast<double>(i) + 0.5) * span.step / n;
  };
  for (int64_t r = 0; r < a.height; ++r)
    for (int64_t c = 0; c < a.width; ++c) {
      std::vector<double> sum(static_cast<size_t>(x[1]), 0.0);
      bool first = true;
      for (int64_t i = 0; i < down.samples; ++i)
        for (int64_t j = 0; j < across.samples; ++j, first = false) {
          const Sample sample = SampleAt(place(down, r, i), place(across, c, j), height, width);
          for (int64_t channel = 0; channel < x[1]; ++channel) {
            const T* plane = image + channel * height * width;
            double value = 0, most = 0;
            for (size_t k = 0; k < 4; ++k) {
              const double part = sample.weight[k] * static_cast<double>(plane[sample.at[k]]);
              value += part;
              most = k == 0 ? part : std::max(most, part);
            }
            double& total = sum[static_cast<size_t>(channel)];
            total = !a.largest ? total + value : first ? most : std::max(total, most);
          }
        }
      for (int64_t channel = 0; channel < x[1]; ++channel)
        to[(channel * a.height + r) * a.width + c] = static_cast<T>(
            a.largest ? sum[static_cast<size_t>(channel)] : sum[static_cast<size_t>(channel)] / count);
    }
}

}  // namespace

HostOperatorPtr NonMaxSuppression(bool centred) {
  return Make(
      "non_max_suppression", 2, 5,
      [=](Operands in) {
        const Shape &boxes = in[0].type.shape, &scores = in[1].type.shape;
        if (in[0].type.dtype != DType::kFloat32 || in[1].type.dtype != DType::kFloat32)
          return Refuse("boxes and scores must be float32");
        if (boxes.size() != 3 || scores.size() != 3 || boxes[2] != 4 || boxes[0] != scores[0] ||
            boxes[1] != scores[2])
          return Refuse("boxes {} with scores {}", ToString(boxes), ToString(scores));
        std::array<const Tensor*, 5> values{};
        for (size_t i = 0; i < in.size(); ++i) {
          if (in[i].absent) continue;
          if (!in[i].value) return Refuse("how many boxes remain is only known of constants");
          if (i > 1 && in[i].value->size() != 1) return Refuse("operand {} must be one number", i);
          values[i] = in[i].value;
        }
        const Suppression s = SuppressionOf(values, centred);
        const double pairs = static_cast<double>(graph::NumElements(scores)) *
                             static_cast<double>(std::clamp<int64_t>(s.most, 1, scores[2]));
        if (pairs > double{1 << 28}) return Refuse("too many boxes to compare");
        return One(DType::kInt64, {static_cast<int64_t>(Remaining(s).size()), 3});
      },
      [=](Values in, Results out) {
        const auto to = out[0].mutable_data<int64_t>();
        size_t i = 0;
        for (const auto& row : Remaining(SuppressionOf({in[0], in[1], in[2], in[3], in[4]}, centred)))
          for (int64_t v : row) to[i++] = v;
      });
}

HostOperatorPtr RoiAlign(const RoiAttributes& a) {
  return Make(
      "roi_align", 3, 3,
      [=](Operands in) {
        const Shape &x = in[0].type.shape, &regions = in[1].type.shape;
        if (!IsFloat(in[0].type.dtype) || in[1].type.dtype != in[0].type.dtype ||
            in[2].type.dtype != DType::kInt64)
          return Refuse("operands are {}, {} and {}", ToString(in[0].type), ToString(in[1].type),
                        ToString(in[2].type));
        if (x.size() != 4 || regions.size() != 2 || regions[1] != 4 ||
            in[2].type.shape != Shape{regions[0]} || graph::NumElements(x) == 0)
          return Refuse("regions {} of {}", ToString(regions), ToString(x));
        constexpr int64_t kMostSamples = 256;
        if (a.height < 1 || a.width < 1 || a.samples < 0 || a.samples > kMostSamples)
          return Refuse("{} x {} pixels of {} samples", a.height, a.width, a.samples);
        const Shape shape = {regions[0], x[1], a.height, a.width};
        return IsReasonable(shape) ? One(in[0].type.dtype, shape) : Refuse("the result is too large");
      },
      ThroughFloat([=](Values in, Results out) {
        const Shape& x = in[0]->shape();
        const auto regions = Reals(*in[1]);
        const auto images = Integers(*in[2]);
        Dispatch(in[0]->dtype(), [&](auto zero) {
          using T = decltype(zero);
          T* to = out[0].mutable_data<T>().data();
          const int64_t size = x[1] * a.height * a.width;
          for (size_t r = 0; r < images.size(); ++r) {
            const int64_t image = std::clamp<int64_t>(images[r], 0, x[0] - 1);
            AlignRegion<T>(a, in[0]->data<T>().data() + image * x[1] * x[2] * x[3], x,
                           {regions.begin() + static_cast<std::ptrdiff_t>(4 * r),
                            regions.begin() + static_cast<std::ptrdiff_t>(4 * r + 4)},
                           to + static_cast<int64_t>(r) * size);
          }
        });
      }));
}

}  // namespace cosim::host
