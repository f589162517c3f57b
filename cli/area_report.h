// SPDX-License-Identifier: Apache-2.0
// What `cosim synth --estimate` prints: how large an accelerator is by the area model, without Yosys.
#pragma once

#include <string>

#include "compiler/session/origin.h"
#include "isa/spec/spec.h"

namespace cosim::cli {

/// LUTs and flip-flops of each part, the total against the board's budget. The spec must pass isa::CheckSv.
std::string AreaTable(const isa::Spec& spec);

/// The same and the quantities behind it; docs/reference/synth-json.md names the keys.
std::string AreaJson(const isa::Spec& spec, const session::Origin& origin);

}  // namespace cosim::cli
