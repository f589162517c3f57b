// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's operators that cut tensors, put them together and turn them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "compiler/host/index.h"
#include "compiler/host/movement.h"
#include "compiler/import/tflite/builder.h"

namespace cosim::import::tflite {

using graph::Shape;
using graph::Tensor;
using graph::ValueId;

namespace {

/// Where dimension `d` of the file's layout stands in the graph's.
int64_t InNchwLayout(int64_t d) { return std::array<int64_t, 4>{0, 2, 3, 1}[static_cast<size_t>(d)]; }

/// The extents that STRIDED_SLICE takes of one dimension.
struct Cut {
  int64_t start = 0, stop = 0, step = 1;
  int64_t length() const {
    const int64_t span = step > 0 ? stop - start : start - stop, size = step > 0 ? step : -step;
    return span <= 0 ? 0 : (span - 1) / size + 1;
  }
};

Cut CutOf(const SliceOptions& options, uint32_t bit, int64_t extent, int64_t begin, int64_t end,
          int64_t step) {
  constexpr int64_t kFar = 4 * kMostElements;  // beyond every tensor
  begin = std::clamp(begin, -kFar, kFar);
  end = std::clamp(end, -kFar, kFar);
  const bool forward = step > 0;
  const int64_t low = forward ? 0 : -1, high = forward ? extent : extent - 1;
  const auto place = [&](int64_t v) { return std::clamp(v < 0 ? v + extent : v, low, high); };
  Cut cut{place(begin), 0, step};
  if (options.begin & bit) cut.start = forward ? 0 : extent - 1;
  if (options.shrink_axis & bit) return {cut.start, cut.start + 1, 1};
  cut.stop = options.end & bit ? (forward ? extent : -1) : place(options.offset ? end + cut.start : end);
  return cut;
}

}  // namespace

ValueId Builder::List(const std::string& what, std::vector<int64_t> list) {
  const auto count = static_cast<int64_t>(list.size());
  return model_.graph.AddConstant(name_ + what, Tensor({count}, std::move(list)));
}

bool Builder::Moved(graph::HostOperatorPtr op, std::vector<ValueId> values, bool nchw) {
  return Finish(Host(name_, std::move(op), std::move(values), kMovesReason, QuantizationOf(op_->outputs[0])),
                nchw);
}

ValueId Builder::Cutout(int tensor, std::vector<int64_t> starts, std::vector<int64_t> stops,
                        std::vector<int64_t> steps, bool nchw, const std::string& what) {
  std::vector<int64_t> axes;
  for (size_t d = 0; d < starts.size(); ++d) {
    const auto axis = static_cast<int64_t>(d);
    axes.push_back(nchw ? InNchwLayout(axis) : axis);
    // One before the first element, which -1 does not say.
    if (stops[d] < 0) stops[d] = -Info(tensor).shape[d] - 1;
  }
  const ValueId first = List(what + ".starts", std::move(starts)),
                last = List(what + ".stops", std::move(stops)), along = List(what + ".axes", std::move(axes)),
                by = List(what + ".steps", std::move(steps));
  return Host(name_ + what, host::Slice(), {nchw ? Nchw(tensor) : Plain(tensor), first, last, along, by},
              kMovesReason, QuantizationOf(tensor));
}

bool Builder::StridedSlice() {
  if (!Operands(4, 4)) return false;
  const auto* options = std::get_if<SliceOptions>(&op_->options);
  if (!options) return Malformed("has no options");
  const auto begin = IntegersOf(1), end = IntegersOf(2), step = IntegersOf(3);
  if (!begin || !end || !step) return Unsupported("bounds that are not constant");
  const Shape shape = Info(op_->inputs[0]).shape;
  const size_t rank = shape.size(), count = begin->size();
  if (end->size() != count || step->size() != count || count > 32)
    return Malformed("its bounds have different lengths");
  size_t indexed = 0;  // dimensions that have bounds
  for (size_t i = 0; i < count; ++i) indexed += !((options->ellipsis | options->new_axis) & uint32_t{1} << i);
  if (indexed > rank) return Malformed(fmt::format("{} bounds for {}", indexed, graph::ToString(shape)));
  std::vector<int64_t> starts, stops, steps;
  Shape result;
  const auto whole = [&] {
    starts.push_back(0);
    stops.push_back(shape[starts.size() - 1]);
    steps.push_back(1);
    result.push_back(stops.back());
  };
  bool renamed = false, ellipsis = false;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t bit = uint32_t{1} << i;
    if (options->ellipsis & bit) {
      if (std::exchange(ellipsis, true)) return Malformed("has two ellipses");
      for (size_t d = indexed; d < rank; ++d) whole();
    } else if (options->new_axis & bit) {
      renamed = true;
      result.push_back(1);
    } else {
      const int64_t extent = shape[starts.size()];
      if ((*step)[i] == 0 || (*step)[i] > kMostElements || (*step)[i] < -kMostElements)
        return Malformed("a step of 0, or beyond all");
      const Cut cut = CutOf(*options, bit, extent, (*begin)[i], (*end)[i], (*step)[i]);
      const int64_t length = cut.length();
      if (length < 1 || cut.start < 0 || cut.start >= extent)
        return Unsupported(fmt::format("nothing of dimension {}", starts.size()));
      starts.push_back(cut.start);
      stops.push_back(cut.stop);
      steps.push_back(cut.step);
      if (options->shrink_axis & bit) {
        renamed = true;
      } else {
        result.push_back(length);
      }
    }
  }
  while (starts.size() < rank) whole();
  const bool nchw = !renamed && rank == 4 && IsNchw(op_->inputs[0]);
  const ValueId y = Cutout(op_->inputs[0], starts, stops, steps, nchw, renamed ? ".slice" : "");
  if (!renamed) return Finish(y, nchw);
  return Moved(host::ReshapeTo(result), {y});
}

bool Builder::Slice() {
  if (!Operands(3, 3)) return false;
  const auto begin = IntegersOf(1), size = IntegersOf(2);
  if (!begin || !size) return Unsupported("bounds that are not constant");
  const Shape& shape = Info(op_->inputs[0]).shape;
  if (begin->size() != shape.size() || size->size() != shape.size())
    return Malformed("bounds for another number of dimensions");
  std::vector<int64_t> stops;
  for (size_t d = 0; d < shape.size(); ++d) {
    const int64_t first = (*begin)[d];
    if (first < 0 || first >= shape[d]) return Malformed(fmt::format("dimension {} from {} on", d, first));
    const int64_t length = (*size)[d] == -1 ? shape[d] - first : (*size)[d];
    if (length < 1 || length > shape[d] - first)
      return Malformed(fmt::format("{} elements from {} on of dimension {}", length, first, d));
    stops.push_back(first + length);
  }
  const bool nchw = shape.size() == 4 && IsNchw(op_->inputs[0]);
  return Finish(Cutout(op_->inputs[0], *begin, stops, std::vector<int64_t>(stops.size(), 1), nchw, ""), nchw);
}

bool Builder::Reverse() {
  if (!Operands(2, 2)) return false;
  const auto axes = IntegersOf(1);
  if (!axes) return Unsupported("axes that are not constant");
  const Shape& shape = Info(op_->inputs[0]).shape;
  std::vector<int64_t> starts(shape.size(), 0), stops = shape, steps(shape.size(), 1);
  for (int64_t axis : *axes) {
    const auto d = AxisOf(axis, shape.size());
    if (!d) return Malformed(fmt::format("axis {} of {}", axis, graph::ToString(shape)));
    starts[*d] = shape[*d] - 1;
    stops[*d] = -1;
    steps[*d] = -1;
  }
  return Finish(Cutout(op_->inputs[0], starts, stops, steps, false, ""), false);
}

// The parts of a tensor along a dimension, as one operator of several results.
bool Builder::Parts(int from, size_t axis, const std::vector<int64_t>& lengths, bool drop_axis) {
  const size_t count = op_->outputs.size();
  const bool nchw = !drop_axis && Info(from).shape.size() == 4 && IsNchw(from);
  const auto d = static_cast<int64_t>(axis);
  const auto split = host::Split(nchw ? InNchwLayout(d) : d, lengths, count);
  const ValueId x = nchw ? Nchw(from) : Plain(from);
  Shape rest = Info(from).shape;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(axis));
  for (size_t i = 0; i < count; ++i) {
    const std::string name = i == 0 ? name_ : fmt::format("{}.{}", name_, i);
    const auto quantization = QuantizationOf(op_->outputs[i]);
    ValueId y = Host(drop_axis ? name + ".part" : name, split, {x}, kMovesReason, quantization,
                     static_cast<int32_t>(i));
    if (drop_axis) y = Host(name, host::ReshapeTo(rest), {y}, kMovesReason, quantization);
    if (!Finish(y, nchw, i)) return false;
  }
  return true;
}

bool Builder::Split() {
  if (!Operands(2, 2)) return false;
  const auto axis = IntegersOf(0);
  if (!axis || axis->size() != 1) return Unsupported("an axis that is not constant");
  const Shape& shape = Info(op_->inputs[1]).shape;
  const auto d = AxisOf((*axis)[0], shape.size());
  const auto count = static_cast<int64_t>(op_->outputs.size());
  if (!d || shape[*d] % count != 0)
    return Malformed(fmt::format("{} parts of axis {} of {}", count, (*axis)[0], graph::ToString(shape)));
  return Parts(op_->inputs[1], *d, std::vector<int64_t>(op_->outputs.size(), shape[*d] / count), false);
}

bool Builder::SplitV() {
  if (!Operands(3, 3)) return false;
  auto lengths = IntegersOf(1);
  const auto axis = IntegersOf(2);
  if (!lengths || !axis || axis->size() != 1) return Unsupported("lengths or an axis that are not constant");
  const Shape& shape = Info(op_->inputs[0]).shape;
  const auto d = AxisOf((*axis)[0], shape.size());
  if (!d || lengths->size() != op_->outputs.size())
    return Malformed(fmt::format("{} lengths along axis {} of {} for {} results", lengths->size(), (*axis)[0],
                                 graph::ToString(shape), op_->outputs.size()));
  int64_t rest = shape[*d];
  for (int64_t length : *lengths) rest -= std::clamp<int64_t>(length, 0, kMostElements);
  for (int64_t& length : *lengths)
    if (length == -1) length = std::exchange(rest, 0);
  return Parts(op_->inputs[0], *d, *lengths, false);
}

bool Builder::Unpack() {
  if (!Operands(1, 1)) return false;
  const auto* options = std::get_if<AxisOptions>(&op_->options);
  const Shape& shape = Info(op_->inputs[0]).shape;
  const int64_t axis = options ? options->axis : 0;
  const auto d = AxisOf(axis, shape.size());
  if (!d || shape[*d] != std::ssize(op_->outputs))
    return Malformed(
        fmt::format("axis {} of {} for {} results", axis, graph::ToString(shape), op_->outputs.size()));
  return Parts(op_->inputs[0], *d, std::vector<int64_t>(op_->outputs.size(), 1), true);
}

bool Builder::Pack() {
  if (!Operands(1, op_->inputs.size())) return false;
  const auto* options = std::get_if<AxisOptions>(&op_->options);
  const int64_t given = options ? options->axis : 0;
  Shape shape = Info(op_->inputs[0]).shape;
  const auto axis = AxisOf(given, shape.size() + 1);
  if (!axis) return Malformed(fmt::format("axis {} of {} and one more", given, graph::ToString(shape)));
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*axis), 1);
  std::vector<ValueId> values;
  for (size_t i = 0; i < op_->inputs.size(); ++i) {
    if (op_->inputs[i] < 0) return Malformed(fmt::format("operand {} is missing", i));
    values.push_back(Host(fmt::format("{}.operand{}", name_, i), host::ReshapeTo(shape),
                          {Plain(op_->inputs[i])}, kMovesReason, QuantizationOf(op_->inputs[i])));
  }
  return Moved(host::Concat(static_cast<int64_t>(*axis)), std::move(values));
}

// Where the file turns channels last into channels second, or back, the other layout is the result.
bool Builder::Transpose() {
  if (!Operands(2, 2)) return false;
  const int from = op_->inputs[0];
  const auto order = IntegersOf(1);
  if (!order) return Unsupported("a permutation that is not constant");
  if (order->size() != Info(from).shape.size())
    return Malformed("a permutation of another number of dimensions");
  const bool constant = Info(from).data != nullptr;
  if (*order == std::vector<int64_t>{0, 3, 1, 2} && nchw_.count(from)) return Finish(Nchw(from), false);
  if (*order == std::vector<int64_t>{0, 2, 3, 1} && plain_.count(from) && !constant)
    return Finish(Plain(from), true);
  return Moved(order->empty() ? host::Identity() : host::Transpose(*order), {Plain(from)});
}

bool Builder::Tile() {
  if (!Operands(2, 2)) return false;
  const auto repeats = IntegersOf(1);
  if (!repeats) return Unsupported("repeats that are not constant");
  return Moved(host::Tile(), {Plain(op_->inputs[0]), List(".repeats", *repeats)});
}

bool Builder::BroadcastTo() {
  if (!Operands(2, 2)) return false;
  const auto shape = IntegersOf(1);
  if (!shape) return Unsupported("a shape that is not constant");
  return Moved(host::Expand(), {Plain(op_->inputs[0]), List(".shape", *shape)});
}

// Dimension by dimension, the elements that the mirror shows.
bool Builder::MirrorPad() {
  if (!Operands(2, 2)) return false;
  const auto pads = IntegersOf(1);
  if (!pads) return Unsupported("paddings that are not constant");
  const auto* options = std::get_if<MirrorOptions>(&op_->options);
  const bool symmetric = options && options->symmetric;
  const Shape shape = Info(op_->inputs[0]).shape;
  if (pads->size() != 2 * shape.size()) return Malformed("paddings for another number of dimensions");
  ValueId value = Plain(op_->inputs[0]);
  for (size_t d = 0; d < shape.size(); ++d) {
    const int64_t before = (*pads)[2 * d], after = (*pads)[2 * d + 1], most = shape[d] - (symmetric ? 0 : 1);
    if (before < 0 || after < 0 || before > most || after > most)
      return Malformed(fmt::format("a mirror of {} and {} around {}", before, after, shape[d]));
    if (before + after == 0) continue;
    if (shape[d] > 1 << 24) return Unsupported(fmt::format("a mirror around {}", shape[d]));
    std::vector<int64_t> places;
    for (int64_t i = -before; i < shape[d] + after; ++i) {
      const int64_t border = symmetric ? 1 : 0;
      places.push_back(i < 0 ? -i - border : i >= shape[d] ? 2 * shape[d] - 2 + border - i : i);
    }
    const std::string what = fmt::format(".dimension{}", d);
    const ValueId list = List(what + ".places", std::move(places));
    value = Host(name_ + what, host::Gather(static_cast<int64_t>(d)), {value, list}, kMovesReason,
                 QuantizationOf(op_->inputs[0]));
    if (value < 0) return false;
  }
  return Moved(host::Identity(), {value});
}

}  // namespace cosim::import::tflite
