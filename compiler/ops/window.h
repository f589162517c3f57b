// SPDX-License-Identifier: Apache-2.0
// Tensor expressions of windows that slide over any number of spatial dimensions of [N,C,spatial...]:
// convolutions, transposed convolutions, pools. On floats and on integers.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/ops/definition.h"
#include "compiler/ops/map.h"
#include "compiler/te/te.h"

namespace cosim::ops {

/// A list has an entry a spatial dimension. What a window meets before the first element is `before` wide;
/// behind the last it is as wide as the windows reach.
struct Sliding {
  std::vector<int64_t> kernel, stride, dilation, before;
};

/// An element of the operand as the sum is to see it: centred, widened.
using Seen = std::function<tir::Expr(const tir::Expr&)>;
/// As Seen for the weights of output channel `o`.
using SeenWeight = std::function<tir::Expr(const tir::Expr& weight, const tir::Expr& o)>;

struct Convolution {
  Sliding window;
  int64_t groups = 1;
  Seen seen = AsIs;
  SeenWeight seen_weight = [](const tir::Expr& weight, const tir::Expr&) { return weight; };
};

/// [N,C,...] of `shape`, in which x begins `before` elements behind the first of each spatial dimension: x
/// after `seen`, and around it `border`, of the type of `seen`.
Computation Framed(const std::string& name, const std::vector<int64_t>& shape, const te::Tensor& x,
                   std::span<const int64_t> before, const tir::Expr& border, const Seen& seen = AsIs);

/// [N,O,...] of x [N,C,...] and w [O,C/groups,kernel...]: the last computation holds plain sums, of the type
/// that products of `seen` values have. Outside of x stands 0 as `seen`.
Definition Convolve(const std::string& name, const std::vector<int64_t>& shape, const te::Tensor& x,
                    const te::Tensor& w, const Convolution& convolution);

/// Its operands for a schedule, as if it saw them plain; nothing unless there are two spatial dimensions.
std::optional<Convolved> ConvolvedBy(const te::Tensor& x, const te::Tensor& w,
                                     const Convolution& convolution);

/// [N,O,...]: each element of x [N,C,...] adds its multiple of the kernel, `stride` apart; `before` is cut
/// off. w is [C,O/groups,kernel...], or [O,C/groups,kernel...] with `outputs_first`.
Definition ConvolveTransposed(const std::string& name, const std::vector<int64_t>& shape, const te::Tensor& x,
                              const te::Tensor& w, const Sliding& window, int64_t groups, bool outputs_first);

/// x [N,C,...] reduced over each window, after `seen`. Outside of x stands `border`, of the type of `seen`.
Definition Pool(const std::string& name, const std::vector<int64_t>& shape, const te::Tensor& x,
                const Sliding& window, te::ReduceOp op, const tir::Expr& border, const Seen& seen);

/// `last` of the last computation's elements, with the indices of each; appended as the value of the node.
using Last = std::function<tir::Expr(const tir::Expr& value, const te::Indices& i)>;
void Finish(Definition& definition, const std::string& name, const Last& last);

}  // namespace cosim::ops
