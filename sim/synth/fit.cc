// SPDX-License-Identifier: Apache-2.0
#include "sim/synth/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "isa/sv/generate.h"
#include "isa/sv/plan.h"
#include "sim/synth/board.h"

namespace cosim::synth {
namespace {

constexpr double kWithoutMeasure = std::numeric_limits<double>::infinity();

constexpr int kDspWide = 25, kDspNarrow = 18;  ///< factors of a DSP48E1
constexpr int kLeastProduct = 9;               ///< bits of a product that Yosys puts into a DSP
constexpr int64_t kRamBits = 18 * 1024;        ///< of a RAMB18
constexpr int64_t kRamAddresses = 512;         ///< of a RAMB18 at its widest

int CeilDiv(int64_t a, int64_t b) { return static_cast<int>((a + b - 1) / b); }

/// DSPs of one product.
int DspsOf(int a, int b) {
  if (a + b < kLeastProduct) return 0;
  return std::min(CeilDiv(a, kDspWide) * CeilDiv(b, kDspNarrow),
                  CeilDiv(a, kDspNarrow) * CeilDiv(b, kDspWide));
}

int DspsOf(const isa::Spec& spec, const isa::SvGemm& gemm) {
  const isa::Intrinsic& intrinsic = *spec.formats[gemm.format].intrinsic;
  const int src = spec.memories[intrinsic.sources[gemm.src].memory].record_bits;
  const int side = spec.memories[intrinsic.sources[gemm.side].memory].record_bits;
  const int64_t products = int64_t{gemm.batch} * (gemm.block_in - spec.hardware.lut_inputs) * gemm.block_out;
  return gemm.macs_per_dsp == 1 ? static_cast<int>(products) * DspsOf(src, side)
                                : CeilDiv(products, gemm.macs_per_dsp);
}

/// Of a lane: ops share multipliers, so it takes those of the op that needs most.
int DspsOfLane(const isa::Spec& spec, const isa::SvAlu& alu) {
  int most = 0;
  for (const int op : alu.ops) {
    const auto& nodes = spec.alu_ops[op].program.nodes;
    int dsps = 0;
    for (const isa::ScalarNode& node : nodes)
      if (node.op == isa::ScalarOp::kMul && nodes[node.a].op != isa::ScalarOp::kConst &&
          nodes[node.b].op != isa::ScalarOp::kConst)
        dsps = std::max(dsps, DspsOf(nodes[node.a].type.width, nodes[node.b].type.width));
    most = std::max(most, dsps);
  }
  return most;
}

}  // namespace

Resources LeastResources(const isa::Spec& spec) {
  Resources least;
  for (const isa::SvUnit& unit : isa::SvPlan(spec).units) {
    if (unit.gemms) least.dsp += DspsOf(spec, unit.gemm);
    if (unit.alus) least.dsp += spec.units[unit.unit].lanes * DspsOfLane(spec, unit.alu);
  }
  for (const isa::Memory& memory : spec.memories) {
    const int64_t elements = memory.depth / memory.banks;
    if (memory.mirrors >= 0 || elements < kRamAddresses) continue;
    least.ramb18 += memory.banks * CeilDiv(elements * memory.element_bits, kRamBits);
  }
  return least;
}

Fit FitOf(const isa::Spec& spec) {
  Diagnostics diags;
  isa::CheckSv(spec, diags);
  return FitOf(spec, diags.HasErrors() ? std::nullopt : std::optional(LeastResources(spec)));
}

Fit FitOf(const isa::Spec& spec, const std::optional<Resources>& least) {
  const Board* board = FindBoard(spec.board);
  if (board == nullptr || !board->has_budget) return {};
  const auto no = [&](const std::string& why) {
    return Fit{false, fmt::format("does not fit {}: {}", board->name, why), kWithoutMeasure};
  };
  if (spec.dram.port_bits > board->port_bits)
    return no(fmt::format("its memory ports have {} bits", board->port_bits));
  if (spec.ports > board->ports) return no(fmt::format("it has {} memory ports", board->ports));
  if (!least) return {false, "has no RTL: cosim synth says why", kWithoutMeasure};
  std::string over;
  double excess = 0;
  const auto above = [&](int used, int budget) {
    excess += budget > 0 ? 1.0 * used / budget - 1 : kWithoutMeasure;
  };
  if (least->dsp > board->budget.dsp) {
    over = fmt::format("{} of {} DSP", least->dsp, board->budget.dsp);
    above(least->dsp, board->budget.dsp);
  }
  if (least->ramb18 > board->budget.ramb18) {
    over += fmt::format("{}{:g} of {} RAMB36", over.empty() ? "" : " and ", least->ramb18 / 2.0,
                        board->budget.ramb18 / 2);
    above(least->ramb18, board->budget.ramb18);
  }
  if (!over.empty()) {
    Fit fit = no("at least " + over);
    fit.excess = excess;
    return fit;
  }
  return {
      std::nullopt,
      fmt::format("may fit {}: at least {} of {} DSP and {:g} of {} RAMB36; LUTs by cosim synth", board->name,
                  least->dsp, board->budget.dsp, least->ramb18 / 2.0, board->budget.ramb18 / 2)};
}

}  // namespace cosim::synth
