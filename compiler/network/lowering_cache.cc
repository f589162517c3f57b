// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/lowering_cache.h"

#include <fmt/format.h>

namespace cosim::network {

std::string LoweringCache::KeyOf(const isa::Spec& spec) {
  return fmt::format("{} {} {} {} {}", spec.isa, spec.FingerprintText(), spec.dram.port_bits,
                     spec.dram.burst_beats, spec.ports);
}

}  // namespace cosim::network
