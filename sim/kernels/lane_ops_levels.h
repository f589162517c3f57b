// SPDX-License-Identifier: Apache-2.0
// The tables of each SIMD level, for sim/kernels/lane_ops.cc to choose from.
#pragma once

#include "sim/kernels/lane_ops.h"

namespace cosim::sim {

const LaneTable& PortableLaneTable();
/// Both need x86-64.
const LaneTable& Avx2LaneTable();
const LaneTable& Avx512LaneTable();

}  // namespace cosim::sim
