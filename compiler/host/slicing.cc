// SPDX-License-Identifier: Apache-2.0
// Operators that join, cut, repeat and frame.
#include <algorithm>
#include <cstring>
#include <limits>

#include "compiler/host/broadcast.h"
#include "compiler/host/movement.h"
#include "compiler/host/numeric.h"
#include "compiler/host/slicing_define.h"
#include "compiler/ops/movement.h"

namespace cosim::host {
namespace {

/// to[i] = from[index(i)] for every element of the result; a negative index leaves the zero.
template <typename F>
void Gathered(const Tensor& from, Tensor& to, F index) {
  const auto size = static_cast<size_t>(graph::SizeOf(from.dtype()));
  const auto source = from.bytes();
  const auto target = to.mutable_bytes();
  const int64_t count = to.size();
  for (int64_t i = 0; i < count; ++i)
    if (const int64_t at = index(i); at >= 0)
      std::memcpy(target.data() + i * size, source.data() + at * size, size);
}

/// As above, the index being a sum over dimensions: of(d, coordinate), negative where there is nothing.
template <typename F>
void GatheredByAxis(const Tensor& from, Tensor& to, F of) {
  const Shape& shape = to.shape();
  const auto steps = StridesOf(from.shape());
  std::vector<std::vector<int64_t>> offset(shape.size());
  for (size_t d = 0; d < shape.size(); ++d)
    for (int64_t i = 0; i < shape[d]; ++i) {
      const int64_t at = of(d, i);
      offset[d].push_back(at < 0 ? -1 : at * steps[d]);
    }
  Shape at(shape.size(), 0);
  Gathered(from, to, [&](int64_t) {
    int64_t sum = 0;
    for (size_t d = 0; d < at.size() && sum >= 0; ++d)
      sum = offset[d][at[d]] < 0 ? -1 : sum + offset[d][at[d]];
    for (size_t d = at.size(); d-- > 0;) {
      if (++at[d] < shape[d]) break;
      at[d] = 0;
    }
    return sum;
  });
}

/// What Slice takes of each dimension.
std::variant<std::vector<AxisSlice>, std::string> Ranges(const Shape& x, const Tensor& starts,
                                                         const Tensor& ends, const Tensor* axes,
                                                         const Tensor* steps) {
  const auto begin = Integers(starts), end = Integers(ends);
  std::vector<int64_t> axis, step;
  if (axes) {
    axis = Integers(*axes);
  } else {
    for (size_t i = 0; i < begin.size(); ++i) axis.push_back(static_cast<int64_t>(i));
  }
  step = steps ? Integers(*steps) : std::vector<int64_t>(begin.size(), 1);
  if (end.size() != begin.size() || axis.size() != begin.size() || step.size() != begin.size())
    return "starts, ends, axes and steps have different lengths";
  std::vector<AxisSlice> ranges;
  for (int64_t extent : x) ranges.push_back({0, 1, extent});
  for (size_t i = 0; i < begin.size(); ++i) {
    const auto d = AxisOf(axis[i], x.size());
    if (!d || step[i] == 0 || step[i] == std::numeric_limits<int64_t>::min())
      return fmt::format("axis {} with step {} of {}", axis[i], step[i], ToString(x));
    const int64_t n = x[*d], low = step[i] > 0 ? 0 : -1, high = step[i] > 0 ? n : n - 1;
    const auto place = [&](int64_t v) { return std::clamp(v < 0 ? v + n : v, low, high); };
    const int64_t from = place(begin[i]), to = place(end[i]), span = step[i] > 0 ? to - from : from - to;
    const int64_t size = std::abs(step[i]);
    ranges[*d] = {from, step[i], span <= 0 ? 0 : (span - 1) / size + 1};
  }
  return ranges;
}

struct Frame {
  std::vector<int64_t> before, after;
};

std::variant<Shape, std::string> PaddedShape(const Shape& x, const std::vector<int64_t>& pads) {
  if (pads.size() != 2 * x.size()) return fmt::format("{} pads for {}", pads.size(), ToString(x));
  Shape shape = x;
  for (size_t d = 0; d < x.size(); ++d) {
    if (std::abs(pads[d]) > int64_t{1} << 30 || std::abs(pads[d + x.size()]) > int64_t{1} << 30)
      return "pads are too large";
    shape[d] += pads[d] + pads[d + x.size()];
  }
  if (!IsReasonable(shape)) return fmt::format("pads {} of {}", ToString(pads), ToString(x));
  return shape;
}

int64_t PadSource(PadMode mode, int64_t i, int64_t n) {
  if (i >= 0 && i < n) return i;
  if (mode == PadMode::kEdge) return i < 0 ? 0 : n - 1;
  if (mode != PadMode::kReflect || n == 1) return mode == PadMode::kReflect ? 0 : -1;
  const int64_t period = 2 * (n - 1);
  const int64_t k = ((i % period) + period) % period;
  return k < n ? k : period - k;
}

void Fill(Tensor& tensor, const Tensor& value) {
  const auto size = static_cast<size_t>(graph::SizeOf(tensor.dtype()));
  const auto to = tensor.mutable_bytes();
  for (size_t at = 0; at < to.size(); at += size) std::memcpy(to.data() + at, value.bytes().data(), size);
}

std::variant<std::vector<int64_t>, std::string> Lengths(const std::vector<int64_t>& given, size_t count,
                                                        int64_t extent) {
  std::vector<int64_t> lengths = given;
  if (lengths.empty()) {
    const int64_t n = static_cast<int64_t>(count), each = (extent + n - 1) / n;
    for (int64_t i = 0; i < n; ++i) lengths.push_back(std::clamp<int64_t>(extent - i * each, 0, each));
  }
  int64_t sum = 0;
  for (int64_t length : lengths) {
    if (length < 0 || length > extent) return fmt::format("a part of {} of {}", length, extent);
    sum += length;
  }
  if (sum != extent || lengths.size() != count)
    return fmt::format("parts {} of {} for {} results", ToString(lengths), extent, count);
  return lengths;
}

}  // namespace

HostOperatorPtr Concat(int64_t axis) {
  return Make(
      fmt::format("concat axis={}", axis), 1, kAny,
      [=](Operands in) {
        Shape shape = in[0].type.shape;
        const auto at = AxisOf(axis, shape.size());
        if (!at) return Refuse("axis {} of {}", axis, ToString(shape));
        for (const HostOperand& operand : in.subspan(1)) {
          Shape other = operand.type.shape;
          if (operand.absent || operand.type.dtype != in[0].type.dtype || other.size() != shape.size())
            return Refuse("{} behind {}", ToString(operand.type), ToString(in[0].type));
          shape[*at] += std::exchange(other[*at], shape[*at]);
          other[*at] = shape[*at];
          if (other != shape) return Refuse("{} behind {}", ToString(operand.type), ToString(in[0].type));
        }
        return One(in[0].type.dtype, shape);
      },
      [=](Values in, Results out) {
        const AroundAxis view(out[0].shape(), *AxisOf(axis, out[0].shape().size()));
        const int64_t size = graph::SizeOf(out[0].dtype()), row = view.extent * view.inner * size;
        int64_t done = 0;
        for (const Tensor* x : in) {
          const int64_t part = view.outer == 0 ? 0 : static_cast<int64_t>(x->bytes().size()) / view.outer;
          for (int64_t o = 0; o < view.outer && part > 0; ++o)
            std::memcpy(out[0].mutable_bytes().data() + o * row + done, x->bytes().data() + o * part, part);
          done += part;
        }
      },
      {},
      [=](const ops::HostSite& site) {
        return ops::Joined(site.name, site.shape(), site.in, *AxisOf(axis, site.shape().size()));
      });
}

HostOperatorPtr Split(int64_t axis, std::vector<int64_t> given, size_t count) {
  return MakeMove(
      fmt::format("split axis={}", axis), 1, 2,
      [=](Operands in) {
        const auto at = AxisOf(axis, in[0].type.shape.size());
        if (!at) return Refuse("axis {} of {}", axis, ToString(in[0].type.shape));
        if (!in[1].absent && !in[1].value) return Refuse("its lengths must be a constant");
        auto lengths = Lengths(in[1].value ? Integers(*in[1].value) : given, count, in[0].type.shape[*at]);
        if (const auto* error = std::get_if<std::string>(&lengths)) return Types{*error};
        std::vector<TensorType> types(count, in[0].type);
        for (size_t i = 0; i < count; ++i) types[i].shape[*at] = std::get<0>(lengths)[i];
        return Types{types};
      },
      [=](Values in, Results out) {
        const size_t d = *AxisOf(axis, in[0]->shape().size());
        const AroundAxis view(in[0]->shape(), d);
        const int64_t size = graph::SizeOf(in[0]->dtype());
        int64_t done = 0;
        for (Tensor& part : out) {
          const int64_t bytes = part.shape()[d] * view.inner * size;
          for (int64_t o = 0; o < view.outer && bytes > 0; ++o)
            std::memcpy(part.mutable_bytes().data() + o * bytes,
                        in[0]->bytes().data() + (o * view.extent * view.inner) * size + done, bytes);
          done += bytes;
        }
      },
      [=](const ops::HostSite& site) {
        const Shape& x = site.operands[0].type.shape;
        const size_t d = *AxisOf(axis, x.size());
        const Tensor* lengths = site.operands[1].value;
        const auto all = std::get<0>(Lengths(lengths ? Integers(*lengths) : given, count, x[d]));
        std::vector<AxisSlice> ranges(x.size());
        for (int32_t k = 0; k < site.result; ++k) ranges[d].start += all[static_cast<size_t>(k)];
        return DefineSlice(ranges, site);
      });
}

HostOperatorPtr Slice() {
  return MakeMove(
      "slice", 3, 5,
      [](Operands in) {
        for (const HostOperand& operand : in.subspan(1))
          if (!operand.absent && !operand.value) return Refuse("its bounds must be constants");
        const auto ranges = Ranges(in[0].type.shape, *in[1].value, *in[2].value, in[3].value, in[4].value);
        if (const auto* error = std::get_if<std::string>(&ranges)) return Types{*error};
        Shape shape;
        for (const AxisSlice& range : std::get<0>(ranges)) shape.push_back(range.length);
        return One(in[0].type.dtype, shape);
      },
      [](Values in, Results out) {
        const auto ranges = std::get<0>(Ranges(in[0]->shape(), *in[1], *in[2], in[3], in[4]));
        GatheredByAxis(*in[0], out[0],
                       [&](size_t d, int64_t i) { return ranges[d].start + i * ranges[d].step; });
      },
      [](const ops::HostSite& site) {
        const auto& known = site.operands;
        return DefineSlice(std::get<0>(Ranges(known[0].type.shape, *known[1].value, *known[2].value,
                                              known[3].value, known[4].value)),
                           site);
      });
}

HostOperatorPtr Expand() {
  return Make(
      "expand", 2, 2,
      [](Operands in) {
        if (!in[1].value) return Refuse("its shape must be a constant");
        const Shape want = Integers(*in[1].value);
        const auto shape = BroadcastShape(in[0].type.shape, want);
        return shape && IsReasonable(*shape) ? One(in[0].type.dtype, *shape)
                                             : Refuse("{} to {}", ToString(in[0].type.shape), ToString(want));
      },
      [](Values in, Results out) {
        const auto steps = BroadcastStrides(in[0]->shape(), out[0].shape());
        std::vector<int64_t> index(out[0].size());
        Walk(out[0].shape(), steps, steps, [&](int64_t i, int64_t at, int64_t) { index[i] = at; });
        Gathered(*in[0], out[0], [&](int64_t i) { return index[i]; });
      },
      {},
      [](const ops::HostSite& site) {
        return ops::Map(site.name, site.shape(), {site.in[0]},
                        [](const std::vector<tir::Expr>& v) { return v[0]; });
      });
}

HostOperatorPtr Tile() {
  return Make(
      "tile", 2, 2,
      [](Operands in) {
        if (!in[1].value) return Refuse("its repeats must be a constant");
        Shape shape = in[0].type.shape;
        const auto repeats = Integers(*in[1].value);
        if (repeats.size() != shape.size())
          return Refuse("{} repeats of {}", repeats.size(), ToString(shape));
        for (size_t d = 0; d < shape.size(); ++d)
          if (repeats[d] < 0 || __builtin_mul_overflow(shape[d], repeats[d], &shape[d]))
            return Refuse("repeats {}", ToString(repeats));
        return IsReasonable(shape) ? One(in[0].type.dtype, shape) : Refuse("repeats {}", ToString(repeats));
      },
      [](Values in, Results out) {
        const Shape& x = in[0]->shape();
        GatheredByAxis(*in[0], out[0], [&](size_t d, int64_t i) { return i % x[d]; });
      },
      {},
      [](const ops::HostSite& site) {
        return ops::Move(site.name, site.shape(), site.in[0], [&](te::Indices i) {
          for (size_t d = 0; d < i.size(); ++d) i[d] = FloorMod(i[d], site.in[0].shape()[d]);
          return i;
        });
      });
}

HostOperatorPtr Pad(PadMode mode) {
  return Make(
      "pad", 2, 3,
      [=](Operands in) {
        if (!in[1].value) return Refuse("its pads must be a constant");
        const auto shape = PaddedShape(in[0].type.shape, Integers(*in[1].value));
        if (const auto* error = std::get_if<std::string>(&shape)) return Types{*error};
        if (!in[2].absent &&
            (in[2].type.dtype != in[0].type.dtype || graph::NumElements(in[2].type.shape) != 1))
          return Refuse("its value must be one {}", Name(in[0].type.dtype));
        if (mode != PadMode::kConstant && graph::NumElements(in[0].type.shape) == 0)
          return Refuse("nothing to repeat");
        return One(in[0].type.dtype, std::get<0>(shape));
      },
      [=](Values in, Results out) {
        const Shape& x = in[0]->shape();
        const auto pads = Integers(*in[1]);
        if (in[2] && mode == PadMode::kConstant) Fill(out[0], *in[2]);
        GatheredByAxis(*in[0], out[0],
                       [&](size_t d, int64_t i) { return PadSource(mode, i - pads[d], x[d]); });
      },
      {},
      [=](const ops::HostSite& site) {
        auto before = Integers(*site.operands[1].value);
        before.resize(before.size() / 2);
        return DefinePad(mode, before, site);
      });
}

HostOperatorPtr Triangle(bool upper) {
  return Make(
      upper ? "triu" : "tril", 1, 2,
      [](Operands in) {
        if (in[0].type.shape.size() < 2) return Refuse("input must have at least 2 dimensions");
        return One(in[0].type);
      },
      [=](Values in, Results out) {
        const int64_t k = in[1] ? Integers(*in[1])[0] : 0;
        const Shape& x = in[0]->shape();
        const int64_t columns = x.back(), rows = x[x.size() - 2];
        Gathered(*in[0], out[0], [&](int64_t i) {
          const int64_t distance = i % columns - i / columns % rows;
          return (upper ? distance >= k : distance <= k) ? i : -1;
        });
      },
      {}, [=](const ops::HostSite& site) { return DefineTriangle(upper, site); });
}

HostOperatorPtr ReverseSequence(int64_t batch_axis, int64_t time_axis) {
  return Make(
      "reverse_sequence", 2, 2,
      [=](Operands in) {
        const Shape& x = in[0].type.shape;
        if (x.size() < 2 || batch_axis + time_axis != 1 || batch_axis < 0 || time_axis < 0)
          return Refuse("batch axis {} and time axis {}", batch_axis, time_axis);
        if (in[1].type.shape != Shape{x[batch_axis]})
          return Refuse("a length for each of {} sequences", x[batch_axis]);
        return One(in[0].type);
      },
      [=](Values in, Results out) {
        const Shape& x = in[0]->shape();
        const auto lengths = Integers(*in[1]);
        const auto steps = StridesOf(x);
        Gathered(*in[0], out[0], [&](int64_t i) {
          const int64_t b = i / steps[batch_axis] % x[batch_axis], t = i / steps[time_axis] % x[time_axis];
          const int64_t n = std::min(lengths[b], x[time_axis]);
          return t < n ? i + (n - 1 - 2 * t) * steps[time_axis] : i;
        });
      },
      {},
      [=](const ops::HostSite& site) {
        return DefineReverseSequence(static_cast<size_t>(batch_axis), static_cast<size_t>(time_axis), site);
      });
}

HostOperatorPtr DepthToSpace(int64_t block, bool columns_first) {
  return Make(
      "depth_to_space", 1, 1,
      [=](Operands in) {
        const Shape& x = in[0].type.shape;
        if (x.size() != 4 || block < 1 || block > 1 << 15 || x[1] % (block * block) != 0)
          return Refuse("blocks of {} in {}", block, ToString(x));
        return One(in[0].type.dtype, {x[0], x[1] / (block * block), x[2] * block, x[3] * block});
      },
      [=](Values in, Results out) {
        const Shape &x = in[0]->shape(), &y = out[0].shape();
        Gathered(*in[0], out[0], [&](int64_t i) {
          const int64_t ox = i % y[3], oy = i / y[3] % y[2], c = i / (y[3] * y[2]) % y[1],
                        n = i / (y[3] * y[2] * y[1]);
          const int64_t place = oy % block * block + ox % block;
          const int64_t channel = columns_first ? place * y[1] + c : c * block * block + place;
          return ((n * x[1] + channel) * x[2] + oy / block) * x[3] + ox / block;
        });
      },
      {}, [=](const ops::HostSite& site) { return DefineDepthToSpace(block, columns_first, site); });
}

HostOperatorPtr SpaceToDepth(int64_t block) {
  return Make(
      "space_to_depth", 1, 1,
      [=](Operands in) {
        const Shape& x = in[0].type.shape;
        if (x.size() != 4 || block < 1 || block > 1 << 15 || x[2] % block != 0 || x[3] % block != 0)
          return Refuse("blocks of {} in {}", block, ToString(x));
        return One(in[0].type.dtype, {x[0], x[1] * block * block, x[2] / block, x[3] / block});
      },
      [=](Values in, Results out) {
        const Shape &x = in[0]->shape(), &y = out[0].shape();
        Gathered(*in[0], out[0], [&](int64_t i) {
          const int64_t ox = i % y[3], oy = i / y[3] % y[2], c = i / (y[3] * y[2]) % y[1],
                        n = i / (y[3] * y[2] * y[1]);
          const int64_t place = c / x[1];
          return ((n * x[1] + c % x[1]) * x[2] + oy * block + place / block) * x[3] + ox * block +
                 place % block;
        });
      },
      {}, [=](const ops::HostSite& site) { return DefineSpaceToDepth(block, site); });
}

}  // namespace cosim::host
