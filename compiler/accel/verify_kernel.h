// SPDX-License-Identifier: Apache-2.0
// What holds of a kernel's loop tree between any two passes.
#pragma once

#include <string>

#include "compiler/accel/ir.h"
#include "isa/spec/spec.h"

namespace cosim::accel {

/// What is wrong, or "": every access is to a parameter or to an on-chip buffer of the memory that the leaf's
/// instruction works on, has a stride a dimension, and mentions only loops around it; copies are within
/// their number; buffers that have an address lie in their memory; no allocation is of a buffer that is
/// unknown.
std::string VerifyKernel(const Kernel& kernel, const isa::Spec& spec);

}  // namespace cosim::accel
