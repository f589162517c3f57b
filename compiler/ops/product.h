// SPDX-License-Identifier: Apache-2.0
// Tensor expressions of products of matrices, on floats and on integers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/ops/definition.h"
#include "compiler/te/te.h"

namespace cosim::ops {

/// The factors of element `i` of the product at `k` along what is summed over.
struct Factors {
  int64_t depth = 1;
  std::function<tir::Expr(const te::Indices& i, const tir::Expr& k)> a, b;
  /// Whether neighbours along k are neighbours in memory in both: then lanes of sums run along k. If not, the
  /// last dimension of the product runs innermost.
  bool rows = false;
};

/// The sums of a * b, of the type that products have, as the last computation, which is not yet the node's
/// value where something follows it (Finish of window.h).
Definition Product(const std::string& name, const std::vector<int64_t>& shape, const Factors& factors);

/// numpy's matmul of a and b, of one type. The product is of `shape`; a vector is a row or column.
Factors MatMulFactors(const te::Tensor& a, const te::Tensor& b, bool a_is_vector, bool b_is_vector);

}  // namespace cosim::ops
