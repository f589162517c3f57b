// SPDX-License-Identifier: Apache-2.0
// Normalizations that take their statistics from what they normalize, beside those of transformers.
#include <algorithm>
#include <cmath>

#include "compiler/host/linear.h"
#include "compiler/host/normalize_define.h"
#include "compiler/host/numeric.h"

namespace cosim::host {
namespace {

/// Mean and variance of each set of elements, `of` saying which set element i is in.
template <typename F>
void Statistics(const std::vector<double>& x, size_t sets, F of, std::vector<double>& mean,
                std::vector<double>& variance) {
  std::vector<double> count(sets, 0);
  mean.assign(sets, 0);
  variance.assign(sets, 0);
  for (size_t i = 0; i < x.size(); ++i) {
    mean[of(i)] += x[i];
    ++count[of(i)];
  }
  for (size_t s = 0; s < sets; ++s) mean[s] /= std::max(count[s], 1.0);
  for (size_t i = 0; i < x.size(); ++i) variance[of(i)] += (x[i] - mean[of(i)]) * (x[i] - mean[of(i)]);
  for (size_t s = 0; s < sets; ++s) variance[s] /= std::max(count[s], 1.0);
}

void Store(const std::vector<double>& list, Tensor& to) {
  Dispatch(to.dtype(), [&](auto zero) {
    using T = decltype(zero);
    std::ranges::transform(list, to.mutable_data<T>().begin(), [](double v) { return static_cast<T>(v); });
  });
}

}  // namespace

HostOperatorPtr BatchNormalizationTraining(float epsilon, float momentum) {
  return Make(
      "batch_normalization training", 5, 5,
      [=](Operands in) {
        auto types = BatchNormalization(epsilon)->Infer(in);
        if (types.index() == 0)
          for (size_t i : {3, 4}) std::get<0>(types).push_back(in[i].type);
        return types;
      },
      ThroughFloat([=](Values in, Results out) {
        const AroundAxis view(in[0]->shape(), 1);
        const auto inner = static_cast<size_t>(std::max<int64_t>(view.inner, 1)),
                   extent = static_cast<size_t>(std::max<int64_t>(view.extent, 1));
        const auto channel = [&](size_t i) { return i / inner % extent; };
        const auto x = Reals(*in[0]), scale = Reals(*in[1]), bias = Reals(*in[2]);
        std::vector<double> mean, variance, y(x.size());
        Statistics(x, view.extent, channel, mean, variance);
        for (size_t i = 0; i < x.size(); ++i) {
          const size_t c = channel(i);
          y[i] =
              scale[c] * (x[i] - mean[c]) / std::sqrt(variance[c] + static_cast<double>(epsilon)) + bias[c];
        }
        Store(y, out[0]);
        const auto keep = static_cast<double>(momentum);
        for (size_t k : {0, 1}) {
          auto moved = Reals(*in[3 + k]);
          for (size_t c = 0; c < moved.size(); ++c)
            moved[c] = moved[c] * keep + (k == 0 ? mean : variance)[c] * (1 - keep);
          Store(moved, out[1 + k]);
        }
      }));
}

HostOperatorPtr LocalResponseNormalization(int64_t size, float alpha, float beta, float bias) {
  return Make(
      "lrn", 1, 1,
      [=](Operands in) {
        if (!IsFloat(in[0].type.dtype) || in[0].type.shape.size() < 2 || size < 1 || size > 1 << 20)
          return Refuse("input {} in groups of {} channels", ToString(in[0].type), size);
        return One(in[0].type);
      },
      ThroughFloat([=](Values in, Results out) {
        const AroundAxis view(in[0]->shape(), 1);
        const auto x = Reals(*in[0]);
        std::vector<double> y(x.size());
        for (size_t i = 0; i < x.size(); ++i) {
          const auto at = static_cast<int64_t>(i);
          const int64_t c = at / view.inner % view.extent, first = std::max<int64_t>(c - (size - 1) / 2, 0),
                        last = std::min<int64_t>(c + size / 2, view.extent - 1);
          double squares = 0;
          for (int64_t k = first; k <= last; ++k) {
            const double v = x[static_cast<size_t>(at + (k - c) * view.inner)];
            squares += v * v;
          }
          const double base =
              static_cast<double>(bias) + static_cast<double>(alpha) / static_cast<double>(size) * squares;
          y[i] = x[i] / std::pow(base, static_cast<double>(beta));
        }
        Store(y, out[0]);
      }),
      {}, [=](const ops::HostSite& site) { return DefineLocalResponse(size, alpha, beta, bias, site); });
}

HostOperatorPtr MeanVarianceNormalization(std::vector<int64_t> axes) {
  return Make(
      "mean_variance_normalization", 1, 1,
      [=](Operands in) {
        if (!IsFloat(in[0].type.dtype)) return Refuse("input must be float");
        for (int64_t axis : axes)
          if (!AxisOf(axis, in[0].type.shape.size()))
            return Refuse("axis {} of {}", axis, ToString(in[0].type));
        return One(in[0].type);
      },
      ThroughFloat([=](Values in, Results out) {
        const Shape& shape = in[0]->shape();
        const auto strides = StridesOf(shape);
        std::vector<bool> over(shape.size(), false);
        for (int64_t axis : axes) over[*AxisOf(axis, shape.size())] = true;
        const auto set = [&](size_t i) {
          size_t index = 0;
          for (size_t d = 0; d < shape.size(); ++d)
            if (!over[d])
              index = index * static_cast<size_t>(shape[d]) +
                      static_cast<size_t>(static_cast<int64_t>(i) / strides[d] % shape[d]);
          return index;
        };
        size_t sets = 1;
        for (size_t d = 0; d < shape.size(); ++d) sets *= over[d] ? 1 : static_cast<size_t>(shape[d]);
        auto x = Reals(*in[0]);
        std::vector<double> mean, variance;
        Statistics(x, sets, set, mean, variance);
        // ONNX defines it with that epsilon on the deviation.
        for (size_t i = 0; i < x.size(); ++i)
          x[i] = (x[i] - mean[set(i)]) / (std::sqrt(variance[set(i)]) + 1e-9);
        Store(x, out[0]);
      }),
      {}, [=](const ops::HostSite& site) { return DefineMeanVariance(axes, site); });
}

}  // namespace cosim::host
