// SPDX-License-Identifier: Apache-2.0
// A node of the graph as tensor expressions, with what a schedule has to know about their loops. Element-wise
// operations are elementwise.h's; the loops themselves schedule.h's.
#pragma once

#include <array>
#include <optional>
#include <span>
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
  kReshape,      ///< [N,C*H*W] from [N,C,H,W].
  kColumns,      ///< Reads or reduces over channels or products: plain loops.
  kReduce,       ///< Any shape: the loops from `inner_from` on run inside those that reduce.
  kFrame,        ///< [N,C,H,W] or [N,C/d,H,W,d]: a copy within a frame of whole vectors.
  kTiles,       ///< [N,O/o,OH,OW,o] with a tile of registers (schedules/cpu/tile.h); reduces as kConvolution.
  kTurn,        ///< [N,O/o,OH,o,OW] of what kTiles before it sums: a channel's pixels side by side.
  kPack,        ///< [N,O/o,K,o]: copies of the blocks that the kTiles behind it read.
  kRows,        ///< [N,C,OH,OW] with a tile of registers; reduces over a window (kh, kw).
  kTransform,   ///< Sums of a few elements by constants; dimension `written_out` says which, the last are
                ///< lanes.
  kBlocks,      ///< [N/n,C/c,H,W,n,c] or [N/n,C/c,H,W,l]: each element from elements of its pixel.
  kInterleave,  ///< [N,C,H,W]: every `apart`-th row and column from one of several operands.
};

/// Which of the numbers of an array are the weights of a convolution: that of output o, input c, row h and
/// column w of the kernel is number first + o * output + c * input + h * row + w * column.
struct WeightPlaces {
  int64_t outputs = 0, inputs = 0;
  std::array<int64_t, 2> kernel{1, 1};
  int64_t first = 0, output = 0, input = 0, row = 0, column = 0;
};

/// What a computation convolves, for schedules that arrange arrays in another way: x [N,C,H,W], outside of
/// which stands `zero_point`, with w [O,C/groups,KH,KW]; or a product by constants, [...,C] with [O,C].
struct Convolved {
  te::Tensor x, w;
  std::array<int64_t, 2> stride{1, 1}, dilation{1, 1};
  std::array<int64_t, 2> before{0, 0};  ///< rows and columns that the first window meets outside
  int64_t groups = 1;
  int64_t zero_point = 0;              ///< taken off every element of x
  bool transposed = false;             ///< a product's w is [C,O]
  std::optional<WeightPlaces> part{};  ///< the weights, if they are but a part of w, or in another order

  bool is_product() const { return w.shape().size() == 2; }
  WeightPlaces weights() const;
};

struct Computation {
  te::Tensor tensor;
  Pattern pattern = Pattern::kElementwise;
  /// kConvolution: so many output channels read the same input channels. kColumns: so many of those that are
  /// reduced over stand side by side.
  int64_t channels_together = 1;
  std::vector<int64_t> source_shape;     ///< kReshape: the shape it reads.
  std::optional<Convolved> convolved{};  ///< kConvolution, kReduce and others: if this is all it does.
  /// kReduce: the first dimension of neighbours in what is read. kElementwise: the first from which each
  /// operand either has all of the result's elements or one.
  size_t inner_from = 0;
  /// Of products of matrices, for schedules that arrange arrays in another way: the same values as one sum.
  te::Tensor product{};
  /// kTiles of products: in what reads them, dimensions from here on are pixels, but for the last, the
  /// channels.
  std::optional<size_t> rows_from{};
  std::array<int64_t, 2> apart{1, 1};  ///< kInterleave: rows and columns of one operand
  size_t written_out = 0;              ///< kTransform
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

/// The loop IR's name of an element type that is not float16.
tir::DataType TypeOf(graph::DType dtype);
/// And back.
graph::DType DTypeOf(tir::DataType type);

/// The shape of a value's tensor, which has a dimension even when the value is a scalar.
std::vector<int64_t> TensorShape(const graph::TensorType& type);

/// `operands` are the tensors of the node's inputs; `known`, what is known of them before anything runs, is
/// for HostOps. Nothing when the node has no tensor expression: then a routine computes it.
std::optional<Definition> Define(const graph::Node& node, const std::vector<te::Tensor>& operands,
                                 std::span<const graph::HostOperand> known = {});

/// Whether Define gives tensor expressions for the node, which is neither an input nor a constant.
bool HasDefinition(const graph::Graph& graph, graph::ValueId id);

/// Whether all that Define gives is one element-wise computation.
bool IsDefinedByElements(const graph::Graph& graph, graph::ValueId id);
/// The same, of an operation that has no table of its own: no numbers by channel.
bool IsDefinedByElementsAlone(const graph::Graph& graph, graph::ValueId id);

/// What is known of a node's inputs: their types, and the values of constants.
std::vector<graph::HostOperand> KnownOf(const graph::Graph& graph, const graph::Node& node);

}  // namespace cosim::ops
