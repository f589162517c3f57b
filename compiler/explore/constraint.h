// SPDX-License-Identifier: Apache-2.0
// Conditions on the points of a plan, looked at before a point runs: over what its configuration says and
// what is known of its size, not over results.
//
//   condition = comparison { "&" comparison }     comparison = sum ("<" | "<=" | ">" | ">=" | "==" | "!=")
//   sum
//                                                             | "fits" "(" "board" ")"
//   sum = product { ("+" | "-") product }         product = value { ("*" | "/") value }
//   value = number | name { "." name } | "(" sum ")" | "-" value
//
// Names: parameters.X; clock_mhz; memory.latency and the others of the elaborated memory, in cycles and
// bytes; macs_per_cycle; hardware.lut_inputs; area.dsp, area.ramb36, area.lut and area.ff, the last two of
// them estimates (sim/synth/area_model.h).
#pragma once

#include <optional>
#include <string>

#include "isa/diagnostics.h"
#include "isa/spec/spec.h"
#include "isa/yaml/node.h"
#include "sim/synth/cells.h"

namespace cosim::explore {

struct Constraint {
  isa::YamlNode node;  ///< a scalar: its text, and where it stands
  const std::string& text() const { return node.scalar; }
};

/// Reports what of the grammar the text breaks, and names that no point has; parameters are the business of
/// each point. Nothing after reporting.
std::optional<Constraint> ParseConstraint(const isa::YamlNode& node, Diagnostics& diags);

/// What the accelerator takes (sim/synth/area_model.h); nothing where there is no RTL for it.
std::optional<synth::Resources> AreaOf(const isa::Spec& spec);

/// By how much the spec breaks it: 0 when it holds, else above 0, and the less the nearer. Of a comparison
/// that is the distance of its sides as a share of the larger one; of fits(board), Fit::excess, which may be
/// infinite; of several, their sum. Nothing after reporting a parameter that the ISA does not have, a
/// division by zero, or an area that is not known.
std::optional<double> Violation(const Constraint& constraint, const isa::Spec& spec, Diagnostics& diags);

/// Whether that is 0.
std::optional<bool> Holds(const Constraint& constraint, const isa::Spec& spec, Diagnostics& diags);

}  // namespace cosim::explore
