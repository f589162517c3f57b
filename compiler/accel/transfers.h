// SPDX-License-Identifier: Apache-2.0
// Cuts a strided copy of any number of dims into the two-dimensional transfers, padding included, that the
// load and store units do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cosim::accel {

/// One dim of a copy: `pad_low` padding positions, then `valid` elements, then `pad_high` padding positions.
struct CopyDim {
  int64_t valid = 1, pad_low = 0, pad_high = 0;
  int64_t sram_stride = 0, dram_stride = 0;  ///< elements; the DRAM side counts from the first valid element
  /// The on-chip elements from one position to the next belong to this copy, even those that it does not
  /// name: they may be filled with padding.
  bool owns_gap = false;
  bool repeats = false;  ///< in the padding stand the first and the last valid element again
  int64_t total() const { return pad_low + valid + pad_high; }
};

/// rows x cols elements; offsets and stride in elements. See isa::Transfer.
struct Copy2d {
  int64_t sram = 0, dram = 0, rows = 1, cols = 1, stride = 1;
  int64_t pad_top = 0, pad_bottom = 0, pad_left = 0, pad_right = 0;
  int64_t total_cols() const { return pad_left + cols + pad_right; }
  int64_t total_rows() const { return pad_top + rows + pad_bottom; }
};

/// The most that an instruction's fields hold, each at least 0; rows, cols and stride at least 1.
struct TransferLimits {
  int64_t rows = 1, cols = 1, stride = 1;
  int64_t pad_top = 0, pad_bottom = 0, pad_left = 0, pad_right = 0;
};

/// Dims outermost first, none empty. Merges what is contiguous on both sides; the rest becomes several
/// transfers, and so do what is too long for the fields and what repeats. Nothing, and `why` set, where
/// padding makes that impossible.
std::optional<std::vector<Copy2d>> CutCopy(std::vector<CopyDim> dims, const TransferLimits& limits,
                                           std::string& why);

}  // namespace cosim::accel
