// SPDX-License-Identifier: Apache-2.0
// Prints an on-chip memory: its instances, and what a mirror takes of its original.
#pragma once

#include <string>
#include <vector>

#include "isa/spec/spec.h"
#include "isa/sv/engine.h"

namespace cosim::isa {

struct SvMemoryText {
  std::string declarations, body;
};

/// Memory `index`, `copies` of it, behind all their ports; nothing if nobody writes it. `writes` of a mirror
/// are those of its original.
SvMemoryText SvMemory(const Spec& spec, int index, const std::vector<SvAccess>& reads,
                      std::vector<SvAccess> writes, int copies);

}  // namespace cosim::isa
