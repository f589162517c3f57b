// SPDX-License-Identifier: Apache-2.0
// Tensor expressions and schedules of the accelerator's kernels: convolution, pooling, elementwise. Values
// stand in DRAM as [N / batch][groups][C / layout block][H][W][elements of a block][batch][lanes]; weights as
// [groups][O / layout block][elements][I / layout block][elements][KH][KW][block_out][block_in], the
// last two as the array's elements have them, of a depthwise convolution as [C / layout block][elements][KH]
// [KW][lanes]; parameters one record a channel. What a kernel does with the accumulators at the end is its
// epilogue, the same for all, and what an operation computes is ops::Element's.
#pragma once

#include <string>
#include <vector>

#include "compiler/network/array.h"
#include "compiler/network/epilogue.h"
#include "compiler/te/schedule.h"
#include "compiler/tir/ir.h"
#include "isa/spec/spec.h"

namespace cosim::network {

/// A sliding window over blocked values; channels counted in layout blocks (of `si` elements where they are
/// read, `so` where they are written), extents in pixels. Pools leave ci at 1. A convolution may have groups,
/// each with ci and co blocks of its own.
struct Window {
  int64_t n = 1, ci = 1, h = 1, w = 1, co = 1, oh = 1, ow = 1;
  int64_t g = 1, si = 1, so = 1;
  int64_t kh = 1, kw = 1, sh = 1, sw = 1, dh = 1, dw = 1;
  int64_t top = 0, left = 0, bottom = 0, right = 0;
  int64_t pad_value = 0;
  int64_t RowsFor(int64_t y) const { return (y - 1) * sh + (kh - 1) * dh + 1; }
  int64_t ColsFor(int64_t x) const { return (x - 1) * sw + (kw - 1) * dw + 1; }
  bool Padded() const { return top || left || bottom || right; }
  friend bool operator==(const Window&, const Window&) = default;
};

/// The schedule's knobs. Tiles in groups, blocks and pixels of the output; `ci` input blocks are on chip at a
/// time.
struct Tile {
  int64_t co = 1, ci = 1, y = 1, x = 1;
  int threads = 1;                                                 ///< virtual threads
  enum class ThreadAxis { kCo, kY } thread_axis = ThreadAxis::kY;  ///< kCo: groups where there are several
  bool weights_resident = false;  ///< all of the layer's weights are loaded once and stay
  int64_t g = 1;                  ///< groups; more than one only with all of their blocks
  int units = 1;                  ///< with the same instruction, that threads are dealt to in turn
  friend bool operator==(const Tile&, const Tile&) = default;
};
std::string ToString(const Tile& tile);

/// A frame of padding is a kMaxPool with a window of one pixel.
/// kDepthwise: a convolution whose output channels each see the input channel of that number, one a lane.
enum class Anchor { kConvolution, kDepthwise, kMaxPool, kSumPool, kNone };
inline bool HasWeights(Anchor anchor) {
  return anchor == Anchor::kConvolution || anchor == Anchor::kDepthwise;
}
/// Where an anchor's window is on chip, and its weights.
int WindowMemory(const Array& array, Anchor anchor);
int WeightMemory(const Array& array, Anchor anchor);

/// A kernel's parameters in DRAM, in the order of the function's.
enum class Role { kInput, kWeights, kParameters, kBias, kResidual, kOutput };

struct KernelTe {
  tir::Function function;
  std::vector<Role> roles;
};

/// Whether a kernel loads the parameters of all its channels once; otherwise each tile brings its own.
bool ParametersResident(const isa::Spec& spec, const Array& array, const Window& window);

KernelTe BuildKernel(const isa::Spec& spec, const Array& array, const std::string& name, Anchor anchor,
                     const Window& window, const Epilogue& epilogue, const Tile& tile);

}  // namespace cosim::network
