// SPDX-License-Identifier: Apache-2.0
// Layout conversions for the host as tensor expressions. Loops run along rows of the plain array, where both
// the conditions at the borders and the divisions of patch indices stay outside.
#include "compiler/layouts/layout.h"

#include <functional>

#include "compiler/graph/infer.h"
#include "compiler/te/lower.h"
#include "compiler/te/schedule.h"
#include "compiler/te/te.h"
#include "compiler/tir/rounding.h"
#include "compiler/tir/simplify.h"
#include "isa/check.h"

namespace cosim::layouts {
namespace {

using te::Indices;
using te::Tensor;
using tir::CeilDiv;
using tir::DataType;
using tir::Expr;

constexpr int64_t kUnrolled = 4;  // pixels of a patch's lane

/// Extent `d` of an activation or weight, which may lack the two last dimensions.
int64_t Extent(const graph::Shape& shape, size_t d) { return d < shape.size() ? shape[d] : 1; }

/// The element of `plain` at (n, c, h, w); `plain` may lack the two last dimensions.
Expr Element(const Tensor& plain, const Expr& n, const Expr& c, const Expr& h, const Expr& w) {
  return plain.shape().size() == 2 ? plain(n, c) : plain(n, c, h, w);
}

/// `value` where index < extent; `fill` in the rest of the last block, if there is a rest.
Expr WithinExtent(const Expr& index, int64_t extent, int64_t block, const Expr& value, const Expr& fill) {
  return extent % block == 0 ? value : tir::MakeSelect(Lt(index, extent), value, fill);
}

/// Where an element of a blocked array stands in its block.
struct InBlock {
  Expr n, c;
};

InBlock PlaceInBlock(const Indices& i, const Blocking& blocking) {
  if (blocking.gap == 0) return {i[4], i[5]};
  if (blocking.outer == 1) return {tir::Int(0), i[4]};
  return {FloorDiv(i[4], blocking.inner), FloorMod(i[4], blocking.inner)};
}

/// The element of `blocked` that holds (n, c, y, x) of rows of `width` pixels.
Expr Element(const Tensor& blocked, const Blocking& b, int64_t width, const Expr& n, const Expr& c,
             const Expr& y, const Expr& x) {
  const Expr h = b.pixels == 0 ? y : y * width + x, w = b.pixels == 0 ? x : tir::Int(0);
  const Expr no = FloorDiv(n, b.outer), co = FloorDiv(c, b.inner);
  const Expr ni = FloorMod(n, b.outer), ci = FloorMod(c, b.inner);
  return b.gap == 0 ? blocked(no, co, h, w, ni, ci) : blocked(no, co, h, w, ni * b.inner + ci);
}

/// The array [N,C,H,W], whose elements are `element(n, c, h, w)`, in blocks.
Tensor Block(const std::string& name, const graph::Shape& shape, const Blocking& blocking, int8_t fill,
             const std::function<Expr(Expr, Expr, Expr, Expr)>& element) {
  COSIM_CHECK(blocking.pixels == 0, "blocks filled up to {} pixels are only read", blocking.pixels);
  const DataType type = DataType::Int(blocking.bits);
  const Expr border = tir::Int(fill, type);
  return te::Compute(
      name + ".blocked", BlockedShape(shape, blocking),
      [&](const Indices& i) -> te::Body {
        const InBlock at = PlaceInBlock(i, blocking);
        const Expr n = i[0] * blocking.outer + at.n, c = i[1] * blocking.inner + at.c;
        const Expr value = tir::MakeCast(type, element(n, c, i[2], i[3]));
        const Expr of_channel = WithinExtent(c, shape[1], blocking.inner, value, border);
        const Expr filled = WithinExtent(n, shape[0], blocking.outer, of_channel, border);
        const int64_t block = blocking.outer * blocking.inner;
        return blocking.gap == 0 ? filled : tir::MakeSelect(Lt(i[4], block), filled, border);
      },
      blocking.gap == 0 ? std::vector<std::string>{"no", "co", "h", "w", "ni", "ci"}
                        : std::vector<std::string>{"no", "co", "h", "w", "i"});
}

/// The image with the border that the convolution gives it, as far as its windows reach.
Tensor Padded(const std::string& name, const Tensor& image, const graph::Conv2d& op, int64_t height,
              int64_t width) {
  const graph::Shape& shape = image.shape();
  return te::Compute(
      name + ".padded", {shape[0], shape[1], height, width}, [&](const Indices& i) -> te::Body {
        const Expr h = i[2] - op.pad[0], w = i[3] - op.pad[1];
        return tir::MakeSelect(tir::And(tir::InRange(h, 0, shape[2]), tir::InRange(w, 0, shape[3])),
                               image(i[0], i[1], h, w), tir::Int(op.input_zero_point, image.type()));
      });
}

}  // namespace

graph::Shape InGroups(graph::Shape shape, int64_t groups) {
  if (groups == 1) return shape;
  shape[0] *= groups;
  shape[1] /= groups;
  return shape;
}

std::vector<int64_t> BlockedShape(const graph::Shape& shape, Blocking blocking) {
  COSIM_CHECK(shape.size() == 2 || shape.size() == 4, "{} dimensions", shape.size());
  std::vector<int64_t> blocked = {CeilDiv(shape[0], blocking.outer), CeilDiv(shape[1], blocking.inner),
                                  Extent(shape, 2), Extent(shape, 3)};
  if (blocking.pixels != 0) blocked[2] = blocking.pixels, blocked[3] = 1;
  if (blocking.gap == 0) {
    blocked.insert(blocked.end(), {blocking.outer, blocking.inner});
  } else {
    blocked.push_back(blocking.outer * blocking.inner + blocking.gap);
  }
  return blocked;
}

Tensor PlainView(const std::string& name, const Tensor& blocked, const graph::Shape& shape,
                 Blocking blocking) {
  return te::Compute(name + ".plain", shape, [&](const Indices& i) -> te::Body {
    const Expr h = shape.size() == 2 ? tir::Int(0) : i[2], w = shape.size() == 2 ? tir::Int(0) : i[3];
    return tir::MakeCast(DataType::Int(blocking.plain_bits),
                         Element(blocked, blocking, Extent(shape, 3), i[0], i[1], h, w));
  });
}

Tensor InBlocks(const std::string& name, const Tensor& plain, Blocking blocking, int8_t fill) {
  return Block(name, plain.shape(), blocking, fill,
               [&](Expr n, Expr c, Expr h, Expr w) { return Element(plain, n, c, h, w); });
}

tir::Function PackBlocked(const std::string& name, const graph::Shape& shape, Blocking blocking,
                          int8_t fill) {
  const Tensor plain = te::Placeholder(name + ".plain", shape, DataType::Int(blocking.plain_bits));
  const Tensor blocked = InBlocks(name, plain, blocking, fill);
  te::Schedule schedule({blocked});
  te::Stage& stage = schedule[blocked];
  const auto& axes = stage.axes();
  if (blocking.gap == 0) {
    stage.Reorder({axes[0], axes[4], axes[1], axes[2], axes[3], axes[5]});
    stage.Vectorize(blocking.inner > 1 ? axes[5] : axes[3]);
  } else if (blocking.outer == 1) {
    stage.Vectorize(axes[4]);
  }
  return tir::RemoveUnitLoops(te::Lower(schedule, {plain, blocked}, name));
}

tir::Function UnpackBlocked(const std::string& name, const graph::Shape& shape, Blocking blocking) {
  const Tensor blocked =
      te::Placeholder(name + ".blocked", BlockedShape(shape, blocking), DataType::Int(blocking.bits));
  const Tensor plain = PlainView(name, blocked, shape, blocking);
  te::Schedule schedule({plain});
  te::Stage& stage = schedule[plain];
  stage.Vectorize(stage.axes().back());
  return tir::RemoveUnitLoops(te::Lower(schedule, {blocked, plain}, name));
}

tir::Function PackMatrices(const std::string& name, const graph::Shape& shape, const MatrixTiling& t,
                           const std::optional<Blocking>& source) {
  const Tensor given =
      source ? te::Placeholder(name + ".blocked", BlockedShape(shape, *source), DataType::Int(source->bits))
             : te::Placeholder(name + ".plain", shape, DataType::Int(t.plain_bits));
  const Tensor plain = source ? PlainView(name, given, shape, *source) : given;
  const int64_t rows = shape[1] / t.groups, pixels = shape[2] * shape[3];
  const int64_t outputs = t.transposed ? rows : pixels, inputs = t.transposed ? pixels : rows;
  const DataType type = DataType::Int(t.bits);
  const int64_t tile = t.block_out * t.block_in;
  std::vector<int64_t> tiles = {shape[0] * t.groups, CeilDiv(outputs, t.layout_out),
                                t.layout_out / t.block_out, CeilDiv(inputs, t.layout_in),
                                t.layout_in / t.block_in};
  const int64_t minor_extent = t.by_input ? t.block_out : t.block_in;
  if (t.gap == 0) {
    tiles.insert(tiles.end(), {tile / minor_extent, minor_extent});
  } else {
    tiles.push_back(tile + t.gap);
  }
  const Tensor tiled = te::Compute(name + ".tiled", tiles, [&](const Indices& i) -> te::Body {
    const Expr major = t.gap == 0 ? i[5] : FloorDiv(i[5], minor_extent);
    const Expr minor = t.gap == 0 ? i[6] : FloorMod(i[5], minor_extent);
    const Expr o = i[1] * t.layout_out + i[2] * t.block_out + (t.by_input ? minor : major);
    const Expr in = i[3] * t.layout_in + i[4] * t.block_in + (t.by_input ? major : minor);
    const Expr row = FloorMod(i[0], t.groups) * rows + (t.transposed ? o : in);
    const Expr pixel = t.transposed ? in : o;
    const Expr value =
        plain(FloorDiv(i[0], t.groups), row, FloorDiv(pixel, shape[3]), FloorMod(pixel, shape[3]));
    const Expr inside = tir::And(Lt(o, outputs), Lt(in, inputs));
    return tir::MakeSelect(t.gap == 0 ? inside : tir::And(inside, Lt(i[5], tile)), tir::MakeCast(type, value),
                           tir::Int(0, type));
  });
  te::Schedule schedule({tiled});
  if (source) schedule[plain].ComputeInline();
  return tir::RemoveUnitLoops(te::Lower(schedule, {given, tiled}, name));
}

graph::Shape PatchShape(const graph::Shape& input, const graph::Shape& weight, const graph::Conv2d& op) {
  const auto extent = [&](int d) {
    return graph::WindowExtent(input[2 + d], weight[2 + d], op.stride[d], op.dilation[d], op.pad[d],
                               op.pad[d + 2]);
  };
  return {input[0], weight[2] * weight[3] * input[1], extent(0), extent(1)};
}

tir::Function PackPatches(const std::string& name, const graph::Shape& input, const graph::Shape& weight,
                          const graph::Conv2d& op, Blocking blocking) {
  COSIM_CHECK(op.groups == 1, "patches of a convolution with {} groups", op.groups);
  const Tensor image = te::Placeholder(name + ".image", input, DataType::Int(blocking.plain_bits));
  graph::Shape patches = PatchShape(input, weight, op);
  patches[1] = CeilDiv(patches[1], blocking.inner) * blocking.inner;
  const int64_t rows = CeilDiv(patches[1], input[1] * weight[3]);  // of the window, those behind it too
  const auto extent = [&](int d, int64_t taps) {
    return (patches[2 + d] - 1) * op.stride[d] + (taps - 1) * op.dilation[d] + 1;
  };
  const Tensor padded = Padded(name, image, op, extent(0, rows), extent(1, weight[3]));
  const auto element = [&](const Expr& n, const Expr& patch, const Expr& y, const Expr& x) {
    const Expr tap = FloorDiv(patch, input[1]), c = FloorMod(patch, input[1]);
    const Expr kh = FloorDiv(tap, weight[3]), kw = FloorMod(tap, weight[3]);
    return padded(n, c, y * op.stride[0] + kh * op.dilation[0], x * op.stride[1] + kw * op.dilation[1]);
  };
  const Tensor blocked = Block(name, patches, blocking, static_cast<int8_t>(op.input_zero_point), element);
  te::Schedule schedule({blocked});
  te::Stage& stage = schedule[blocked];
  // A lane's tap is known before its row of pixels, which needs no vectors: neighbours come from afar.
  std::vector<te::Axis> order = stage.axes();
  order.push_back(order[3]);
  order.erase(order.begin() + 3);
  stage.Reorder(order);
  if (patches[3] % kUnrolled == 0) stage.Unroll(stage.Split(order.back(), kUnrolled).second);
  return tir::RemoveUnitLoops(te::Lower(schedule, {image, blocked}, name));
}

tir::Function PackImage(const std::string& name, const graph::Shape& input, const graph::Conv2d& op,
                        int64_t rows, int64_t columns, int bits, bool channels_last) {
  const DataType type = DataType::Int(bits);
  const graph::Shape stands = channels_last ? graph::Shape{input[0], input[2], input[3], input[1]} : input;
  const Tensor image = te::Placeholder(name + ".image", stands, type);
  const Tensor packed = te::Compute(
      name + ".rows", {input[0], rows, columns, input[1]},
      [&](const Indices& i) -> te::Body {
        const Expr h = i[1] - op.pad[0], w = i[2] - op.pad[1];
        const Expr pixel = channels_last ? image(i[0], h, w, i[3]) : image(i[0], i[3], h, w);
        return tir::MakeSelect(tir::And(tir::InRange(h, 0, input[2]), tir::InRange(w, 0, input[3])), pixel,
                               tir::Int(op.input_zero_point, type));
      },
      {"n", "h", "w", "c"});
  te::Schedule schedule({packed});
  te::Stage& stage = schedule[packed];
  const auto& axes = stage.axes();
  stage.Unroll(axes[3]);  // few: whether a pixel is inside is asked once
  return tir::RemoveUnitLoops(te::Lower(schedule, {image, packed}, name));
}

}  // namespace cosim::layouts
