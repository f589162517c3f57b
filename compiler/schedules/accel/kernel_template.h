// SPDX-License-Identifier: Apache-2.0
// What one kind of kernel on the accelerator has for itself: the sums it computes, where their operands
// stand, the order of its loops and the instruction it wants for the innermost ones. All the rest is common
// (kernel.h, rank_tiles.h). A new kind is a class here and a function that returns its only object; it needs
// no change to the others.
#pragma once

#include <optional>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/layouts/relayout.h"
#include "compiler/schedules/accel/array.h"
#include "compiler/schedules/accel/tile.h"
#include "compiler/te/schedule.h"

namespace cosim::kernels {

class KernelTemplate {
 public:
  virtual ~KernelTemplate() = default;

  /// As in "contraction", for people and for what is remembered of a kernel.
  virtual const char* Name() const { return "map"; }

  /// The sums as an operation of the graph on what the window holds, padding and all, channels counted as the
  /// layouts say. Nothing: the kernel is its epilogue alone.
  virtual std::optional<graph::Op> Sums(const Window&, const Array&) const { return std::nullopt; }
  /// Whether the sums are values of their input's type; they are int32 otherwise.
  virtual bool KeepsType() const { return false; }
  /// Whether it sums over channels: they then have blocks and lanes of their own, else the output's.
  virtual bool SumsChannels() const { return false; }

  /// Reduced axes of the sums for channels, as parts of the array's, before those of the window's rows and
  /// columns.
  virtual std::vector<layouts::ReducePart> ReducedChannels(const Window&, const Array&) const { return {}; }
  /// Likewise for the window's rows.
  virtual std::vector<layouts::ReducePart> ReducedRows(const Window& w, const Array&) const {
    return {{"ky", w.kh}};
  }

  /// Where weights stand in DRAM as dimensions of [O, I, KH, KW]; a dimension that no part names has one
  /// element. Nothing: there are none.
  virtual std::optional<layouts::Layout> Weights(const Window&, const Array&) const { return std::nullopt; }
  /// The memories of the window and of the weights on chip.
  virtual int WindowMemory(const Array& array) const { return array.alu_activations; }
  virtual int WeightMemory(const Array&) const { return -1; }

  /// Orders the loops of the stage `sum`, whose axes are n, g, co, y, x, so, b, o and then `reduced` (as
  /// kernel.h lists them), and marks those that an instruction is wanted for. Returns the loop at which the
  /// window's and the weights' next part is loaded; nothing: a tile's are loaded at once.
  virtual std::optional<te::Axis> Order(te::Stage& sum, const std::vector<te::Axis>& reduced,
                                        const Tile& tile) const;

  /// Whether a window of no weights may be on chip a few rows at a time (Tile::ky).
  virtual bool TakesRowsByTurns() const { return false; }

  /// As the tile model counts them: rows of the window that go together, elements of weights for those, and
  /// cycles of the array for them and `cols` sums that stand side by side in `pieces` tiles.
  virtual int64_t RowsTogether(const Array&) const { return 1; }
  virtual int64_t RowWeights(const Window& w) const { return w.kw; }
  virtual int64_t RowCycles(const Window& w, const Array&, int64_t cols, int64_t pieces) const;

  /// Passes of the ALU over each element of the output for the sums, as the tile model counts them.
  virtual int64_t AluPasses(const Window&) const { return 0; }
};

/// Convolutions, dense layers and products of matrices by the array: acc[b, o] += inp[b, k] * wgt[o, k].
const KernelTemplate& Contraction();
/// Depthwise convolutions by the ISA's product a lane (Array::lanes).
const KernelTemplate& Lanes();
/// Depthwise convolutions, and others of small groups, by the ISA's product along rows (Array::rows).
const KernelTemplate& Rows();
/// Windows by ALU ops. A frame of padding is a max pool with a window of one pixel.
const KernelTemplate& MaxPooling();
const KernelTemplate& SumPooling();
/// Element by element: no sums.
const KernelTemplate& Map();

}  // namespace cosim::kernels
