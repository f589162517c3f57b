// SPDX-License-Identifier: Apache-2.0
// Lane operations for any machine; what they compute is in sim/kernels/lane_ops_impl.h.
#define COSIM_LANE_TARGET
#include "sim/kernels/lane_ops_impl.h"
#include "sim/kernels/lane_ops_levels.h"

namespace cosim::sim {

const LaneTable& PortableLaneTable() { return kLaneTable; }

}  // namespace cosim::sim
