// SPDX-License-Identifier: Apache-2.0
// Lane operations for AVX-512; what they compute is in sim/kernels/lane_ops_impl.h.
#if defined(__x86_64__)
#define COSIM_LANE_TARGET \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")))
#include "sim/kernels/lane_ops_impl.h"
#include "sim/kernels/lane_ops_levels.h"

namespace cosim::sim {

const LaneTable& Avx512LaneTable() { return kLaneTable; }

}  // namespace cosim::sim
#endif
