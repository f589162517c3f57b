// SPDX-License-Identifier: Apache-2.0
// The roles that memories of a spec play for convolution-like kernels, found by what its instructions and ALU
// ops can do with them (compiler/accel/capabilities.h) rather than by name.
#pragma once

#include <string>

#include "compiler/accel/capabilities.h"
#include "isa/spec/spec.h"

namespace cosim::kernels {

struct Array {
  int gemm = -1;                                                        ///< format with the intrinsic
  int accumulators = -1, activations = -1, weights = -1, results = -1;  ///< memories
  accel::ChannelRecord parameters;  ///< memory -1: the ISA has none, and no_parameters may say why
  std::string no_parameters;
  int64_t batch = 1, block_in = 1, block_out = 1;  ///< extents of a tile
  bool weights_by_input = false;                   ///< a tile of weights is [block_in][block_out]
  int units = 1;  ///< that have an instruction which computes what `gemm` does (accel::FindSameWork)
  accel::LaneProduct lanes;  ///< format -1: the ISA has none
  accel::RowProduct rows;    ///< likewise
  accel::ValueTable table;   ///< memory -1: the ISA has none
  int alu_activations = -1;  ///< memory where the ALU reads activations; `activations` if it can
  /// Elements of it that stand side by side for one of the accumulators'; 0: they never do.
  int64_t alu_parts = 1;
  bool own_activations = false, own_weights = false;  ///< each of them reads a memory of its own
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
  bool HasParameters() const { return parameters.memory >= 0; }
};

/// Of memories that could hold results, one that an ALU op writes comes before one that mirrors the
/// accumulators; of equals the first is taken. Nothing usable leaves `gemm` at -1; `why` says what is
/// missing.
Array FindArray(const isa::Spec& spec, std::string& why);

}  // namespace cosim::kernels
