// SPDX-License-Identifier: Apache-2.0
// The accelerator for programs in C: registers, and functions that pack instruction words and micro-ops.
#pragma once

#include <string>

#include "isa/spec/spec.h"

namespace cosim::isa {

/// A header of C99 that includes nothing but <stdint.h> and <string.h>. Its names begin with `cosim_`. The
/// same Spec gives the same text.
std::string CHeader(const Spec& spec);

}  // namespace cosim::isa
