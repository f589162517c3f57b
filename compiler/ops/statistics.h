// SPDX-License-Identifier: Apache-2.0
// Tensor expressions that combine elements along dimensions: reductions, softmax, means and variances and
// what normalizes by them. Sums of floats are of float64.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/ops/definition.h"
#include "compiler/ops/map.h"
#include "compiler/te/te.h"

namespace cosim::ops {

/// Which dimensions of a tensor are reduced, of all that it has; a scalar's has one, of extent 1.
using Over = std::vector<bool>;

/// x reduced over dimensions, of shape `shape`: x's where those dimensions are 1, or where they are left out.
/// `seen` is what of an element is reduced. The last computation has the result. Long rows of neighbours are
/// reduced in lanes first, which do not wait for each other.
std::vector<Computation> ReduceOver(const std::string& name, const std::vector<int64_t>& shape,
                                    const te::Tensor& x, const Over& over, te::ReduceOp op,
                                    const std::function<tir::Expr(const tir::Expr&)>& seen);

/// The element for `i` of a tensor that has extents of 1 where x is reduced.
tir::Expr Kept(const te::Tensor& reduced, const te::Indices& i);

/// exp(scale * x) over its sum along dimensions; with `logarithm`, the logarithm of that.
Definition SoftmaxOver(const std::string& name, const te::Tensor& x, const Over& over, double scale,
                       bool logarithm);

/// Means and 1 / deviations of float64, with extents of 1 where x is reduced.
struct Moments {
  std::vector<Computation> computations;
  te::Tensor mean, inverse;
};
/// The deviation is sqrt(variance + epsilon), or sqrt(variance) + `behind`.
Moments MomentsOver(const std::string& name, const te::Tensor& x, const Over& over, double epsilon,
                    double behind = 0);

/// (x - mean) / deviation after `last`, which sees it as float64 with the indices.
Definition Normalized(const std::string& name, const te::Tensor& x, const Moments& moments,
                      const std::function<tir::Expr(const tir::Expr&, const te::Indices&)>& last);

}  // namespace cosim::ops
