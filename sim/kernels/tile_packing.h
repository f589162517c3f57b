// SPDX-License-Identifier: Apache-2.0
// The packed copies of sources that the SIMD levels of sim/kernels/tile_gemm.h read: weights with `group`
// consecutive k beside each other for each output, and inputs widened to 16 bits.
#pragma once

#include <cstdint>
#include <cstring>

#include "sim/kernels/aligned_buffer.h"
#include "sim/kernels/tile_gemm.h"

namespace cosim::sim {

constexpr int RoundUp(int value, int multiple) { return (value + multiple - 1) / multiple * multiple; }

/// Calls f with the lanes in their own type.
template <class F>
void WithLanes(const SourceLanes& lanes, F&& f) {
  if (lanes.i8 != nullptr) {
    f(lanes.i8);
  } else {
    f(lanes.i16);
  }
}

/// Weights as [element][k / group][o rounded up to a vector][group], zero where there is no weight.
template <class T>
class PackedWeights {
 public:
  PackedWeights(const TileShape& shape, const SourceLanes& source, int group, int vector)
      : shape_(shape),
        source_(source),
        group_(group),
        groups_((shape.block_in + group - 1) / group),
        outs_(RoundUp(shape.block_out, vector)),
        data_(source.elements * stride()) {}

  int groups() const { return groups_; }
  int outs() const { return outs_; }
  int64_t stride() const { return int64_t{groups_} * outs_ * group_; }
  const T* data() const { return data_.data(); }

  /// Renews elements; `offset` is added to each weight (not to the fill).
  void Pack(int64_t first, int64_t count, int offset) {
    WithLanes(source_, [&](const auto* lanes) {
      for (int64_t e = first; e < first + count; ++e) {
        PackElement(lanes + e * shape_.block_out * shape_.block_in, data_.data() + e * stride(), offset);
      }
    });
  }

 private:
  template <class S>
  void PackElement(const S* from, T* to, int offset) const {
    for (int o = 0; o < shape_.block_out; ++o) {
      const S* row = from + int64_t{o} * shape_.wgt_o_stride;
      for (int k = 0; k < shape_.block_in; ++k) {
        const int64_t position = (int64_t{k / group_} * outs_ + o) * group_ + k % group_;
        to[position] = static_cast<T>(row[int64_t{k} * shape_.wgt_k_stride] + offset);
      }
    }
  }

  TileShape shape_;
  SourceLanes source_;
  int group_, groups_, outs_;
  AlignedBuffer<T> data_;
};

/// Inputs as [element][batch][k rounded up to `group`], 16 bits a lane, zero where there is no input.
class WideInputs {
 public:
  WideInputs(const TileShape& shape, const SourceLanes& source, int group)
      : shape_(shape),
        source_(source),
        row_(RoundUp(shape.block_in, group)),
        data_(source.elements * stride()) {}

  int row() const { return row_; }
  int64_t stride() const { return int64_t{row_} * shape_.batch; }
  const int16_t* data() const { return data_.data(); }

  void Pack(int64_t first, int64_t count) {
    WithLanes(source_, [&](const auto* lanes) {
      for (int64_t r = first * shape_.batch; r < (first + count) * shape_.batch; ++r) {
        for (int k = 0; k < shape_.block_in; ++k) data_[r * row_ + k] = lanes[r * shape_.block_in + k];
      }
    });
  }

 private:
  TileShape shape_;
  SourceLanes source_;
  int row_;
  AlignedBuffer<int16_t> data_;
};

}  // namespace cosim::sim
