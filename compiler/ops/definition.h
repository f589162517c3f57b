// SPDX-License-Identifier: Apache-2.0
// A node of the graph as tensor expressions, with what a schedule has to know about their loops. Element-wise
// operations are elementwise.h's; the loops themselves schedule.h's.
#pragma once

#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/te/te.h"

namespace cosim::ops {

/// What the loops of a computation look like. Activations are [N,C,H,W] or [N,K].
enum class Pattern {
  kElementwise,  ///< Each element from the same element of the operands.
  kPad,          ///< [N,C,H,W]: a copy within a frame.
  kConvolution,  ///< [N,O,OH,OW]: reduces over channels and a window (c, kh, kw).
  kPool,         ///< [N,C,OH,OW]: reduces over a window (kh, kw).
  kPlaneSum,     ///< [N,C,1,1]: reduces over planes (h, w).
  kDot,          ///< [N,O]: reduces over rows (k).
  kReshape,      ///< [N,C*H*W] from [N,C,H,W].
  kColumns,      ///< Reads or reduces over channels or products: plain loops.
};

struct Computation {
  te::Tensor tensor;
  Pattern pattern = Pattern::kElementwise;
  int64_t channels_together = 1;      ///< kConvolution: so many output channels read the same input channels.
  std::vector<int64_t> source_shape;  ///< kReshape: the shape it reads.
};

/// An array that belongs to an operation: per-channel parameters.
struct Table {
  te::Tensor placeholder;
  graph::TensorPtr values;
};

struct Definition {
  std::vector<Computation> computations;  ///< In the order of their use; the last is the value of the node.
  std::vector<Table> tables;
};

/// The loop IR's name of an element type.
tir::DataType TypeOf(graph::DType dtype);
/// And back.
graph::DType DTypeOf(tir::DataType type);

/// `operands` are the tensors of the node's inputs. For the operations that are exact: those on integers,
/// Quantize, Dequantize and Flatten.
Definition Define(const graph::Node& node, const std::vector<te::Tensor>& operands);

}  // namespace cosim::ops
