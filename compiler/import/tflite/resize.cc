// SPDX-License-Identifier: Apache-2.0
// RESIZE_NEAREST_NEIGHBOR and RESIZE_BILINEAR: whole multiples of the nearest are an operation of the graph;
// bytes between pixels at small multiples are a filter of those (interpolation.h); all else is the host's.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "compiler/host/index.h"
#include "compiler/host/tflite_resize.h"
#include "compiler/import/tflite/builder.h"

namespace cosim::import::tflite {

using graph::Shape;
using graph::Tensor;
using graph::ValueId;
using host::TfliteGrid;

namespace {

/// By how much every element is repeated; nothing unless it is each as often.
std::optional<int64_t> RepeatsOf(const std::vector<int64_t>& places, int64_t from) {
  const auto to = static_cast<int64_t>(places.size());
  if (to % from != 0) return std::nullopt;
  for (int64_t i = 0; i < to; ++i)
    if (places[static_cast<size_t>(i)] != i / (to / from)) return std::nullopt;
  return to / from;
}

}  // namespace

bool Builder::Resize() {
  if (!Operands(2, 2)) return false;
  const auto* options = std::get_if<ResizeOptions>(&op_->options);
  const ResizeOptions defaults, &o = options ? *options : defaults;
  const int from = op_->inputs[0], to = op_->outputs[0];
  const Shape &x = Info(from).shape, &y = Info(to).shape;
  if (x.size() != 4 || y.size() != 4) return Malformed("input and output must have 4 dimensions");
  const graph::TensorPtr size = ConstantOf(op_->inputs[1]);
  if (!size) return Unsupported("a size that is not constant");
  if (size->type() != graph::TensorType{graph::DType::kInt32, {2}} || size->data<int32_t>()[0] != y[1] ||
      size->data<int32_t>()[1] != y[2])
    return Malformed(fmt::format("its size is not that of its output, {}", graph::ToString(y)));
  constexpr int64_t kMostExtent = 1 << 20;
  if (std::max({x[1], x[2], y[1], y[2]}) > kMostExtent)
    return Unsupported(fmt::format("an extent above {}", kMostExtent));
  if (o.align_corners && o.half_pixel_centers)
    return Unsupported("align_corners together with half_pixel_centers");
  if (!IsFloat(from) && (!IsInteger(from) || !SameQuantization(Info(from), Info(to))))
    return Unsupported("operands that are neither float32 nor integers of one quantization");
  return op_->name == "RESIZE_BILINEAR" ? Bilinear(o) : Nearest(o);
}

bool Builder::Nearest(const ResizeOptions& options) {
  const int from = op_->inputs[0], to = op_->outputs[0];
  const Shape &x = Info(from).shape, &y = Info(to).shape;
  std::array<std::vector<int64_t>, 2> places;
  for (size_t d : {0, 1})
    places[d] = host::NearestPlaces({x[d + 1], y[d + 1], options.align_corners, options.half_pixel_centers});
  const auto down = RepeatsOf(places[0], x[1]), right = RepeatsOf(places[1], x[2]);
  if (down && right)
    return Finish(
        model_.graph.Add(name_, graph::ResizeNearest{{*down, *right}}, {Nchw(from)}, QuantizationOf(to)),
        true);
  ValueId value = Nchw(from);
  for (size_t d : {0, 1}) {
    if (x[d + 1] == y[d + 1] && RepeatsOf(places[d], x[d + 1])) continue;
    const ValueId list =
        model_.graph.AddConstant(name_ + (d == 0 ? ".rows" : ".columns"), Tensor({y[d + 1]}, places[d]));
    value = Host(d == 0 ? name_ + ".down" : name_ + ".right", host::Gather(static_cast<int64_t>(d) + 2),
                 {value, list}, "not every element is repeated as often", QuantizationOf(to));
    if (value < 0) return false;
  }
  return Finish(value, true);
}

bool Builder::Bilinear(const ResizeOptions& options) {
  const int from = op_->inputs[0], to = op_->outputs[0];
  const Shape &x = Info(from).shape, &y = Info(to).shape;
  const auto arithmetic = IsFloat(from)                              ? host::BilinearArithmetic::kFloat
                          : Info(from).dtype == graph::DType::kUint8 ? host::BilinearArithmetic::kBytes
                                                                     : host::BilinearArithmetic::kInteger;
  std::array<TfliteGrid, 2> grids;
  for (size_t d : {0, 1}) {
    grids[d] = {x[d + 1], y[d + 1], options.align_corners, options.half_pixel_centers};
    if (!host::PlacesBetween(grids[d], arithmetic))
      return Unsupported(
          fmt::format("{} to {} elements, where the reference reads behind the last or counts beyond "
                      "32 bits",
                      x[d + 1], y[d + 1]));
  }
  const auto rows = InterpolationOf(grids[0], arithmetic), columns = InterpolationOf(grids[1], arithmetic);
  if (rows && columns && rows->scale * columns->scale > 1 && IsByte(from))
    return Finish(Filtered(*rows, *columns, arithmetic), true);
  return Finish(
      Host(name_, host::TfliteBilinear(grids[0], grids[1], arithmetic), {Nchw(from)},
           IsFloat(from) ? "float32" : "no filter of 2 or 4 times as many pixels", QuantizationOf(to)),
      true);
}

// Each pixel repeated, those at the edge beyond it too, then a filter whose taps add up to a power of two.
ValueId Builder::Filtered(const Interpolation& rows, const Interpolation& columns,
                          host::BilinearArithmetic arithmetic) {
  const std::optional<graph::Quantization> quantization = QuantizationOf(op_->outputs[0]);
  // Halves are rounded away from zero by multiplying twice the sum by one half before the shift.
  const bool away = arithmetic == host::BilinearArithmetic::kInteger;
  const int64_t channels = Info(op_->inputs[0]).shape[3];
  std::vector<int8_t> taps;
  for (int64_t c = 0; c < channels; ++c)
    for (const int8_t row : rows.taps)
      for (const int8_t column : columns.taps) taps.push_back((away ? 2 : 1) * row * column);
  const Shape shape = {channels, 1, std::ssize(rows.taps), std::ssize(columns.taps)};
  graph::Graph& g = model_.graph;
  const ValueId weights = g.AddConstant(name_ + ".weights", Tensor(shape, std::move(taps)));
  const graph::Pad edge{.pad = {rows.before, columns.before, rows.after, columns.after}, .edge = true};
  graph::Requantize shift{.shift = {std::countr_zero(static_cast<uint64_t>(rows.total * columns.total))}};
  if (away) shift.multiplier = {1 << 30}, shift.twice = true;
  ValueId value = Nchw(op_->inputs[0]);
  value =
      g.Add(name_ + ".repeated", graph::ResizeNearest{{rows.scale, columns.scale}}, {value}, quantization);
  value = g.Add(name_ + ".edge", edge, {value}, quantization);
  value = g.Add(name_, graph::Conv2d{.groups = channels}, {value, weights});
  return g.Add(name_ + ".rounded", shift, {value}, quantization);
}

}  // namespace cosim::import::tflite
