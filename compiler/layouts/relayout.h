// SPDX-License-Identifier: Apache-2.0
// Layouts as transformations of tensor expressions: a computation on plain arrays becomes the same one on
// arrays whose dimensions are split and reordered, so that what it computes is said once.
//
// NCHW[n]n[c]c, for one, is {{0, N / n, "no"}, {1, C / c, "co"}, {2, H, "y"}, {3, W, "x"}, {0, n, "ni"}, {1,
// c, "ci"}}.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/te/te.h"

namespace cosim::layouts {

/// A dimension of a new array: a digit of the index into dimension `dim` of the plain one. The name is its
/// axis'; arrays that a computation reads share names with its axes where they are walked together.
struct Part {
  size_t dim;
  int64_t extent;
  std::string name;
  bool repeated = false;  ///< no dimension: the array has the same for every such digit; of arrays read only
  /// Not 0: it stands in one dimension, of so many elements, with the part behind it (and those that stand
  /// with that one), whose digits are the less significant ones. Elements that no digits name mean nothing.
  /// Of arrays read only.
  int64_t within = 0;
};

/// The dimensions of the new array in order. Of the digits of one plain dimension the first is the most
/// significant; the plain extent is their extents' product.
using Layout = std::vector<Part>;

std::vector<int64_t> ShapeOf(const Layout& layout);
/// Of an array with `layout`.
std::vector<int64_t> PlainShapeOf(const Layout& layout);

/// How far the elements of dimension `dim` of a plain array stand behind its first one in an array with
/// `layout`: an element is as far as its index into each dimension says, added up.
std::vector<int64_t> PlacesAlong(const Layout& layout, size_t dim);

/// Another array in place of a plain one that a computation reads.
struct Read {
  te::Tensor plain, instead;
  Layout layout;
};

/// A new axis of a reduction.
struct ReducePart {
  std::string name;
  int64_t extent;
};

struct Relayouted {
  te::Tensor tensor;
  std::vector<te::Axis> reduce_axes;  ///< the parts of the reduction's axes, one after the other
};

/// What `plain` computes, as an array with `layout`, reading others instead. `reduce_parts` splits each axis
/// of its reduction, most significant part first. A reduction is carried out in `accumulate`, which has to
/// hold all values of its type. A digit of extent 1 is written as the axis of its name, though 0 would do:
/// what walks lanes is seen to walk them.
Relayouted Relayout(const std::string& name, const te::Tensor& plain, const Layout& layout,
                    const std::vector<Read>& reads,
                    const std::vector<std::vector<ReducePart>>& reduce_parts = {},
                    tir::DataType accumulate = tir::DataType::Int(32));

}  // namespace cosim::layouts
