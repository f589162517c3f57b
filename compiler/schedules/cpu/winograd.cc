// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedules/cpu/winograd.h"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "compiler/schedules/cpu/frame.h"
#include "compiler/schedules/cpu/winograd_transforms.h"
#include "compiler/tir/operators.h"
#include "isa/check.h"

namespace cosim::schedules {
namespace {

using te::Axis;
using te::Indices;
using te::Tensor;
using tir::DataType;
using tir::Expr;
using tir::Int;

constexpr int64_t kTaps = 3;
constexpr int64_t kFewestInputs = 8;  // sums of fewer hide no roundings of the transforms
constexpr int64_t kBytesACycle = 2;   // of weights, which come from memory once a layer

/// A result of `outputs` x `outputs` places for each of `rows` x `columns` tiles.
struct TileShape {
  TileShape(const ops::Convolved& op, const std::vector<int64_t>& result, int64_t outputs)
      : images(result[0]),
        inputs(op.x.shape()[1]),
        channels(result[1]),
        outputs(outputs),
        points(outputs + kTaps - 1),
        rows(CeilDiv(result[2], outputs)),
        columns(CeilDiv(result[3], outputs)) {}

  /// The product of every one of points x points.
  TileProblem Product() const {
    return {.rows = rows, .pixels = columns, .channels = channels, .depth = inputs, .taps = 1};
  }
  int64_t height() const { return outputs * rows + kTaps - 1; }

  int64_t images, inputs, channels;
  int64_t outputs, points;
  int64_t rows, columns;
};

/// A sum of multiples.
class SumOf {
 public:
  void Add(double factor, const Expr& value) {
    if (factor == 0) return;
    if (!sum_) {
      sum_ = factor == 1 ? value : value * tir::Float(factor);
    } else if (factor == -1) {
      sum_ = sum_ - value;
    } else {
      sum_ = sum_ + (factor == 1 ? value : value * tir::Float(factor));
    }
  }
  const Expr& get() const { return sum_; }

 private:
  Expr sum_;
};

using Read = std::function<Expr(int64_t)>;

/// Row `i` of B^T times what `read` gives. Two rows of a pair are sum and difference of the same two terms.
Expr RowOfInput(const WinogradTransforms& transforms, size_t i, const Read& read) {
  const size_t last = transforms.input.size() - 1;
  const bool paired = i > 0 && i < last;
  const size_t first = i % 2 == 1 ? i : i - 1;
  SumOf same, opposite;
  for (size_t k = 0; k <= last; ++k) {
    const double factor = transforms.input[paired ? first : i][k];
    const bool differs = paired && factor != transforms.input[first + 1][k];
    (differs ? opposite : same).Add(factor, read(static_cast<int64_t>(k)));
  }
  if (!paired) return same.get();
  return i == first ? same.get() + opposite.get() : same.get() - opposite.get();
}

/// Row `k` of A^T times what `read` gives, of whose pairs it takes sums or differences.
Expr RowOfOutput(const WinogradTransforms& transforms, size_t k, const Read& read) {
  const std::vector<double>& row = transforms.output[k];
  SumOf sum;
  sum.Add(row.front(), read(0));
  for (size_t i = 1; i + 1 < row.size(); i += 2) {
    const Expr a = read(static_cast<int64_t>(i)), b = read(static_cast<int64_t>(i) + 1);
    sum.Add(row[i], row[i] == row[i + 1] ? a + b : a - b);
  }
  sum.Add(row.back(), read(transforms.points() - 1));
  return sum.get();
}

/// `of(i)` for i = index, which is below `count`.
Expr Choose(const Expr& index, int64_t count, const std::function<Expr(size_t)>& of) {
  Expr value = of(static_cast<size_t>(count - 1));
  for (int64_t i = count - 1; i-- > 0;)
    value = tir::MakeSelect(Eq(index, Int(i)), of(static_cast<size_t>(i)), value);
  return value;
}

class TransformBuilder {
 public:
  TransformBuilder(const ops::Convolved& op, const Tensor& result, const TileShape& shape,
                   const CpuTarget& target, const Tile& tile)
      : op_(op),
        name_(result->name),
        result_(result),
        shape_(shape),
        transforms_(TransformsFor(shape.outputs)),
        tile_(tile),
        blocks_(CeilDiv(shape.channels, tile_.block())),
        columns_(CeilDiv(shape.columns, tile_.pixels) * tile_.pixels) {
    row_.lanes = RowLanes(columns_, target);
    row_.pixels = CeilDiv(columns_, row_.lanes) * row_.lanes;
    tile_.rows = shape.outputs;
  }

  Blocked Run(const graph::Tensor& weights) const {
    const int64_t reach = shape_.outputs * (row_.pixels - 1) + shape_.points;
    const Tensor frame = FrameOf(name_, op_, shape_.height(), CeilDiv(reach, row_.lanes) * row_.lanes);
    const Tensor along = AlongRows(frame), seen = AlongColumns(along);
    const Tensor packed = te::Placeholder(name_ + ".packed", PackedShape(), DataType::Float(32));
    const Tensor products = Products(seen, packed), back = BackInColumns(products), sums = BackInRows(back);
    Blocked blocked;
    blocked.definition.tables = {{packed, Pack(weights)}};
    const auto add = [&](const Tensor& tensor, ops::Pattern pattern, const Tile& tile, size_t written_out) {
      ops::Computation computation{tensor, pattern};
      computation.written_out = written_out;
      blocked.definition.computations.push_back(computation);
      blocked.tiles.push_back(tile);
    };
    add(frame, ops::Pattern::kFrame, row_, 0);
    add(along, ops::Pattern::kTransform, row_, 3);
    add(seen, ops::Pattern::kTransform, row_, 0);
    add(products, ops::Pattern::kTiles, tile_, 0);
    add(back, ops::Pattern::kTransform, tile_, 3);
    add(sums, ops::Pattern::kTransform, tile_, 5);
    add(Plain(sums), ops::Pattern::kElementwise, tile_, 0);
    return blocked;
  }

 private:
  /// Rows of windows times B: of every row of the frame, `points` numbers a tile.
  Tensor AlongRows(const Tensor& frame) const {
    const auto element = [&](const Indices& i) -> te::Body {
      return Choose(i[3], shape_.points, [&](size_t j) {
        return RowOfInput(transforms_, j,
                          [&](int64_t b) { return frame(i[0], i[1], i[2], i[4] * shape_.outputs + b); });
      });
    };
    return te::Compute(name_ + ".along",
                       {shape_.images, shape_.inputs, shape_.height(), shape_.points, row_.pixels}, element,
                       {"n", "c", "h", "j", "x"});
  }

  /// B^T times these: what is multiplied, by the number of the product.
  Tensor AlongColumns(const Tensor& along) const {
    const auto element = [&](const Indices& i) -> te::Body {
      return Choose(i[0], shape_.points, [&](size_t row) {
        return RowOfInput(transforms_, row, [&](int64_t a) {
          return along(i[2], i[4], i[3] * shape_.outputs + a, i[1], i[5]);
        });
      });
    };
    return te::Compute(name_ + ".seen",
                       {shape_.points, shape_.points, shape_.images, shape_.rows, shape_.inputs, row_.pixels},
                       element, {"i", "j", "n", "y", "c", "x"});
  }

  Tensor Products(const Tensor& seen, const Tensor& packed) const {
    const int64_t points = shape_.points, images = shape_.images;
    const Axis c = te::ReduceAxis(shape_.inputs, "c"), kh = te::ReduceAxis(1, "kh"),
               kw = te::ReduceAxis(1, "kw");
    const auto element = [&](const Indices& i) -> te::Body {
      const Expr number = images == 1 ? i[0] : FloorDiv(i[0], images);
      const Expr image = images == 1 ? Int(0) : FloorMod(i[0], images);
      const Expr x = seen(FloorDiv(number, points), FloorMod(number, points), image, i[2], c, i[3]);
      return te::Sum(x * packed(number, i[1], c, i[4]), {c, kh, kw});
    };
    return te::Compute(name_ + ".products",
                       {points * points * images, blocks_, shape_.rows, columns_, tile_.block()}, element,
                       {"n", "o", "y", "x", "l"});
  }

  /// A^T times the products of each tile.
  Tensor BackInColumns(const Tensor& products) const {
    const auto element = [&](const Indices& i) -> te::Body {
      return Choose(i[3], shape_.outputs, [&](size_t row) {
        return RowOfOutput(transforms_, row, [&](int64_t point) {
          const Expr number = i[4] + point * shape_.points;
          return products(number * shape_.images + i[0], i[1], i[2], i[5], i[6]);
        });
      });
    };
    return te::Compute(
        name_ + ".back",
        {shape_.images, blocks_, shape_.rows, shape_.outputs, shape_.points, columns_, tile_.block()},
        element, {"n", "o", "y", "r", "j", "x", "l"});
  }

  /// And these times A: the sums, in the order of BlockConvolution's.
  Tensor BackInRows(const Tensor& back) const {
    const auto element = [&](const Indices& i) -> te::Body {
      return Choose(i[5], shape_.outputs, [&](size_t column) {
        return RowOfOutput(transforms_, column, [&](int64_t point) {
          return back(i[0], i[1], i[2], i[3], Int(point), i[4], i[6]);
        });
      });
    };
    return te::Compute(
        name_ + ".sums",
        {shape_.images, blocks_, shape_.rows, shape_.outputs, columns_, shape_.outputs, tile_.block()},
        element, {"n", "o", "y", "r", "x", "q", "l"});
  }

  Tensor Plain(const Tensor& sums) const {
    const int64_t block = tile_.block(), outputs = shape_.outputs;
    const auto element = [&](const Indices& i) -> te::Body {
      return sums(i[0], FloorDiv(i[1], block), FloorDiv(i[2], outputs), FloorMod(i[2], outputs),
                  FloorDiv(i[3], outputs), FloorMod(i[3], outputs), FloorMod(i[1], block));
    };
    std::vector<std::string> names;
    for (const Axis& axis : result_->axes) names.push_back(axis.name());
    return te::Compute(name_, result_.shape(), element, names);
  }

  std::vector<int64_t> PackedShape() const {
    return {shape_.points * shape_.points, blocks_, shape_.inputs, tile_.block()};
  }

  /// G g G^T of every window, computed in float64 and rounded once.
  graph::TensorPtr Pack(const graph::Tensor& weights) const {
    const std::span<const float> from = weights.data<float>();
    const auto points = static_cast<size_t>(shape_.points);
    const auto of_number = static_cast<size_t>(blocks_ * shape_.inputs * tile_.block());
    std::vector<float> to(points * points * of_number);
    for (int64_t o = 0; o < shape_.channels; ++o)
      for (int64_t c = 0; c < shape_.inputs; ++c) {
        const float* window = &from[static_cast<size_t>((o * shape_.inputs + c) * kTaps * kTaps)];
        const int64_t at = (o / tile_.block() * shape_.inputs + c) * tile_.block() + o % tile_.block();
        Transform(window, &to[static_cast<size_t>(at)], of_number);
      }
    return std::make_shared<const graph::Tensor>(PackedShape(), std::move(to));
  }

  /// The numbers of one window go `apart`.
  void Transform(const float* window, float* to, size_t apart) const {
    const Matrix& g = transforms_.weights;
    for (size_t i = 0; i < g.size(); ++i) {
      double row[kTaps] = {};
      for (int64_t a = 0; a < kTaps; ++a)
        for (int64_t b = 0; b < kTaps; ++b)
          row[b] += g[i][static_cast<size_t>(a)] * static_cast<double>(window[a * kTaps + b]);
      for (const std::vector<double>& column : g) {
        *to = static_cast<float>(column[0] * row[0] + column[1] * row[1] + column[2] * row[2]);
        to += apart;
      }
    }
  }

  const ops::Convolved& op_;
  std::string name_;
  Tensor result_;
  TileShape shape_;
  WinogradTransforms transforms_;
  Tile tile_, row_;
  int64_t blocks_, columns_;
};

bool IsTransformable(const ops::Convolved& op) {
  const std::array<int64_t, 2> ones{1, 1};
  return op.x.type() == DataType::Float(32) && op.w.type() == op.x.type() && !op.is_product() && !op.part &&
         op.groups == 1 && op.x.shape()[1] >= kFewestInputs && op.stride == ones && op.dilation == ones &&
         op.w.shape()[2] == kTaps && op.w.shape()[3] == kTaps;
}

/// Until as many weights are there.
int64_t CyclesOfWeights(int64_t count) { return count * 4 / kBytesACycle; }

/// Of the transforms' vectors and the products.
int64_t CyclesOf(const TileShape& shape, const CpuTarget& target) {
  const Tile tile = ChooseTile(shape.Product(), target);
  const int64_t products = shape.points * shape.points;
  const int64_t row = CeilDiv(shape.columns, RowLanes(shape.columns, target));
  const int64_t seen =
      shape.inputs * row * shape.points * (8 * shape.height() + 5 * shape.points * shape.rows);
  const int64_t vectors = CeilDiv(shape.channels, tile.block()) * tile.vectors * shape.columns;
  const int64_t back = vectors * shape.rows * shape.points * (shape.points + shape.outputs) * 2;
  return shape.images * (products * CyclesOf(shape.Product(), tile) + seen + back) +
         CyclesOfWeights(products * shape.inputs * shape.channels);
}

}  // namespace

std::optional<TileProblem> TransformedProblem(const ops::Computation& plain, const CpuTarget& target,
                                              int64_t outputs) {
  if (!IsTransformable(*plain.convolved) || (outputs != 2 && outputs != 4)) return std::nullopt;
  const TileProblem problem = TileShape(*plain.convolved, plain.tensor.shape(), outputs).Product();
  return IsTileable(problem, target) ? std::optional(problem) : std::nullopt;
}

int64_t ChooseTransform(const ops::Computation& plain, const CpuTarget& target) {
  const auto direct = ConvolutionProblem(plain, target);
  if (!direct) return 0;
  const std::vector<int64_t>& result = plain.tensor.shape();
  int64_t best = 0, least = result[0] * CyclesOf(*direct, ChooseTile(*direct, target)) +
                            CyclesOfWeights(direct->depth * direct->channels * direct->taps);
  for (const int64_t outputs : {2, 4}) {
    if (!TransformedProblem(plain, target, outputs)) continue;
    const TileShape shape(*plain.convolved, result, outputs);
    if (const int64_t cycles = CyclesOf(shape, target); cycles < least) least = cycles, best = outputs;
  }
  return best;
}

Blocked TransformConvolution(const ops::Computation& plain, const graph::Tensor& weights,
                             const CpuTarget& target, int64_t outputs, const Tile& tile) {
  COSIM_CHECK(IsTransformable(*plain.convolved), "'{}' is no such convolution", plain.tensor->name);
  const TileShape shape(*plain.convolved, plain.tensor.shape(), outputs);
  return TransformBuilder(*plain.convolved, plain.tensor, shape, target, tile).Run(weights);
}

}  // namespace cosim::schedules
