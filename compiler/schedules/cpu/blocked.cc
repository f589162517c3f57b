// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedules/cpu/blocked.h"

#include <memory>
#include <utility>
#include <vector>

#include "compiler/ops/types.h"
#include "compiler/tir/operators.h"
#include "isa/check.h"

namespace cosim::schedules {
namespace {

using ops::kInt16;
using ops::kInt32;
using te::Axis;
using te::Indices;
using te::Tensor;
using tir::DataType;
using tir::Expr;
using tir::Int;

constexpr int64_t kOtherSign = 128;  // added to an int8, makes it a uint8; taken off one, an int8

/// Extents of a convolution. A product is one of a single row, whose pixels are all that x has before the
/// channels.
struct Shape {
  explicit Shape(const ops::Convolved& op, const std::vector<int64_t>& result)
      : is_dense(op.is_product()), groups(op.groups) {
    const std::vector<int64_t>& x = op.x.shape();
    const ops::WeightPlaces weights = op.weights();
    int64_t before = 1;
    for (size_t d = 0; d + 1 < x.size(); ++d) before *= x[d];
    images = is_dense ? 1 : x[0];
    height = is_dense ? 1 : x[2], width = is_dense ? before : x[3];
    rows = is_dense ? 1 : result[2], pixels = is_dense ? before : result[3];
    channels = weights.outputs, depth = weights.inputs;
    kernel = weights.kernel;
  }
  bool is_dense;
  int64_t groups, images = 1, height = 1, width = 1, rows = 1, pixels = 1;
  int64_t channels = 1, depth = 1;  ///< results, and what of a group is summed
  std::array<int64_t, 2> kernel{1, 1};
};

/// So many products are summed in each lane at a time: 1, of floats.
int64_t DotDepth(const ops::Convolved& op, const CpuTarget& target) {
  if (op.x.type() == DataType::Float(32)) return 1;
  const bool has_quads = target.dot == Dot::kQuads || target.dot == Dot::kSignedQuads;
  if (has_quads && op.x.type().bits == 8 && op.w.type().bits == 8) return 4;
  return target.dot == Dot::kPairs || target.dot == Dot::kQuads ? 2 : 1;
}

bool HasTypes(const ops::Convolved& op, const CpuTarget& target) {
  const DataType x = op.x.type(), w = op.w.type();
  if (x == DataType::Float(32)) return w == x;
  const bool fits = x == DataType::Int(8) || x == DataType::UInt(8) || (x == kInt16 && op.zero_point == 0);
  const bool weights_fit = w == DataType::Int(8) || (w == kInt16 && x.bits == 8);
  return fits && weights_fit && target.dot != Dot::kNone;
}

class Builder {
 public:
  Builder(const ops::Convolved& op, const Tensor& result, const CpuTarget& target, Tile tile)
      : op_(op),
        name_(result->name),
        result_(result),
        shape_(op, result.shape()),
        places_(op.weights()),
        tile_(tile),
        turned_lanes_(std::min(tile.lanes, RowLanes(shape_.pixels, target))),
        dot_(DotDepth(op, target)),
        byte_(target.dot == Dot::kSignedQuads ? DataType::Int(8) : DataType::UInt(8)),
        steps_(CeilDiv(shape_.depth, dot_)),
        blocks_(CeilDiv(shape_.channels, tile.block())),
        pixels_(CeilDiv(shape_.pixels, tile.pixels) * tile.pixels) {}

  Blocked Run(const graph::Tensor& weights) {
    Blocked blocked;
    ops::Definition& definition = blocked.definition;
    const bool direct = ReadsDirectly();
    const Tensor source = direct ? op_.x : Source();
    if (!direct)
      definition.computations.push_back(
          {source, shape_.is_dense ? ops::Pattern::kPad : ops::Pattern::kFrame});
    const Tensor packed = te::Placeholder(name_ + ".packed", PackedShape(), PackedType());
    definition.tables.push_back({packed, Pack(weights)});
    definition.computations.push_back({Sums(source, direct, packed), ops::Pattern::kTiles});
    if (shape_.is_dense) definition.computations.back().rows_from = 0;
    if (IsTurned())
      definition.computations.push_back({Turned(definition.computations.back().tensor), ops::Pattern::kTurn});
    definition.computations.push_back(
        {Plain(definition.computations.back().tensor, weights, definition), ops::Pattern::kElementwise});
    blocked.tiles.assign(definition.computations.size(), tile_);
    if (IsTurned()) blocked.tiles.end()[-2].pixels = turned_lanes_;
    return blocked;
  }

 private:
  bool IsFloat() const { return op_.x.type() == DataType::Float(32); }
  int64_t Reach(size_t d, int64_t outputs) const {
    return (outputs - 1) * op_.stride[d] + op_.dilation[d] * (shape_.kernel[d] - 1) + 1;
  }
  bool ReadsDirectly() const {
    if (shape_.is_dense) return IsFloat();
    return IsFloat() && op_.before == std::array<int64_t, 2>{} && Reach(0, shape_.rows) <= shape_.height &&
           Reach(1, pixels_) <= shape_.width;
  }
  /// Whether a channel's sums are put side by side before anything else happens to them. A product's channels
  /// are.
  bool IsTurned() const { return !shape_.is_dense && pixels_ >= turned_lanes_ / 2; }
  /// Whether bytes are multiplied as bytes, their zero point in them; else as int16, without.
  bool IsOfBytes() const { return dot_ == 4; }
  /// What is added to make them such as are multiplied.
  int64_t Shift() const {
    if (op_.x.type() == byte_) return 0;
    return byte_ == DataType::Int(8) ? -kOtherSign : kOtherSign;
  }

  Expr Element(const Expr& n, const Expr& c, const Expr& h, const Expr& w) const {
    if (!shape_.is_dense) return op_.x(n, c, h, w);
    // What is beyond the last row is summed for nothing.
    Expr rest = pixels_ > shape_.pixels ? Min(w, Int(shape_.pixels - 1)) : w;
    Indices at(op_.x.shape().size(), c);
    int64_t before = shape_.pixels;
    for (size_t d = at.size() - 1; d-- > 0;) {
      const int64_t extent = op_.x.shape()[d];
      before /= extent;
      at[d] = extent == 1 ? Int(0) : before == 1 ? rest : FloorMod(rest, extent);
      if (extent > 1) rest = FloorDiv(rest, extent);
    }
    return op_.x(at);
  }

  /// An element of x as it is multiplied.
  Expr Seen(const Expr& value) const {
    if (IsFloat()) return value;
    if (IsOfBytes()) return MakeCast(byte_, MakeCast(kInt16, value) + Shift());
    return MakeCast(kInt16, value) - op_.zero_point;
  }
  Expr Border() const {
    if (IsFloat()) return tir::Float(0);
    return IsOfBytes() ? Int(op_.zero_point + Shift(), byte_) : Int(0, kInt16);
  }

  /// x in its frame as [n, groups * steps, h, w, dot]; without the last of 1.
  Tensor Source() const {
    const int64_t vector = shape_.is_dense ? 1 : tile_.lanes;  // the frame's rows are whole vectors
    const int64_t width = CeilDiv(Reach(1, pixels_), vector) * vector;
    std::vector<int64_t> shape = {shape_.images, shape_.groups * steps_, Reach(0, shape_.rows), width};
    std::vector<std::string> names = {"n", "c", "h", "w"};
    if (dot_ > 1) shape.push_back(dot_), names.push_back("d");
    const auto element = [&](const Indices& i) -> te::Body {
      const Expr h = i[2] - op_.before[0], w = i[3] - op_.before[1];
      Expr step = shape_.groups == 1 ? i[1] : FloorMod(i[1], steps_);
      const Expr c = dot_ == 1 ? step : step * dot_ + i[4];
      const Expr channel = shape_.groups == 1 ? c : FloorDiv(i[1], steps_) * shape_.depth + c;
      Expr inside = Int(1, DataType::Bool());
      const auto require = [&](const Expr& index, int64_t before, int64_t reach, int64_t extent) {
        if (before > 0) inside = And(inside, tir::Le(0, index));
        if (reach - before > extent) inside = And(inside, tir::Lt(index, extent));
      };
      require(h, op_.before[0], shape[2], shape_.height);
      require(w, op_.before[1], shape[3], shape_.width);
      require(c, 0, steps_ * dot_, shape_.depth);
      return tir::MakeSelect(inside, Seen(Element(i[0], channel, h, w)), Border());
    };
    return te::Compute(name_ + ".frame", shape, element, names);
  }

  Tensor Sums(const Tensor& source, bool direct, const Tensor& packed) const {
    const Axis c = te::ReduceAxis(steps_, "c"), kh = te::ReduceAxis(shape_.kernel[0], "kh"),
               kw = te::ReduceAxis(shape_.kernel[1], "kw"), d = te::ReduceAxis(dot_, "d");
    const int64_t blocks_of_group = std::max<int64_t>(blocks_ / shape_.groups, 1);
    const auto element = [&](const Indices& i) -> te::Body {
      const Expr channel = shape_.groups == 1 ? Expr(c) : FloorDiv(i[1], blocks_of_group) * steps_ + Expr(c);
      const Expr h = i[2] * op_.stride[0] + Expr(kh) * op_.dilation[0],
                 w = i[3] * op_.stride[1] + Expr(kw) * op_.dilation[1];
      if (dot_ > 1) {
        const Expr x = source(i[0], channel, h, w, d), weight = packed(i[1], c, kh, kw, i[4], d);
        return te::Sum(MakeCast(kInt32, x) * MakeCast(kInt32, weight), {c, kh, kw, d});
      }
      const Expr x = direct ? Element(i[0], channel, h, w) : source(i[0], channel, h, w);
      const Expr weight = packed(i[1], c, kh, kw, i[4]);
      return te::Sum(IsFloat() ? x * weight : MakeCast(kInt32, x) * MakeCast(kInt32, weight), {c, kh, kw});
    };
    return te::Compute(name_ + ".sums", {shape_.images, blocks_, shape_.rows, pixels_, tile_.block()},
                       element, {"n", "o", "y", "x", "l"});
  }

  /// The sums [n, blocks, y, block, x], x in whole vectors: what is beyond the last pixel is that again.
  Tensor Turned(const Tensor& sums) const {
    const int64_t width = CeilDiv(pixels_, turned_lanes_) * turned_lanes_;
    const auto element = [&](const Indices& i) -> te::Body {
      return sums(i[0], i[1], i[2], width == pixels_ ? i[4] : Min(i[4], Int(pixels_ - 1)), i[3]);
    };
    return te::Compute(name_ + ".turned", {shape_.images, blocks_, shape_.rows, tile_.block(), width},
                       element, {"n", "o", "y", "l", "x"});
  }

  /// The sums where the plain definition has them, of images turned. What bytes of the other sign and their
  /// zero point added to them is taken off.
  Tensor Plain(const Tensor& sums, const graph::Tensor& weights, ops::Definition& definition) const {
    Tensor added;
    if (IsOfBytes()) {
      added = te::Placeholder(name_ + ".added", {shape_.channels}, kInt32);
      definition.tables.push_back({added, Added(weights)});
    }
    const auto element = [&](const Indices& i) -> te::Body {
      const Expr& channel = shape_.is_dense ? i.back() : i[1];
      const Expr block = FloorDiv(channel, tile_.block()), lane = FloorMod(channel, tile_.block());
      Expr pixel = Int(0);
      for (size_t d = 0; d + 1 < i.size(); ++d) pixel = pixel * result_.shape()[d] + i[d];
      const Expr sum = shape_.is_dense ? sums(Int(0), block, Int(0), pixel, lane)
                       : IsTurned()    ? sums(i[0], block, i[2], lane, i[3])
                                       : sums(i[0], block, i[2], i[3], lane);
      return IsOfBytes() ? sum - added(channel) : sum;
    };
    std::vector<std::string> names;
    for (const Axis& axis : result_->axes) names.push_back(axis.name());
    return te::Compute(name_, result_.shape(), element, names);
  }

  DataType PackedType() const {
    if (IsFloat()) return DataType::Float(32);
    return IsOfBytes() ? DataType::Int(8) : kInt16;
  }
  std::vector<int64_t> PackedShape() const {
    std::vector<int64_t> shape = {blocks_, steps_, shape_.kernel[0], shape_.kernel[1], tile_.block()};
    if (dot_ > 1) shape.push_back(dot_);
    return shape;
  }

  template <typename To, typename From>
  graph::TensorPtr PackAs(std::span<const From> from) const {
    const int64_t taps = shape_.kernel[0] * shape_.kernel[1], block = tile_.block();
    std::vector<To> to(static_cast<size_t>(blocks_ * steps_ * taps * block * dot_), To{0});
    for (int64_t o = 0; o < shape_.channels; ++o) {
      To* const lane = &to[static_cast<size_t>((o / block * steps_ * taps * block + o % block) * dot_)];
      for (int64_t c = 0; c < shape_.depth; ++c)
        for (int64_t tap = 0; tap < taps; ++tap)
          lane[(c / dot_ * taps + tap) * block * dot_ + c % dot_] =
              static_cast<To>(from[WeightAt(o, c, tap)]);  // NOLINT(bugprone-signed-char-misuse): a number
    }
    return std::make_shared<const graph::Tensor>(PackedShape(), std::move(to));
  }

  size_t WeightAt(int64_t o, int64_t c, int64_t tap) const {
    const int64_t row = tap / shape_.kernel[1], column = tap % shape_.kernel[1];
    return static_cast<size_t>(places_.first + o * places_.output + c * places_.input + row * places_.row +
                               column * places_.column);
  }

  graph::TensorPtr Pack(const graph::Tensor& weights) const {
    if (IsFloat()) return PackAs<float>(weights.data<float>());
    if (weights.dtype() == graph::DType::kInt16) return PackAs<int16_t>(weights.data<int16_t>());
    return IsOfBytes() ? PackAs<int8_t>(weights.data<int8_t>()) : PackAs<int16_t>(weights.data<int8_t>());
  }

  /// (shift + zero point) x the sum of its weights, of each channel; wraps.
  graph::TensorPtr Added(const graph::Tensor& weights) const {
    const std::span<const int8_t> values = weights.data<int8_t>();
    std::vector<int32_t> added;
    for (int64_t o = 0; o < shape_.channels; ++o) {
      int64_t sum = 0;
      for (int64_t c = 0; c < shape_.depth; ++c)
        for (int64_t tap = 0; tap < shape_.kernel[0] * shape_.kernel[1]; ++tap)
          sum += values[WeightAt(o, c, tap)];
      added.push_back(static_cast<int32_t>(sum * (Shift() + op_.zero_point)));
    }
    return std::make_shared<const graph::Tensor>(graph::Shape{shape_.channels}, std::move(added));
  }

  const ops::Convolved& op_;
  std::string name_;
  Tensor result_;
  Shape shape_;
  ops::WeightPlaces places_;
  Tile tile_;
  int64_t turned_lanes_;
  int64_t dot_;
  DataType byte_;  ///< of x, where bytes are multiplied
  int64_t steps_, blocks_, pixels_;
};

}  // namespace

std::optional<TileProblem> ConvolutionProblem(const ops::Computation& plain, const CpuTarget& target) {
  if (!HasTypes(*plain.convolved, target)) return std::nullopt;
  const Shape shape(*plain.convolved, plain.tensor.shape());
  const int64_t dot = DotDepth(*plain.convolved, target);
  const TileProblem problem{.rows = shape.rows,
                            .pixels = shape.pixels,
                            .channels = shape.channels / shape.groups,
                            .depth = CeilDiv(shape.depth, dot),
                            .taps = shape.kernel[0] * shape.kernel[1],
                            .columns = shape.kernel[1],
                            .element_bytes = 4,  // of a lane
                            .grouped = shape.groups > 1};
  return IsTileable(problem, target) ? std::optional(problem) : std::nullopt;
}

Blocked BlockConvolution(const ops::Computation& plain, const graph::Tensor& weights, const CpuTarget& target,
                         const Tile& tile) {
  return Builder(*plain.convolved, plain.tensor, target, tile).Run(weights);
}

}  // namespace cosim::schedules
