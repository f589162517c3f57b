// SPDX-License-Identifier: Apache-2.0
// Shapes of values and convolutions as the accelerator's kernels see them, and the layouts in which values
// stand in DRAM.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "compiler/accel/gather.h"
#include "compiler/graph/graph.h"
#include "compiler/network/group.h"
#include "compiler/schedules/accel/array.h"

namespace cosim::network {

using kernels::Array;

/// How a value stands in DRAM.
struct Layout {
  enum class Kind {
    kPlain,    ///< row-major, as the graph has it
    kBlocked,  ///< [N / batch][C / block][H][W][batch][block], channels padded, lanes as wide as the array's;
               ///< a gap behind each element that fills no power of two of bytes
    kPatches,  ///< blocked, the channels being the taps of a convolution's window: [N / batch][KH * KW * C /
               ///< block][OH][OW][batch][block]
    kImage,  ///< [N][rows][columns][C] with the border that a convolution gives it and what its windows reach
             ///< behind: the accelerator gathers the windows (accel::Gathered)
    kMatrices,  ///< an operand of a matmul as weights: [N][groups][O / layout_out][out elements][I /
                ///< layout_in][in elements][block_out][block_in], with gaps likewise
  } kind = Kind::kPlain;
  int64_t block = 0;                ///< kBlocked, kPatches: Array::layout_in or layout_out
  graph::ValueId patches_for = -1;  ///< kPatches, kImage: the convolution
  int64_t groups = 1;       ///< kBlocked: [N][groups][C / groups / block]…; kMatrices; more than one: batch 1
  bool transposed = false;  ///< kMatrices: graph::MatMul::transpose_b
  int64_t pixels = 0;       ///< kBlocked: of each block, where H * W are filled up; those behind mean nothing
  friend auto operator<=>(const Layout&, const Layout&) = default;
};

/// Bytes a value of the graph takes in a layout.
int64_t BytesOf(const graph::Graph& graph, graph::ValueId value, const Layout& layout, const Array& array);

/// [N, C] counts as [N, C, 1, 1].
std::array<int64_t, 4> Shape4(const graph::Graph& graph, graph::ValueId id);

/// Whether the written layout of a value that is computed is one run of whole blocks.
bool FillsBlocks(const graph::Graph& graph, graph::ValueId value, const Array& array);

/// Constant weights, int8 or int16, in their order.
class WeightValues {
 public:
  WeightValues() = default;
  explicit WeightValues(const graph::Tensor& tensor);
  bool is_wide() const { return !wide_.empty(); }
  int64_t size() const { return static_cast<int64_t>(narrow_.size() + wide_.size()); }
  int32_t operator[](int64_t i) const { return wide_.empty() ? narrow_[i] : wide_[i]; }
  /// The least and the largest.
  std::pair<int32_t, int32_t> Range() const;

 private:
  std::span<const int8_t> narrow_;  // one of the two is empty
  std::span<const int16_t> wide_;
};

/// The convolution that a group's anchor is, dense layers included.
struct ConvView {
  std::array<int64_t, 4> x;              ///< the shape it sees
  int64_t o = 0, i = 0, kh = 1, kw = 1;  ///< weights [o][i][kh][kw]: i are the channels of one group
  graph::Conv2d attributes;
  WeightValues weights;
};

/// `input` is the value it reads; a dense layer may read it before or after flattening. Its weights are
/// constant.
ConvView ViewOf(const graph::Graph& graph, const Group& group, graph::ValueId input);

/// The shape of each matrix of a kMatrices layout: results, and what is summed over.
struct MatrixShape {
  int64_t count = 1, o = 1, i = 1;
};
MatrixShape MatrixShapeOf(const std::array<int64_t, 4>& value, int64_t groups, bool transposed);

/// Whether so many neighbouring pixels of a block are, to the byte, a tile of weights: an output each.
bool PixelsAreTiles(const Array& array);

/// Groups of a convolution as the array computes them: so many neighbours taken together, with zeros between
/// them, that channels of one do not share a block with those of another.
struct Grouping {
  int64_t together = 1;  ///< graph groups in one of the kernel's
  int64_t count = 1;     ///< groups of the kernel
};
Grouping GroupingOf(const ConvView& view, const Array& array);

/// The window of a convolution over its input as an image, whose values take `value_bytes`.
accel::ImageWindow ImageWindowOf(const ConvView& view, int64_t oh, int64_t ow, int64_t value_bytes);

/// The same of a value in a kImage layout.
accel::ImageWindow ImageOf(const graph::Graph& graph, graph::ValueId value, const Layout& layout);

/// Whether unrolling the window into the channels pays: where few channels would leave most lanes empty.
bool UsePatches(const ConvView& view, const Array& array);

}  // namespace cosim::network
