// SPDX-License-Identifier: Apache-2.0
// The shape of a random load that gathers pieces. Where in both memories it moves them is
// random_program.cc's.
#pragma once

#include "isa/program/program.h"
#include "isa/spec/spec.h"
#include "tests/isa/program/random_program.h"

namespace cosim::isa::testing {

/// Draws rows, columns, pieces and strides of `instruction`, whose format gathers, within its fields.
void DrawGather(const Spec& spec, const RandomProgramOptions& options, Random& random,
                Instruction& instruction);

}  // namespace cosim::isa::testing
