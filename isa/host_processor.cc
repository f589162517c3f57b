// SPDX-License-Identifier: Apache-2.0
#include "isa/host_processor.h"

#include <algorithm>

#include "isa/check.h"

namespace cosim::isa {

// Order of the lists: simple, multiply, wide, float, divide, load, store, gather.
const std::vector<HostCpu>& HostCpus() {
  static const std::vector<HostCpu> cpus = {
      {"cortex-a9",
       "Arm Cortex-A9 with NEON, as in Zynq-7000",
       {.scalar = {1, 2, 3, 2, 8, 1.5, 1.5, 0},
        .vector = {2, 4, 0, 4, 20, 2, 2, 4},
        .iteration = 3,
        .byte = 1.0,
        .call = 2000,
        .routine_value = 40,
        .routine_mac = 12}},
      {"cortex-a53",
       "Arm Cortex-A53 with NEON, as in Zynq UltraScale+",
       {.scalar = {1, 2, 1.5, 2, 6, 1.5, 1, 0},
        .vector = {1.5, 3, 0, 3, 14, 2, 2, 3},
        .iteration = 2,
        .byte = 0.5,
        .call = 2000,
        .routine_value = 30,
        .routine_mac = 8}},
  };
  return cpus;
}

const HostCosts& HostProcessor::costs() const {
  const auto at = std::ranges::find(HostCpus(), cpu, &HostCpu::name);
  COSIM_CHECK(at != HostCpus().end(), "no costs of '{}'", cpu);
  return at->costs;
}

}  // namespace cosim::isa
