// SPDX-License-Identifier: Apache-2.0
// The packed copies of sources that the SIMD levels of sim/kernels/tile_gemm.h read: weights with `group`
// consecutive k beside each other for each output, and inputs widened or moved.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

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

/// Weights as [element][k / kGroup][o rounded up to a vector][kGroup], zero where there is no weight.
template <class T, int kGroup>
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
  /// The weights of outputs from `out` on for the `group`th k.
  const T* Group(int64_t element, int group, int out) const {
    return data_.data() + element * stride() + (int64_t{group} * outs_ + out) * kGroup;
  }
  T* Group(int64_t element, int group, int out) {
    return const_cast<T*>(std::as_const(*this).Group(element, group, out));
  }

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
      } else if (sizeof(S) == sizeof(T) && shape_.wgt_k_stride == 1) {
        for (int o = 0; o < shape_.block_out; ++o)
          std::memcpy(group + o * kGroup, first + int64_t{o} * shape_.wgt_o_stride, kGroup * sizeof(T));
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
        group[o * kGroup + n] = static_cast<T>(value);
      }
    }
  }

  TileShape shape_;
  SourceLanes source_;
  int groups_, outs_;
  AlignedBuffer<T> data_;
};

/// Inputs plus kOffset as [element][batch][k rounded up to `group`], zero where there is no input.
template <class T, int kOffset>
class PackedInputs {
 public:
  PackedInputs(const TileShape& shape, const SourceLanes& source, int group)
      : shape_(shape),
        source_(source),
        row_(RoundUp(shape.block_in, group)),
        data_(source.elements * stride()) {}

  /// Values from one row of an element's batch to the next.
  int row() const { return row_; }
  int64_t stride() const { return int64_t{row_} * shape_.batch; }
  const T* data() const { return data_.data(); }

  /// Renews elements.
  void Pack(int64_t first, int64_t count) {
    const int64_t ins = shape_.block_in;
    WithLanes(source_, [&](const auto* lanes) {
      if (row_ == ins) {
        PackLanes(lanes + first * stride(), data_.data() + first * stride(), count * stride());
        return;
      }
      for (int64_t r = first * shape_.batch; r < (first + count) * shape_.batch; ++r)
        PackLanes(lanes + r * ins, data_.data() + r * row_, ins);
    });
  }

 private:
  template <class S>
  static void PackLanes(const S* __restrict from, T* __restrict to, int64_t count) {
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<T>(from[i] + kOffset);
  }

  TileShape shape_;
  SourceLanes source_;
  int row_;
  AlignedBuffer<T> data_;
};

}  // namespace cosim::sim
