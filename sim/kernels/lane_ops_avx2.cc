// SPDX-License-Identifier: Apache-2.0
// Lane operations for AVX2; what they compute is in sim/kernels/lane_ops_impl.h.
#if defined(__x86_64__)
#define COSIM_LANE_TARGET __attribute__((target("avx2")))
#include "sim/kernels/lane_ops_impl.h"
#include "sim/kernels/lane_ops_levels.h"

namespace cosim::sim {

const LaneTable& Avx2LaneTable() { return kLaneTable; }

}  // namespace cosim::sim
#endif
