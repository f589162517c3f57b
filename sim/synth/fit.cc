// SPDX-License-Identifier: Apache-2.0
#include "sim/synth/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "isa/sv/generate.h"
#include "isa/sv/plan.h"
#include "sim/synth/area_model.h"
#include "sim/synth/area_parts.h"
#include "sim/synth/board.h"

namespace cosim::synth {
namespace {

constexpr double kWithoutMeasure = std::numeric_limits<double>::infinity();

/// An estimate of LUTs this many times what there is is too much, however wrong it is
/// (docs/rationale/area.md).
constexpr double kSurelyMore = 1.12;

}  // namespace

Resources LeastResources(const isa::Spec& spec) {
  const isa::SvPlan plan(spec);
  return {.dsp = DspsOf(spec, plan), .ramb18 = BlockRamsOf(spec, plan)};
}

Fit FitOf(const isa::Spec& spec) {
  Diagnostics diags;
  isa::CheckSv(spec, diags);
  return FitOf(spec, diags.HasErrors() ? std::nullopt : std::optional(EstimateArea(spec)));
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
  if (over.empty() && least->lut > kSurelyMore * board->budget.lut) {
    Fit fit = no(fmt::format("about {} of {} LUT", least->lut, board->budget.lut));
    fit.excess = 1.0 * least->lut / board->budget.lut - 1;
    return fit;
  }
  if (!over.empty()) {
    Fit fit = no(over);
    fit.excess = excess;
    return fit;
  }
  return {std::nullopt, fmt::format("may fit {}: {} of {} DSP, {:g} of {} RAMB36, about {} of {} LUT",
                                    board->name, least->dsp, board->budget.dsp, least->ramb18 / 2.0,
                                    board->budget.ramb18 / 2, least->lut, board->budget.lut)};
}

}  // namespace cosim::synth
