// SPDX-License-Identifier: Apache-2.0
// The graph's operations that compute one element from the same element of their operands: the one
// place that says what they are, for both targets. compiler/graph/ops.h says it in words; who inlines them
// where is a schedule's decision.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/ops/types.h"
#include "compiler/te/te.h"

namespace cosim::ops {

/// `x` as another integer or float type.
inline tir::Expr As(tir::DataType type, tir::Expr x) { return tir::MakeCast(type, std::move(x)); }

/// A number of any width, saturated to a quantized type.
tir::Expr Saturated(tir::DataType type, const tir::Expr& x);
/// The real number x rounded down, likewise: in instructions that every processor has, where a floor of reals
/// may be a call. `type` has at most 31 bits.
tir::Expr SaturatedFloor(tir::DataType type, const tir::Expr& x);

/// What an operation adds to a value, multiplies it by and shifts it by: int32 numbers of a channel that a
/// target may keep in tables or records. An operation has one such record, or several by number.
enum class Part { kOffset, kMultiplier, kShift };

/// Where an operation's numbers are, for the channel that is being computed.
class Parameters {
 public:
  virtual ~Parameters() = default;
  /// As int32. `values`: one for all channels, or one each.
  virtual tir::Expr Get(int record, Part part, std::span<const int32_t> values) = 0;
  /// Whether they are known to be in the ranges that graph/ops.h gives; else just in those of their types.
  virtual bool InRange() const = 0;
};

/// Whether Element takes the node.
bool IsElementwise(const graph::Node& node);

/// One element of the node's value, as the type of that value. `operands` are elements of its operands, of
/// the types of the graph or wider; of a vector of channels the channel's.
tir::Expr Element(const graph::Node& node, std::span<const tir::Expr> operands, Parameters& parameters);

}  // namespace cosim::ops
