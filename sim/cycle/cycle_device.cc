// SPDX-License-Identifier: Apache-2.0
// Timing first, because a program that gets stuck has no result.
#include "sim/cycle/cycle_device.h"

#include <fmt/format.h>

#include "isa/check.h"

namespace cosim::sim {

runtime::Counters CycleDevice::Execute(const isa::Program& program, const runtime::ExecuteOptions& options) {
  COSIM_CHECK(program.fingerprint == spec_.fingerprint, "the program was made for another spec");
  const std::vector<isa::Decoded> decoded = DecodeAll(spec_, program);
  runtime::Counters counters =
      timing_.Run(decoded, program.code_address,
                  {.record_instructions = options.record_instructions, .layer_of = options.layer_of});
  if (!counters.completed || options.timing_only) return counters;
  counters.error = ExecuteData(program, decoded, options);
  counters.completed = counters.error.empty();
  return counters;
}

std::string CycleDevice::ExecuteData(const isa::Program& program, std::span<const isa::Decoded> decoded,
                                     const runtime::ExecuteOptions& options) {
  data_.Reserve(program.dram_bytes);
  for (size_t i = 0; i < decoded.size(); ++i) {
    const std::string error = data_.Execute(program.instructions[i], decoded[i]);
    if (error.empty()) continue;
    const std::string layer = options.layer_of ? options.layer_of(i) : "";
    return fmt::format("#{} {}{} {}", i, spec_.formats[static_cast<size_t>(decoded[i].format)].name,
                       layer.empty() ? "" : fmt::format(" (layer {})", layer), error);
  }
  return "";
}

}  // namespace cosim::sim
