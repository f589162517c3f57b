// SPDX-License-Identifier: Apache-2.0
// Prints the package of constants and the decoders; the accelerator itself is accelerator.h's.
#pragma once

#include <string>

#include "isa/spec/spec.h"
#include "isa/sv/plan.h"

namespace cosim::isa {

/// `package cosim_pkg`: sizes, depths, latencies, opcodes, and offset and width of every field.
std::string SvPackage(const Spec& spec, const SvPlan& plan);

/// `module decode_<unit>`: from a command to the roles its fields play, so that no other module knows a
/// field's place. Signals of roles that no instruction of the unit has do not exist.
std::string SvUnitDecoder(const Spec& spec, const SvPlan& plan, const SvUnit& unit);

/// `module dispatch`: which unit a word is for.
std::string SvDispatch(const Spec& spec);

/// The banner every generated file begins with.
std::string SvBanner(const Spec& spec, std::string_view what);

}  // namespace cosim::isa
