// SPDX-License-Identifier: Apache-2.0
#include "isa/spec/host_processor.h"

#include <algorithm>

#include "isa/check.h"

namespace cosim::isa {

// Order of the lists: simple, multiply, wide, float, divide, load, store, gather.
const std::vector<HostCpu>& HostCpus() {
  static const std::vector<HostCpu> cpus = {
      {"cortex-a9",
       "Arm Cortex-A9 with NEON, as in Zynq-7000",
       {.scalar = {0.52, 2.31, 1.5, 2, 3.28, 1.06, 3.05, 0},
        .vector = {1.25, 8.05, 0, 4, 23.4, 1.98, 0.63, 9.6},
        .iteration = 3,
        .byte = 1.0,
        .call = 2000,
        .routine_value = 40,
        .routine_mac = 12},
       70},
      {"cortex-a53",
       "Arm Cortex-A53 with NEON, as in Zynq UltraScale+",
       {.scalar = {0.29, 0.97, 0.85, 2, 1.17, 0.21, 3.46, 0},
        .vector = {1.48, 0.27, 0, 3, 17.14, 5.41, 1.25, 2.94},
        .iteration = 7.11,
        .byte = 0.5,
        .call = 2000,
        .routine_value = 30,
        .routine_mac = 8},
       130},
  };
  return cpus;
}

const HostCpu& HostProcessor::Facts() const {
  const auto at = std::ranges::find(HostCpus(), cpu, &HostCpu::name);
  COSIM_CHECK(at != HostCpus().end(), "nothing is known of '{}'", cpu);
  return *at;
}

}  // namespace cosim::isa
