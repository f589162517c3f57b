// SPDX-License-Identifier: Apache-2.0
// The roles that memories of a spec play for convolution-like kernels, found from its intrinsic and its
// formats rather than by name.
#pragma once

#include <string>

#include "isa/spec.h"

namespace cosim::network {

struct Array {
  int gemm = -1;                                                        ///< format with the intrinsic
  int accumulators = -1, activations = -1, weights = -1, results = -1;  ///< memories
  int parameters = -1;  ///< records {bias, mult, shift} a channel; -1: the ISA has none
  int bias_field = -1, mult_field = -1, shift_field = -1;
  int64_t batch = 1, block_in = 1, block_out = 1;  ///< extents of a tile
  /// Channels of a block in DRAM: where a value is read (whole elements of `activations`) and where it is
  /// written (whole results). One number, a multiple of both blocks, wherever elements of one kind can be
  /// read as the other.
  int64_t layout_in = 1, layout_out = 1;
  /// Bytes in DRAM of an element: where its lanes fill no power of two of bytes it has a gap behind them.
  int64_t activation_bytes = 1, result_bytes = 1, weight_bytes = 1;
  /// Elements of a block.
  int64_t InElements() const { return layout_in / block_in; }
  int64_t OutElements() const { return layout_out / block_out; }
  /// Bytes in DRAM of a block of `block` channels, layout_in or layout_out.
  int64_t BlockBytes(int64_t block) const {
    return block == layout_in ? InElements() * activation_bytes : OutElements() * result_bytes;
  }
  int activation_bits = 8;  ///< of a lane; values of a network may have fewer
  int weight_bits = 8;
  bool results_are_mirrored = false;  ///< results are the low bits of the accumulators
  /// The memory a kernel writes its results to: `results`, or the accumulators it mirrors.
  int ResultMemory() const { return results_are_mirrored ? accumulators : results; }
};

/// Nothing usable in it leaves `gemm` at -1; `why` says what is missing.
Array FindArray(const isa::Spec& spec, std::string& why);

}  // namespace cosim::network
