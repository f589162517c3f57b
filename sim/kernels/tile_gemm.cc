// SPDX-License-Identifier: Apache-2.0
// Chooses the implementation of a tile GEMM; each level's own file holds its arithmetic.
#include "sim/kernels/tile_gemm.h"

#include "isa/check.h"
#include "sim/kernels/tile_gemm_levels.h"

namespace cosim::sim {

std::unique_ptr<TileGemm> MakeTileGemm(SimdLevel level, const TileShape& shape, const SourceLanes& inp,
                                       const SourceLanes& wgt) {
  COSIM_CHECK(IsSupported(level), "this machine has no {}", SimdLevelName(level));
  COSIM_CHECK(shape.acc_bits > 16 && shape.acc_bits <= 32, "accumulators of {} bits", shape.acc_bits);
#if defined(__x86_64__)
  const bool bytes = inp.i8 != nullptr && wgt.i8 != nullptr;
  if (level == SimdLevel::kAvx512Vnni && bytes) return MakeVnniTileGemm(shape, inp, wgt);
  if (level >= SimdLevel::kAvx2) return MakeAvx2TileGemm(shape, inp, wgt);
#endif
  return MakePortableTileGemm(shape, inp, wgt);
}

}  // namespace cosim::sim
