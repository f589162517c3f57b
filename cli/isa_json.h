// SPDX-License-Identifier: Apache-2.0
// All that an elaborated ISA says, as JSON: bits, types and texts, part by part. What a run reports of its
// spec is cli/spec_json.h's.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "isa/spec/spec.h"

namespace cosim::cli {

/// Sections of parts by name: word, parameters, memories, units, queues, instructions, alu_ops. Docs are left
/// out.
nlohmann::ordered_json IsaJson(const isa::Spec& spec);

}  // namespace cosim::cli
