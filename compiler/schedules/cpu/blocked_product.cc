// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedules/cpu/blocked_product.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/tir/operators.h"
#include "compiler/tir/visitor.h"
#include "isa/check.h"

namespace cosim::schedules {
namespace {

using te::Axis;
using te::Indices;
using te::Tensor;
using tir::Expr;
using tir::Int;

constexpr int64_t kFewest = 4;  // rows and columns that are worth packing for

bool DependsOnAxis(const Expr& expr, const Axis& axis) {
  const std::vector<tir::Var> vars = tir::VarsOf(expr);
  return std::find(vars.begin(), vars.end(), axis->var) != vars.end();
}

/// The factors of a product, a of its row and b of its column.
struct FactorPair {
  Expr a, b;
};

std::optional<FactorPair> FactorsOf(const Tensor& plain) {
  const auto* sum = std::get_if<te::Reduction>(&plain->body);
  if (!sum || sum->op != te::ReduceOp::kSum || sum->axes.size() != 1 || plain.shape().size() < 2 ||
      plain.type() != tir::DataType::Float(32))
    return std::nullopt;
  const auto* product = tir::As<tir::Binary>(sum->source);
  if (!product || product->op != tir::BinaryOp::kMul) return std::nullopt;
  const Axis &row = plain->axes.end()[-2], &column = plain->axes.back();
  if (DependsOnAxis(product->a, column) || DependsOnAxis(product->b, row)) return std::nullopt;
  return FactorPair{product->a, product->b};
}

class ProductBuilder {
 public:
  ProductBuilder(const Tensor& plain, FactorPair factors, Tile tile)
      : plain_(plain),
        factors_(std::move(factors)),
        tile_(tile),
        batch_(plain.shape().begin(), plain.shape().end() - 2),
        rows_(plain.shape().end()[-2]),
        columns_(plain.shape().back()),
        k_(std::get<te::Reduction>(plain->body).axes[0]) {
    for (const int64_t extent : batch_) matrices_ *= extent;
  }

  Blocked Run() const {
    const Tensor packed = Packed(), sums = Sums(packed);
    ops::Computation tiles{sums, ops::Pattern::kTiles};
    tiles.rows_from = batch_.size();
    return {{{{packed, ops::Pattern::kPack}, tiles, {Plain(sums), ops::Pattern::kElementwise}}, {}},
            {tile_, tile_, tile_}};
  }

 private:
  int64_t Blocks() const { return CeilDiv(columns_, tile_.block()); }

  /// `factor` at other indices.
  Expr At(const Expr& factor, const Expr& matrix, const Expr& row, const Expr& column, const Expr& k) const {
    tir::VarMap to = {{k_->var.get(), k}};
    const auto& axes = plain_->axes;
    if (row) to[axes.end()[-2]->var.get()] = row;
    if (column) to[axes.back()->var.get()] = column;
    Expr rest = matrix;
    for (size_t d = batch_.size(); d-- > 0;) {
      const bool first = std::all_of(batch_.begin(), batch_.begin() + static_cast<std::ptrdiff_t>(d),
                                     [](int64_t extent) { return extent == 1; });
      to[axes[d]->var.get()] = batch_[d] == 1 ? Int(0) : first ? rest : FloorMod(rest, batch_[d]);
      rest = FloorDiv(rest, batch_[d]);
    }
    return tir::Substitute(factor, to);
  }

  Tensor Packed() const {
    const auto element = [&](const Indices& i) -> te::Body {
      const Expr column = i[1] * tile_.block() + i[3];
      const Expr value = At(factors_.b, i[0], {}, column, i[2]);
      if (columns_ % tile_.block() == 0) return value;
      return tir::MakeSelect(Lt(column, columns_), value, tir::Float(0));
    };
    return te::Compute(plain_->name + ".packed", {matrices_, Blocks(), k_->extent, tile_.block()}, element,
                       {"n", "o", "c", "l"});
  }

  Tensor Sums(const Tensor& packed) const {
    const int64_t pixels = CeilDiv(rows_, tile_.pixels) * tile_.pixels;
    const Axis c = te::ReduceAxis(k_->extent, "c"), kh = te::ReduceAxis(1, "kh"),
               kw = te::ReduceAxis(1, "kw");
    const auto element = [&](const Indices& i) -> te::Body {
      // What is beyond the last row is summed for nothing.
      const Expr row = pixels == rows_ ? i[3] : Min(i[3], Int(rows_ - 1));
      return te::Sum(At(factors_.a, i[0], row, {}, c) * packed(i[0], i[1], c, i[4]), {c, kh, kw});
    };
    return te::Compute(plain_->name + ".sums", {matrices_, Blocks(), 1, pixels, tile_.block()}, element,
                       {"n", "o", "y", "x", "l"});
  }

  Tensor Plain(const Tensor& sums) const {
    const auto element = [&](const Indices& i) -> te::Body {
      Expr matrix = Int(0);
      for (size_t d = 0; d < batch_.size(); ++d) matrix = matrix * batch_[d] + i[d];
      const Expr block = FloorDiv(i.back(), tile_.block()), lane = FloorMod(i.back(), tile_.block());
      return sums(matrix, block, Int(0), i.end()[-2], lane);
    };
    return te::Compute(plain_->name, plain_.shape(), element);
  }

  const Tensor& plain_;
  FactorPair factors_;
  Tile tile_;
  std::vector<int64_t> batch_;
  int64_t matrices_ = 1, rows_, columns_;
  Axis k_;
};

}  // namespace

std::optional<TileProblem> ProductProblem(const Tensor& plain, const CpuTarget& target) {
  if (!FactorsOf(plain)) return std::nullopt;
  const int64_t rows = plain.shape().end()[-2], columns = plain.shape().back();
  const TileProblem problem{.rows = 1,
                            .pixels = rows,
                            .channels = columns,
                            .depth = std::get<te::Reduction>(plain->body).axes[0]->extent};
  if (!IsTileable(problem, target) || rows < kFewest || columns < kFewest) return std::nullopt;
  return problem;
}

Blocked BlockProduct(const Tensor& plain, const Tile& tile) {
  return ProductBuilder(plain, *FactorsOf(plain), tile).Run();
}

}  // namespace cosim::schedules
