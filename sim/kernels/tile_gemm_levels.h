// SPDX-License-Identifier: Apache-2.0
// The makers of each SIMD level, for sim/kernels/tile_gemm.cc to choose from.
#pragma once

#include <memory>

#include "sim/kernels/tile_gemm.h"

namespace cosim::sim {

std::unique_ptr<TileGemm> MakePortableTileGemm(const TileShape& shape, const SourceLanes& inp,
                                               const SourceLanes& wgt);
/// Both need x86-64; the VNNI one also sources of at most 8 bits.
std::unique_ptr<TileGemm> MakeAvx2TileGemm(const TileShape& shape, const SourceLanes& inp,
                                           const SourceLanes& wgt);
std::unique_ptr<TileGemm> MakeVnniTileGemm(const TileShape& shape, const SourceLanes& inp,
                                           const SourceLanes& wgt);

}  // namespace cosim::sim
