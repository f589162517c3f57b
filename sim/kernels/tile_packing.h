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

/// Weights plus kOffset as [element][k / kGroup][o rounded up to a vector][kGroup], zero where there is no
/// weight.
template <class T, int kGroup, int kOffset>
class PackedWeights {
 public:
  PackedWeights(const TileShape& shape, const SourceLanes& source, int vector)
      : shape_(shape),
        source_(source),
        groups_((shape.block_in + kGroup - 1) / kGroup),
        outs_(RoundUp(shape.block_out, vector)),
        data_(source.elements * stride()) {}

  int groups() const { return groups_; }
  int outs() const { return outs_; }
  int64_t stride() const { return int64_t{groups_} * outs_ * kGroup; }
  const T* data() const { return data_.data(); }

  /// Renews elements.
  void Pack(int64_t first, int64_t count) {
    WithLanes(source_, [&](const auto* lanes) {
      for (int64_t e = first; e < first + count; ++e) {
        PackElement(lanes + e * shape_.block_out * shape_.block_in, data_.data() + e * stride());
      }
    });
  }

 private:
  template <class S>
  void PackElement(const S* from, T* to) const {
    for (int g = 0; g < groups_; ++g) {
      const S* first = from + int64_t{g} * kGroup * shape_.wgt_k_stride;
      T* group = to + int64_t{g} * outs_ * kGroup;
      const int left = shape_.block_in - g * kGroup;
      if (left < kGroup) {
        PackGroup(first, group, left);
      } else if (kIsByteFlip && sizeof(S) == 1 && shape_.wgt_k_stride == 1) {
        FlipBytes(first, group);
      } else {
        PackGroup(first, group, kGroup);
      }
    }
  }

  template <class S>
  void PackGroup(const S* from, T* group, int count) const {
    for (int o = 0; o < shape_.block_out; ++o) {
      for (int n = 0; n < count; ++n) {
        const S value = from[int64_t{o} * shape_.wgt_o_stride + int64_t{n} * shape_.wgt_k_stride];
        group[o * kGroup + n] = static_cast<T>(value + kOffset);
      }
    }
  }

  /// Adding 128 to a byte flips its highest bit: four at a time.
  static constexpr bool kIsByteFlip = sizeof(T) == 1 && kGroup == 4 && kOffset == 128;
  void FlipBytes(const void* from, T* group) const {
    const auto* rows = static_cast<const uint8_t*>(from);
    for (int o = 0; o < shape_.block_out; ++o) {
      uint32_t four;
      std::memcpy(&four, rows + int64_t{o} * shape_.wgt_o_stride, sizeof(four));
      four ^= 0x80808080u;
      std::memcpy(static_cast<void*>(group + o * kGroup), &four, sizeof(four));
    }
  }

  TileShape shape_;
  SourceLanes source_;
  int groups_, outs_;
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
