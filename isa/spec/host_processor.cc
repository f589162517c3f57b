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
       {.scalar = {0.1, 5.74, 0.3, 2, 1, 0.2, 3.41, 0},
        .vector = {1.23, 15.17, 0, 4, 23.4, 0.3, 0.3, 3.35},
        .iteration = 2.79,
        .byte = 1.0,
        .call = 2000,
        .routine_value = 40,
        .routine_mac = 12},
       70},
      {"cortex-a53",
       "Arm Cortex-A53 with NEON, as in Zynq UltraScale+",
       {.scalar = {0.41, 8.35, 0.3, 2, 1, 0.2, 4.38, 0},
        .vector = {0.91, 0.25, 0, 3, 17.14, 8.62, 0.3, 3.49},
        .iteration = 4.65,
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
