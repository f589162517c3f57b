// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's transposed convolutions and resizing. What these tests compare with is the published
// definition in other words: a scattering sum, and the reference's arithmetic pixel by pixel.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "tests/import/tflite_testing.h"

namespace cosim::import::tflite::resample_test {
namespace {

using testing::HasSubstr;

TensorInfo Like(DType dtype, Shape shape, float scale, int32_t zero_point) {
  if (dtype == DType::kFloat32) return {.name = "", .dtype = dtype, .shape = std::move(shape)};
  return {
      .name = "", .dtype = dtype, .shape = std::move(shape), .scales = {scale}, .zero_points = {zero_point}};
}

Tensor RandomOf(DType dtype, const Shape& shape, uint32_t seed) {
  Tensor tensor({dtype, shape});
  std::mt19937 random(seed);
  if (dtype == DType::kFloat32) {
    for (float& v : tensor.mutable_data<float>()) v = static_cast<float>(random() % 2001) / 1000.0f - 1;
  } else {
    for (uint8_t& v : tensor.mutable_bytes()) v = static_cast<uint8_t>(random());
  }
  return tensor;
}

std::vector<double> NumbersOf(const Tensor& tensor) {
  std::vector<double> list;
  graph::WithElementType(tensor.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_same_v<T, graph::Half>)
      for (const T& v : tensor.data<T>()) list.push_back(static_cast<double>(v));
  });
  return list;
}

std::optional<Tensor> Computed(const std::vector<TensorInfo>& tensors, const std::string& op,
                               const OperatorOptions& options, const Tensor& input) {
  Diagnostics diagnostics;
  const auto model = OneOperator(tensors, op, options, diagnostics);
  EXPECT_TRUE(model) << diagnostics.Render();
  if (!model) return std::nullopt;
  return *golden::Run(model->graph, {input})[model->graph.outputs()[0]];
}

std::string ErrorsWith(const std::vector<TensorInfo>& tensors, const std::string& op,
                       const OperatorOptions& options) {
  Diagnostics diagnostics;
  EXPECT_FALSE(OneOperator(tensors, op, options, diagnostics));
  return diagnostics.Render();
}

// Multiplication by a 32-bit fraction that keeps the high half, rounded half up, then a shift, rounded half
// away from zero.
int64_t Twice(int64_t sum, double factor) {
  int exponent = 0;
  const auto bits = static_cast<int64_t>(std::round(std::frexp(factor, &exponent) * 0x1p31));
  const int64_t shifted = exponent > 0 ? sum << exponent : sum;
  const int64_t high = (shifted * bits + (int64_t{1} << 30)) >> 31;
  return static_cast<int64_t>(std::round(std::ldexp(static_cast<double>(high), std::min(exponent, 0))));
}

// A sum of 64 bits: 15 bits of the fraction and one rounding, half up.
int64_t Once(int64_t sum, double factor) {
  int exponent = 0;
  const auto bits31 = static_cast<int64_t>(std::round(std::frexp(factor, &exponent) * 0x1p31));
  const int64_t bits15 = std::min<int64_t>((bits31 + 0x8000) / 0x10000, 0x7FFF);
  return static_cast<int64_t>(std::floor(std::ldexp(static_cast<double>(sum * bits15), exponent - 15) + 0.5));
}

struct TransposedCase {
  DType dtype = DType::kInt8;
  Shape x, w, y;
  int64_t stride_h = 2, stride_w = 2;
  bool same = true, bias = true, relu = false;
  int32_t weight_zero_point = 0;  // of uint8
};

template <typename T>
TensorInfo ConstantList(TensorInfo info, std::vector<T> list) {
  info.data = std::make_shared<const Tensor>(info.shape, std::move(list));
  return info;
}

std::vector<TensorInfo> TensorsOf(const TransposedCase& c) {
  const bool real = c.dtype == DType::kFloat32, wide = c.dtype == DType::kInt16,
             old = c.dtype == DType::kUint8;
  std::vector<int32_t> extents(c.y.begin(), c.y.end());
  TensorInfo w = Like(real || old ? c.dtype : DType::kInt8, c.w, 0.01f, old ? c.weight_zero_point : 0);
  if (!real && !old) {  // per channel
    w.scales.clear();
    for (int64_t i = 0; i < c.w[0]; ++i) w.scales.push_back(0.004f * static_cast<float>(1 + i % 3));
    w.zero_points.assign(w.scales.size(), 0);
  }
  w.data = std::make_shared<const Tensor>(RandomOf(w.dtype, c.w, 5));
  std::vector<TensorInfo> tensors = {Integers({4}, extents), w,
                                     Like(c.dtype, c.x, 0.02f,
                                          wide || real ? 0
                                          : old        ? 131
                                                       : 3)};
  if (c.bias) {
    TensorInfo b{.name = "",
                 .dtype = real   ? DType::kFloat32
                          : wide ? DType::kInt64
                                 : DType::kInt32,
                 .shape = {c.w[0]}};
    std::vector<float> reals;
    std::vector<int32_t> ints;
    std::vector<int64_t> longs;
    for (int64_t k = 0; k < c.w[0]; ++k) {
      reals.push_back(static_cast<float>(k) - 1);
      ints.push_back(static_cast<int32_t>(1000 * k - 700));
      longs.push_back(100000 * k - 70000);
    }
    b = real ? ConstantList(b, reals) : wide ? ConstantList(b, longs) : ConstantList(b, ints);
    tensors.push_back(b);
  }
  tensors.push_back(Like(c.dtype, c.y, 0.05f, wide || real ? 0 : old ? 120 : -8));
  return tensors;
}

WindowOptions OptionsOf(const TransposedCase& c) {
  WindowOptions options;
  options.same_padding = c.same;
  options.stride[0] = c.stride_h;
  options.stride[1] = c.stride_w;
  options.activation = c.relu ? Activation::kRelu : Activation::kNone;
  return options;
}

// Each input pixel adds its multiple of the kernel to the output; SAME begins half of what is too much
// outside.
std::vector<double> Scattered(const TransposedCase& c, const std::vector<TensorInfo>& tensors,
                              const Tensor& input) {
  const TensorInfo &w = tensors[1], &x = tensors[2], &y = tensors.back();
  const auto in = NumbersOf(input), weights = NumbersOf(*w.data);
  std::vector<double> sums(static_cast<size_t>(graph::NumElements(c.y)), 0.0);
  const int64_t kernel[2] = {c.w[1], c.w[2]}, strides[2] = {c.stride_h, c.stride_w};
  int64_t first[2];
  for (int d : {0, 1}) {
    const int64_t conv = c.same ? (c.y[d + 1] + strides[d] - 1) / strides[d]
                                : (c.y[d + 1] - kernel[d] + strides[d]) / strides[d];
    first[d] = -std::max<int64_t>((conv - 1) * strides[d] + kernel[d] - c.y[d + 1], 0) / 2;
  }
  const bool real = c.dtype == DType::kFloat32;
  const double zero_x = real ? 0 : x.zero_points[0], zero_w = real ? 0 : w.zero_points[0];
  for (int64_t n = 0; n < c.x[0]; ++n)
    for (int64_t iy = 0; iy < c.x[1]; ++iy)
      for (int64_t ix = 0; ix < c.x[2]; ++ix)
        for (int64_t o = 0; o < c.w[0]; ++o)
          for (int64_t ky = 0; ky < kernel[0]; ++ky)
            for (int64_t kx = 0; kx < kernel[1]; ++kx)
              for (int64_t i = 0; i < c.x[3]; ++i) {
                const int64_t oy = iy * strides[0] + ky + first[0], ox = ix * strides[1] + kx + first[1];
                if (oy < 0 || ox < 0 || oy >= c.y[1] || ox >= c.y[2]) continue;
                sums[((n * c.y[1] + oy) * c.y[2] + ox) * c.y[3] + o] +=
                    (in[((n * c.x[1] + iy) * c.x[2] + ix) * c.x[3] + i] - zero_x) *
                    (weights[((o * kernel[0] + ky) * kernel[1] + kx) * c.x[3] + i] - zero_w);
              }
  const auto bias = c.bias ? NumbersOf(*tensors[3].data) : std::vector<double>(c.w[0], 0.0);
  for (size_t at = 0; at < sums.size(); ++at) {
    const size_t o = at % static_cast<size_t>(c.w[0]);
    const double sum = sums[at] + bias[o];
    if (real) {
      sums[at] = c.relu ? std::max(sum, 0.0) : sum;
      continue;
    }
    const float scale_w = w.scales[w.scales.size() == 1 ? 0 : o];
    const double product = c.dtype == DType::kUint8
                               ? static_cast<double>(x.scales[0] * scale_w)
                               : static_cast<double>(x.scales[0]) * static_cast<double>(scale_w);
    const double factor = product / static_cast<double>(y.scales[0]);
    const auto whole = static_cast<int64_t>(sum);
    const int64_t scaled =
        (c.dtype == DType::kInt16 && c.bias ? Once(whole, factor) : Twice(whole, factor)) + y.zero_points[0];
    const int64_t low = c.dtype == DType::kInt8    ? -128
                        : c.dtype == DType::kUint8 ? 0
                                                   : -32768,
                  high = c.dtype == DType::kInt8    ? 127
                         : c.dtype == DType::kUint8 ? 255
                                                    : 32767;
    sums[at] = static_cast<double>(
        std::clamp<int64_t>(scaled, c.relu ? std::max<int64_t>(low, y.zero_points[0]) : low, high));
  }
  return sums;
}

void ExpectScattered(const TransposedCase& c, bool on_accelerator) {
  const auto tensors = TensorsOf(c);
  const Tensor input = RandomOf(c.dtype, c.x, 11);
  Diagnostics diagnostics;
  const auto model = OneOperator(tensors, "TRANSPOSE_CONV", OptionsOf(c), diagnostics);
  ASSERT_TRUE(model) << diagnostics.Render();
  bool core = false;
  for (const auto& node : model->graph.nodes())
    core |= node.As<graph::Conv2d>() || node.As<graph::ConvTranspose2d>();
  EXPECT_EQ(core, on_accelerator);
  const Tensor output = *golden::Run(model->graph, {input})[model->graph.outputs()[0]];
  const auto want = Scattered(c, tensors, input), got = NumbersOf(output);
  ASSERT_EQ(got.size(), want.size());
  const double allowed = c.dtype == DType::kFloat32 ? 1e-4 : 0;
  for (size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(got[i], want[i], allowed) << i;
}

TEST(TransposeConv, Int8IsAConvolutionToTheAccelerator) {
  ExpectScattered({.x = {1, 4, 5, 3}, .w = {6, 3, 3, 3}, .y = {1, 8, 10, 6}}, true);
  ExpectScattered({.x = {2, 4, 4, 2}, .w = {5, 2, 2, 2}, .y = {2, 8, 8, 5}, .bias = false, .relu = true},
                  true);
  ExpectScattered({.x = {1, 3, 4, 2}, .w = {3, 4, 4, 2}, .y = {1, 8, 10, 3}, .same = false}, true);
}

TEST(TransposeConv, OddSizesAndStridesAreCut) {
  ExpectScattered({.x = {1, 4, 4, 2}, .w = {3, 3, 3, 2}, .y = {1, 7, 7, 3}}, true);
  ExpectScattered({.x = {1, 4, 3, 2}, .w = {3, 3, 2, 2}, .y = {1, 10, 3, 3}, .stride_h = 3, .stride_w = 1},
                  true);
  ExpectScattered({.x = {1, 3, 3, 2}, .w = {3, 1, 1, 2}, .y = {1, 6, 6, 3}}, true);
  ExpectScattered({.x = {1, 5, 5, 2}, .w = {2, 5, 5, 2}, .y = {1, 5, 5, 2}, .stride_h = 1, .stride_w = 1},
                  true);
  // The file's output is smaller than the windows reach.
  ExpectScattered({.x = {1, 6, 6, 1}, .w = {1, 3, 3, 1}, .y = {1, 4, 4, 1}, .same = false}, true);
}

TEST(TransposeConv, OtherTypes) {
  const TransposedCase shape{.x = {1, 4, 5, 3}, .w = {6, 3, 3, 3}, .y = {1, 7, 10, 6}};
  for (bool bias : {false, true}) {
    TransposedCase c = shape;
    c.bias = bias;
    c.dtype = DType::kUint8;
    c.weight_zero_point = 128;
    ExpectScattered(c, true);
    c.weight_zero_point = 119;
    ExpectScattered(c, true);
    c.dtype = DType::kInt16;
    ExpectScattered(c, true);
    c.dtype = DType::kFloat32;
    ExpectScattered(c, true);
    c.relu = true;
    ExpectScattered(c, true);
  }
}

TEST(TransposeConv, MistakesAreNamed) {
  TransposedCase c{.x = {1, 4, 5, 3}, .w = {6, 3, 3, 3}, .y = {1, 8, 10, 6}};
  auto tensors = TensorsOf(c);
  tensors[0] = Integers({4}, {1, 8, 9, 6});
  EXPECT_THAT(ErrorsWith(tensors, "TRANSPOSE_CONV", OptionsOf(c)),
              HasSubstr("is not the shape of its output, [1,8,10,6]"));
  c.stride_h = 0;
  EXPECT_THAT(ErrorsWith(TensorsOf(c), "TRANSPOSE_CONV", OptionsOf(c)), HasSubstr("stride 0"));
  c.stride_h = 1 << 20;
  EXPECT_THAT(ErrorsWith(TensorsOf(c), "TRANSPOSE_CONV", OptionsOf(c)), HasSubstr("a stride above 256"));
  c.stride_h = 2;
  c.w = {6, 3, 3, 2};
  EXPECT_THAT(ErrorsWith(TensorsOf(c), "TRANSPOSE_CONV", OptionsOf(c)), HasSubstr("do not fit"));
}

TEST(Conv3d, Float) {
  for (const bool same : {false, true}) {
    const Shape x = {2, 4, 5, 6, 2}, w = {2, 3, 3, 2, 3},
                y = same ? Shape{2, 2, 5, 3, 3} : Shape{2, 2, 3, 2, 3};
    TensorInfo weights = Like(DType::kFloat32, w, 0, 0);
    weights.data = std::make_shared<const Tensor>(RandomOf(DType::kFloat32, w, 2));
    const TensorInfo bias = ConstantList(Like(DType::kFloat32, {3}, 0, 0), std::vector<float>{1, -2, 0.5f});
    VolumeOptions options{.same_padding = same};
    options.stride[0] = options.stride[2] = 2;
    const Tensor input = RandomOf(DType::kFloat32, x, 9);
    const auto output =
        Computed({Like(DType::kFloat32, x, 0, 0), weights, bias, Like(DType::kFloat32, y, 0, 0)}, "CONV_3D",
                 options, input);
    ASSERT_TRUE(output);
    const auto in = NumbersOf(input), taps = NumbersOf(*weights.data), got = NumbersOf(*output);
    const int64_t before[3] = {0, same ? 1 : 0, 0};  // what is too much, 0, 2 and 1, halved
    size_t next = 0;
    for (int64_t n = 0; n < 2; ++n)
      for (int64_t od = 0; od < y[1]; ++od)
        for (int64_t oh = 0; oh < y[2]; ++oh)
          for (int64_t ow = 0; ow < y[3]; ++ow)
            for (int64_t o = 0; o < 3; ++o) {
              double sum = o == 0 ? 1 : o == 1 ? -2 : 0.5;
              for (int64_t k = 0; k < 2 * 3 * 3 * 2; ++k) {
                const int64_t i = k % 2, kw = k / 2 % 3, kh = k / 6 % 3, kd = k / 18;
                const int64_t d = 2 * od + kd - before[0], h = oh + kh - before[1],
                              v = 2 * ow + kw - before[2];
                if (d < 0 || h < 0 || v < 0 || d >= 4 || h >= 5 || v >= 6) continue;
                sum += in[(((n * 4 + d) * 5 + h) * 6 + v) * 2 + i] * taps[k * 3 + o];
              }
              ASSERT_NEAR(got[next++], sum, 1e-4);
            }
  }
}

struct Sizes {
  int32_t from_h, from_w, to_h, to_w;
};
const std::vector<Sizes> kSizes = {{3, 4, 6, 8},  {5, 3, 7, 11}, {8, 8, 3, 5},  {1, 2, 4, 1},
                                   {4, 6, 4, 13}, {5, 3, 20, 6}, {3, 4, 5, 13}, {4, 4, 4, 8}};
const std::vector<ResizeOptions> kGrids = {{false, false}, {true, false}, {false, true}};
const std::vector<std::pair<DType, int32_t>> kTypes = {
    {DType::kInt8, -7}, {DType::kUint8, 100}, {DType::kInt16, 0}, {DType::kFloat32, 0}};

template <typename F>
void ForEachResize(const std::string& op, F expected) {
  for (const auto& [dtype, zero] : kTypes)
    for (const Sizes& s : kSizes)
      for (const ResizeOptions& grid : kGrids) {
        const Shape x = {2, s.from_h, s.from_w, 3}, y = {2, s.to_h, s.to_w, 3};
        const Tensor input = RandomOf(dtype, x, 3);
        const auto output = Computed(
            {Like(dtype, x, 0.1f, zero), Integers({2}, {s.to_h, s.to_w}), Like(dtype, y, 0.1f, zero)}, op,
            grid, input);
        ASSERT_TRUE(output);
        const auto in = NumbersOf(input), got = NumbersOf(*output);
        size_t next = 0;
        for (int n = 0; n < 2; ++n)
          for (int i = 0; i < s.to_h; ++i)
            for (int j = 0; j < s.to_w; ++j)
              for (int c = 0; c < 3; ++c) {
                const auto at = [&](int row, int column) {
                  return in[((n * s.from_h + row) * s.from_w + column) * 3 + c];
                };
                ASSERT_EQ(got[next++], expected(dtype, s, grid, i, j, at))
                    << graph::Name(dtype) << " " << s.to_h << "x" << s.to_w << " " << i << "," << j << ","
                    << c << " corners " << grid.align_corners << " half " << grid.half_pixel_centers;
              }
      }
}

TEST(Resize, NearestNeighbour) {
  ForEachResize(
      "RESIZE_NEAREST_NEIGHBOR", [](DType, const Sizes& s, const ResizeOptions& g, int i, int j, auto at) {
        const auto place = [&](int k, int from, int to) {
          const float scale = g.align_corners && to > 1
                                  ? static_cast<float>(from - 1) / static_cast<float>(to - 1)
                                  : static_cast<float>(from) / static_cast<float>(to);
          const float real = (static_cast<float>(k) + (g.half_pixel_centers ? 0.5f : 0)) * scale;
          return std::min(static_cast<int>(g.align_corners ? std::round(real) : std::floor(real)), from - 1);
        };
        return at(place(i, s.from_h, s.to_h), place(j, s.from_w, s.to_w));
      });
}

TEST(Resize, WholeMultiplesOfTheNearestAreCore) {
  Diagnostics diagnostics;
  const auto model = OneOperator({Signed({1, 3, 4, 2}, 0), Integers({2}, {6, 12}), Signed({1, 6, 12, 2}, 0)},
                                 "RESIZE_NEAREST_NEIGHBOR", ResizeOptions{}, diagnostics);
  ASSERT_TRUE(model) << diagnostics.Render();
  EXPECT_TRUE(HasCore(*model));
}

TEST(Resize, BilinearIntegersHaveFractionsOfTenBits) {
  ForEachResize("RESIZE_BILINEAR", [](DType dtype, const Sizes& s, const ResizeOptions& g, int i, int j,
                                      auto at) {
    if (dtype == DType::kFloat32 || dtype == DType::kUint8) {
      const auto place = [&](int k, int from, int to, int& low, int& high) {
        const float scale = g.align_corners && to > 1
                                ? static_cast<float>(from - 1) / static_cast<float>(to - 1)
                                : static_cast<float>(from) / static_cast<float>(to);
        const float real = g.half_pixel_centers ? (static_cast<float>(k) + 0.5f) * scale - 0.5f
                                                : static_cast<float>(k) * scale;
        low = std::max(static_cast<int>(std::floor(real)), 0);
        high = std::min(static_cast<int>(std::ceil(real)), from - 1);
        return real - static_cast<float>(low);
      };
      int y0 = 0, y1 = 0, x0 = 0, x1 = 0;
      const float y = place(i, s.from_h, s.to_h, y0, y1), x = place(j, s.from_w, s.to_w, x0, x1);
      const auto f = [&](int row, int column) { return static_cast<float>(at(row, column)); };
      const float sum = f(y0, x0) * (1 - y) * (1 - x) + f(y1, x0) * y * (1 - x) + f(y0, x1) * (1 - y) * x +
                        f(y1, x1) * y * x + (dtype == DType::kUint8 ? 0.5f : 0.0f);
      return dtype == DType::kUint8 ? static_cast<double>(static_cast<int>(sum)) : static_cast<double>(sum);
    }
    const auto place = [&](int k, int from, int to, int& low, int& high) {
      int scale = (1024 * from + to / 2) / to;
      if (g.align_corners && to > 1) scale = (1024 * (from - 1) + (to - 1) / 2) / (to - 1);
      const int real = g.half_pixel_centers ? k * scale + scale / 2 - 512 : k * scale;
      low = std::max(real / 1024, 0);
      high = std::min((real + 1023) / 1024, from - 1);
      return real - 1024 * low;
    };
    int y0 = 0, y1 = 0, x0 = 0, x1 = 0;
    const int64_t y = place(i, s.from_h, s.to_h, y0, y1), x = place(j, s.from_w, s.to_w, x0, x1);
    const auto f = [&](int row, int column) { return static_cast<int64_t>(at(row, column)); };
    const int64_t sum = f(y0, x0) * (1024 - y) * (1024 - x) + f(y1, x0) * y * (1024 - x) +
                        f(y0, x1) * (1024 - y) * x + f(y1, x1) * y * x;
    return std::round(static_cast<double>(sum) / (1 << 20));
  });
}

// Bytes at two and four times as many pixels; with corners aligned, but for one interval.
TEST(Resize, SmallMultiplesOfBytesAreFilters) {
  const auto is_core = [](const TensorInfo& x, const TensorInfo& y, const ResizeOptions& grid) {
    Diagnostics diagnostics;
    const auto model = OneOperator(
        {x, Integers({2}, {static_cast<int32_t>(y.shape[1]), static_cast<int32_t>(y.shape[2])}), y},
        "RESIZE_BILINEAR", grid, diagnostics);
    EXPECT_TRUE(model) << diagnostics.Render();
    return model && HasCore(*model);
  };
  for (const ResizeOptions& grid : kGrids) {
    const int64_t less = grid.align_corners ? 1 : 0;
    const auto shape = [&](int64_t down, int64_t right) {
      return Shape{1, down * (3 - less) + less, right * (4 - less) + less, 2};
    };
    for (const DType dtype : {DType::kInt8, DType::kUint8}) {
      const auto make = [&](Shape of) { return Like(dtype, std::move(of), 0.1f, 5); };
      const TensorInfo x = make({1, 3, 4, 2});
      EXPECT_TRUE(is_core(x, make(shape(2, 2)), grid));
      EXPECT_TRUE(is_core(x, make(shape(4, 1)), grid));
      EXPECT_FALSE(is_core(x, make(shape(3, 2)), grid));
      EXPECT_FALSE(is_core(x, make(shape(8, 8)), grid));
      EXPECT_FALSE(is_core(x, make({1, 2, 3, 2}), grid));
    }
  }
}

TEST(Resize, MistakesAreNamed) {
  const TensorInfo x = Signed({1, 3, 4, 2}, 0), y = Signed({1, 6, 8, 2}, 0);
  EXPECT_THAT(ErrorsWith({x, Integers({2}, {6, 9}), y}, "RESIZE_BILINEAR", ResizeOptions{}),
              HasSubstr("its size is not that of its output"));
  EXPECT_THAT(ErrorsWith({x, Integers({2}, {6, 8}), y}, "RESIZE_BILINEAR", ResizeOptions{true, true}),
              HasSubstr("align_corners together with half_pixel_centers"));
  EXPECT_THAT(ErrorsWith({Signed({1, 10, 1, 1}, 0), Integers({2}, {4096, 1}), Signed({1, 4096, 1, 1}, 0)},
                         "RESIZE_BILINEAR", ResizeOptions{}),
              HasSubstr("reads behind the last"));
  EXPECT_THAT(ErrorsWith({x, Signed({2}, 0), y}, "RESIZE_NEAREST_NEIGHBOR", ResizeOptions{}),
              HasSubstr("a size that is not constant"));
}

}  // namespace
}  // namespace cosim::import::tflite::resample_test
