// SPDX-License-Identifier: Apache-2.0
// Prints an on-chip memory: the instance, and what a mirror takes of its original.
#pragma once

#include <string>
#include <vector>

#include "isa/spec/spec.h"
#include "isa/sv/engine.h"

namespace cosim::isa {

struct SvMemoryText {
  std::string declarations, body;
};

/// Memory `index` behind all its ports; nothing if nobody writes it. `writes` of a mirror are those of its
/// original.
SvMemoryText SvMemory(const Spec& spec, int index, std::vector<SvAccess> reads, std::vector<SvAccess> writes);

}  // namespace cosim::isa
