// SPDX-License-Identifier: Apache-2.0
// How often a tensor takes which values: what is kept of calibration runs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cosim::graph {

/// kBins equal bins over [-limit, limit), limit a power of two that doubles when a larger value comes. So the
/// result does not depend on the order of the values, and bin borders are exact.
class Histogram {
 public:
  static constexpr int kBins = 4096;

  void Add(std::span<const float> values);

  /// Values added and their extremes (0 while there is none).
  int64_t count() const { return count_; }
  float min() const { return min_; }
  float max() const { return max_; }

  /// Values in a bin other than exact zeros.
  int64_t InBin(int bin) const { return bins_[bin]; }
  /// The middle of a bin.
  double Middle(int bin) const {
    const int from_zero = bin - kBins / 2;
    return (from_zero + 0.5) * width_;
  }

 private:
  void Grow(float magnitude);

  std::vector<int64_t> bins_ = std::vector<int64_t>(kBins, 0);
  double width_ = 0;  ///< Of a bin, a power of two; 0 before the first value other than zero.
  int64_t count_ = 0;
  float min_ = 0;
  float max_ = 0;
};

}  // namespace cosim::graph
