// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "compiler/host/broadcast.h"
#include "compiler/host/numeric.h"
#include "compiler/host/reduce_define.h"

namespace cosim::host {
namespace {

/// Which dimensions are reduced, or nothing when one does not exist.
std::optional<std::vector<bool>> Reduced(const std::vector<int64_t>& axes, size_t rank, bool none_if_empty) {
  std::vector<bool> reduced(rank, axes.empty() && !none_if_empty);
  for (int64_t axis : axes) {
    const auto at = AxisOf(axis, rank);
    if (!at) return std::nullopt;
    reduced[*at] = true;
  }
  return reduced;
}

Shape KeptShape(const Shape& x, const std::vector<bool>& reduced, bool keep) {
  Shape shape;
  for (size_t d = 0; d < x.size(); ++d)
    if (!reduced[d] || keep) shape.push_back(reduced[d] ? 1 : x[d]);
  return shape;
}

/// What a reduction begins with.
template <typename T>
T Start(Reduction op) {
  using Limits = std::numeric_limits<T>;
  if (op == Reduction::kMax || op == Reduction::kLogSumExp)
    return Limits::has_infinity ? -Limits::infinity() : Limits::min();
  if (op == Reduction::kMin) return Limits::has_infinity ? Limits::infinity() : Limits::max();
  return op == Reduction::kProduct ? T{1} : T{0};
}

template <typename T>
T Step(Reduction op, T sum, T v) {
  switch (op) {
    case Reduction::kMax:
      return std::max(sum, v);
    case Reduction::kMin:
      return std::min(sum, v);
    case Reduction::kProduct:
      return sum * v;
    case Reduction::kL1:
      return sum + (v < 0 ? -v : v);
    case Reduction::kL2:
    case Reduction::kSumSquare:
      return sum + v * v;
    case Reduction::kLogSumExp:
      if constexpr (std::is_floating_point_v<T>) {
        // Sums of exponentials are kept as their logarithm.
        const T most = std::max(sum, v);
        return std::isinf(most) ? most : most + std::log(std::exp(sum - most) + std::exp(v - most));
      }
      return sum;
    default:
      return sum + v;
  }
}

double Final(Reduction op, double sum, double count) {
  if (op == Reduction::kMean) return sum / count;
  if (op == Reduction::kL2) return std::sqrt(sum);
  if (op == Reduction::kLogSum) return std::log(sum);
  return sum;
}

void ComputeReduce(Reduction op, const std::vector<bool>& reduced, Values in, Results out) {
  const Shape& x = in[0]->shape();
  const Shape kept = KeptShape(x, reduced, true);
  const auto steps = BroadcastStrides(kept, x);
  const auto own = BroadcastStrides(x, x);
  double count = 1;
  for (size_t d = 0; d < x.size(); ++d) count *= reduced[d] ? static_cast<double>(x[d]) : 1;
  Dispatch(in[0]->dtype(), [&](auto zero) {
    using T = decltype(zero);
    // Integers are exact in 64 bits; floats are summed in double.
    using Sum = std::conditional_t<std::is_integral_v<T>, int64_t, double>;
    const auto from = in[0]->data<T>();
    const auto to = out[0].mutable_data<T>();
    std::vector<Sum> sums(to.size(), Start<Sum>(op));
    Walk(x, steps, own, [&](int64_t i, int64_t at, int64_t) {
      sums[at] = Step<Sum>(op, sums[at], static_cast<Sum>(from[i]));
    });
    for (size_t i = 0; i < to.size(); ++i)
      to[i] =
          std::is_integral_v<T> && op != Reduction::kMean && op != Reduction::kL2 && op != Reduction::kLogSum
              ? static_cast<T>(sums[i])
              : static_cast<T>(Final(op, static_cast<double>(sums[i]), count));
  });
}

template <typename T>
void NormalizeRow(Normalization op, double scale, const T* x, int64_t n, int64_t step, T* y) {
  double most = -std::numeric_limits<double>::infinity(), sum = 0;
  int64_t where = 0;
  for (int64_t i = 0; i < n; ++i)
    if (static_cast<double>(x[i * step]) > most) most = static_cast<double>(x[(where = i) * step]);
  for (int64_t i = 0; i < n; ++i) sum += std::exp(scale * (static_cast<double>(x[i * step]) - most));
  for (int64_t i = 0; i < n; ++i) {
    const double centred = scale * (static_cast<double>(x[i * step]) - most);
    y[i * step] = static_cast<T>(op == Normalization::kSoftmax      ? std::exp(centred) / sum
                                 : op == Normalization::kLogSoftmax ? centred - std::log(sum)
                                                                    : static_cast<double>(i == where));
  }
}

Types InferTopK(int64_t axis, Operands in) {
  const Shape& x = in[0].type.shape;
  const auto at = AxisOf(axis, x.size());
  if (!at) return Refuse("axis {} of {}", axis, ToString(x));
  if (!in[1].value || in[1].value->size() != 1) return Refuse("k must be a constant");
  const int64_t k = Integers(*in[1].value)[0];
  if (k < 0 || k > x[*at]) return Refuse("k = {} of {} elements", k, x[*at]);
  Shape shape = x;
  shape[*at] = k;
  return std::vector<TensorType>{{in[0].type.dtype, shape}, {DType::kInt64, shape}};
}

}  // namespace

HostOperatorPtr Reduce(std::string name, Reduction op, std::vector<int64_t> axes, bool keep_dimensions,
                       bool none_if_empty) {
  const auto axes_of = [axes](const Tensor* operand) { return operand ? Integers(*operand) : axes; };
  return Make(
      std::move(name), 1, 2,
      [=](Operands in) {
        if (!in[1].absent && !in[1].value) return Refuse("its axes must be a constant");
        const auto reduced = Reduced(axes_of(in[1].value), in[0].type.shape.size(), none_if_empty);
        if (!reduced) return Refuse("axes beyond the dimensions of {}", ToString(in[0].type.shape));
        return One(in[0].type.dtype, KeptShape(in[0].type.shape, *reduced, keep_dimensions));
      },
      ThroughFloat([=](Values in, Results out) {
        ComputeReduce(op, *Reduced(axes_of(in[1]), in[0]->shape().size(), none_if_empty), in, out);
      }),
      {},
      [=](const ops::HostSite& site) {
        const size_t rank = site.operands[0].type.shape.size();
        return DefineReduce(op, *Reduced(axes_of(site.operands[1].value), rank, none_if_empty), site);
      });
}

HostOperatorPtr ArgExtreme(bool largest, int64_t axis, bool keep_dimensions, bool last) {
  return Make(
      largest ? "argmax" : "argmin", 1, 1,
      [=](Operands in) {
        const Shape& x = in[0].type.shape;
        const auto at = AxisOf(axis, x.size());
        if (!at || x[*at] == 0) return Refuse("axis {} of {}", axis, ToString(x));
        std::vector<bool> reduced(x.size(), false);
        reduced[*at] = true;
        return One(DType::kInt64, KeptShape(x, reduced, keep_dimensions));
      },
      [=](Values in, Results out) {
        const auto x = Reals(*in[0]);
        const AroundAxis view(in[0]->shape(), *AxisOf(axis, in[0]->shape().size()));
        const auto to = out[0].mutable_data<int64_t>();
        for (int64_t o = 0; o < view.outer; ++o)
          for (int64_t i = 0; i < view.inner; ++i) {
            int64_t best = 0;
            const auto value = [&](int64_t k) { return x[(o * view.extent + k) * view.inner + i]; };
            for (int64_t k = 1; k < view.extent; ++k) {
              const bool better = largest ? value(k) > value(best) : value(k) < value(best);
              if (better || (last && value(k) == value(best))) best = k;
            }
            to[o * view.inner + i] = best;
          }
      },
      {},
      [=](const ops::HostSite& site) {
        const size_t at = *AxisOf(axis, site.operands[0].type.shape.size());
        return DefineArgExtreme(largest, at, keep_dimensions, last, site);
      });
}

HostOperatorPtr CumulativeSum(bool exclusive, bool reverse) {
  return Make(
      "cumsum", 2, 2,
      [](Operands in) {
        if (!in[1].value || in[1].value->size() != 1) return Refuse("its axis must be a constant");
        const int64_t axis = Integers(*in[1].value)[0];
        return AxisOf(axis, in[0].type.shape.size())
                   ? One(in[0].type)
                   : Refuse("axis {} of {}", axis, ToString(in[0].type.shape));
      },
      ThroughFloat([=](Values in, Results out) {
        const AroundAxis view(in[0]->shape(), *AxisOf(Integers(*in[1])[0], in[0]->shape().size()));
        Dispatch(in[0]->dtype(), [&](auto zero) {
          using T = decltype(zero);
          const auto from = in[0]->data<T>();
          const auto to = out[0].mutable_data<T>();
          for (int64_t o = 0; o < view.outer; ++o)
            for (int64_t i = 0; i < view.inner; ++i) {
              T sum = 0;
              for (int64_t step = 0; step < view.extent; ++step) {
                const int64_t k = reverse ? view.extent - 1 - step : step;
                const int64_t at = (o * view.extent + k) * view.inner + i;
                const T next = static_cast<T>(sum + from[at]);
                to[at] = exclusive ? sum : next;
                sum = next;
              }
            }
        });
      }));
}

HostOperatorPtr Normalize(std::string name, Normalization op, int64_t axis, bool flatten, double scale) {
  return Make(
      std::move(name), 1, 1,
      [=](Operands in) {
        if (!IsFloat(in[0].type.dtype)) return Refuse("input must be float");
        return AxisOf(axis, in[0].type.shape.size())
                   ? One(in[0].type)
                   : Refuse("axis {} of {}", axis, ToString(in[0].type.shape));
      },
      ThroughFloat([=](Values in, Results out) {
        AroundAxis view(in[0]->shape(), *AxisOf(axis, in[0]->shape().size()));
        if (flatten) {
          view.extent *= view.inner;
          view.inner = 1;
        }
        Dispatch(in[0]->dtype(), [&](auto zero) {
          using T = decltype(zero);
          const T* from = in[0]->data<T>().data();
          T* to = out[0].mutable_data<T>().data();
          for (int64_t o = 0; o < view.outer; ++o)
            for (int64_t i = 0; i < view.inner; ++i) {
              const int64_t at = o * view.extent * view.inner + i;
              NormalizeRow(op, scale, from + at, view.extent, view.inner, to + at);
            }
        });
      }),
      {},
      [=](const ops::HostSite& site) {
        return DefineNormalize(op, *AxisOf(axis, site.operands[0].type.shape.size()), flatten, scale, site);
      });
}

HostOperatorPtr TopK(int64_t axis, bool largest) {
  return Make(
      "topk", 2, 2, [=](Operands in) { return InferTopK(axis, in); },
      ThroughFloat([=](Values in, Results out) {
        const AroundAxis view(in[0]->shape(), *AxisOf(axis, in[0]->shape().size()));
        const int64_t k = Integers(*in[1])[0];
        Dispatch(in[0]->dtype(), [&](auto zero) {
          using T = decltype(zero);
          const auto from = in[0]->data<T>();
          const auto values = out[0].mutable_data<T>();
          const auto places = out[1].mutable_data<int64_t>();
          std::vector<int64_t> order(view.extent);
          for (int64_t o = 0; o < view.outer; ++o)
            for (int64_t i = 0; i < view.inner; ++i) {
              const auto value = [&](int64_t e) { return from[(o * view.extent + e) * view.inner + i]; };
              std::iota(order.begin(), order.end(), int64_t{0});
              std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
                return largest ? value(a) > value(b) : value(a) < value(b);
              });
              for (int64_t e = 0; e < k; ++e) {
                values[(o * k + e) * view.inner + i] = value(order[e]);
                places[(o * k + e) * view.inner + i] = order[e];
              }
            }
        });
      }));
}

}  // namespace cosim::host
