// SPDX-License-Identifier: Apache-2.0
// The range of an activation by what each that comes into question costs on the values themselves.
#pragma once

#include <span>
#include <vector>

#include "compiler/quantize/histogram.h"
#include "compiler/quantize/step_size.h"

namespace cosim::quantize {

class MeasuredRange {
 public:
  /// Tried are those of the four methods, and multiples of a step that pixels have (1, 1/255, 2/255).
  explicit MeasuredRange(const graph::Histogram& histogram);

  void Add(std::span<const float> values);

  /// The one that cost least so far; the first of equals.
  graph::Range Best() const;

 private:
  std::vector<graph::Range> ranges_;
  std::vector<double> cost_;
};

}  // namespace cosim::quantize
