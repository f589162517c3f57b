// SPDX-License-Identifier: Apache-2.0
// Bias correction: rounded weights shift what a product computes on average; its bias can take that back.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/quantize/interpreter.h"
#include "compiler/quantize/quantize.h"

namespace cosim::quantize {

class BiasCorrection {
 public:
  /// For the products of `quantized` that have a bias.
  explicit BiasCorrection(const Quantized& quantized);

  /// The results of the products in the quantized network.
  std::set<std::string> Computed() const;

  /// Counts one run: `reference` are the values of the float network, `alone` those that are Computed by
  /// LayersAlone (report.h).
  void AddRun(const Values& reference, const Values& alone);

  /// Moves every bias by the mean error of its channel over the runs.
  void Apply(Quantized& quantized) const;

 private:
  struct Product {
    std::string value, computed;  // its result in the float network and in the quantized one
    std::string bias, scale;      // constants of the quantized one
    std::vector<double> error;    // sum over runs and pixels, by channel
    int64_t count = 0;            // of those
  };
  std::vector<Product> products_;
};

}  // namespace cosim::quantize
