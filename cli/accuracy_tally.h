// SPDX-License-Identifier: Apache-2.0
// What `cosim accuracy` counts, and how it prints it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/quantize/loss.h"
#include "runtime/device.h"

namespace cosim::cli {

/// Choices of one class, over all samples whose label it is.
struct ClassTally {
  size_t samples = 0, right = 0;
  std::map<int64_t, size_t> chosen;  ///< samples by the class that the model chose
};

/// How well a score tells anomalous samples from normal ones.
struct AnomalyTally {
  size_t normal = 0, anomalous = 0;
  double area = 0;  ///< under the receiver operating characteristic: 1 tells all, 0.5 none
};

struct Tally {
  size_t samples = 0, labelled = 0, top1 = 0, top5 = 0, agree = 0;
  runtime::Cycle cycles = 0;
  std::map<int64_t, ClassTally> classes;  ///< by label
  std::vector<std::string> names;         ///< of classes; may be empty
  std::optional<AnomalyTally> anomaly;    ///< instead of labelled and classes
  bool with_reference = false;
  std::vector<quantize::LossFinder::Loss> losses;

  double Top1() const;
  /// "cat", or "3" where classes have no names.
  std::string NameOf(int64_t label) const;
};

std::string TallyText(const Tally& tally);
std::string TallyJson(const Tally& tally, const std::string& model, const std::string& device);

}  // namespace cosim::cli
