// SPDX-License-Identifier: Apache-2.0
#include "compiler/session/memory_band.h"

#include <variant>

#include "sim/cycle/timing_engine.h"

namespace cosim::session {

std::optional<runtime::Cycle> TimePrograms(const isa::Spec& spec, const runtime::Network& network,
                                           std::string& error) {
  runtime::Cycle cycles = 0;
  for (const auto& step : network.steps) {
    const auto* accelerator = std::get_if<runtime::AcceleratorStep>(&step);
    if (accelerator == nullptr) continue;
    const auto counters = sim::TimingEngine(spec).Run(sim::DecodeAll(spec, accelerator->program),
                                                      accelerator->program.code_address);
    if (!counters.completed) return error = counters.error, std::nullopt;
    cycles += counters.cycles;
  }
  return cycles;
}

std::optional<MemoryBand> TimeBand(const isa::Spec& low, const isa::Spec& high,
                                   const runtime::Network& network, std::string& error) {
  const auto least = TimePrograms(low, network, error);
  if (!least) return std::nullopt;
  const auto most = TimePrograms(high, network, error);
  if (!most) return std::nullopt;
  return MemoryBand{*least, *most};
}

}  // namespace cosim::session
