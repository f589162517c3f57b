// SPDX-License-Identifier: Apache-2.0
// How many DSPs the products take: hw/rtl/mac_array.sv and hw/rtl/pipelined_multiplier.sv.
#include <algorithm>

#include "isa/sv/lane.h"
#include "sim/synth/area_parts.h"

namespace cosim::synth {
namespace {

int CeilDiv(int a, int b) { return (a + b - 1) / b; }

/// Of one signed product. Parts of a factor but the highest are unsigned, and so a bit narrower than a
/// DSP48E1's factors are.
int DspsOfProduct(int a, int b) {
  constexpr int kWide = 25, kNarrow = 18;
  if (a + b < kLeastProduct) return 0;
  const auto parts = [](int bits, int most) { return bits <= most ? 1 : CeilDiv(bits - 1, most - 1); };
  return std::min(parts(a, kWide) * parts(b, kNarrow), parts(a, kNarrow) * parts(b, kWide));
}

int DspsOfGemm(const isa::Spec& spec, const isa::SvGemm& gemm) {
  const isa::Intrinsic& intrinsic = *spec.formats[gemm.format].intrinsic;
  const int src = spec.memories[intrinsic.sources[gemm.src].memory].record_bits;
  const int side = spec.memories[intrinsic.sources[gemm.side].memory].record_bits;
  const int in_dsps = gemm.block_in - (gemm.per_lane ? 0 : spec.hardware.lut_inputs);
  const int products = gemm.batch * (in_dsps + (gemm.HasExtraTap() ? 1 : 0)) * gemm.block_out;
  if (gemm.macs_per_dsp == 1 || gemm.block_in == 1) return products * DspsOfProduct(src, side);
  // Two DSPs for two sums of two products.
  const int quads = gemm.batch * (in_dsps / 2) * (gemm.block_out / 2);
  return 2 * quads + (products - 4 * quads) * DspsOfProduct(src, side);
}

/// hw/rtl/pipelined_multiplier.sv cuts its first factor into wide parts.
int DspsOfLane(const isa::SvLaneSize& size) {
  int dsps = 0;
  for (const auto& m : size.multipliers) dsps += m.three_parts ? 3 : DspsOfProduct(m.a_bits, m.b_bits);
  return dsps;
}

}  // namespace

int DspsOf(const isa::Spec& spec, const isa::SvPlan& plan) {
  int dsps = 0;
  for (const isa::SvUnit& unit : plan.units) {
    if (unit.gemms) dsps += DspsOfGemm(spec, unit.gemm);
    if (unit.alus)
      dsps += std::min(spec.units[unit.unit].lanes, unit.alu.element_lanes) *
              DspsOfLane(isa::SvAluLaneSize(spec, unit));
  }
  return dsps;
}

}  // namespace cosim::synth
