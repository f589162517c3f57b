// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/spatial.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/host/float_convolution.h"
#include "compiler/host/integer_window.h"
#include "compiler/host/numeric.h"
#include "compiler/host/quantized.h"
#include "compiler/host/spatial_define.h"

namespace cosim::host {
namespace {

/// A window with every list filled in.
struct Window {
  std::vector<int64_t> extent, kernel, stride, dilation, before, after, out;

  size_t rank() const { return kernel.size(); }
  int64_t taps() const { return Product(kernel); }
  int64_t pixels() const { return Product(out); }
  int64_t plane() const { return Product(extent); }
  static int64_t Product(const std::vector<int64_t>& list) {
    int64_t product = 1;
    for (int64_t v : list) product *= v;
    return product;
  }
};

constexpr int64_t kMost = int64_t{1} << 30;

std::vector<int64_t> Filled(const std::vector<int64_t>& list, size_t n, int64_t with) {
  return list.empty() ? std::vector<int64_t>(n, with) : list;
}

std::variant<Window, std::string> Resolve(const Spatial& s, const Shape& x,
                                          const std::vector<int64_t>& kernel) {
  const size_t n = kernel.size();
  if (x.size() != n + 2 || n == 0)
    return fmt::format("a window of {} over {}", ToString(kernel), ToString(x));
  Window w{{x.begin() + 2, x.end()}, kernel, Filled(s.strides, n, 1), Filled(s.dilations, n, 1), {}, {}, {}};
  const auto pads = Filled(s.pads, 2 * n, 0);
  if (w.stride.size() != n || w.dilation.size() != n || pads.size() != 2 * n)
    return fmt::format("strides, dilations and pads do not fit {} dimensions", n);
  for (size_t d = 0; d < n; ++d) {
    for (int64_t v : {w.kernel[d], w.stride[d], w.dilation[d]})
      if (v < 1 || v > kMost) return "kernel, strides and dilations must be at least 1";
    if (pads[d] < 0 || pads[d + n] < 0 || pads[d] > kMost || pads[d + n] > kMost)
      return "pads must not be negative";
    const int64_t reach = w.dilation[d] * (w.kernel[d] - 1) + 1;
    int64_t before = pads[d], after = pads[d + n];
    if (s.auto_pad == AutoPad::kValid) before = after = 0;
    if (s.auto_pad == AutoPad::kSameUpper || s.auto_pad == AutoPad::kSameLower) {
      const int64_t out = (w.extent[d] + w.stride[d] - 1) / w.stride[d];
      const int64_t total = std::max<int64_t>((out - 1) * w.stride[d] + reach - w.extent[d], 0);
      before = s.auto_pad == AutoPad::kSameUpper ? total / 2 : total - total / 2;
      after = total - before;
    }
    const int64_t room = w.extent[d] + before + after - reach;
    if (room < 0) return fmt::format("the window {} does not fit into {}", ToString(kernel), ToString(x));
    int64_t out = (room + (s.ceil_mode ? w.stride[d] - 1 : 0)) / w.stride[d] + 1;
    if (s.ceil_mode && (out - 1) * w.stride[d] >= w.extent[d] + before) --out;
    w.before.push_back(before);
    w.after.push_back(after);
    w.out.push_back(out);
  }
  return w;
}

/// Calls f(tap, place in the plane) for every tap of output `pixel` that lies inside.
template <typename F>
void ForEachTap(const Window& w, int64_t pixel, F f) {
  const size_t n = w.rank();
  std::vector<int64_t> corner(n), at(n, 0);
  for (size_t d = n; d-- > 0; pixel /= w.out[d]) corner[d] = pixel % w.out[d] * w.stride[d] - w.before[d];
  const int64_t taps = w.taps();
  for (int64_t t = 0; t < taps; ++t) {
    int64_t place = 0;
    for (size_t d = 0; d < n && place >= 0; ++d) {
      const int64_t i = corner[d] + at[d] * w.dilation[d];
      place = i < 0 || i >= w.extent[d] ? -1 : place * w.extent[d] + i;
    }
    if (place >= 0) f(t, place);
    for (size_t d = n; d-- > 0;) {
      if (++at[d] < w.kernel[d]) break;
      at[d] = 0;
    }
  }
}

Types InferConvolution(const Spatial& s, int64_t groups, const TensorType& x, const TensorType& w,
                       DType result) {
  if (x.shape.size() < 3 || w.shape.size() != x.shape.size())
    return Refuse("input {} and weights {}", ToString(x.shape), ToString(w.shape));
  if (groups < 1 || x.shape[1] != w.shape[1] * groups || w.shape[0] % groups != 0)
    return Refuse("{} groups of weights {} for input {}", groups, ToString(w.shape), ToString(x.shape));
  const auto window = Resolve(s, x.shape, {w.shape.begin() + 2, w.shape.end()});
  if (const auto* error = std::get_if<std::string>(&window)) return Types{*error};
  Shape shape = {x.shape[0], w.shape[0]};
  const auto& out = std::get<0>(window).out;
  shape.insert(shape.end(), out.begin(), out.end());
  return IsReasonable(shape) ? One(result, shape) : Refuse("the result is too large");
}

Window WindowOf(const Spatial& s, const Shape& x, const Shape& w) {
  return std::get<0>(Resolve(s, x, {w.begin() + 2, w.end()}));
}

/// FloatConvolution::places.
std::vector<int64_t> TapPlaces(const Window& window) {
  const int64_t taps = window.taps();
  std::vector<int64_t> places(window.pixels() * taps, -1);
  for (int64_t p = 0; p < window.pixels(); ++p)
    ForEachTap(window, p, [&](int64_t t, int64_t at) { places[p * taps + t] = at; });
  return places;
}

void ComputeConv(const Spatial& s, int64_t groups, Values in, Results out) {
  const Shape &x = in[0]->shape(), &w = in[1]->shape();
  const Window window = WindowOf(s, x, w);
  if (in[0]->dtype() == DType::kFloat32) {
    const FloatConvolution convolution = {
        x[0], groups, w[1], w[0] / groups, window.plane(), window.taps(), TapPlaces(window)};
    convolution.Run(in[0]->data<float>().data(), in[1]->data<float>().data(),
                    in[2] ? in[2]->data<float>().data() : nullptr, out[0].mutable_data<float>().data());
    return;
  }
  const int64_t taps = window.taps(), pixels = window.pixels(), plane = window.plane(), channels = w[1],
                outputs = w[0] / groups, depth = channels * taps;
  Dispatch(in[0]->dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T *from = in[0]->data<T>().data(), *weights = in[1]->data<T>().data();
    T* to = out[0].mutable_data<T>().data();
    std::vector<T> patch(depth);
    for (int64_t n = 0; n < x[0]; ++n)
      for (int64_t g = 0; g < groups; ++g)
        for (int64_t p = 0; p < pixels; ++p) {
          std::fill(patch.begin(), patch.end(), T{0});
          const T* image = from + (n * x[1] + g * channels) * plane;
          ForEachTap(window, p, [&](int64_t t, int64_t at) {
            for (int64_t c = 0; c < channels; ++c) patch[c * taps + t] = image[c * plane + at];
          });
          for (int64_t o = g * outputs; o < (g + 1) * outputs; ++o) {
            const T* row = weights + o * depth;
            double sum = in[2] ? static_cast<double>(in[2]->data<T>()[o]) : 0;
            for (int64_t k = 0; k < depth; ++k)
              sum += static_cast<double>(patch[k]) * static_cast<double>(row[k]);
            to[(n * w[0] + o) * pixels + p] = static_cast<T>(sum);
          }
        }
  });
}

/// The convolution whose transpose this is: from the result back to x.
std::variant<Window, std::string> ResolveTransposed(const Spatial& s, const Transposed& t, const Shape& x,
                                                    const Shape& w) {
  const size_t n = w.size() - 2;
  Window window{{}, {w.begin() + 2, w.end()}, Filled(s.strides, n, 1), Filled(s.dilations, n, 1), {},
                {}, {x.begin() + 2, x.end()}};
  const auto pads = Filled(s.pads, 2 * n, 0), extra = Filled(t.output_padding, n, 0);
  const auto& shape = t.output_shape;
  if (window.stride.size() != n || window.dilation.size() != n || pads.size() != 2 * n || extra.size() != n ||
      (!shape.empty() && shape.size() != n))
    return fmt::format("strides, dilations and pads do not fit {} dimensions", n);
  for (size_t d = 0; d < n; ++d) {
    for (int64_t v : {window.kernel[d], window.stride[d], window.dilation[d]})
      if (v < 1 || v > kMost) return "kernel, strides and dilations must be at least 1";
    for (int64_t v : {pads[d], pads[d + n], extra[d]})
      if (v < 0 || v > kMost) return "pads must not be negative";
    const int64_t full =
        (window.out[d] - 1) * window.stride[d] + window.dilation[d] * (window.kernel[d] - 1) + 1 + extra[d];
    int64_t before = pads[d], after = pads[d + n];
    if (!shape.empty() || s.auto_pad == AutoPad::kSameUpper || s.auto_pad == AutoPad::kSameLower) {
      const int64_t want = shape.empty() ? window.out[d] * window.stride[d] : shape[d];
      const int64_t total = std::max<int64_t>(full - want, 0);
      before = s.auto_pad == AutoPad::kSameUpper ? total / 2 : total - total / 2;
      after = total - before;
      if (want > full) after = full - want;
    }
    window.before.push_back(before);
    window.after.push_back(after);
    window.extent.push_back(full - before - after);
    if (window.extent.back() < 1) return "nothing is left of the result";
  }
  return window;
}

void ComputeTransposed(const Spatial& s, const Transposed& t, int64_t groups, Values in, Results out) {
  const Shape &x = in[0]->shape(), &w = in[1]->shape();
  const Window window = std::get<0>(ResolveTransposed(s, t, x, w));
  const int64_t taps = window.taps(), pixels = window.pixels(), plane = window.plane();
  const int64_t channels = x[1] / groups, outputs = w[1];
  Dispatch(in[0]->dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T *from = in[0]->data<T>().data(), *weights = in[1]->data<T>().data();
    T* to = out[0].mutable_data<T>().data();
    std::vector<double> sum(plane);
    for (int64_t n = 0; n < x[0]; ++n)
      for (int64_t o = 0; o < groups * outputs; ++o) {
        std::fill(sum.begin(), sum.end(), in[2] ? static_cast<double>(in[2]->data<T>()[o]) : 0.0);
        const int64_t g = o / outputs;
        for (int64_t p = 0; p < pixels; ++p)
          ForEachTap(window, p, [&](int64_t tap, int64_t at) {
            for (int64_t c = g * channels; c < (g + 1) * channels; ++c)
              sum[at] += static_cast<double>(from[(n * x[1] + c) * pixels + p]) *
                         static_cast<double>(weights[(c * outputs + o % outputs) * taps + tap]);
          });
        for (int64_t i = 0; i < plane; ++i)
          to[(n * groups * outputs + o) * plane + i] = static_cast<T>(sum[i]);
      }
  });
}

/// One pooled value; `where` gets the place of a maximum.
template <typename T>
double Pooled(Pool pool, int64_t p, const Window& w, int64_t pixel, const T* plane, int64_t& where) {
  double sum = 0, most = -std::numeric_limits<double>::infinity();
  int64_t count = 0;
  where = -1;
  ForEachTap(w, pixel, [&](int64_t, int64_t at) {
    const auto v = static_cast<double>(plane[at]);
    ++count;
    if (where < 0 || v > most) {
      most = v;
      where = at;
    }
    sum += pool == Pool::kLp ? std::pow(std::abs(v), static_cast<double>(p)) : v;
  });
  switch (pool) {
    case Pool::kMax:
      return most;
    case Pool::kAverage:
      return sum / static_cast<double>(std::max<int64_t>(count, 1));
    case Pool::kLp:
      return std::pow(sum, 1.0 / static_cast<double>(p));
    default:
      break;
  }
  // Padding counts, what a last window of ceil mode has beyond it does not.
  double inside = 1;
  for (size_t d = w.rank(); d-- > 0; pixel /= w.out[d]) {
    const int64_t begin = pixel % w.out[d] * w.stride[d] - w.before[d], limit = w.extent[d] + w.after[d];
    int64_t taps = 0;
    for (int64_t k = 0; k < w.kernel[d]; ++k) taps += begin + k * w.dilation[d] < limit;
    inside *= static_cast<double>(taps);
  }
  return sum / inside;
}

void ComputePool(Pool pool, int64_t p, bool column_major, const Window& w, Values in, Results out) {
  const Shape& x = in[0]->shape();
  const int64_t plane = w.plane(), pixels = w.pixels();
  Dispatch(in[0]->dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = in[0]->data<T>().data();
    const auto to = out[0].mutable_data<T>();
    for (int64_t c = 0; c < x[0] * x[1]; ++c)
      for (int64_t pixel = 0; pixel < pixels; ++pixel) {
        int64_t where = 0;
        to[c * pixels + pixel] = static_cast<T>(Pooled(pool, p, w, pixel, from + c * plane, where));
        if (pool != Pool::kMax) continue;
        if (column_major && w.rank() >= 2) {
          const int64_t columns = w.extent.back(), rows = w.extent[w.rank() - 2], area = rows * columns;
          where = where / area * area + where % columns * rows + where % area / columns;
        }
        out[1].mutable_data<int64_t>()[c * pixels + pixel] = c * plane + where;
      }
  });
}

Types PoolTypes(Pool pool, DType dtype, Shape shape) {
  std::vector<TensorType> types = {{dtype, shape}};
  if (pool == Pool::kMax) types.push_back({DType::kInt64, shape});
  return types;
}

Spatial WholePlane(const Shape& x) { return {.kernel = {x.begin() + 2, x.end()}}; }

template <typename Value>
std::vector<Value> Centred(const Tensor& tensor, const Tensor* zero_point, int64_t each) {
  const auto values = Integers(tensor);
  const auto zeros = zero_point ? Integers(*zero_point) : std::vector<int64_t>{0};
  std::vector<Value> result;
  result.reserve(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    result.push_back(
        static_cast<Value>(values[i] - zeros[zeros.size() == 1 ? 0 : i / static_cast<size_t>(each)]));
  return result;
}

/// Sums of centred products, by emit as IntegerConvolution: of bytes in 32 bits, of 16-bit integers in 64.
template <typename F>
void IntegerSums(const Spatial& s, int64_t groups, const Tensor& x, const Tensor& w, const Tensor* x_zero,
                 const Tensor* w_zero, F emit) {
  const Window window = WindowOf(s, x.shape(), w.shape());
  const IntegerConvolution convolution = {x.shape()[0],  groups,        w.shape()[1],  w.shape()[0] / groups,
                                          window.extent, window.kernel, window.stride, window.dilation,
                                          window.before, window.out};
  const auto run = [&](auto sum, auto value) {
    using Value = decltype(value);
    convolution.Run<decltype(sum), Value>(Centred<Value>(x, x_zero, 1),
                                          Centred<Value>(w, w_zero, w.size() / w.shape()[0]), emit);
  };
  IsByteType(x.dtype()) && IsByteType(w.dtype()) ? run(int32_t{}, int16_t{}) : run(int64_t{}, int32_t{});
}

ops::Sliding SlidingOf(const Window& w) { return {w.kernel, w.stride, w.dilation, w.before}; }

/// The windows of operand `weights` over operand 0.
ops::Sliding SlidingAt(const Spatial& s, const ops::HostSite& site, size_t weights) {
  return SlidingOf(WindowOf(s, site.operands[0].type.shape, site.operands[weights].type.shape));
}

/// What of a window counts in a mean: taps in the image, or those in the padding too.
Counted CountedOf(Pool pool, const Window& w) {
  Counted counted;
  for (size_t d = 0; d < w.rank(); ++d) {
    const bool padding = pool == Pool::kAverageWithPadding;
    counted.least.push_back(padding ? -w.before[d] : 0);
    counted.limit.push_back(w.extent[d] + (padding ? w.after[d] : 0));
  }
  return counted;
}

bool IsByte(const HostOperand& operand) { return IsByteType(operand.type.dtype); }
bool IsStep(const HostOperand& operand) { return IsStepType(operand.type.dtype); }

}  // namespace

Window2d PlaneWindow(const Spatial& spatial, const Shape& x, const std::vector<int64_t>& kernel) {
  const auto resolved = Resolve(spatial, x, kernel);
  COSIM_CHECK(resolved.index() == 0 && kernel.size() == 2);
  const Window& w = std::get<0>(resolved);
  Window2d window;
  for (int d : {0, 1}) {
    window.kernel[d] = w.kernel[d];
    window.stride[d] = w.stride[d];
    window.dilation[d] = w.dilation[d];
    window.pad[d] = w.before[d];
    const int64_t reach = (w.out[d] - 1) * w.stride[d] + w.dilation[d] * (w.kernel[d] - 1) + 1;
    window.pad[d + 2] = std::max<int64_t>(reach - w.extent[d] - w.before[d], 0);
  }
  return window;
}

HostOperatorPtr Conv(const Spatial& spatial, int64_t groups) {
  return Make(
      "conv", 2, 3,
      [=](Operands in) {
        if (!IsFloat(in[0].type.dtype) || in[1].type.dtype != in[0].type.dtype)
          return Refuse("input and weights must be float");
        auto types = InferConvolution(spatial, groups, in[0].type, in[1].type, in[0].type.dtype);
        if (types.index() == 0 && !in[2].absent &&
            in[2].type != TensorType{in[0].type.dtype, {in[1].type.shape[0]}})
          return Refuse("bias {}", ToString(in[2].type));
        return types;
      },
      ThroughFloat([=](Values in, Results out) { ComputeConv(spatial, groups, in, out); }), MacsOfWeights(1),
      [=](const ops::HostSite& site) { return DefineConv(SlidingAt(spatial, site, 1), groups, site); });
}

HostOperatorPtr ConvTranspose(const Spatial& spatial, const Transposed& transposed, int64_t groups) {
  return Make(
      "conv_transpose", 2, 3,
      [=](Operands in) {
        const Shape &x = in[0].type.shape, &w = in[1].type.shape;
        if (!IsFloat(in[0].type.dtype) || in[1].type.dtype != in[0].type.dtype || x.size() < 3 ||
            w.size() != x.size() || groups < 1 || x[1] != w[0] || x[1] % groups != 0)
          return Refuse("input {} and weights {}", ToString(in[0].type), ToString(in[1].type));
        if (!in[2].absent && in[2].type != TensorType{in[0].type.dtype, {w[1] * groups}})
          return Refuse("bias {}", ToString(in[2].type));
        const auto window = ResolveTransposed(spatial, transposed, x, w);
        if (const auto* error = std::get_if<std::string>(&window)) return Types{*error};
        Shape shape = {x[0], w[1] * groups};
        const auto& extent = std::get<0>(window).extent;
        shape.insert(shape.end(), extent.begin(), extent.end());
        return IsReasonable(shape) ? One(in[0].type.dtype, shape) : Refuse("the result is too large");
      },
      ThroughFloat([=](Values in, Results out) { ComputeTransposed(spatial, transposed, groups, in, out); }),
      [](Operands in, const TensorType&) {
        const Shape& w = in[1].type.shape;  // every element of x meets the weights of its channel
        return graph::NumElements(in[0].type.shape) * (graph::NumElements(w) / std::max<int64_t>(w[0], 1));
      },
      [=](const ops::HostSite& site) {
        const Window window = std::get<0>(
            ResolveTransposed(spatial, transposed, site.operands[0].type.shape, site.operands[1].type.shape));
        return DefineConvTranspose(SlidingOf(window), groups, site);
      });
}

HostOperatorPtr Pooling(std::string name, Pool pool, const Spatial& spatial, int64_t p, bool column_major) {
  return Make(
      std::move(name), 1, 1,
      [=](Operands in) {
        const auto window = Resolve(spatial, in[0].type.shape, spatial.kernel);
        if (const auto* error = std::get_if<std::string>(&window)) return Types{*error};
        Shape shape = {in[0].type.shape[0], in[0].type.shape[1]};
        const auto& out = std::get<0>(window).out;
        shape.insert(shape.end(), out.begin(), out.end());
        return IsReasonable(shape) ? PoolTypes(pool, in[0].type.dtype, shape)
                                   : Refuse("the result is too large");
      },
      ThroughFloat([=](Values in, Results out) {
        ComputePool(pool, p, column_major, std::get<0>(Resolve(spatial, in[0]->shape(), spatial.kernel)), in,
                    out);
      }),
      {},
      [=](const ops::HostSite& site) {
        const Window w = std::get<0>(Resolve(spatial, site.operands[0].type.shape, spatial.kernel));
        return DefinePool(pool, p, SlidingOf(w), CountedOf(pool, w), site);
      });
}

HostOperatorPtr GlobalPooling(std::string name, Pool pool, int64_t p) {
  return Make(
      std::move(name), 1, 1,
      [=](Operands in) {
        const Shape& x = in[0].type.shape;
        if (x.size() < 3 || graph::NumElements(x) == 0) return Refuse("input {}", ToString(x));
        Shape shape(x.size(), 1);
        shape[0] = x[0];
        shape[1] = x[1];
        return PoolTypes(pool, in[0].type.dtype, shape);
      },
      ThroughFloat([=](Values in, Results out) {
        const Spatial whole = WholePlane(in[0]->shape());
        ComputePool(pool, p, false, std::get<0>(Resolve(whole, in[0]->shape(), whole.kernel)), in, out);
      }),
      {}, [=](const ops::HostSite& site) { return DefineGlobalPool(pool, p, site); });
}

HostOperatorPtr ConvInteger(const Spatial& spatial, int64_t groups) {
  return Make(
      "conv_integer", 2, 4,
      [=](Operands in) {
        if (!IsByte(in[0]) || !IsByte(in[1])) return Refuse("input and weights must be bytes");
        if (const std::string fault = ZeroPointFault(in[2], in[0].type, 1); !fault.empty())
          return Types{fault};
        if (in[1].type.shape.empty()) return Refuse("weights have no dimensions");
        if (const std::string fault = ZeroPointFault(in[3], in[1].type, in[1].type.shape[0]); !fault.empty())
          return Types{fault};
        return InferConvolution(spatial, groups, in[0].type, in[1].type, DType::kInt32);
      },
      [=](Values in, Results out) {
        const int64_t outputs = out[0].shape()[1], pixels = out[0].size() / (out[0].shape()[0] * outputs);
        const auto to = out[0].mutable_data<int32_t>();
        IntegerSums(spatial, groups, *in[0], *in[1], in[2], in[3],
                    [&](int64_t n, int64_t o, int64_t p, int64_t sum) {
                      to[(n * outputs + o) * pixels + p] = static_cast<int32_t>(sum);
                    });
      },
      MacsOfWeights(1),
      [=](const ops::HostSite& site) {
        return DefineConvInteger(SlidingAt(spatial, site, 1), groups, site);
      });
}

HostOperatorPtr QLinearConv(const Spatial& spatial, int64_t groups) {
  return Make(
      "qlinear_conv", 8, 9,
      [=](Operands in) {
        if (!IsStep(in[0]) || !IsStep(in[3]) || !IsStep(in[7]) || in[3].type.shape.empty())
          return Refuse("input, weights and output must be integers of 8 or 16 bits");
        const int64_t outputs = in[3].type.shape[0];
        for (const auto& [scale, zero, type, channels] : {std::tuple{in[1], in[2], in[0].type, int64_t{1}},
                                                          {in[4], in[5], in[3].type, outputs},
                                                          {in[6], in[7], in[7].type, int64_t{1}}}) {
          if (const std::string fault = ZeroPointFault(zero, type, channels); !fault.empty())
            return Types{fault};
          if (const std::string fault = ScaleFault(scale, channels); !fault.empty()) return Types{fault};
        }
        if (!in[8].absent && in[8].type != TensorType{DType::kInt32, {outputs}})
          return Refuse("bias {}", ToString(in[8].type));
        return InferConvolution(spatial, groups, in[0].type, in[3].type, in[7].type.dtype);
      },
      [=](Values in, Results out) {
        const int64_t outputs = out[0].shape()[1], pixels = out[0].size() / (out[0].shape()[0] * outputs);
        const auto w_scale = in[4]->data<float>();
        const float x_scale = in[1]->data<float>()[0], y_scale = in[6]->data<float>()[0];
        const int64_t y_zero = Integers(*in[7])[0];
        IntegerSums(spatial, groups, *in[0], *in[3], in[2], in[5],
                    [&](int64_t n, int64_t o, int64_t p, int64_t sum) {
                      const int32_t bias = in[8] ? in[8]->data<int32_t>()[o] : 0;
                      const float factor = x_scale * w_scale[w_scale.size() == 1 ? 0 : o] / y_scale;
                      const double real = static_cast<double>(sum + bias) * static_cast<double>(factor);
                      StoreStep(out[0], (n * outputs + o) * pixels + p,
                                std::nearbyint(real) + static_cast<double>(y_zero));
                    });
      },
      MacsOfWeights(3),
      [=](const ops::HostSite& site) {
        return DefineQLinearConv(SlidingAt(spatial, site, 3), groups, site);
      });
}

}  // namespace cosim::host
