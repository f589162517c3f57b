// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/geometry.h"

#include <algorithm>

#include "compiler/network/convert.h"
#include "compiler/tir/rounding.h"
#include "isa/check.h"

namespace cosim::network {

using graph::ValueId;
using tir::CeilDiv;

bool FillsBlocks(const graph::Graph& graph, graph::ValueId value, const Array& array) {
  const graph::Node& node = graph.node(value);
  if (const size_t rank = node.type.shape.size(); rank != 2 && rank != 4) return false;
  const auto shape = Shape4(graph, value);
  return shape[0] <= array.batch && shape[1] % array.layout_out == 0 && !node.As<graph::Constant>() &&
         BitsOf(graph, value) <= array.activation_bits;
}

WeightValues::WeightValues(const graph::Tensor& tensor) {
  if (tensor.dtype() == graph::DType::kInt16) {
    wide_ = tensor.data<int16_t>();
  } else {
    narrow_ = tensor.data<int8_t>();
  }
}

std::pair<int32_t, int32_t> WeightValues::Range() const {
  const auto range = [](const auto& values) -> std::pair<int32_t, int32_t> {
    const auto [least, most] = std::ranges::minmax(values);
    return {least, most};
  };
  return size() == 0 ? std::pair(0, 0) : wide_.empty() ? range(narrow_) : range(wide_);
}

std::array<int64_t, 4> Shape4(const graph::Graph& graph, ValueId id) {
  const auto& shape = graph.node(id).type.shape;
  COSIM_CHECK(shape.size() == 2 || shape.size() == 4);
  if (shape.size() == 2) return {shape[0], shape[1], 1, 1};
  return {shape[0], shape[1], shape[2], shape[3]};
}

ConvView ViewOf(const graph::Graph& graph, const Group& group, ValueId input) {
  const auto& node = graph.node(group.anchor());
  ConvView view;
  view.x = Shape4(graph, input);
  const auto& weights = *graph.node(node.inputs[1]).As<graph::Constant>()->data;
  view.weights = WeightValues(weights);
  view.o = weights.shape()[0];
  if (const auto* conv = node.As<graph::Conv2d>()) {
    view.attributes = *conv;
    view.i = weights.shape()[1];
    view.kh = weights.shape()[2];
    view.kw = weights.shape()[3];
  } else {  // a window as large as the value: dense weights are in its order
    view.attributes.input_zero_point = node.As<graph::Dense>()->input_zero_point;
    view.i = view.x[1];
    view.kh = view.x[2];
    view.kw = view.x[3];
  }
  return view;
}

MatrixShape MatrixShapeOf(const std::array<int64_t, 4>& value, int64_t groups, bool transposed) {
  const int64_t rows = value[1] / groups, pixels = value[2] * value[3];
  return {value[0] * groups, transposed ? rows : pixels, transposed ? pixels : rows};
}

bool PixelsAreTiles(const Array& array) {
  return array.batch == 1 && !array.weights_by_input && array.layout_in == array.block_in &&
         array.layout_out == array.block_out && array.block_in == array.block_out &&
         array.activation_bits == array.weight_bits &&
         8 * array.result_bytes == array.block_out * array.activation_bits &&
         array.weight_bytes == array.block_out * array.result_bytes;
}

Grouping GroupingOf(const ConvView& view, const Array& array) {
  const int64_t groups = view.attributes.groups, outputs = view.o / groups;
  for (int64_t together = 1; together < groups; ++together)
    if (groups % together == 0 && together * view.i % array.layout_in == 0 &&
        together * outputs % array.layout_out == 0)
      return {together, groups / together};
  return {groups, 1};
}

accel::ImageWindow ImageWindowOf(const ConvView& view, int64_t oh, int64_t ow, int64_t value_bytes) {
  const graph::Conv2d& conv = view.attributes;
  return {.channels = view.i,
          .kh = view.kh,
          .kw = view.kw,
          .sh = conv.stride[0],
          .sw = conv.stride[1],
          .dh = conv.dilation[0],
          .dw = conv.dilation[1],
          .oh = oh,
          .ow = ow,
          .value_bytes = value_bytes,
          .least_height = conv.pad[0] + view.x[2],  // so that whole rows can be copied there
          .least_width = conv.pad[1] + view.x[3]};
}

accel::ImageWindow ImageOf(const graph::Graph& graph, ValueId value, const Layout& layout) {
  const auto y = Shape4(graph, layout.patches_for);
  const Group alone{.nodes = {layout.patches_for}};
  return ImageWindowOf(ViewOf(graph, alone, value), y[2], y[3], graph::SizeOf(graph.node(value).type.dtype));
}

bool UsePatches(const ConvView& view, const Array& array) {
  if (view.attributes.groups != 1) return false;
  const int64_t direct = CeilDiv(view.i, array.layout_in) * view.kh * view.kw;
  return 2 * CeilDiv(view.i * view.kh * view.kw, array.layout_in) <= direct;
}

int64_t BytesOf(const graph::Graph& graph, ValueId value, const Layout& layout, const Array& array) {
  const auto& type = graph.node(value).type;
  if (layout.kind == Layout::Kind::kPlain) return graph::NumElements(type.shape) * graph::SizeOf(type.dtype);
  const auto [n, c, h, w] = Shape4(graph, value);
  if (layout.kind == Layout::Kind::kMatrices) {
    const MatrixShape m = MatrixShapeOf({n, c, h, w}, layout.groups, layout.transposed);
    return m.count * CeilDiv(m.o, array.layout_out) * array.OutElements() * CeilDiv(m.i, array.layout_in) *
           array.InElements() * array.weight_bytes;
  }
  const int64_t tiles = CeilDiv(n, array.batch), block_bytes = array.BlockBytes(layout.block);
  if (layout.kind == Layout::Kind::kBlocked)
    return tiles * layout.groups * CeilDiv(c / layout.groups, layout.block) * std::max(h * w, layout.pixels) *
           block_bytes;
  const auto y = Shape4(graph, layout.patches_for);
  if (layout.kind == Layout::Kind::kImage)
    return n * ImageOf(graph, value, layout).ImageBytes(array.activation_bytes);
  const auto& weights = graph.node(graph.node(layout.patches_for).inputs[1]).type.shape;
  const int64_t taps = weights.size() == 4 ? weights[2] * weights[3] : h * w;
  return tiles * CeilDiv(c * taps, layout.block) * y[2] * y[3] * block_bytes;
}

}  // namespace cosim::network
