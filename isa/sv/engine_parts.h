// SPDX-License-Identifier: Apache-2.0
// What the printers of engines (engine.h) share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/sv/engine.h"
#include "isa/sv/template.h"

namespace cosim::isa {

/// What every template may name: u, U, e, kind, p, tag and engine_pins.
SvValues SvEngineValues(const SvUnit& unit, Kind kind);

/// As the constants of a memory begin: "MemGemmUop".
std::string SvMemoryConstant(const Spec& spec, int memory);

/// Fills the templates and gives the engine its name.
SvEngine FillSvEngine(const SvUnit& unit, Kind kind, std::string_view declarations, std::string_view body,
                      const SvValues& values);

/// Widest of several fields of a kind, at least 1.
int WidestSvField(const Spec& spec, const SvUnit& unit, Kind kind, const std::vector<std::string>& names);

}  // namespace cosim::isa
