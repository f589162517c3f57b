// SPDX-License-Identifier: Apache-2.0
#include "compiler/ops/window.h"

#include <algorithm>

#include "compiler/ops/phases.h"
#include "compiler/tir/visitor.h"
#include "isa/check.h"

namespace cosim::ops {
namespace {

using te::Axis;
using te::Indices;
using te::Tensor;
using tir::Expr;
using tir::Int;

constexpr size_t kFirst = 2;  // spatial dimension

/// What windows at `out` reach, from the first element that they meet.
int64_t Reach(const Sliding& window, size_t d, int64_t out) {
  return (out - 1) * window.stride[d] + window.dilation[d] * (window.kernel[d] - 1) + 1;
}

/// Names of the axes of a plane of `channel`s, for people.
std::vector<std::string> AxisNames(const std::vector<int64_t>& shape, const char* channel) {
  if (shape.size() != 4) return {};
  return {"n", channel, "y", "x"};
}

bool NeedsFrame(const std::vector<int64_t>& out, const Tensor& x, const Sliding& window) {
  for (size_t d = 0; d < window.kernel.size(); ++d)
    if (window.before[d] != 0 || Reach(window, d, out[kFirst + d]) > x.shape()[kFirst + d]) return true;
  return false;
}

/// x with all that windows at `out` reach.
Computation FramedFor(const std::string& name, const std::vector<int64_t>& out, const Tensor& x,
                      const Sliding& window, const Expr& border, const Seen& seen) {
  std::vector<int64_t> shape = {x.shape()[0], x.shape()[1]};
  for (size_t d = 0; d < window.kernel.size(); ++d) shape.push_back(Reach(window, d, out[kFirst + d]));
  return Framed(name, shape, x, window.before, border, seen);
}

std::vector<Axis> TapsOf(const Sliding& window) {
  static constexpr const char* kNames[] = {"kh", "kw", "kd"};
  std::vector<Axis> taps;
  for (size_t d = 0; d < window.kernel.size(); ++d)
    taps.push_back(te::ReduceAxis(window.kernel[d], kNames[d % 3]));
  return taps;
}

/// The place in the framed x of each tap of the window at `i`; channels are `channel`.
Indices At(const Indices& i, const Expr& channel, const Sliding& window, const std::vector<Axis>& taps) {
  Indices at = {i[0], channel};
  for (size_t d = 0; d < taps.size(); ++d)
    at.push_back(i[kFirst + d] * window.stride[d] + Expr(taps[d]) * window.dilation[d]);
  return at;
}

/// The convolution of a framed x, whose weight at output channel `o` is `weight(o, c, taps)`.
template <typename Weight>
Computation Correlate(const std::string& name, const std::vector<int64_t>& shape, const Tensor& x,
                      const Sliding& window, int64_t groups, const Seen& seen, Weight weight) {
  const int64_t inputs = x.shape()[1] / groups, outputs = shape[1] / groups;
  std::vector<Axis> axes = {te::ReduceAxis(inputs, "c")};
  const std::vector<Axis> taps = TapsOf(window);
  axes.insert(axes.end(), taps.begin(), taps.end());
  const auto element = [&](const Indices& i) -> te::Body {
    const Expr channel = groups == 1 ? Expr(axes[0]) : FloorDiv(i[1], outputs) * inputs + axes[0];
    return te::Sum(seen(x(At(i, channel, window, taps))) * weight(i[1], axes[0], taps), axes);
  };
  Computation result{te::Compute(name, shape, element, AxisNames(shape, "o"))};
  result.pattern = shape.size() == 4 ? Pattern::kConvolution : Pattern::kReduce;
  result.channels_together = outputs;
  result.inner_from = shape.size() - 1;
  return result;
}

}  // namespace

Computation Framed(const std::string& name, const std::vector<int64_t>& shape, const Tensor& x,
                   std::span<const int64_t> before, const Expr& border, const Seen& seen) {
  const bool fills = shape == x.shape() && std::ranges::all_of(before, [](int64_t n) { return n == 0; });
  const auto element = [&](const Indices& i) -> te::Body {
    if (fills) return seen(x(i));
    Indices at = i;
    Expr inside;
    for (size_t d = kFirst; d < shape.size(); ++d) {
      at[d] = i[d] - before[d - kFirst];
      const Expr in_range = tir::InRange(at[d], 0, x.shape()[d]);
      inside = inside ? And(inside, in_range) : in_range;
    }
    return tir::MakeSelect(inside, seen(x(at)), border);
  };
  return {te::Compute(name, shape, element, AxisNames(shape, "c")),
          shape.size() == 4 ? Pattern::kPad : Pattern::kColumns};
}

Definition Convolve(const std::string& name, const std::vector<int64_t>& shape, const Tensor& x,
                    const Tensor& w, const Convolution& convolution) {
  const Sliding& window = convolution.window;
  Definition result;
  Tensor from = x;
  Seen seen = convolution.seen;
  if (NeedsFrame(shape, x, window)) {
    const tir::DataType type = seen(x(Indices(x.shape().size(), Int(0))))->type;
    result.computations.push_back(FramedFor(name + ".pad", shape, x, window, Number(0, type), seen));
    from = result.computations.back().tensor;
    seen = AsIs;
  }
  result.computations.push_back(Correlate(name, shape, from, window, convolution.groups, seen,
                                          [&](const Expr& o, const Axis& c, const std::vector<Axis>& taps) {
                                            Indices at = {o, c};
                                            at.insert(at.end(), taps.begin(), taps.end());
                                            return convolution.seen_weight(w(at), o);
                                          }));
  const auto is_plain = [](const Tensor& t, const Expr& seen_element) {
    const auto* load = tir::As<tir::Load>(seen_element);
    return load && load->buffer == t.buffer();
  };
  const Indices first(shape.size(), Int(0));
  if (is_plain(x, convolution.seen(x(first))) && is_plain(w, convolution.seen_weight(w(first), Int(0))))
    result.computations.back().convolved = ConvolvedBy(x, w, convolution);
  return result;
}

std::optional<Convolved> ConvolvedBy(const Tensor& x, const Tensor& w, const Convolution& convolution) {
  const Sliding& window = convolution.window;
  if (x.shape().size() != 4) return std::nullopt;
  return Convolved{x,
                   w,
                   {window.stride[0], window.stride[1]},
                   {window.dilation[0], window.dilation[1]},
                   {window.before[0], window.before[1]},
                   convolution.groups};
}

Definition ConvolveTransposed(const std::string& name, const std::vector<int64_t>& shape, const Tensor& x,
                              const Tensor& w, const Sliding& window, int64_t groups, bool outputs_first) {
  if (auto phases = ConvolveByPhases(name, shape, x, w, window, groups, outputs_first))
    return *std::move(phases);
  // The same as a convolution by the reversed kernel over x with zeros between its elements.
  Sliding dense = window;
  std::vector<int64_t> spread = {x.shape()[0], x.shape()[1]}, lead;
  for (size_t d = 0; d < window.kernel.size(); ++d) {
    dense.stride[d] = 1;
    dense.before[d] = 0;
    lead.push_back(window.dilation[d] * (window.kernel[d] - 1) - window.before[d]);
    spread.push_back(Reach(dense, d, shape[kFirst + d]));
  }
  const auto element = [&](const Indices& i) -> te::Body {
    Indices at = i;
    Expr inside = Int(1, tir::DataType::Bool());
    for (size_t d = 0; d < lead.size(); ++d) {
      const Expr place = i[kFirst + d] - lead[d];
      at[kFirst + d] = FloorDiv(place, window.stride[d]);
      inside = And(inside, tir::InRange(at[kFirst + d], 0, x.shape()[kFirst + d]));
      if (window.stride[d] > 1) inside = And(inside, Eq(FloorMod(place, window.stride[d]), Int(0)));
    }
    return tir::MakeSelect(inside, x(at), Number(0, x.type()));
  };
  Definition result;
  result.computations.push_back({te::Compute(name + ".spread", spread, element), Pattern::kColumns});
  const int64_t inputs = x.shape()[1] / groups, outputs = shape[1] / groups;
  const auto weight = [&](const Expr& o, const Axis& c, const std::vector<Axis>& taps) {
    Indices at = {o, c};
    if (!outputs_first)
      at = {groups == 1 ? Expr(c) : FloorDiv(o, outputs) * inputs + c, FloorMod(o, outputs)};
    for (size_t d = 0; d < taps.size(); ++d) at.push_back(Int(window.kernel[d] - 1) - Expr(taps[d]));
    return w(at);
  };
  result.computations.push_back(
      Correlate(name, shape, result.computations[0].tensor, dense, groups, AsIs, weight));
  return result;
}

Definition Pool(const std::string& name, const std::vector<int64_t>& shape, const Tensor& x,
                const Sliding& window, te::ReduceOp op, const Expr& border, const Seen& seen) {
  Definition result;
  Tensor from = x;
  const bool framed = NeedsFrame(shape, x, window);
  if (framed) {
    result.computations.push_back(FramedFor(name + ".pad", shape, x, window, border, seen));
    from = result.computations.back().tensor;
  }
  const std::vector<Axis> taps = TapsOf(window);
  const auto element = [&](const Indices& i) -> te::Body {
    const Expr value = from(At(i, i[1], window, taps));
    return te::Reduce(op, framed ? value : seen(value), taps);
  };
  Computation pool{te::Compute(name, shape, element, AxisNames(shape, "c"))};
  pool.pattern = shape.size() == 4 ? Pattern::kPool : Pattern::kReduce;
  pool.inner_from = shape.size() - 1;
  result.computations.push_back(pool);
  return result;
}

void Finish(Definition& definition, const std::string& name, const Last& last) {
  const Tensor sums = definition.computations.back().tensor;
  const auto element = [&](const Indices& i) -> te::Body { return last(sums(i), i); };
  definition.computations.push_back({te::Compute(name, sums.shape(), element), Pattern::kElementwise});
}

}  // namespace cosim::ops
