// SPDX-License-Identifier: Apache-2.0
// The assembler's language for one ISA under one configuration, as a page generated from the Spec alone.
// Writes no files.
#pragma once

#include <string>

#include "isa/spec/spec.h"

namespace cosim::isa {

/// Markdown: directives, and of every instruction, micro-op and ALU op its fields and an example that
/// assembles (isa/program/assembler.h). The same Spec gives the same text.
std::string DescribeSyntax(const Spec& spec);

}  // namespace cosim::isa
