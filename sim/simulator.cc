// SPDX-License-Identifier: Apache-2.0
#include "sim/simulator.h"

#include "sim/cycle/cycle_device.h"
#include "sim/functional/functional_device.h"

namespace cosim::sim {

std::unique_ptr<runtime::Device> MakeSimulator(Simulator kind, const isa::Spec& spec) {
  if (kind == Simulator::kFunctional) return std::make_unique<FunctionalDevice>(spec);
  return std::make_unique<CycleDevice>(spec);
}

}  // namespace cosim::sim
