// SPDX-License-Identifier: Apache-2.0
#include "compiler/session/energy.h"

namespace cosim::session {
namespace {

constexpr double kMillijoulesPerMsMhzPicojoule = 1e-6;  ///< 1e3 cycles of 1 pJ
constexpr double kMillijoulesPerMsMilliwatt = 1e-3;

}  // namespace

FrameEnergy EnergyOf(const isa::Spec& spec, const sim::Work& work, const EndToEnd& times,
                     const std::optional<isa::HostProcessor>& host, const sim::Costs& costs) {
  FrameEnergy energy;
  energy.table = costs.table;
  energy.technology = costs.technology;
  energy.parts = sim::EnergyOf(spec, work, costs);
  if (!times.FrameMs()) {
    energy.unknown = times.accelerator_ms ? "the configuration has no 'host:'" : "the run was not timed";
    return energy;
  }
  if (host)
    energy.parts.host =
        *times.BesideMs() * host->clock_mhz * costs.host_cycle * kMillijoulesPerMsMhzPicojoule;
  energy.parts.leakage = *times.FrameMs() * costs.static_mw * kMillijoulesPerMsMilliwatt;
  energy.total_mj = energy.parts.Total();
  return energy;
}

}  // namespace cosim::session
