// SPDX-License-Identifier: Apache-2.0
// Rounding weights so that a product's results come out right rather than each weight: the squared error of
// the results is a quadratic form of the weights, known by sums over the rows of operands that were seen.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace cosim::quantize {

/// What is known of y = x w + bias, `taps` operands and `outputs` results a row.
class Reconstruction {
 public:
  /// `biased`: a constant may be added to each result, so that only deviations from the means count.
  Reconstruction(int64_t taps, int64_t outputs, bool biased);

  /// Rows of operands as they are multiplied, [n, taps], and of the results that are wanted, [n, outputs].
  void AddRows(std::span<const float> x, std::span<const float> y);

  struct Rounded {
    std::vector<int8_t> weights;  ///< [outputs, taps], in steps
    std::vector<double> bias;     ///< one an output, or none
  };
  /// Weights [outputs, taps] in steps of `scales` (one an output, or one), in [-levels, levels]: first each
  /// in turn makes good for those rounded before it (the nearest plane of the lattice, Babai), then single
  /// steps as long as one lowers the error. Operands that say nothing keep the nearest. Nothing when sums are
  /// not finite.
  std::optional<Rounded> Round(std::span<const float> weights, std::span<const float> scales,
                               int levels) const;

 private:
  int64_t taps_, outputs_;
  bool biased_;
  int64_t rows_ = 0;
  std::vector<double> xx_, xy_;        // sums of products, column by column: [taps, taps], [taps, outputs]
  std::vector<double> x_sum_, y_sum_;  // by tap, by output
};

}  // namespace cosim::quantize
