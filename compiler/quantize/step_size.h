// SPDX-License-Identifier: Apache-2.0
// Which range of values a quantized tensor should cover, so that clipping and rounding together cost least.
// How a scheme may place its steps is said by the caller.
#pragma once

#include <vector>

#include "compiler/quantize/histogram.h"

namespace cosim::graph {

/// Expected squared error of quantizing the values of a histogram.
class QuantizationCost {
 public:
  explicit QuantizationCost(const Histogram& histogram);

  /// Values outside [lo, hi] move to the nearer end; those inside are rounded to multiples of `step`. Zeros
  /// cost nothing. lo <= 0 <= hi.
  double Of(double lo, double hi, double step) const;

 private:
  /// Sum of (x - border)^2 over all values from bin `first` on, or before it.
  double From(int first, double border) const;
  double Before(int first, double border) const;
  /// The first bin whose middle is above `x`.
  int BinAbove(double x) const;

  double first_middle_ = 0;
  double width_ = 0;
  // Of the bins before an index: number of values, their sum, the sum of their squares.
  std::vector<double> count_, sum_, squares_;
};

/// The end points of a range of `steps` steps, 0 within: min(0, smallest) and max(0, largest) or nearer to 0.
struct Range {
  double lo = 0;
  double hi = 0;
};
Range ChooseRange(const Histogram& histogram, int steps);

/// The integer n >= n_min for which steps of unit * 2^n, with zero point 0 and `levels` of them above zero
/// (and as many or one more below), cost least. Never so large that the extremes leave half of the levels
/// unused.
int ChooseExponent(const Histogram& histogram, double unit, int n_min, int levels);

/// `x` with its mantissa rounded to 12 bits. Float sums differ in their last bits from one machine to
/// another; what is derived from them through this does not, but for very rare cases.
double Coarse(double x);

}  // namespace cosim::graph
