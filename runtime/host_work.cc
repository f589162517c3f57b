// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_work.h"

namespace cosim::runtime {

constexpr double kVectorBytes = 16;

double ComputeCycles(const HostWork& work, const isa::HostCosts& costs) {
  constexpr auto kGather = static_cast<size_t>(isa::HostOp::kGather);
  double cycles = static_cast<double>(work.iterations) * costs.iteration +
                  static_cast<double>(work.routine_values) * costs.routine_value +
                  static_cast<double>(work.routine_macs) * costs.routine_mac;
  for (size_t op = 0; op < isa::kHostOps; ++op) {
    const double vectors = static_cast<double>(work.vector[op]) / (op == kGather ? 1 : kVectorBytes);
    cycles += static_cast<double>(work.scalar[op]) * costs.scalar[op] + vectors * costs.vector[op];
  }
  return cycles;
}

double EstimateMs(const HostWork& work, const isa::HostProcessor& host) {
  const isa::HostCosts& costs = host.Facts().costs;
  const double cycles =
      ComputeCycles(work, costs) + static_cast<double>(work.bytes) * costs.byte + costs.call;
  return cycles / (host.clock_mhz * 1e3);
}

}  // namespace cosim::runtime
