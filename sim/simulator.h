// SPDX-License-Identifier: Apache-2.0
// The simulators as devices, for who needs no more of them than that. What they have besides is their own
// headers'.
#pragma once

#include <memory>

#include "isa/spec/spec.h"
#include "runtime/device.h"

namespace cosim::sim {

enum class Simulator {
  kFunctional,  ///< data only
  kCycle,       ///< data, and every cycle as the RTL takes it
};

/// `spec` must outlive the device.
std::unique_ptr<runtime::Device> MakeSimulator(Simulator kind, const isa::Spec& spec);

}  // namespace cosim::sim
