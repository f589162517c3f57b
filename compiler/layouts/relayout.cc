// SPDX-License-Identifier: Apache-2.0
#include "compiler/layouts/relayout.h"

#include <algorithm>
#include <map>

#include "compiler/tir/operators.h"
#include "compiler/tir/simplify.h"
#include "compiler/tir/visitor.h"
#include "isa/check.h"

namespace cosim::layouts {
namespace {

using te::Indices;
using te::Tensor;
using tir::Expr;

size_t Rank(const Layout& layout) {
  size_t rank = 0;
  for (const Part& part : layout) rank = std::max(rank, part.dim + 1);
  return rank;
}

/// Whether the part stands in one dimension with the one before it.
bool SharesWithBefore(const Layout& layout, size_t part) { return part > 0 && layout[part - 1].within != 0; }

bool IsSplit(const Layout& layout, size_t dim) { return std::ranges::count(layout, dim, &Part::dim) > 1; }

Expr Append(const Expr& digits, int64_t extent, const Expr& digit) {
  if (extent == 1) return digits;
  return digits ? digits * extent + digit : digit;
}

/// Indices of the plain array from those of one with `layout`.
Indices PlainIndices(const Layout& layout, const Indices& digits) {
  Indices plain(Rank(layout));
  for (size_t p = 0; p < layout.size(); ++p) {
    const auto& [dim, extent, name, repeated, within] = layout[p];
    COSIM_CHECK(within == 0, "'{}' shares a dimension of what is computed", name);
    plain[dim] = IsSplit(layout, dim) ? Append(plain[dim], extent, digits[p]) : digits[p];
  }
  for (Expr& index : plain)
    if (!index) index = tir::Int(0);
  return plain;
}

/// Rewrites the expressions of one computation.
class Rewriter {
 public:
  explicit Rewriter(const std::vector<Read>& reads) : reads_(reads) {}

  void Bind(const std::string& name, const Expr& axis, int64_t extent) {
    ranges_.Bind(tir::As<tir::VarRef>(axis)->var, 0, extent);
    axes_[name] = axis;
  }
  void Replace(const te::Axis& axis, Expr by) { values_[axis->var.get()] = std::move(by); }

  Expr operator()(const Expr& expr) {
    return tir::RewriteExpr(tir::Substitute(expr, values_), [this](const Expr& node) {
      const auto* load = tir::As<tir::Load>(node);
      return load ? ReadOf(*load) : node;
    });
  }

 private:
  Expr ReadOf(const tir::Load& load) {
    const auto read =
        std::ranges::find_if(reads_, [&](const Read& r) { return r.plain.buffer() == load.buffer; });
    COSIM_CHECK(read != reads_.end(), "nothing stands for '{}'", load.buffer->name);
    const Layout& layout = read->layout;
    const Indices digits = Digits(layout, load.indices);
    Indices at;
    for (size_t p = 0; p < digits.size(); ++p) {
      if (layout[p].repeated) continue;
      if (SharesWithBefore(layout, p)) {
        at.back() = at.back() * layout[p].extent + digits[p];
      } else {
        at.push_back(digits[p]);
      }
    }
    return read->instead(at);
  }

  /// Indices of an array with `layout` from those of the plain one.
  Indices Digits(const Layout& layout, const Indices& plain) {
    Indices digits(layout.size());
    std::vector<int64_t> below(plain.size(), 1);  // of each plain dimension, the product of the parts behind
    std::vector<size_t> first(plain.size(), layout.size());  // the most significant part
    for (size_t p = layout.size(); p-- > 0;) first[layout[p].dim] = p;
    for (size_t p = layout.size(); p-- > 0;) {
      const auto& [dim, extent, name, repeated, within] = layout[p];
      const auto axis = axes_.find(name);
      if (IsSplit(layout, dim) && extent == 1 && axis != axes_.end()) {
        digits[p] = axis->second;
        continue;
      }
      Expr digit = plain[dim];
      if (below[dim] != 1) digit = FloorDiv(digit, below[dim]);
      if (p != first[dim]) digit = FloorMod(digit, extent);
      digits[p] = ranges_.Simplify(digit);
      below[dim] *= extent;
    }
    return digits;
  }

  const std::vector<Read>& reads_;
  tir::Simplifier ranges_;
  std::map<std::string, Expr> axes_;
  tir::VarMap values_;
};

}  // namespace

std::vector<int64_t> ShapeOf(const Layout& layout) {
  std::vector<int64_t> shape;
  for (size_t p = 0; p < layout.size(); ++p)
    if (!SharesWithBefore(layout, p))
      shape.push_back(layout[p].within != 0 ? layout[p].within : layout[p].extent);
  return shape;
}

std::vector<int64_t> PlacesAlong(const Layout& layout, size_t dim) {
  std::vector<int64_t> places = {0};
  int64_t step = 1;
  for (const int64_t extent : ShapeOf(layout)) step *= extent;
  for (size_t p = 0; p < layout.size(); ++p) {
    const Part& part = layout[p];
    if (!SharesWithBefore(layout, p)) step /= part.within != 0 ? part.within : part.extent;
    if (part.dim != dim) continue;
    int64_t apart = step;
    for (size_t behind = p; layout[behind].within != 0; ++behind) apart *= layout[behind + 1].extent;
    std::vector<int64_t> finer;
    for (const int64_t place : places)
      for (int64_t digit = 0; digit < part.extent; ++digit) finer.push_back(place + digit * apart);
    places = std::move(finer);
  }
  return places;
}

std::vector<int64_t> PlainShapeOf(const Layout& layout) {
  std::vector<int64_t> shape(Rank(layout), 1);
  for (const Part& part : layout) shape[part.dim] *= part.extent;
  return shape;
}

Relayouted Relayout(const std::string& name, const Tensor& plain, const Layout& layout,
                    const std::vector<Read>& reads, const std::vector<std::vector<ReducePart>>& reduce_parts,
                    tir::DataType accumulate) {
  COSIM_CHECK(PlainShapeOf(layout) == plain.shape(), "the layout of '{}' is another array's", name);
  Relayouted result;
  const auto body = [&](const Indices& i) -> te::Body {
    Rewriter rewrite(reads);
    for (size_t p = 0; p < layout.size(); ++p) rewrite.Bind(layout[p].name, i[p], layout[p].extent);
    const Indices at = PlainIndices(layout, i);
    for (size_t d = 0; d < at.size(); ++d) rewrite.Replace(plain->axes[d], at[d]);
    const auto* reduction = std::get_if<te::Reduction>(&plain->body);
    if (!reduction) return rewrite(std::get<Expr>(plain->body));
    COSIM_CHECK(reduce_parts.size() == reduction->axes.size(), "'{}' reduces over {} axes", name,
                reduction->axes.size());
    for (size_t r = 0; r < reduce_parts.size(); ++r) {
      Expr index;
      const bool split = reduce_parts[r].size() > 1;
      for (const auto& [part, extent] : reduce_parts[r]) {
        const te::Axis axis = te::ReduceAxis(extent, part);
        result.reduce_axes.push_back(axis);
        rewrite.Bind(part, axis, extent);
        index = split ? Append(index, extent, axis) : Expr(axis);
      }
      if (!index) index = tir::Int(0);
      rewrite.Replace(reduction->axes[r], index);
    }
    return te::Reduction{reduction->op, tir::MakeCast(accumulate, rewrite(reduction->source)),
                         result.reduce_axes};
  };
  std::vector<std::string> names;
  for (const Part& part : layout) names.push_back(part.name);
  result.tensor = te::Compute(name, ShapeOf(layout), body, names);
  return result;
}

}  // namespace cosim::layouts
