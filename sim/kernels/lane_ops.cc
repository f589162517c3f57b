// SPDX-License-Identifier: Apache-2.0
// Chooses the table of lane operations.
#include "sim/kernels/lane_ops.h"

#include "isa/check.h"
#include "sim/kernels/lane_ops_levels.h"

namespace cosim::sim {

const LaneTable& LaneTableFor(SimdLevel level) {
  COSIM_CHECK(IsSupported(level), "this machine has no {}", SimdLevelName(level));
#if defined(__x86_64__)
  if (level == SimdLevel::kAvx512Vnni) return Avx512LaneTable();
  if (level == SimdLevel::kAvx2) return Avx2LaneTable();
#endif
  return PortableLaneTable();
}

}  // namespace cosim::sim
