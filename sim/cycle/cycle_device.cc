// SPDX-License-Identifier: Apache-2.0
// Timing first, because a program that gets stuck has no result.
#include "sim/cycle/cycle_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "isa/check.h"
#include "sim/cycle/hazard_watch.h"

namespace cosim::sim {

namespace {

std::vector<size_t> ByRetirement(std::span<const runtime::InstructionTimes> times) {
  std::vector<size_t> order(times.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return times[i].retire; });
  return order;
}

}  // namespace

runtime::Counters CycleDevice::Execute(const isa::Program& program, const runtime::ExecuteOptions& options) {
  COSIM_CHECK(program.fingerprint == spec_.fingerprint, "the program was made for another spec");
  const std::vector<isa::Decoded> decoded = DecodeAll(spec_, program);
  runtime::Counters counters =
      timing_.Run(decoded, program.code_address,
                  {.record_instructions = options.record_instructions || !options.timing_only,
                   .layer_of = options.layer_of});
  if (counters.completed && !options.timing_only) {
    counters.error = ExecuteData(program, decoded, counters.instructions, options);
    counters.completed = counters.error.empty();
  }
  if (!options.record_instructions) counters.instructions.clear();
  return counters;
}

std::string CycleDevice::ExecuteData(const isa::Program& program, std::span<const isa::Decoded> decoded,
                                     std::span<const runtime::InstructionTimes> times,
                                     const runtime::ExecuteOptions& options) {
  const auto name = [&](size_t i) {
    const std::string layer = options.layer_of ? options.layer_of(i) : "";
    return fmt::format("#{} {}{}", i, spec_.formats[static_cast<size_t>(decoded[i].format)].name,
                       layer.empty() ? "" : fmt::format(" (layer {})", layer));
  };
  data_.Reserve(program.dram_bytes);
  const std::vector<size_t> order = ByRetirement(times);
  std::optional<HazardWatch> watch;
  if (options.watch_hazards) watch.emplace(spec_, program, decoded, times, order);
  for (const size_t i : order) {
    const std::string error = data_.Execute(program.instructions[i], decoded[i]);
    if (!error.empty()) return fmt::format("{} {}", name(i), error);
    if (!watch) continue;
    const std::string hazard = watch->Execute(name);
    if (!hazard.empty()) return hazard;
  }
  return "";
}

}  // namespace cosim::sim
