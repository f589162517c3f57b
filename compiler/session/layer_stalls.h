// SPDX-License-Identifier: Apache-2.0
// A timed program, cut into its layers: what each layer's unit did and waited for.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/session/explain.h"
#include "isa/program/decode.h"

namespace cosim::session {

/// Explains the layers of one program, in its order; roofline and stalls only. `cycles` is the program's.
std::vector<LayerExplanation> ExplainProgram(const isa::Spec& spec, const runtime::Network& network,
                                             const runtime::AcceleratorStep& step,
                                             std::span<const isa::Decoded> program,
                                             std::span<const runtime::InstructionTimes> times,
                                             runtime::Cycle cycles);

}  // namespace cosim::session
