// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/measure.h"

#include "compiler/accel/rounding.h"
#include "compiler/network/program_builder.h"
#include "isa/check.h"
#include "sim/cycle/timing_engine.h"

namespace cosim::network {

runtime::Cycle CyclesAfter(const isa::Spec& spec, const accel::Kernel* before, const accel::Kernel& kernel) {
  constexpr uint64_t kPage = 4096;
  std::vector<AcceleratorGroup> groups(before ? 2 : 1);
  if (before) groups.front().kernel = *before;
  groups.back().kernel = kernel;
  std::vector<PlacedKernel> placed;
  uint64_t end = 0;
  for (const AcceleratorGroup& group : groups) {
    PlacedKernel& next = placed.emplace_back(PlacedKernel{&group, {}, 0});
    for (const auto& param : group.kernel.params) {
      next.addresses.push_back(end);
      uint64_t bytes = 2 * static_cast<uint64_t>(accel::CeilDiv(param->type.bits, 8));  // lanes may be wider
      for (int64_t extent : param->shape) bytes *= static_cast<uint64_t>(extent);
      end = accel::RoundUp(end + bytes, kPage);
    }
  }
  if (before) placed[1].addresses.front() = placed[0].addresses.back();  // what a kernel reads comes first
  uint64_t free_from = end;
  const runtime::AcceleratorStep step = BuildProgram(spec, placed, {}, end, free_from);
  const auto counters =
      sim::TimingEngine(spec).Run(sim::DecodeAll(spec, step.program), step.program.code_address);
  COSIM_CHECK(counters.completed, "{}: {}", kernel.name, counters.error);
  return counters.cycles;
}

}  // namespace cosim::network
