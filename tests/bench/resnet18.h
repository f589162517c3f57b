// SPDX-License-Identifier: Apache-2.0
// The network that the benchmarks of whole simulators run: resnet18 for pynq.yaml, compiled once.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/spec/spec.h"
#include "runtime/executor.h"
#include "runtime/network.h"

namespace cosim::bench {

struct Compiled {
  isa::Spec spec;
  runtime::Network network;
  std::vector<std::vector<uint8_t>> inputs;
};

const Compiled& Resnet18();

}  // namespace cosim::bench
