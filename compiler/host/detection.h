// SPDX-License-Identifier: Apache-2.0
// What stands at the end of detectors of TensorFlow Lite: boxes from anchors, and of those that overlap the
// one with the best score.
#pragma once

#include <array>
#include <cstdint>

#include "compiler/host/make.h"

namespace cosim::host {

struct Detection {
  int64_t most_detections = 1;
  int64_t classes_per_detection = 1;   ///< of the fast way: of each box so many classes
  int64_t detections_per_class = 100;  ///< of the regular way
  bool regular = false;                ///< suppression class by class, not by the best class of each box
  float score_threshold = 0, overlap_threshold = 0.5f;
  int64_t classes = 1;                         ///< without the background, which may stand in front of them
  std::array<float, 4> scales = {1, 1, 1, 1};  ///< y, x, h, w
};

/// TFLite_Detection_PostProcess: (boxes float32 [1,N,4 or more], scores float32 [1,N,classes or one more],
/// anchors float32 [N,4]: y, x, h, w) -> corners [1,M,4], classes [1,M], scores [1,M], how many were found
/// [1]. M is most_detections * classes_per_detection; zeros stand behind what was found. Of equal scores the
/// first comes first. Boxes whose corners are out of order, which the reference refuses while it runs,
/// overlap nothing.
HostOperatorPtr DetectionPostProcess(const Detection& attributes);

}  // namespace cosim::host
