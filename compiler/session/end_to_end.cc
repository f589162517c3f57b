// SPDX-License-Identifier: Apache-2.0
#include "compiler/session/end_to_end.h"

#include <fmt/format.h>

#include <algorithm>

namespace cosim::session {

std::optional<double> EndToEnd::BesideMs() const {
  if (!host_ms || !copies_ms) return std::nullopt;
  return *host_ms + *copies_ms;
}

std::optional<double> EndToEnd::FrameMs() const {
  if (!accelerator_ms || !BesideMs()) return std::nullopt;
  return *accelerator_ms + *BesideMs();
}

std::optional<double> EndToEnd::PipelinedFramesPerSecond() const {
  if (FrameMs().value_or(0) <= 0) return std::nullopt;
  return 1000 / std::max(*accelerator_ms, *BesideMs());
}

EndToEnd EndToEndOf(const runtime::Network& network, const runtime::Run& run, double clock_mhz,
                    const std::optional<isa::HostProcessor>& host) {
  EndToEnd times;
  const auto on_host = [](const auto& step) { return std::holds_alternative<runtime::CpuStep>(step); };
  const bool all_on_host = std::ranges::all_of(network.steps, on_host);
  if (run.timed || all_on_host) times.accelerator_ms = static_cast<double>(run.cycles) / (clock_mhz * 1e3);
  if (host) {
    const double mb_s = host->Facts().copy_mb_s;
    times.host_model = fmt::format("one of {} {} at {:g} MHz", host->cores, host->cpu, host->clock_mhz);
    times.copies_model = fmt::format("at {:g} MB/s, uncached", mb_s);
    times.copies_ms = static_cast<double>(runtime::CopiedBytes(network)) / (mb_s * 1e3);
  }
  if (!host && std::ranges::any_of(network.steps, on_host)) return times;
  times.host_ms = 0;
  times.layer_host_ms.resize(network.layers.size());
  for (const auto& step : network.steps) {
    const auto* call = std::get_if<runtime::CpuStep>(&step);
    if (!call) continue;
    const double ms = runtime::EstimateMs(call->work, *host);
    times.layer_host_ms[call->layer] += ms;
    *times.host_ms += ms;
  }
  return times;
}

}  // namespace cosim::session
