// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/index.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "compiler/host/numeric.h"
#include "compiler/ops/movement.h"

namespace cosim::host {
namespace {

bool IsIndex(DType t) { return t == DType::kInt32 || t == DType::kInt64; }

int64_t Place(int64_t index, int64_t extent) {
  return std::clamp<int64_t>(index < 0 ? index + extent : index, 0, std::max<int64_t>(extent - 1, 0));
}

/// Copies `count` elements.
void CopyElements(const Tensor& from, int64_t source, Tensor& to, int64_t target, int64_t count) {
  const auto size = static_cast<size_t>(graph::SizeOf(from.dtype()));
  if (count > 0)
    std::memcpy(to.mutable_bytes().data() + target * size, from.bytes().data() + source * size, count * size);
}

Types InferGather(int64_t axis, Operands in) {
  const Shape &x = in[0].type.shape, &indices = in[1].type.shape;
  const auto at = AxisOf(axis, x.size());
  if (!at || !IsIndex(in[1].type.dtype)) return Refuse("axis {} of {}", axis, ToString(x));
  if (x[*at] == 0) return Refuse("nothing to gather");
  Shape shape(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(*at));
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), x.begin() + static_cast<std::ptrdiff_t>(*at) + 1, x.end());
  return IsReasonable(shape) ? One(in[0].type.dtype, shape) : Refuse("the result is too large");
}

/// Rules of GatherElements and ScatterElements.
std::string ElementsFault(int64_t axis, const HostOperand& x, const HostOperand& indices) {
  const Shape &s = x.type.shape, &i = indices.type.shape;
  if (!AxisOf(axis, s.size()) || !IsIndex(indices.type.dtype) || i.size() != s.size())
    return fmt::format("axis {} of {} with indices {}", axis, ToString(s), ToString(i));
  for (size_t d = 0; d < s.size(); ++d)
    if ((d != *AxisOf(axis, s.size()) && i[d] > s[d]) || s[d] == 0)
      return fmt::format("indices {} into {}", ToString(i), ToString(s));
  return "";
}

/// f(element of indices, element of x), in the order of the indices.
template <typename F>
void ForEachElement(int64_t axis, const Tensor& x, const Tensor& indices, F f) {
  const size_t a = *AxisOf(axis, x.shape().size());
  const auto list = Integers(indices);
  const auto steps = StridesOf(x.shape()), own = StridesOf(indices.shape());
  for (int64_t i = 0; i < indices.size(); ++i) {
    int64_t at = 0;
    for (size_t d = 0; d < steps.size(); ++d)
      at += steps[d] * (d == a ? Place(list[i], x.shape()[d]) : i / own[d] % indices.shape()[d]);
    f(i, at);
  }
}

/// How the last dimension of `indices` addresses slices of `x` behind `batch` dimensions.
struct Slices {
  int64_t depth = 0, count = 0, size = 1;  ///< indices a row, rows, elements of a slice
  Shape rest;                              ///< of a slice
};

std::variant<Slices, std::string> SlicesOf(const Shape& x, const Shape& indices, int64_t batch) {
  const std::string fault = fmt::format("indices {} into {}", ToString(indices), ToString(x));
  if (indices.empty() || batch < 0 || batch >= static_cast<int64_t>(std::min(x.size(), indices.size())))
    return fault;
  Slices slices{indices.back()};
  if (slices.depth < 1 || batch + slices.depth > static_cast<int64_t>(x.size())) return fault;
  for (int64_t d = 0; d < batch; ++d)
    if (x[d] != indices[d]) return fault;
  for (int64_t d = batch; d < batch + slices.depth; ++d)
    if (x[d] == 0) return fault;
  slices.count = graph::NumElements(Shape(indices.begin(), indices.end() - 1));
  slices.rest.assign(x.begin() + batch + slices.depth, x.end());
  slices.size = graph::NumElements(slices.rest);
  return slices;
}

/// First element of x's slice for each row.
std::vector<int64_t> SliceStarts(const Slices& slices, const Shape& x, const Tensor& indices, int64_t batch) {
  const auto list = Integers(indices);
  const auto steps = StridesOf(x);
  int64_t batches = 1;
  for (int64_t d = 0; d < batch; ++d) batches *= x[d];
  std::vector<int64_t> starts;
  for (int64_t r = 0; r < slices.count; ++r) {
    int64_t at = batch == 0 ? 0 : r / (slices.count / batches) * steps[batch - 1];
    for (int64_t k = 0; k < slices.depth; ++k)
      at += Place(list[r * slices.depth + k], x[batch + k]) * steps[batch + k];
    starts.push_back(at);
  }
  return starts;
}

/// Integers so that they wrap.
template <typename T>
auto Modular(T v) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<uint64_t>(v);
  } else {
    return v;
  }
}

template <typename T>
T Combined(ScatterMode mode, T old, T update) {
  switch (mode) {
    case ScatterMode::kAdd:
      return static_cast<T>(Modular(old) + Modular(update));
    case ScatterMode::kMultiply:
      return static_cast<T>(Modular(old) * Modular(update));
    case ScatterMode::kMaximum:
      return std::max(old, update);
    case ScatterMode::kMinimum:
      return std::min(old, update);
    default:
      return update;
  }
}

/// Combines updates[u, u + n) into x[at, at + n).
void Update(ScatterMode mode, Tensor& x, int64_t at, const Tensor& updates, int64_t u, int64_t n) {
  if (mode == ScatterMode::kReplace) return CopyElements(updates, u, x, at, n);
  Dispatch(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto to = x.mutable_data<T>();
    const auto from = updates.data<T>();
    for (int64_t i = 0; i < n; ++i) to[at + i] = Combined<T>(mode, to[at + i], from[u + i]);
  });
}

/// The dimensions of the indices stand in the place of `axis` among those of x.
std::optional<ops::Definition> DefineGather(size_t axis, const ops::HostSite& site) {
  const te::Tensor &x = site.in[0], &indices = site.in[1];
  const size_t rank = x.shape().size(), index_rank = site.operands[1].type.shape.size();
  return ops::Move(site.name, site.shape(), x, [&](const te::Indices& i) {
    te::Indices at, where;
    for (size_t d = 0; d < rank; ++d)
      at.push_back(d == axis ? tir::Int(0) : i[d < axis ? d : d + index_rank - 1]);
    for (size_t k = 0; k < index_rank; ++k) where.push_back(i[axis + k]);
    if (index_rank == 0) where = {tir::Int(0)};
    at[axis] = ops::PlaceOf(indices(where), x.shape()[axis]);
    return at;
  });
}

std::optional<ops::Definition> DefineGatherElements(size_t axis, const ops::HostSite& site) {
  return ops::Move(site.name, site.shape(), site.in[0], [&](te::Indices i) {
    i[axis] = ops::PlaceOf(site.in[1](i), site.in[0].shape()[axis]);
    return i;
  });
}

std::optional<ops::Definition> DefineGatherNd(size_t batch, const ops::HostSite& site) {
  const te::Tensor &x = site.in[0], &indices = site.in[1];
  const size_t rows = indices.shape().size() - 1;
  return ops::Move(site.name, site.shape(), x, [&](const te::Indices& i) {
    te::Indices row;
    for (size_t d = 0; d < rows; ++d) row.push_back(i[d]);
    te::Indices at(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(batch));
    for (int64_t k = 0; k < indices.shape().back(); ++k) {
      te::Indices where = row;
      where.push_back(tir::Int(k));
      at.push_back(ops::PlaceOf(indices(where), x.shape()[at.size()]));
    }
    for (size_t d = rows; at.size() < x.shape().size(); ++d) at.push_back(i[d]);
    return at;
  });
}

}  // namespace

HostOperatorPtr Gather(int64_t axis) {
  return MakeMove(
      fmt::format("gather axis={}", axis), 2, 2, [=](Operands in) { return InferGather(axis, in); },
      [=](Values in, Results out) {
        const AroundAxis view(in[0]->shape(), *AxisOf(axis, in[0]->shape().size()));
        const auto indices = Integers(*in[1]);
        int64_t target = 0;
        for (int64_t o = 0; o < view.outer; ++o)
          for (int64_t index : indices) {
            CopyElements(*in[0], (o * view.extent + Place(index, view.extent)) * view.inner, out[0], target,
                         view.inner);
            target += view.inner;
          }
      },
      [=](const ops::HostSite& site) {
        return DefineGather(*AxisOf(axis, site.operands[0].type.shape.size()), site);
      });
}

HostOperatorPtr GatherElements(int64_t axis) {
  return Make(
      "gather_elements", 2, 2,
      [=](Operands in) {
        const std::string fault = ElementsFault(axis, in[0], in[1]);
        return fault.empty() ? One(in[0].type.dtype, in[1].type.shape) : Types{fault};
      },
      [=](Values in, Results out) {
        ForEachElement(axis, *in[0], *in[1],
                       [&](int64_t i, int64_t at) { CopyElements(*in[0], at, out[0], i, 1); });
      },
      {},
      [=](const ops::HostSite& site) {
        return DefineGatherElements(*AxisOf(axis, site.operands[0].type.shape.size()), site);
      });
}

HostOperatorPtr GatherNd(int64_t batch) {
  return Make(
      "gather_nd", 2, 2,
      [=](Operands in) {
        const auto slices = SlicesOf(in[0].type.shape, in[1].type.shape, batch);
        if (const auto* error = std::get_if<std::string>(&slices)) return Types{*error};
        Shape shape(in[1].type.shape.begin(), in[1].type.shape.end() - 1);
        const Shape& rest = std::get<0>(slices).rest;
        shape.insert(shape.end(), rest.begin(), rest.end());
        return IsReasonable(shape) ? One(in[0].type.dtype, shape) : Refuse("the result is too large");
      },
      [=](Values in, Results out) {
        const Slices slices = std::get<0>(SlicesOf(in[0]->shape(), in[1]->shape(), batch));
        int64_t target = 0;
        for (int64_t start : SliceStarts(slices, in[0]->shape(), *in[1], batch)) {
          CopyElements(*in[0], start, out[0], target, slices.size);
          target += slices.size;
        }
      },
      {}, [=](const ops::HostSite& site) { return DefineGatherNd(static_cast<size_t>(batch), site); });
}

HostOperatorPtr ScatterElements(int64_t axis, ScatterMode mode) {
  return Make(
      "scatter_elements", 3, 3,
      [=](Operands in) {
        const std::string fault = ElementsFault(axis, in[0], in[1]);
        if (!fault.empty()) return Types{fault};
        return in[2].type == TensorType{in[0].type.dtype, in[1].type.shape}
                   ? One(in[0].type)
                   : Refuse("updates {} for indices {}", ToString(in[2].type), ToString(in[1].type.shape));
      },
      ThroughFloat([=](Values in, Results out) {
        out[0] = *in[0];
        ForEachElement(axis, *in[0], *in[1],
                       [&](int64_t i, int64_t at) { Update(mode, out[0], at, *in[2], i, 1); });
      }));
}

HostOperatorPtr ScatterNd(ScatterMode mode) {
  return Make(
      "scatter_nd", 3, 3,
      [=](Operands in) {
        const auto slices = SlicesOf(in[0].type.shape, in[1].type.shape, 0);
        if (const auto* error = std::get_if<std::string>(&slices)) return Types{*error};
        Shape shape(in[1].type.shape.begin(), in[1].type.shape.end() - 1);
        const Shape& rest = std::get<0>(slices).rest;
        shape.insert(shape.end(), rest.begin(), rest.end());
        return in[2].type == TensorType{in[0].type.dtype, shape}
                   ? One(in[0].type)
                   : Refuse("updates {} for indices {}", ToString(in[2].type), ToString(in[1].type.shape));
      },
      ThroughFloat([=](Values in, Results out) {
        out[0] = *in[0];
        const Slices slices = std::get<0>(SlicesOf(in[0]->shape(), in[1]->shape(), 0));
        int64_t from = 0;
        for (int64_t start : SliceStarts(slices, in[0]->shape(), *in[1], 0)) {
          Update(mode, out[0], start, *in[2], from, slices.size);
          from += slices.size;
        }
      }));
}

HostOperatorPtr UpdateSlice() {
  return Make(
      "update_slice", 3, 3,
      [](Operands in) {
        const Shape &x = in[0].type.shape, &update = in[1].type.shape;
        bool fits = x.size() == update.size() && !x.empty() && in[0].type.dtype == in[1].type.dtype;
        for (size_t d = 0; fits && d < x.size(); ++d) fits = update[d] <= x[d];
        return fits && in[2].type.shape == Shape{static_cast<int64_t>(x.size())}
                   ? One(in[0].type)
                   : Refuse("{} in {} from {} on", ToString(in[1].type), ToString(in[0].type),
                            ToString(in[2].type));
      },
      [](Values in, Results out) {
        out[0] = *in[0];
        const Shape &x = in[0]->shape(), &update = in[1]->shape();
        const auto starts = Integers(*in[2]);
        const int64_t row = update.back(), rows = row == 0 ? 0 : in[1]->size() / row;
        for (int64_t r = 0; r < rows; ++r) {
          int64_t at = 0, rest = r, stride = 1;
          for (size_t d = x.size(); d-- > 0;) {
            const bool last = d + 1 == x.size();
            const int64_t i = last ? 0 : rest % update[d];
            if (!last) rest /= update[d];
            at += (std::clamp<int64_t>(starts[d], 0, x[d] - update[d]) + i) * stride;
            stride *= x[d];
          }
          CopyElements(*in[1], r * row, out[0], at, row);
        }
      });
}

HostOperatorPtr OneHot(int64_t axis) {
  return Make(
      "one_hot", 3, 3,
      [=](Operands in) {
        if (!in[1].value || in[1].value->size() != 1) return Refuse("its depth must be a constant");
        const int64_t depth = Integers(*in[1].value)[0];
        Shape shape = in[0].type.shape;
        const auto at = AxisOf(axis, shape.size() + 1);
        if (!at || depth < 1 || in[2].type.shape != Shape{2})
          return Refuse("depth {} at axis {}", depth, axis);
        shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*at), depth);
        return IsReasonable(shape) ? One(in[2].type.dtype, shape) : Refuse("the result is too large");
      },
      [=](Values in, Results out) {
        const AroundAxis view(out[0].shape(), *AxisOf(axis, out[0].shape().size()));
        const auto indices = Integers(*in[0]);
        for (int64_t o = 0; o < view.outer; ++o)
          for (int64_t i = 0; i < view.inner; ++i) {
            const int64_t index = indices[o * view.inner + i], hot = index < 0 ? index + view.extent : index;
            for (int64_t k = 0; k < view.extent; ++k)
              CopyElements(*in[2], k == hot, out[0], (o * view.extent + k) * view.inner + i, 1);
          }
      });
}

HostOperatorPtr Compress(int64_t axis, bool flatten) {
  return Make(
      "compress", 2, 2,
      [=](Operands in) {
        if (!in[1].value || in[1].type.dtype != DType::kBool)
          return Refuse("its condition must be a constant");
        Shape shape = flatten ? Shape{graph::NumElements(in[0].type.shape)} : in[0].type.shape;
        const auto at = flatten ? std::optional<size_t>(0) : AxisOf(axis, shape.size());
        if (!at || in[1].value->size() > shape[*at]) return Refuse("axis {} of {}", axis, ToString(shape));
        const auto keep = in[1].value->data<uint8_t>();
        shape[*at] = std::count(keep.begin(), keep.end(), 1);
        return One(in[0].type.dtype, shape);
      },
      [=](Values in, Results out) {
        const Tensor x = flatten ? in[0]->Reshaped({in[0]->size()}) : *in[0];
        const AroundAxis view(x.shape(), flatten ? 0 : *AxisOf(axis, x.shape().size()));
        const auto keep = in[1]->data<uint8_t>();
        int64_t target = 0;
        for (int64_t o = 0; o < view.outer; ++o)
          for (size_t k = 0; k < keep.size(); ++k) {
            if (!keep[k]) continue;
            CopyElements(x, (o * view.extent + static_cast<int64_t>(k)) * view.inner, out[0], target,
                         view.inner);
            target += view.inner;
          }
      });
}

HostOperatorPtr NonZero() {
  const auto places = [](const Tensor& x) {
    std::vector<int64_t> list;
    const auto values = Reals(x);
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i] != 0) list.push_back(static_cast<int64_t>(i));
    return list;
  };
  return Make(
      "nonzero", 1, 1,
      [=](Operands in) {
        if (!in[0].value) return Refuse("how many elements are not 0 is only known of a constant");
        return One(DType::kInt64, {static_cast<int64_t>(in[0].type.shape.size()),
                                   static_cast<int64_t>(places(*in[0].value).size())});
      },
      [=](Values in, Results out) {
        const auto list = places(*in[0]);
        const Shape& x = in[0]->shape();
        const auto steps = StridesOf(x);
        for (size_t d = 0; d < x.size(); ++d)
          for (size_t k = 0; k < list.size(); ++k)
            out[0].mutable_data<int64_t>()[d * list.size() + k] = list[k] / steps[d] % x[d];
      });
}

HostOperatorPtr Range() {
  return Make(
      "range", 3, 3,
      [](Operands in) {
        for (const HostOperand& operand : in)
          if (!operand.value || operand.value->size() != 1 || operand.type.dtype != in[0].type.dtype)
            return Refuse("its bounds must be constants of one type");
        const double start = Reals(*in[0].value)[0], limit = Reals(*in[1].value)[0],
                     delta = Reals(*in[2].value)[0];
        const double count = std::ceil((limit - start) / delta);
        if (delta == 0 || !(count <= 1 << 30)) return Refuse("from {} to {} by {}", start, limit, delta);
        return One(in[0].type.dtype, {static_cast<int64_t>(std::max(count, 0.0))});
      },
      ThroughFloat([](Values in, Results out) {
        Dispatch(out[0].dtype(), [&](auto zero) {
          using T = decltype(zero);
          const T start = in[0]->data<T>()[0], delta = in[2]->data<T>()[0];
          const auto to = out[0].mutable_data<T>();
          // In between, integers may wrap.
          using Step = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
          for (size_t i = 0; i < to.size(); ++i)
            to[i] =
                static_cast<T>(static_cast<Step>(start) + static_cast<Step>(i) * static_cast<Step>(delta));
        });
      }));
}

HostOperatorPtr ConstantOfShape(graph::TensorPtr value) {
  return Make(
      "constant_of_shape", 1, 1,
      [=](Operands in) {
        if (!in[0].value || value->size() != 1) return Refuse("its shape must be a constant");
        const Shape shape = Integers(*in[0].value);
        return IsReasonable(shape) ? One(value->dtype(), shape) : Refuse("shape {}", ToString(shape));
      },
      [=](Values, Results out) {
        for (int64_t i = 0; i < out[0].size(); ++i) CopyElements(*value, 0, out[0], i, 1);
      });
}

HostOperatorPtr EyeLike(std::optional<DType> dtype, int64_t k) {
  return Make(
      "eye_like", 1, 1,
      [=](Operands in) {
        return in[0].type.shape.size() == 2 ? One(dtype.value_or(in[0].type.dtype), in[0].type.shape)
                                            : Refuse("input must have 2 dimensions");
      },
      [=](Values, Results out) {
        const Shape& s = out[0].shape();
        const Tensor one = ConvertTo(Tensor({}, std::vector<float>{1}), out[0].dtype());
        for (int64_t r = 0; r < s[0]; ++r)
          if (r + k >= 0 && r + k < s[1]) CopyElements(one, 0, out[0], r * s[1] + r + k, 1);
      });
}

HostOperatorPtr ShapeOf(int64_t start, int64_t end) {
  const auto part = [=](const Shape& x) {
    const auto rank = static_cast<int64_t>(x.size());
    const auto place = [&](int64_t v) { return std::clamp<int64_t>(v < 0 ? v + rank : v, 0, rank); };
    const int64_t from = place(start), to = std::max(place(end), from);
    return std::vector<int64_t>(x.begin() + from, x.begin() + to);
  };
  return Make(
      "shape", 1, 1,
      [=](Operands in) { return One(DType::kInt64, {static_cast<int64_t>(part(in[0].type.shape).size())}); },
      [=](Values in, Results out) {
        const auto extents = part(in[0]->shape());
        std::copy(extents.begin(), extents.end(), out[0].mutable_data<int64_t>().begin());
      });
}

HostOperatorPtr SizeOf() {
  return Make(
      "size", 1, 1, [](Operands) { return One(DType::kInt64, {}); },
      [](Values in, Results out) { out[0].mutable_data<int64_t>()[0] = in[0]->size(); });
}

}  // namespace cosim::host
