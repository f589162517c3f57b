// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/ranker.h"

#include <algorithm>
#include <cmath>

#include "isa/check.h"

namespace cosim::tune {

void Ranker::Train(const std::vector<std::vector<float>>& rows, const std::vector<double>& cycles) {
  COSIM_CHECK(!cycles.empty());
  const double least = *std::ranges::min_element(cycles);
  std::vector<float> labels;  // what is near the best counts: twice the cycles are as bad as ten times
  for (const double each : cycles)
    labels.push_back(static_cast<float>(std::max(0.0, 1 - std::log2(each / least))));
  trees_.Train(rows, labels);
}

}  // namespace cosim::tune
