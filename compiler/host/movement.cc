// SPDX-License-Identifier: Apache-2.0
// Operators that keep all elements: they reorder them or only rename their places.
#include "compiler/host/movement.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "compiler/host/broadcast.h"
#include "compiler/host/numeric.h"
#include "compiler/ops/movement.h"

namespace cosim::host {
namespace {

Types InferTranspose(const std::vector<int64_t>& given, Operands in) {
  const Shape& x = in[0].type.shape;
  std::vector<int64_t> sorted = given;
  std::sort(sorted.begin(), sorted.end());
  for (size_t d = 0; d < sorted.size(); ++d)
    if (sorted[d] != static_cast<int64_t>(d)) return Refuse("{} is no permutation", ToString(given));
  if (!given.empty() && given.size() != x.size())
    return Refuse("a permutation of {} dimensions for {}", given.size(), ToString(x));
  Shape shape(x.rbegin(), x.rend());
  for (size_t d = 0; d < given.size(); ++d) shape[d] = x[given[d]];
  return One(in[0].type.dtype, shape);
}

void ComputeTranspose(const std::vector<int64_t>& permutation, Values in, Results out) {
  const Shape& x = in[0]->shape();
  const auto all = BroadcastStrides(x, x);
  std::vector<int64_t> steps(x.size());
  for (size_t d = 0; d < x.size(); ++d)
    steps[d] = all[permutation.empty() ? x.size() - 1 - d : static_cast<size_t>(permutation[d])];
  graph::WithElementType(in[0]->dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto from = in[0]->data<T>();
    const auto to = out[0].template mutable_data<T>();
    Walk(out[0].shape(), steps, steps, [&](int64_t i, int64_t at, int64_t) { to[i] = from[at]; });
  });
}

void Copy(Values in, Results out) {
  const auto from = in[0]->bytes();
  if (!from.empty()) std::memcpy(out[0].mutable_bytes().data(), from.data(), from.size());
}

std::optional<ops::Definition> DefineCopy(const ops::HostSite& site) {
  return ops::Reshaped(site.name, site.shape(), site.in[0]);
}

std::optional<ops::Definition> DefineTranspose(const std::vector<int64_t>& permutation,
                                               const ops::HostSite& site) {
  return ops::Move(site.name, site.shape(), site.in[0], [&](const te::Indices& i) {
    te::Indices at = i;
    for (size_t d = 0; d < i.size(); ++d)
      at[permutation.empty() ? i.size() - 1 - d : static_cast<size_t>(permutation[d])] = i[d];
    return at;
  });
}

}  // namespace

HostOperatorPtr Transpose(std::vector<int64_t> permutation) {
  return MakeMove(
      fmt::format("transpose permutation={}", graph::ToString(permutation)), 1, 1,
      [=](Operands in) { return InferTranspose(permutation, in); },
      [=](Values in, Results out) { ComputeTranspose(permutation, in, out); },
      [=](const ops::HostSite& site) {
        return site.operands[0].type.shape.empty() ? DefineCopy(site) : DefineTranspose(permutation, site);
      });
}

HostOperatorPtr ReshapeTo(Shape shape) {
  return MakeMove(
      fmt::format("reshape shape={}", graph::ToString(shape)), 1, 1,
      [=](Operands in) {
        return graph::NumElements(in[0].type.shape) == graph::NumElements(shape)
                   ? One(in[0].type.dtype, shape)
                   : Refuse("{} has not the elements of {}", ToString(in[0].type), graph::ToString(shape));
      },
      Copy, DefineCopy);
}

HostOperatorPtr Reshape(bool allow_zero) {
  return MakeMove(
      "reshape", 2, 2,
      [=](Operands in) {
        if (!in[1].value) return Refuse("its shape must be a constant");
        const Shape& x = in[0].type.shape;
        Shape shape = Integers(*in[1].value);
        int64_t known = 1, open = -1;
        for (size_t d = 0; d < shape.size(); ++d) {
          if (shape[d] == 0 && !allow_zero) {
            if (d >= x.size())
              return Refuse("shape {} keeps a dimension that {} has not", ToString(shape), ToString(x));
            shape[d] = x[d];
          }
          if (shape[d] < -1 || (shape[d] == -1 && open >= 0)) return Refuse("shape {}", ToString(shape));
          if (shape[d] == -1) {
            open = static_cast<int64_t>(d);
          } else if (__builtin_mul_overflow(known, shape[d], &known)) {
            return Refuse("shape {}", ToString(shape));
          }
        }
        const int64_t size = graph::NumElements(x);
        if (open >= 0) shape[open] = known == 0 ? 0 : size / known;
        return IsReasonable(shape) && graph::NumElements(shape) == size
                   ? One(in[0].type.dtype, shape)
                   : Refuse("{} has not the elements of {}", ToString(in[0].type), ToString(shape));
      },
      Copy, DefineCopy);
}

HostOperatorPtr FlattenAt(int64_t axis) {
  return MakeMove(
      "flatten", 1, 1,
      [=](Operands in) {
        const Shape& x = in[0].type.shape;
        const auto rank = static_cast<int64_t>(x.size());
        const int64_t at = axis < 0 ? axis + rank : axis;
        if (at < 0 || at > rank) return Refuse("axis {} of {}", axis, ToString(x));
        return One(in[0].type.dtype, {graph::NumElements(Shape(x.begin(), x.begin() + at)),
                                      graph::NumElements(Shape(x.begin() + at, x.end()))});
      },
      Copy, DefineCopy);
}

HostOperatorPtr Squeeze(std::vector<int64_t> axes) {
  return MakeMove(
      "squeeze", 1, 2,
      [=](Operands in) {
        if (!in[1].absent && !in[1].value) return Refuse("its axes must be a constant");
        const Shape& x = in[0].type.shape;
        std::vector<bool> drop(x.size(), false);
        const auto list = in[1].value ? Integers(*in[1].value) : axes;
        if (list.empty() && in[1].absent)
          for (size_t d = 0; d < x.size(); ++d) drop[d] = x[d] == 1;
        for (int64_t axis : list) {
          const auto at = AxisOf(axis, x.size());
          if (!at || x[*at] != 1) return Refuse("axis {} of {} is not 1", axis, ToString(x));
          drop[*at] = true;
        }
        Shape shape;
        for (size_t d = 0; d < x.size(); ++d)
          if (!drop[d]) shape.push_back(x[d]);
        return One(in[0].type.dtype, shape);
      },
      Copy, DefineCopy);
}

HostOperatorPtr Unsqueeze(std::vector<int64_t> axes) {
  return MakeMove(
      "unsqueeze", 1, 2,
      [=](Operands in) {
        if (!in[1].absent && !in[1].value) return Refuse("its axes must be a constant");
        const auto list = in[1].value ? Integers(*in[1].value) : axes;
        const size_t rank = in[0].type.shape.size() + list.size();
        std::vector<bool> added(rank, false);
        for (int64_t axis : list) {
          const auto at = AxisOf(axis, rank);
          if (!at || added[*at]) return Refuse("axes {} of {} dimensions", ToString(list), rank);
          added[*at] = true;
        }
        Shape shape;
        size_t next = 0;
        for (size_t d = 0; d < rank; ++d) shape.push_back(added[d] ? 1 : in[0].type.shape[next++]);
        return One(in[0].type.dtype, shape);
      },
      Copy, DefineCopy);
}

HostOperatorPtr Identity() {
  return MakeMove("identity", 1, 1, [](Operands in) { return One(in[0].type); }, Copy, DefineCopy);
}

}  // namespace cosim::host
